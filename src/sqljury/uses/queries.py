"""Compare two queries, or show the operator tree of one, without a question or a database."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqljury.case import Case, Json
from sqljury.databases import open_databases, schema_of
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from sqljury.difference import Difference
    from sqljury.judges.counterexample import Server
    from sqljury.judges.pair import PairAnswer
    from sqljury.schema import Schema
    from sqljury.tables import Policy
    from sqljury.trees.nodes import Relation


COMPARED_PROFILES = "clean+nulls+duplicates+foreign_keys_violated+edge_values"
"""Data that a database of the schema can hold; SQLite enforces foreign keys only on request."""


def compare_queries(
    left: str,
    right: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    policy: str | Policy = "strict",
    profiles: str = COMPARED_PROFILES,
    seed: int = 0,
    seconds: float = 5.0,
    second_opinion: bool = True,
    assuming: str | None = None,
    prove: bool | None = None,
    dialect: str | None = None,
    replay: str | None = None,
) -> PairAnswer:
    """Prove that two queries return the same rows on any data, or find data where they differ.

    Args:
        left: the reference. Rows must be in order only if it has an ORDER BY.
        right: the query to compare with it.
        schema: a schema, or a file of CREATE TABLE statements or in the format of Spider's
            ``tables.json``.
        database: a file or URL of a database to take the schema from; its rows are not read. A
            PostgreSQL, MySQL or MariaDB server is used as with ``replay``.
        db_id: the schema or database to use, if there are several.
        policy: the policy by which results are equal, or its name.
        profiles: the kinds of generated data to search for a difference, joined by ``+``.
        seed: the seed of the generated databases.
        seconds: most time for the generated databases.
        second_opinion: also run a counterexample in DuckDB, if it is installed.
        assuming: what a proof may assume at most, joined by ``+``: ``primary_key``,
            ``foreign_key``, ``types``, ``not_null``, ``no_ties``, ``not_empty``,
            ``no_overflow``, ``check``; or ``all``, ``nothing``. None for what the schema declares,
            and no overflow.
        prove: search for a proof with z3. None: if z3 is installed; False: search for no proof.
        dialect: the dialect of the queries, and of the types in a schema file; by default the
            database's, else SQLite's.
        replay: URL of a PostgreSQL, MySQL or MariaDB server. If the queries are in its dialect, the
            search for a counterexample runs there; else a counterexample that was found is run
            there too. The rows are part of the query that is sent: no table is read or written.

    Raises:
        InputError: no schema, or no such policy, profile, assumption, dialect or database.
        InfrastructureError: the server cannot be reached.
        MissingExtraError: ``prove`` is True, and z3 is not installed.

    >>> table = "CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)"
    >>> from sqljury.databases import schema_from_ddl
    >>> found = compare_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE length >= 3", schema=schema_from_ddl(table))
    >>> found.verdict, found.witness.right.rows
    ('refuted', [(1,)])
    """
    from sqljury.evidence import DatabaseEvidence, ExecutionCache
    from sqljury.judges.canonical import assumptions
    from sqljury.judges.equivalence import data_profiles, possible_profiles
    from sqljury.judges.pair import compare_pair
    from sqljury.judges.proving import Proofs
    from sqljury.tables import make_policy

    try:
        counted = data_profiles(profiles)
        allowed = None if assuming is None else assumptions(assuming)
    except ValueError as error:
        raise InputError("SJ315", str(error)) from error
    rules = make_policy(policy) if isinstance(policy, str) else policy
    tables = schema_of(schema, database, db_id)
    if dialect is not None:
        tables = replace(tables, dialect=_known_dialect(dialect))
    counted = possible_profiles(counted, tables.dialect)
    proofs = Proofs(left, right, tables, rules, counted, allowed, demanded=prove is True)
    place = (replay, "") if replay is not None else (_as_server(database), db_id)
    with _server(place[0], place[1]) if place[0] is not None else nullcontext() as server:
        answer = compare_pair(
            left,
            right,
            tables,
            DatabaseEvidence(Case(id="compare"), None, ExecutionCache(), Limits()),
            policy=rules,
            profiles=counted,
            seed=seed,
            seconds=seconds,
            identity=None if prove is False else proofs.identity,
            prove=None if prove is False else proofs.prove,
            second_opinion=second_opinion,
            server=server,
        )
    assumed = answer.assumptions if answer.verdict == "proved" else answer.contradicted
    return answer if assumed is None else replace(answer, rules=proofs.rules(assumed))


_MOST_SECONDS = 2.0
"""The time limit on a server; enough for a query over a handful of generated rows."""
_SERVERS = ("postgresql", "postgres", "mysql", "mariadb")


def _as_server(database: PathLike | None) -> str | None:
    """The URL of a database if it is on a server that can run counterexamples, else None."""
    url = str(database or "")
    return url if url.partition("://")[0] in _SERVERS and "://" in url else None


@contextmanager
def _server(url: str, db_id: str) -> Iterator[Server]:
    """A server that counterexamples are run on.

    Raises:
        InputError: SJ328: no server of a supported kind, or it has no such database.
    """
    from sqljury.judges.counterexample import Server

    scheme = url.partition("://")[0]
    if scheme not in _SERVERS:
        raise InputError(
            "SJ328", f"needs the URL of a PostgreSQL, MySQL or MariaDB server, not {scheme!r}."
        )
    database = open_databases(url).open(db_id)
    if database is None:
        raise InputError("SJ328", f"the {scheme} server has no such database.")
    engine = re.match(r"[a-z]*", database.engine)
    try:
        yield Server(
            engine[0] if engine is not None else database.engine,
            database.dialect,
            lambda sql: database.execute(sql, Limits(seconds=_MOST_SECONDS)),
        )
    finally:
        database.close()


MOST_TOLD = 4
"""How many differences are printed by default."""


@dataclass(frozen=True, slots=True)
class QueryDifferences:
    """How a prediction differs from a reference; by default in canonical form."""

    equal: bool
    """True if the canonical trees are the same, with output columns in any order."""
    assumptions: tuple[str, ...]
    """What the data must satisfy for the queries to be equal."""
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "equal": self.equal,
            "assumptions": list(self.assumptions),
            "differences": [each.to_json() for each in self.differences],
        }

    def text(self, most: int | None = MOST_TOLD) -> str:
        """The likeliest difference, then the others as a list; at most ``most``, None for all."""
        from sqljury.difference import sentences

        told = sentences(self.differences, most)
        if self.equal:
            assumed = ", ".join(self.assumptions)
            equal = f"equal, assuming {assumed}" if assumed else "equal"
            told.append(f"otherwise {equal}" if told else equal)
        if not told:
            return "the clauses are the same, but they stand together otherwise"
        first, *others = told[:most]
        left_out = len(told) - len(others) - 1
        more = [f"… and {left_out} more (--all)"] if left_out else []
        return "\n".join([first, *(f"- {line}" for line in [*others, *more])])


def diff_queries(
    reference: str,
    prediction: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    as_written: bool = False,
    dialect: str | None = None,
) -> QueryDifferences:
    """How a prediction differs from a reference, by their operator trees; runs no query.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the format of Spider's
            ``tables.json``.
        database: a file or URL of a database to take the schema from; its rows are not read.
        db_id: the schema or database to use, if there are several.
        as_written: list the differences of the trees as written, not of their canonical forms.
        dialect: sqlglot's name of the queries' dialect; by default the schema's.

    Raises:
        InputError: SJ316: no schema; SJ318: a query that cannot be read; SJ319: no such dialect.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> found = diff_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE 3 <= length", schema=boats)
    >>> found.differences[0].words
    'filter compares otherwise: boat.length >= 3, not boat.length > 3'
    """
    from sqljury.equivalence.canonical import canonical, equality
    from sqljury.likeness.differences import Views, clearest, differences
    from sqljury.trees.context import (
        ALL_ASSUMPTIONS,
        DECLARED_ASSUMPTIONS,
        Assumption,
        Context,
    )

    known = schema_of(schema, database, db_id)
    spoken = _known_dialect(dialect or known.dialect)
    left, right = (
        _tree_of(sql, known, which, spoken)
        for which, sql in (("reference", reference), ("prediction", prediction))
    )
    proof = equality(left, right, known, spoken, permuted=True)
    if as_written:
        found = differences(right, left)
    else:

        def rewritten(assuming: frozenset[Assumption]) -> tuple[Relation, Relation]:
            context = Context(known, spoken, assuming)
            return canonical(right, context).relation, canonical(left, context).relation

        views = Views(
            (right, left), lambda: rewritten(DECLARED_ASSUMPTIONS), rewritten(ALL_ASSUMPTIONS)
        )
        found = clearest(views, equal=proof is not None)
    return QueryDifferences(
        proof is not None,
        tuple(sorted(each.value for each in proof.assumptions)) if proof else (),
        found,
    )


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a query computes: its operator tree, as written or rewritten into canonical form."""

    tree: Relation
    assumptions: tuple[str, ...] = ()
    """What the data must satisfy for the rewritten tree to return the same rows."""
    rules: tuple[str, ...] = ()
    """The names of the rules that rewrote it, each once (:func:`sqljury.rules`)."""

    @property
    def text(self) -> str:
        """The tree as indented text."""
        from sqljury.trees.drawing import tree_text

        return tree_text(self.tree)

    @property
    def svg(self) -> str:
        """The tree drawn as SVG text."""
        from sqljury.trees.drawing import tree_svg

        return tree_svg(self.tree)

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        from sqljury.trees.drawing import tree_json

        return {
            "tree": tree_json(self.tree),
            "assumptions": list(self.assumptions),
            "rules": list(self.rules),
        }


