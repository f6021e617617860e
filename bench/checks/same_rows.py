"""Whether two queries return the same rows, where their rows are determined at all."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from checks.small_databases import Engine, Row, Rows
from sqljury.schema import Schema
from sqljury.sql import keyed_for_ties, top_level_order, without_limit


class Runs(Protocol):
    """What runs queries on some rows."""

    @property
    def schema(self) -> Schema:
        """The tables."""

    def run(self, sql: str) -> list[Row] | str:
        """The rows of a query, or what the engine has against it."""


class Several(Protocol):
    """One database in several orders of its rows."""

    @property
    def engines(self) -> Sequence[Runs]:
        """The same rows in different orders."""

    @property
    def rows(self) -> Rows | None:
        """The rows of a small database."""


class Copies:
    """One database three times: with its rows in order, backwards and shuffled.

    A query whose rows differ between them has no rows of its own: its LIMIT cuts a tie, or it
    shows a column of any row of a group.
    """

    def __init__(self, schema: Schema, rows: Rows) -> None:
        self.schema = schema
        self.rows = rows
        rng = random.Random(1)
        shuffled = {name: rng.sample(of_table, len(of_table)) for name, of_table in rows.items()}
        backwards = {name: of_table[::-1] for name, of_table in rows.items()}
        self.engines = tuple(Engine(schema, order) for order in (rows, backwards, shuffled))

    def close(self) -> None:
        """Let them go."""
        for engine in self.engines:
            engine.close()


@dataclass(frozen=True)
class Observed:
    """What a query returns; ``rows`` is None where that is an error or not determined."""

    rows: list[Row] | None
    groups: tuple[Counter[Row], ...] = ()
    """Runs of rows that tie in the ORDER BY; one run without ORDER BY."""
    why: str = ""


def observe(sql: str, copies: Several) -> Observed:
    """The rows of a query, and how far their order is determined."""
    seen = [engine.run(sql) for engine in copies.engines]
    first = seen[0]
    if isinstance(first, str):
        return Observed(None, why=first)
    bags = [Counter(rows) for rows in seen if not isinstance(rows, str)]
    if len(bags) < len(seen) or any(bag != bags[0] for bag in bags):
        return Observed(None, why="rows depend on the order of rows in tables")
    engine = copies.engines[0]
    if _limit_cuts_tie(sql, engine):
        return Observed(None, why="a LIMIT cuts a tie")
    return Observed(first, _groups(sql, first, engine))


def differ(one: Observed, other: Observed) -> str | None:
    """In words how two determined results differ; None where they are the same."""
    assert one.rows is not None
    assert other.rows is not None
    left, right = Counter(one.rows), Counter(other.rows)
    if left != right:
        return f"only the first: {_shown(left - right)}; only the second: {_shown(right - left)}"
    if _in_order(other.rows, one.groups) and _in_order(one.rows, other.groups):
        return None
    return f"another order: {one.rows} and {other.rows}"


def _shown(rows: Counter[Row]) -> list[Row]:
    return list(rows.elements())[:5]


def _in_order(rows: Sequence[Row], groups: tuple[Counter[Row], ...]) -> bool:
    start = 0
    for group in groups:
        end = start + group.total()
        if Counter(rows[start:end]) != group:
            return False
        start = end
    return True


def _groups(sql: str, rows: list[Row], engine: Runs) -> tuple[Counter[Row], ...]:
    dialect = engine.schema.dialect
    keyed = keyed_for_ties(sql, dialect) if top_level_order(sql, dialect) else None
    found = engine.run(keyed.sql) if keyed is not None else None
    if keyed is None or found is None or isinstance(found, str):
        return (Counter(rows),)
    if [keyed.plain(row) for row in found] != rows:
        return (Counter(rows),)
    return tuple(Counter(map(keyed.plain, run)) for _, run in groupby(found, key=keyed.keys))


def _limit_cuts_tie(sql: str, engine: Runs) -> bool:
    wider = without_limit(sql, engine.schema.dialect)
    if wider is None or wider.limit == 0:
        return False
    rows = engine.run(wider.query.sql)
    if isinstance(rows, str) or len(rows) <= wider.limit:
        return False
    last, beyond = rows[wider.limit - 1 : wider.limit + 1]
    return wider.query.keys(last) == wider.query.keys(beyond)
