"""The search for a database on which two queries give different rows, and the score that it gives.

A difference counts only where it cannot be chance: a result that changes when the same rows are
written in another order (a LIMIT that cuts a tie, a column that no group fixes) is one of several
right answers, and no counterexample. Rows that a server holds stand in the query itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

from sqljury.execution import Execution, ResultTable, Status
from sqljury.judges.execution import is_ordered, tie_groups
from sqljury.schema import Table
from sqljury.sql import bare_chosen, tie_broken
from sqljury.sql.transpile import over_rows, quoted_name
from sqljury.tables import Comparison, MismatchKind, Policy, compare, make_policy
from sqljury.value_profile import ValueProfile

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile, Material, Plan, Row, Rows
    from sqljury.evidence import Evidence, Filled


# ---------------------------------------------------------------- on server
#
# Another engine than SQLite, asked over rows that stand in the query.


@dataclass(frozen=True, slots=True)
class Server:
    """A database server on which queries run over rows of ours; no table on it is read or written.

    Args:
        engine: its name.
        dialect: sqlglot's name of its SQL.
        execute: runs one statement there, read-only and limited.
    """

    engine: str
    dialect: str
    execute: Callable[[str], Execution]


_TEXT_TYPES: Final = re.compile(r"char|text|clob|citext", re.IGNORECASE)


def _checks(table: Table, dialect: str) -> Iterator[str]:
    """Queries that find rows which are equal in a key of texts: its collation decides that."""
    for key in filter(None, (table.primary_key, *table.unique)):
        columns = [column for column in table.columns if column.name in key]
        if not any(_TEXT_TYPES.search(column.type) for column in columns):
            continue
        names = [quoted_name(column.name, dialect) for column in columns]
        held = " AND ".join(f"{name} IS NOT NULL" for name in names)
        yield (
            f"SELECT 1 FROM {quoted_name(table.name, dialect)} WHERE {held} "
            f"GROUP BY {', '.join(names)} HAVING COUNT(*) > 1"
        )


class ServerRows:
    """The rows of one generated database at a time, written into each query that is sent."""

    def __init__(self, server: Server, tables: Sequence[Table]) -> None:
        self._server = server
        self._tables = tables
        self._rows: Mapping[str, Sequence[tuple[Any, ...]]] = {}
        self._checks = [text for table in tables for text in _checks(table, server.dialect)]
        self._refused: str | None = None
        """Why the server would not hold the rows of now; None where that was not asked yet."""

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replace all rows."""
        self._rows, self._refused = rows, None

    def rows(self, sql: str) -> Execution:
        """Run one statement on the rows of now; failures are values."""
        if self._refused is None:
            self._refused = "a key is violated" if any(map(self._shows, self._checks)) else ""
        if self._refused:
            return Execution(Status.ERROR, None, self._refused)
        return self._run(sql)

    def _shows(self, sql: str) -> bool:
        table = self._run(sql).table
        return table is None or bool(table.rows)

    def _run(self, sql: str) -> Execution:
        written = over_rows(sql, self._server.dialect, self._tables, self._rows)
        if written is None:
            return Execution(Status.ERROR, None, "it cannot be written over rows")
        return self._server.execute(written)

    def close(self) -> None:
        """Nothing to give back: the connection is somebody else's."""


# ------------------------------------------------------------
# The search for a database on which two queries give different rows, and the score that it gives.

#
# A difference counts only where it cannot be chance: a result that changes when the same rows are
# written in another order (a LIMIT that cuts a tie, a column that no group fixes) is one of several
# right answers, and no counterexample.