def plan_query(
    sql: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    dialect: str | None = None,
    canonical: bool = False,
) -> QueryPlan:
    """The operator tree of a query; the query is not run.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the format of Spider's
            ``tables.json``.
        database: a file or URL of a database to take the schema from; its rows are not read.
        db_id: the schema or database to use, if there are several.
        dialect: sqlglot's name of the query's dialect; by default the schema's.
        canonical: rewrite the tree into its canonical form.

    Raises:
        InputError: SJ316: no schema; SJ318: the query cannot be read; SJ319: no such dialect.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> print(plan_query("SELECT b.id FROM boat AS b WHERE b.length > 3", schema=boats).text)
    project id
      filter length > 3
        scan boat
    """
    from sqljury.equivalence.canonical import canonical as rewritten
    from sqljury.trees.context import Context

    known = schema_of(schema, database, db_id)
    spoken = _known_dialect(dialect or known.dialect)
    tree = _tree_of(sql, known, "query", spoken)
    if not canonical:
        return QueryPlan(tree)
    found = rewritten(tree, Context(known, spoken))
    return QueryPlan(found.relation, tuple(sorted(found.assumptions)), found.rules)


def _known_dialect(name: str) -> str:
    from sqlglot.dialects.dialect import Dialect

    if Dialect.get(name) is None:
        near = difflib.get_close_matches(name, Dialect.classes, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else ""
        raise InputError("SJ319", f"there is no dialect {name!r}.", hint=hint)
    return name


def _tree_of(sql: str, schema: Schema, which: str, dialect: str = "") -> Relation:
    from sqljury.trees import build_tree
    from sqljury.trees.nodes import Unreadable

    tree = build_tree(sql, schema, dialect or schema.dialect)
    if isinstance(tree, Unreadable):
        raise InputError(
            "SJ318",
            f"the {which} cannot be read: {tree.reason}.",
            hint=_place(sql, dialect or schema.dialect),
        )
    return tree


def _place(sql: str, dialect: str) -> str:
    """Where the parser stopped, as a sentence; empty if it parses or the place is not known."""
    from sqljury.sql.tokens import syntax_error

    place = syntax_error(sql, dialect)
    return f"The parser stopped at {place}." if place else ""
