"""Proposes pairs to label, and excludes queries that models are evaluated on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from heapq import nsmallest
from random import Random

from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.equivalence.canonical import canonical_query
from sqljury.errors import InputError
from sqljury.schema import Schema, Table
from sqljury.sql import normalise_text, parse, tables_of
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable
from sqljury.uses.building.names import place
from sqljury.uses.building.pairs.pair import MUTATION, OTHER, REWRITE, QueryPair
from sqljury.variants import Variant, mutations, rewrites
from sqljury.variants.base import ColumnValues


def canonical_form(sql: str, schema: Schema | None, *, named: bool = False) -> str:
    """A digest of the query's canonical tree, or of its text if it has no tree.

    Args:
        named: if True, names of output columns count.
    """
    found = None if schema is None else canonical_query(sql, schema, schema.dialect)
    if found is None or isinstance(found, Unreadable):
        return text_form(sql)
    return _hashed("canonical", repr(found.relation) if named else _spelled(found.relation))


def tree_form(sql: str, schema: Schema | None) -> str:
    """A digest of the query's tree without names of output columns, or of its text if it has no
    tree."""
    found = None if schema is None else build_tree(sql, schema, schema.dialect)
    if found is None or isinstance(found, Unreadable):
        return text_form(sql)
    return _hashed("tree", _spelled(found))


def text_form(sql: str) -> str:
    """A digest of the query's text that ignores spaces and case.

    Case is ignored within quotes, too: a model evaluated on a query for ``'Ann'`` should not be
    trained on one for ``'ann'``.
    """
    text = normalise_text(sql).casefold().replace('"', "'")
    return _hashed("text", " ".join(text.replace("'", " ' ").split()))


def table_names(sql: str) -> frozenset[str]:
    """The names of all tables in FROM, case-folded; empty if the text cannot be parsed."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    return (
        frozenset(one.name.casefold() for one in tree.find_all(exp.Table)) if tree else frozenset()
    )


def _spelled(value: object) -> str:
    """A tree as text, without the fields that equality ignores, such as output columns' names."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = (_spelled(getattr(value, one.name)) for one in fields(value) if one.compare)
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))})"
    return repr(value)


def _hashed(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


Known = frozenset[tuple[str, tuple[str, ...]]]
"""Tables by their names and columns."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Queries that must not be used for training, by canonical form and by text.

    Args:
        forms: the digests of their canonical forms and texts.
        tables: the sets of tables that they name. A query that names none of these tables needs
            no canonical form, which saves time.
    """

    forms: frozenset[str] = frozenset()
    tables: frozenset[frozenset[str]] = frozenset()

    def has(self, sql: str, schema: Schema | None) -> bool:
        """True if the query, or one with the same canonical form, is excluded."""
        if text_form(sql) in self.forms:
            return True
        named = table_names(sql) if self.tables else frozenset()
        if not any(tables & named for tables in self.tables):
            return False
        return canonical_form(sql, schema) in self.forms


def tables_of_schemas(schemas: Iterable[Schema]) -> Known:
    """The names and columns of the tables that training queries may read."""
    return frozenset(_named_columns(table) for schema in schemas for table in schema.tables)


def exclusion_of(
    cases: Iterable[Case], schema_of: Callable[[str], Schema | None], known: Known
) -> Exclusion:
    """The exclusion of the references and predictions of cases.

    Args:
        schema_of: returns a database's schema; if None, the case's own schema is used, and
            without that only texts are compared.
        known: the tables of training. Queries on other tables need no canonical form, as it could
            not equal that of a training query.
    """
    forms: set[str] = set()
    tables: set[frozenset[str]] = set()
    seen: set[tuple[str, str]] = set()
    for case in cases:
        schema = schema_of(case.db_id) or _own_schema(case)
        predicted = [case.predicted_sql] if isinstance(case.predicted_sql, str) else []
        for sql in (*case.reference_sqls, *predicted):
            if (case.db_id, sql) in seen:
                continue
            seen.add((case.db_id, sql))
            forms.add(text_form(sql))
            shared = _shared(sql, schema, known)
            if shared:
                forms.add(canonical_form(sql, schema))
                tables.add(shared)
    return Exclusion(frozenset(forms), frozenset(tables))


def _shared(sql: str, schema: Schema | None, known: Known) -> frozenset[str]:
    """The tables of a query that are also among those of training."""
    if schema is None or not any(_named_columns(table) in known for table in schema.tables):
        return frozenset()
    found = (schema.table(name) for name in table_names(sql))
    return frozenset(
        table.name.casefold()
        for table in found
        if table is not None and _named_columns(table) in known
    )


def _named_columns(table: Table) -> tuple[str, tuple[str, ...]]:
    return table.name, tuple(column.name for column in table.columns)


def _own_schema(case: Case) -> Schema | None:
    if case.schema_sql is None:
        return None
    try:
        return schema_from_ddl(case.schema_sql)
    except InputError:
        return None


_REWRITES = 3
_MUTATIONS = 3
_OTHERS = 0.5
"""Rewrites and mutations per reference, and the share of references paired with another one."""
_DISGUISED = 0.8
"""The share of mutations that are also rewritten, so that style does not reveal the label."""
_RESTATED = 0.35
"""The share of pairs whose reference is also rewritten."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The pairs proposed for the references of one database."""

    db_id: str
    pairs: tuple[QueryPair, ...]
    references: int
    """The number of references with different canonical forms."""
    excluded: int
    """The number of these that are left out, because models are evaluated on them."""