_ROUNDING = 1e-9
"""Sums of the same numbers in another order may differ by that much."""
_ROTATIONS = 11
"""Other orders of the same rows under which a result has to stay the same, at most."""
_ENOUGH = 8
_NEARLY_ALL = 0.75
_NO_LIMIT = 1 << 30
_TOO_MUCH = (Status.TIMEOUT, Status.TOO_LARGE, Status.OUT_OF_MEMORY)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two queries."""

    sql: str
    profile: ValueProfile


@dataclass(frozen=True, slots=True)
class Look:
    """What the two queries give on one database.

    Args:
        equal: None where the comparison says nothing: a query timed out, or chance decides.
        informative: both results show something.
        kind: how the results differ.
    """

    plan: Plan
    equal: bool | None
    informative: bool = False
    kind: MismatchKind | None = None
    slight: str = ""
    """Why the difference weighs little: ``types``, ``nothing``, ``rounding``."""
    arbitrary: bool = False
    """The candidate's answer depends on chance, the reference's does not."""


@dataclass(slots=True)
class Search:
    """What was tried, and the database that tells the queries apart, if there is one.

    Args:
        counted: the profiles on which a difference counts: the database is one of these where
            one of these differs.
    """

    counted: Collection[DataProfile]
    looks: list[Look] = field(default_factory=list)
    found: Look | None = None
    rows: Rows | None = None
    failure: tuple[str, Execution] | None = None
    """``left`` or ``right``, and how it fails: on every database, as nothing runs."""
    seconds: float = 0.0
    largest: int = _NO_LIMIT
    """Plans of more tuples take too long."""

    @property
    def refuted(self) -> bool:
        """Whether a difference counts."""
        return self.found is not None and self.found.plan.profile in self.counted

    def note(self, look: Look, rows: Rows) -> None:
        """One more database was looked at."""
        self.looks.append(look)
        if look.equal is False and (
            self.found is None or self._worth(look) > self._worth(self.found)
        ):
            self.found, self.rows = look, rows

    def _worth(self, look: Look) -> tuple[bool, bool]:
        return look.plan.profile in self.counted, not look.slight

    @property
    def settled(self) -> bool:
        """Whether a query fails, or nearly all of enough databases showed more than a slight
        difference."""
        if self.failure is not None:
            return True
        if self.found is not None and self.found.kind is MismatchKind.COLUMN_COUNT:
            return True
        if len(self.looks) < _ENOUGH:
            return False
        plain = sum(1 for look in self.looks if look.equal is False and not look.slight)
        return plain >= _ENOUGH and plain >= _NEARLY_ALL * len(self.looks)

    def tried(self, profile: DataProfile | None = None) -> list[Look]:
        """The databases of a profile on which both queries ran and chance decided nothing."""
        return [
            look
            for look in self.looks
            if look.equal is not None and profile in (None, look.plan.profile)
        ]


class Searcher:
    """Compares two queries on generated databases.

    Args:
        left: the reference: its ORDER BY is the one that binds.
        scratch: the tables that are filled; closed with the searcher.
        evidence: gives more databases in memory.
        dialect: the queries'. In another one than SQLite's they may fail on some rows only.
    """

    def __init__(
        self,
        left: Side,
        right: Side,
        material: Material,
        scratch: Filled,
        evidence: Evidence,
        policy: Policy,
        dialect: str = "sqlite",
    ) -> None:
        self.left = left
        self.right = right
        self.material = material
        self.scratch = scratch
        self._dialect = dialect
        self._evidence = evidence
        self._numeric: tuple[Filled | None] | None = None if dialect == "sqlite" else (None,)
        # Another engine works outside of this thread.
        self.clock = thread_time if dialect == "sqlite" else perf_counter
        exact = policy.values == "text"
        tolerance = policy.tolerance if exact else max(policy.tolerance, _ROUNDING)
        self._policy = replace(policy, tolerance=tolerance)
        columns = [column for table in material.tables for column in table.columns]
        self._collated = any(c.collation or c.type.lower() == "citext" for c in columns)
        self._ordered = is_ordered(policy, left.sql, dialect)

    def close(self) -> None:
        """Give the databases back."""
        for scratch in (self.scratch, *(self._numeric or ())):
            if scratch is not None:
                scratch.close()

    def search(
        self,
        plans: Iterable[Plan],
        counted: Collection[DataProfile],
        *,
        further: Iterable[Plan] = (),
        seconds: float,
    ) -> Search:
        """Make the databases and look at each, until it is clear that the queries differ.

        The first database that shows more than a slight difference is kept; else the first.

        Args:
            counted: the profiles on which a difference counts.
            further: databases to make where the others show no difference that counts, until
                one does.
            seconds: stop when that much processor time is spent, so that load changes no verdict.
        """
        started = self.clock()
        result = Search(counted)
        for plan in plans:
            self._try(plan, result)
            if result.settled or self.clock() - started > seconds:
                break
        for plan in further:
            if result.failure is not None or result.refuted or self.clock() - started > seconds:
                break
            self._try(plan, result)
        result.seconds = self.clock() - started
        return result

    def _try(self, plan: Plan, result: Search) -> None:
        from sqljury.databases.generated import make_rows

        if plan.tuples > result.largest:
            return
        rows = make_rows(self.material, plan)
        look = self.look(plan, rows)
        if isinstance(look, tuple):
            native = self._dialect == "sqlite"
            if native and not result.looks and look[1].status not in _TOO_MUCH:
                result.failure = look
                return
            if look[1].status in _TOO_MUCH:
                result.largest = plan.tuples - 1
            look = Look(plan, None)
        result.note(look, rows)

    def look(self, plan: Plan, rows: Rows) -> Look | tuple[str, Execution]:
        """Run both queries on one database; a query that does not run is given back as it is."""
        self.scratch.fill(rows)
        left = self.scratch.rows(self.left.sql)
        if left.table is None:
            return "left", left
        right = self.scratch.rows(self.right.sql)
        if right.table is None:
            return "right", right
        informative = _shows(left.table) and _shows(right.table)
        found = self._compared(left.table, right.table)
        if found.equal or found.equal is None:
            return Look(plan, found.equal, informative)
        return self._confirmed(plan, rows, left.table, right.table, found, informative)

    def results(self, rows: Rows) -> tuple[ResultTable, ResultTable] | None:
        """Both results on a database, or None where one of them has none."""
        self.scratch.fill(rows)
        left, right = self.scratch.rows(self.left.sql), self.scratch.rows(self.right.sql)
        return (left.table, right.table) if left.table and right.table else None

    def differ(self, left: ResultTable, right: ResultTable) -> bool:
        """Whether two results differ, if their order is their own."""
        return compare(left, right, self._policy, ordered=self._ordered).equal is False

    def is_certain(self, rows: Rows) -> bool:
        """Whether both queries give as many rows, and neither leaves to chance which."""
        results, others = self.results(rows), self._other_results(rows)
        if results is None or others is None or len(results[0].rows) != len(results[1].rows):
            return False
        pairs = zip(results, others, strict=True)
        return all(self._same(own, other) for own, found in pairs for other in found)

    # ------------------------------------------------------------ comparing

    def _tie_groups(self, left: ResultTable) -> list[int] | None:
        run = self.scratch.rows
        return tie_groups(self.left.sql, left, self._dialect, run, collated=self._collated)

    def _compared(self, left: ResultTable, right: ResultTable) -> Comparison:
        found = compare(left, right, self._policy, ordered=self._ordered)
        if found.only_order_differs and self._policy.free_ties:
            ties = self._tie_groups(left)
            if ties is not None:
                return compare(left, right, self._policy, ordered=True, ties=ties)
        return found

    def _confirmed(
        self,
        plan: Plan,
        rows: Rows,
        left: ResultTable,
        right: ResultTable,
        found: Comparison,
        informative: bool,
    ) -> Look:
        slight = slight_difference(left, right, self._policy) or self._by_spelling(rows)
        differs = Look(plan, False, informative, found.reason, slight)
        if found.reason is MismatchKind.COLUMN_COUNT:
            return differs
        if found.only_order_differs:
            return differs if self._order_is_fixed(rows, left) else Look(plan, None, informative)
        if self.left.profile.random:
            return replace(differs, equal=None)
        if not (self.left.profile.fragile or self.right.profile.fragile):
            return differs
        return self._judged_by_chance(differs, rows, left, right)

    def _by_spelling(self, rows: Rows) -> str:
        """``types`` where the queries agree as soon as numbers are not kept as texts."""
        if self._numeric is None:
            tables = self.material.spelled_numbers()
            self._numeric = (self._evidence.generated(tables) if tables else None,)
        (scratch,) = self._numeric
        if scratch is None:
            return ""
        scratch.fill(rows)
        left, right = scratch.rows(self.left.sql).table, scratch.rows(self.right.sql).table
        if left is None or right is None:
            return ""
        return "types" if compare(left, right, self._policy, ordered=self._ordered).equal else ""

    def _order_is_fixed(self, rows: Rows, left: ResultTable) -> bool:
        """Whether the reference's order is its own: rows that tie are in no order."""
        for sql in bare_chosen(self.left.sql, self._dialect) or ():
            other = self.scratch.rows(sql).table
            if other is not None and not self._compared(left, other).equal:
                return False
        if self._tie_groups(left) is not None:
            # Ties of the whole are known; a window may number rows that tie as it likes.
            return not self.left.profile.fragile or self._stays(
                rows, lambda other: self._compared(left, other).equal is True
            )
        for sql in tie_broken(self.left.sql, self._dialect) or ():
            other = self.scratch.rows(sql).table
            if other is not None and other.rows != left.rows:
                return False
        return self._stays(rows, lambda other: other.rows == left.rows)

    def _stays(self, rows: Rows, is_same: Callable[[ResultTable], bool]) -> bool:
        """Whether the reference's result is the same however the rows are stored."""
        for shuffled in _shuffles(rows):
            results = self.results(shuffled)
            if results is None or not is_same(results[0]):
                return False
        return True

    def _judged_by_chance(
        self, differs: Look, rows: Rows, left: ResultTable, right: ResultTable
    ) -> Look:
        """The difference stands if neither another order of the same rows nor another choice
        among ties makes the reference waver."""
        others = self._other_results(rows)
        if others is None:
            return replace(differs, equal=None)
        left_others, right_others = others
        left_stays = all(self._same(left, other) for other in left_others)
        right_stays = all(self._same(right, other) for other in right_others)
        if left_stays and right_stays:
            return differs
        sizes = [
            {len(table.rows) for table in tables}
            for tables in ((left, *left_others), (right, *right_others))
        ]
        if not sizes[0] & sizes[1] and self._policy.duplicates != "set":
            return differs
        own = left_stays and not self.left.profile.any_rows
        if own and (self.right.profile.any_rows or not self.right.profile.cuts_ties):
            return replace(differs, arbitrary=True)
        return replace(differs, equal=None)

    def _other_results(self, rows: Rows) -> tuple[list[ResultTable], list[ResultTable]] | None:
        """What else the two queries may give on a database; None where one of them fails."""
        sides = (self.left, self.right)
        runs: tuple[list[Execution], list[Execution]] = ([], [])
        self.scratch.fill(rows)
        for side, found in zip(sides, runs, strict=True):
            if side.profile.cuts_ties or side.profile.any_rows:
                found += [
                    self.scratch.rows(sql) for sql in tie_broken(side.sql, self._dialect) or ()
                ]
            if side.profile.fragile:
                others = [
                    self.scratch.rows(sql) for sql in bare_chosen(side.sql, self._dialect) or ()
                ]
                found += [run for run in others if run.table is not None]
        for shuffled in _shuffles(rows):
            self.scratch.fill(shuffled)
            for side, found in zip(sides, runs, strict=True):
                found.append(self.scratch.rows(side.sql))
        left, right = ([run.table for run in found if run.table is not None] for found in runs)
        complete = len(left) == len(runs[0]) and len(right) == len(runs[1])
        return (left, right) if complete else None

    def _same(self, a: ResultTable, b: ResultTable) -> bool:
        return compare(a, b, self._policy).equal is True


