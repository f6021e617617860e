"""Two queries compared, or one taken apart: no questions, no rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqljury.api.inputs import PathLike
from sqljury.case import Case, Json
from sqljury.databases import open_databases, schema_of
from sqljury.errors import InputError
from sqljury.execution import Limits

if TYPE_CHECKING:
    from sqljury.judges.pair import PairAnswer, Server
    from sqljury.queries.differences import Difference
    from sqljury.queries.trees.nodes import Relation
    from sqljury.schema import Schema
    from sqljury.tables import Policy


COMPARED_PROFILES = "clean+nulls+duplicates+foreign_keys_violated"
"""All that a database of the schema can hold; most engines enforce foreign keys, SQLite asks."""


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
    """Whether two queries give the same rows whatever the data, or a database where they do not.

    Args:
        left: the reference: its ORDER BY is the one that binds.
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        policy: when two results are the same: a policy or its name.
        profiles: the data on which a difference counts, joined by ``+``.
        seed: of the generated databases.
        seconds: most time for them.
        second_opinion: run a counterexample in DuckDB, too, where it is installed.
        assuming: what a proof may assume at most, joined by ``+``: ``primary_key``,
            ``foreign_key``, ``types``, ``not_null``, ``no_ties``, ``not_empty``,
            ``no_overflow``; or ``all``, ``nothing``. None for what the schema declares, and no
            overflow.
        prove: look for a proof with z3: None where it is installed, False for none at all.
        dialect: of the queries, and of the types of a schema given as a file; by default the
            database's, else SQLite's.
        replay: URL of a PostgreSQL, MySQL or MariaDB server on which a counterexample is run,
            too. Its rows stand in the query that is sent: no table there is read or written. A
            server of the queries' own dialect decides: the same rows there, and the queries are
            not refuted.

    Raises:
        InputError: no schema, or no such policy, profile, assumption, dialect or database.
        InfrastructureError: the server cannot be reached.
        MissingExtraError: a proof is demanded, and z3 is not installed.

    >>> table = "CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)"
    >>> from sqljury.databases import schema_from_ddl
    >>> found = compare_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE length >= 3", schema=schema_from_ddl(table))
    >>> found.verdict, found.witness.right.rows
    ('refuted', [(1,)])
    """
    from sqljury.evidence import DatabaseEvidence, ExecutionCache
    from sqljury.judges.canonical import assumptions
    from sqljury.judges.equivalence import data_profiles
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
    proofs = Proofs(left, right, tables, rules, counted, allowed, demanded=prove is True)
    with _server(replay) if replay is not None else nullcontext() as server:
        return compare_pair(
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


@contextmanager
def _server(url: str) -> Iterator[Server]:
    """A server that counterexamples are run on.

    Raises:
        InputError: SJ328: it is none of those that can be asked, or has no such database.
    """
    from sqljury.judges.pair import Server

    scheme = url.partition("://")[0]
    if scheme not in ("postgresql", "postgres", "mysql", "mariadb"):
        raise InputError("SJ328", f"a counterexample cannot be run on {scheme!r}.")
    database = open_databases(url).open("")
    if database is None:
        raise InputError("SJ328", f"the {scheme} server has no such database.")
    engine = re.match(r"[a-z]*", database.engine)
    try:
        yield Server(
            engine[0] if engine is not None else database.engine,
            database.dialect,
            lambda sql: database.execute(sql, Limits()),
        )
    finally:
        database.close()


@dataclass(frozen=True, slots=True)
class QueryDifferences:
    """What a prediction does differently, after what does not matter is rewritten away."""

    equal: bool
    """Whether the trees are the same, output columns in any order."""
    assumptions: tuple[str, ...]
    """What the data must satisfy for them to be equal."""
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "equal": self.equal,
            "assumptions": list(self.assumptions),
            "differences": [each.to_json() for each in self.differences],
        }


def diff_queries(
    reference: str,
    prediction: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    as_written: bool = False,
) -> QueryDifferences:
    """What two queries do differently, from their operator trees; nothing is executed.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        as_written: compare the trees as written, without rewriting them first.

    Raises:
        InputError: SJ316: no schema; SJ318: a query that cannot be read.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> found = diff_queries("SELECT id FROM boat WHERE length > 3",
    ...     "SELECT id FROM boat WHERE 3 <= length", schema=boats)
    >>> found.differences[0].words
    'filter compares otherwise: boat.length >= 3, not boat.length > 3'
    """
    from sqljury.queries.canonical import canonical, trees_equal_under
    from sqljury.queries.differences import differences
    from sqljury.queries.trees.context import Context

    known = schema_of(schema, database, db_id)
    left, right = (
        _tree_of(sql, known, which)
        for which, sql in (("reference", reference), ("prediction", prediction))
    )
    proof = trees_equal_under(left, right, known, known.dialect, permuted=True)
    if not as_written:
        context = Context(known, known.dialect)
        left, right = (canonical(tree, context).relation for tree in (left, right))
    return QueryDifferences(
        proof is not None,
        tuple(sorted(each.value for each in proof or ())),
        differences(right, left),
    )


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a query computes: its operator tree, as written or rewritten into canonical form."""

    tree: Relation
    assumptions: tuple[str, ...] = ()
    """What the data must satisfy for the rewritten tree to have the same rows."""
    rules: tuple[str, ...] = ()
    """The rules of whole operators that rewrote it, each once."""

    @property
    def text(self) -> str:
        """The tree as indented text."""
        from sqljury.queries.trees.text import tree_text

        return tree_text(self.tree)

    @property
    def svg(self) -> str:
        """The tree as a picture."""
        from sqljury.queries.trees.svg import tree_svg

        return tree_svg(self.tree)

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        from sqljury.queries.trees.as_json import tree_json

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
    """The operator tree of a query; nothing is executed.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        dialect: the query's, by sqlglot's name; without it the schema's.
        canonical: rewrite away what does not change the rows.

    Raises:
        InputError: SJ316: no schema; SJ318: the query cannot be read; SJ319: no such dialect.

    >>> from sqljury.databases import schema_from_ddl
    >>> boats = schema_from_ddl("CREATE TABLE boat (id INTEGER PRIMARY KEY, length REAL)")
    >>> print(plan_query("SELECT b.id FROM boat AS b WHERE b.length > 3", schema=boats).text)
    project id
      filter length > 3
        scan boat
    """
    from sqljury.queries.canonical import canonical as rewritten
    from sqljury.queries.trees.context import Context

    known = schema_of(schema, database, db_id)
    spoken = _known_dialect(dialect or known.dialect)
    tree = _tree_of(sql, known, "query", spoken)
    if not canonical:
        return QueryPlan(tree)
    found = rewritten(tree, Context(known, spoken))
    return QueryPlan(
        found.relation, tuple(sorted(found.assumptions)), tuple(dict.fromkeys(found.rules))
    )


def _known_dialect(name: str) -> str:
    from sqlglot.dialects.dialect import Dialect

    if Dialect.get(name) is None:
        raise InputError("SJ319", f"there is no dialect {name!r}.")
    return name


def _tree_of(sql: str, schema: Schema, which: str, dialect: str = "") -> Relation:
    from sqljury.queries.trees import build_tree
    from sqljury.queries.trees.nodes import Unreadable

    tree = build_tree(sql, schema, dialect or schema.dialect)
    if isinstance(tree, Unreadable):
        raise InputError("SJ318", f"the {which} cannot be read: {tree.reason}.")
    return tree