def propose(
    db_id: str,
    references: Sequence[str],
    schema: Schema,
    exclusion: Exclusion,
    *,
    seed: int = 0,
    rounds: int = 1,
    values: ColumnValues | None = None,
) -> Proposed:
    """Propose pairs for each reference of a database, none with an excluded query.

    References with the same canonical form count once. Each is paired with rewrites, with
    mutations, and for half of the references with the most similar other reference. Most mutations
    and other references, and the references of a third of the pairs, are rewritten in addition.

    Args:
        rounds: so many times as many pairs are proposed.
        values: values of the database's columns, for constants that are nearly right.
    """
    known: dict[str, str] = {}
    excluded = set()
    for sql in dict.fromkeys(references):
        form = canonical_form(sql, schema, named=True)
        if exclusion.has(sql, schema):
            excluded.add(form)
        else:
            known.setdefault(form, sql)
    own = list(known.values())
    pairs: dict[str, QueryPair] = {}
    for sql in own:
        for pair in _of(db_id, sql, own, schema, seed, rounds, values):
            made = {pair.reference, pair.prediction} - {sql}
            if not any(exclusion.has(text, schema) for text in made):
                pairs.setdefault(pair.id, pair)
    return Proposed(db_id, tuple(pairs.values()), len(known) + len(excluded), len(excluded))


def _of(
    db_id: str,
    sql: str,
    others: Sequence[str],
    schema: Schema,
    seed: int,
    rounds: int,
    values: ColumnValues | None,
) -> Iterator[QueryPair]:
    random = Random(f"pairs/{seed}/{db_id}/{sql}")
    for variant, origin in _variants(sql, others, schema, seed, rounds, values, random):
        reference, kinds = sql, variant.kinds
        if random.random() < _RESTATED:
            restated = _again(sql, schema, random)
            if restated:
                reference = restated[0].sql
                kinds = (*kinds, *(f"reference:{kind}" for kind in restated[0].kinds))
        if variant.sql != reference:
            yield QueryPair(db_id, reference, variant.sql, origin, kinds)


def _variants(
    sql: str,
    others: Sequence[str],
    schema: Schema,
    seed: int,
    rounds: int,
    values: ColumnValues | None,
    random: Random,
) -> Iterator[tuple[Variant, str]]:
    dialect = schema.dialect
    most = _REWRITES * rounds
    for variant in rewrites(sql, schema, seed=seed, most=most, dialect=dialect):
        yield variant, REWRITE
    most = _MUTATIONS * rounds
    for variant in mutations(sql, schema, seed=seed, most=most, dialect=dialect, values=values):
        yield _disguised(variant, schema, random), MUTATION
    for other in _similar(sql, others, schema, seed, rounds):
        if random.random() < _OTHERS:
            yield _disguised(Variant(other, ("other_query",)), schema, random), OTHER


def _disguised(variant: Variant, schema: Schema, random: Random) -> Variant:
    if random.random() >= _DISGUISED:
        return variant
    found = _again(variant.sql, schema, random)
    return Variant(found[0].sql, (*variant.kinds, *found[0].kinds)) if found else variant


def _again(sql: str, schema: Schema, random: Random) -> list[Variant]:
    """One random rewrite of a query; empty if no rewrite applies."""
    seed = random.randrange(1 << 30)
    return rewrites(sql, schema, seed=seed, most=1, dialect=schema.dialect)


def _similar(sql: str, others: Sequence[str], schema: Schema, seed: int, most: int) -> list[str]:
    """The other queries with the most words in common, those on the same tables first."""
    words = set(sql.casefold().split())
    tables = tables_of(sql, schema.dialect, schema)

    def distance(other: str) -> tuple[bool, int, bytes]:
        common = len(words & set(other.casefold().split()))
        elsewhere = tables_of(other, schema.dialect, schema) != tables
        return elsewhere, -common, place(seed, sql, other)

    return nsmallest(most, (other for other in others if other != sql), key=distance)