def _shuffles(rows: Rows) -> Iterable[Rows]:
    """The same rows in other orders: backwards, and from each row on, so that each comes first
    and each comes last once."""
    yield {name: own[::-1] for name, own in rows.items()}
    longest = max(map(len, rows.values()), default=0)
    for start in range(1, longest, 1 + longest // _ROTATIONS):
        yield {name: _from(own, start % len(own)) if own else own for name, own in rows.items()}


def _from(rows: list[Row], start: int) -> list[Row]:
    return rows[start:] + rows[:start]


def _shows(table: ResultTable) -> bool:
    """Whether a result says something: it has rows, and more than one row of nothing."""
    return bool(table.rows) and not is_nothing(table)


# ------------------------------------------------------------
# Differences between two results that many people would not call one.

_TEXTS = make_policy("strict", values="text", row_order="free")
_ROUNDED = 0.02


def slight_difference(left: ResultTable, right: ResultTable, policy: Policy) -> str:
    """A name for a slight difference of two results that differ, or nothing.

    ``nothing``: no row against one row of NULL or 0; ``types``: the cells print alike;
    ``rounding``: the numbers agree to two parts in a hundred.
    """
    if len(left.rows) + len(right.rows) == 1 and (is_nothing(left) or is_nothing(right)):
        return "nothing"
    if len(left.rows) != len(right.rows) or left.width != right.width:
        return ""
    if compare(left, right, replace(_TEXTS, column_order=policy.column_order)).equal:
        return "types"
    if policy.values != "text" and _has_fractions(left, right):
        close = compare(left, right, replace(policy, tolerance=_ROUNDED))
        return "rounding" if close.equal else ""
    return ""


def _has_fractions(left: ResultTable, right: ResultTable) -> bool:
    rows = (*left.rows[:1], *right.rows[:1])
    return any(isinstance(cell, float) for row in rows for cell in row)


def is_nothing(table: ResultTable) -> bool:
    """Whether a result is one row of NULL, 0 and empty texts."""
    return len(table.rows) == 1 and all(cell in (None, 0, "") for cell in table.rows[0])


# ------------------------------------------------------------
# A graded score for a pair of queries, from what generated databases show of it.

# How much a difference on such data weighs, from 0 to 1. Chosen on one half of labelled pairs
# (identifiers by hash), by looking at which differences people call one.
_COUNTED: Final[dict[str, float]] = {
    "clean": 1.0,
    "duplicates": 0.9,
    "foreign_keys_violated": 0.8,
    "nulls": 0.7,
    "keys_violated": 0.7,
    "edge_values": 0.5,
}
_NOT_COUNTED: Final[dict[str, float]] = {"nulls": 0.5, "keys_violated": 0.35}
_DEFAULT_NOT_COUNTED: Final = 0.5
_SLIGHT: Final = 0.4
_RARE: Final = 0.4
"""What is left of the weight where only one database of very many differs."""
_CONVINCED: Final = 3
"""So many informative databases without a difference halve the doubt."""
_CHANCE: Final = 0.3
"""How much is lost where chance decided on many databases."""


def graded(search: Search, profiles: Collection[DataProfile]) -> float:
    """The score, in [0, 1]: above one half iff no database of the profiles tells them apart.

    Refuted: one half, less the more a difference weighs: on clean data more than where foreign
    keys are violated, on many databases more than on a few, a slight one (other types, no row
    against NULL) less. Not refuted: one half and more, the more databases were informative; less
    again where profiles that do not count differ, or where chance decided.
    """
    counted = max(
        (_COUNTED[kind] * _weight(looks) for kind, looks in _by_profile(search, profiles)),
        default=0.0,
    )
    if counted:
        return 0.5 * (1 - counted)
    others = {look.plan.profile for look in search.looks} - set(profiles)
    outside = max(
        (
            _NOT_COUNTED.get(kind, _DEFAULT_NOT_COUNTED) * _weight(looks)
            for kind, looks in _by_profile(search, others)
        ),
        default=0.0,
    )
    agreeing = sum(1 for look in search.looks if look.equal and look.informative)
    undecided = sum(1 for look in search.looks if look.equal is None)
    trust: float = (1 - 0.5 ** (agreeing / _CONVINCED)) * (1 - outside)
    return 0.5 + 0.5 * trust * (1 - _CHANCE * min(1, undecided / 4))


def _by_profile(
    search: Search, profiles: Collection[DataProfile]
) -> list[tuple[DataProfile, list[Look]]]:
    return [(kind, search.tried(kind)) for kind in sorted(profiles)]


def _weight(looks: Sequence[Look]) -> float:
    """How much the differences among some databases weigh together."""
    weights = [_SLIGHT if look.slight else 1.0 for look in looks if look.equal is False]
    if not weights:
        return 0.0
    share = min(1.0, 2 * sum(weights) / len(looks))
    return (_RARE + (1 - _RARE) * share) * max(weights)
