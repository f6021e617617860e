"""The search for a database on which two queries give different rows, and the score that it gives.

SQL leaves some results open: a LIMIT that cuts a tie, a column that is neither grouped nor
aggregated. Such a result changes when the same rows are stored in another order, and any of its
versions is right. So a difference counts as a counterexample only if it does not depend on that.
In SQLite the generated rows are stored in tables; a server gets them inside the query.
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
# Runs queries in other engines than SQLite, with the rows written into the query.


@dataclass(frozen=True, slots=True)
class Server:
    """A database server that runs queries whose rows are written into them; none of its own tables
    is read or written.

    Args:
        engine: the name of the database system.
        dialect: sqlglot's name of its SQL dialect.
        execute: runs one statement there, read-only and within the limits.
    """

    engine: str
    dialect: str
    execute: Callable[[str], Execution]


_TEXT_TYPES: Final = re.compile(r"char|text|clob|citext", re.IGNORECASE)


def _checks(table: Table, dialect: str) -> Iterator[str]:
    """Queries that return a row if the server finds two rows with equal keys.

    Only keys with a text column are checked: whether two texts are equal depends on the server's
    collation, which is not known here.
    """
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
    """Runs queries on a server over one generated database, whose rows go into each query."""

    def __init__(self, server: Server, tables: Sequence[Table]) -> None:
        self._server = server
        self._tables = tables
        self._rows: Mapping[str, Sequence[tuple[Any, ...]]] = {}
        self._checks = [text for table in tables for text in _checks(table, server.dialect)]
        self._refused: str | None = None
        """Why the server could not store the current rows; empty if it could, None if that was not
        checked yet."""

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replaces the rows of all tables."""
        self._rows, self._refused = rows, None

    def rows(self, sql: str) -> Execution:
        """The result of one statement on the current rows; a failure is returned, not raised."""
        if self._refused is None:
            self._refused = "a key is violated" if any(map(self._shows, self._checks)) else ""
        if self._refused:
            return Execution(Status.ERROR, None, self._refused)
        return self._run(sql)

    def _shows(self, sql: str) -> bool:
        """True if a query of :func:`_checks` returns a row or fails."""
        table = self._run(sql).table
        return table is None or bool(table.rows)

    def _run(self, sql: str) -> Execution:
        written = over_rows(sql, self._server.dialect, self._tables, self._rows)
        if written is None:
            return Execution(Status.ERROR, None, "it cannot be written over rows")
        return self._server.execute(written)

    def close(self) -> None:
        """Does nothing: the caller owns the connection."""


# ------------------------------------------------------------
# The search.


_ROUNDING = 1e-9
"""Tolerance for sums of the same numbers in another order."""
_ROTATIONS = 11
"""At most so many rotations of the rows are tried; the result has to be the same for all."""
_ENOUGH = 8
"""The search ends early only after so many databases that differ more than slightly …"""
_NEARLY_ALL = 0.75
"""… and if they are at least this share of all databases tried."""
_NO_LIMIT = 1 << 30
_TOO_MUCH = (Status.TIMEOUT, Status.TOO_LARGE, Status.OUT_OF_MEMORY)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two queries, in the dialect that runs it, and the values that it compares with."""

    sql: str
    profile: ValueProfile


@dataclass(frozen=True, slots=True)
class DataTrial:
    """The comparison of the two queries' results on one database.

    Args:
        equal: None if the comparison is undecided: a query hit a limit, or the result depends on
            the order in which rows are stored.
        informative: True if both results have rows that are not just one of NULL, 0 and "".
        kind: how the results differ.
    """

    plan: Plan
    equal: bool | None
    informative: bool = False
    kind: MismatchKind | None = None
    slight: str = ""
    """Why the difference weighs little: ``types``, ``nothing`` or ``rounding``; else empty."""
    arbitrary: bool = False
    """True if the right query's result depends on the order in which rows are stored, and that of
    the left query (the reference) does not."""


@dataclass(slots=True)
class Search:
    """The databases tried so far, and the best one on which the queries differ, if there is one.

    Args:
        counted: the profiles on which a difference refutes.
        trials: one comparison per database.
        found: the comparison that shows the most important difference: on a counted profile
            before others, more than slight before slight.
        rows: the rows of that database.
        seconds: how long the search took.
    """

    counted: Collection[DataProfile]
    trials: list[DataTrial] = field(default_factory=list)
    found: DataTrial | None = None
    rows: Rows | None = None
    failure: tuple[str, Execution] | None = None
    """``left`` or ``right`` with the failed run of a query that failed on the first database."""
    seconds: float = 0.0
    largest: int = _NO_LIMIT
    """Plans of more tuples are skipped because a query hit a limit on them."""

    @property
    def refuted(self) -> bool:
        """True if a database of a counted profile shows a difference."""
        return self.found is not None and self.found.plan.profile in self.counted

    def note(self, trial: DataTrial, rows: Rows) -> None:
        """Adds the comparison on one more database."""
        self.trials.append(trial)
        if trial.equal is False and (
            self.found is None or self._worth(trial) > self._worth(self.found)
        ):
            self.found, self.rows = trial, rows

    def _worth(self, trial: DataTrial) -> tuple[bool, bool]:
        return trial.plan.profile in self.counted, not trial.slight

    @property
    def settled(self) -> bool:
        """True if more databases cannot matter: a query fails, the numbers of columns differ, or
        nearly all of at least ``_ENOUGH`` databases show more than a slight difference."""
        if self.failure is not None:
            return True
        if self.found is not None and self.found.kind is MismatchKind.COLUMN_COUNT:
            return True
        if len(self.trials) < _ENOUGH:
            return False
        plain = sum(1 for trial in self.trials if trial.equal is False and not trial.slight)
        return plain >= _ENOUGH and plain >= _NEARLY_ALL * len(self.trials)

    def tried(self, profile: DataProfile | None = None) -> list[DataTrial]:
        """The decided comparisons, of one profile or of all."""
        return [
            trial
            for trial in self.trials
            if trial.equal is not None and profile in (None, trial.plan.profile)
        ]


class Searcher:
    """Compares two queries on generated databases.

    Args:
        left: the reference: its ORDER BY decides whether the order of the rows counts.
        material: the schema and the values from which rows are made.
        scratch: the tables that are filled; closed with the searcher.
        evidence: creates further databases in memory.
        dialect: that of the queries. Outside of SQLite a query may fail on some rows only, so one
            failure does not end the search.
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
        # Another engine's work is not in this thread's processor time.
        self.clock = thread_time if dialect == "sqlite" else perf_counter
        exact = policy.values == "text"
        tolerance = policy.tolerance if exact else max(policy.tolerance, _ROUNDING)
        self._policy = replace(policy, tolerance=tolerance)
        columns = [column for table in material.tables for column in table.columns]
        self._collated = any(c.collation or c.type.lower() == "citext" for c in columns)
        self._ordered = is_ordered(policy, left.sql, dialect)

    def close(self) -> None:
        """Closes the databases."""
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
        """Makes the databases and compares the queries on each, until it is clear that they differ.

        Args:
            counted: the profiles on which a difference refutes.
            further: databases to try if the others do not refute, until one does.
            seconds: stop after that much processor time (SQLite; elapsed time for other engines):
                a busy machine then changes no verdict.
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
        trial = self.try_on(plan, rows)
        if isinstance(trial, tuple):
            native = self._dialect == "sqlite"
            if native and not result.trials and trial[1].status not in _TOO_MUCH:
                result.failure = trial
                return
            if trial[1].status in _TOO_MUCH:
                result.largest = plan.tuples - 1
            trial = DataTrial(plan, None)
        result.note(trial, rows)

    def try_on(self, plan: Plan, rows: Rows) -> DataTrial | tuple[str, Execution]:
        """The comparison on one database; if a query fails, ``left`` or ``right`` and its run."""
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
            return DataTrial(plan, found.equal, informative)
        return self._confirmed(plan, rows, left.table, right.table, found, informative)

    def results(self, rows: Rows) -> tuple[ResultTable, ResultTable] | None:
        """Both results on a database, or None if one of the queries fails."""
        self.scratch.fill(rows)
        left, right = self.scratch.rows(self.left.sql), self.scratch.rows(self.right.sql)
        return (left.table, right.table) if left.table and right.table else None

    def differ(self, left: ResultTable, right: ResultTable) -> bool:
        """True if two results differ; their order counts if the reference has an ORDER BY."""
        return compare(left, right, self._policy, ordered=self._ordered).equal is False

    def is_certain(self, rows: Rows) -> bool:
        """True if both queries return the same number of rows, and neither result depends on the
        order in which rows are stored."""
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
        """The comparison of two results; rows that tie under the ORDER BY may come in any order."""
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
    ) -> DataTrial:
        """A difference after the checks that may find it slight or undecided."""
        slight = slight_difference(left, right, self._policy) or self._by_spelling(rows)
        differs = DataTrial(plan, False, informative, found.reason, slight)
        if found.reason is MismatchKind.COLUMN_COUNT:
            return differs
        if found.only_order_differs:
            return (
                differs if self._order_is_fixed(rows, left) else DataTrial(plan, None, informative)
            )
        if self.left.profile.random:
            return replace(differs, equal=None)
        if not (self.left.profile.fragile or self.right.profile.fragile):
            return differs
        return self._judged_by_chance(differs, rows, left, right)

    def _by_spelling(self, rows: Rows) -> str:
        """``types`` if the results are equal once numbers in text columns are stored as numbers,
        else empty."""
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
        """True if the order of the reference's rows does not depend on how they are stored.

        Rows that tie under its ORDER BY may come in any order, and do not make it False."""
        for sql in bare_chosen(self.left.sql, self._dialect) or ():
            other = self.scratch.rows(sql).table
            if other is not None and not self._compared(left, other).equal:
                return False
        if self._tie_groups(left) is not None:
            # The ties of the outermost ORDER BY are known. A window function may still number
            # tied rows differently when they are stored in another order.
            return not self.left.profile.fragile or self._stays(
                rows, lambda other: self._compared(left, other).equal is True
            )
        for sql in tie_broken(self.left.sql, self._dialect) or ():
            other = self.scratch.rows(sql).table
            if other is not None and other.rows != left.rows:
                return False
        return self._stays(rows, lambda other: other.rows == left.rows)

    def _stays(self, rows: Rows, is_same: Callable[[ResultTable], bool]) -> bool:
        """True if the reference's result is the same for every order of the rows that is tried."""
        for shuffled in _shuffles(rows):
            results = self.results(shuffled)
            if results is None or not is_same(results[0]):
                return False
        return True

    def _judged_by_chance(
        self, differs: DataTrial, rows: Rows, left: ResultTable, right: ResultTable
    ) -> DataTrial:
        """The difference, or an undecided comparison if it may depend on the storage order.

        The difference remains if neither result changes with another order of the same rows or
        another choice among ties, or if the numbers of rows differ in every case."""
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
        """The other results that the two queries may return on the same rows: with other orders
        and other choices among ties. None if one of them fails."""
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
    """The same rows in other orders: reversed, and rotated so that other rows come first and last.

    At most ``_ROTATIONS`` + 1 orders."""
    yield {name: own[::-1] for name, own in rows.items()}
    longest = max(map(len, rows.values()), default=0)
    for start in range(1, longest, 1 + longest // _ROTATIONS):
        yield {name: _from(own, start % len(own)) if own else own for name, own in rows.items()}


def _from(rows: list[Row], start: int) -> list[Row]:
    return rows[start:] + rows[:start]


def _shows(table: ResultTable) -> bool:
    """True if a result has rows, other than a single one of NULL, 0 and empty texts."""
    return bool(table.rows) and not is_nothing(table)


# ------------------------------------------------------------
# Differences between two results that many people would ignore.

_TEXTS = make_policy("strict", values="text", row_order="free")
_ROUNDED = 0.02


def slight_difference(left: ResultTable, right: ResultTable, policy: Policy) -> str:
    """The kind of slight difference between two results that differ; empty if it is not slight.

    ``nothing``: no row against one row of NULL or 0; ``types``: the cells print alike;
    ``rounding``: the numbers agree to two per cent.
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
    """True if a result is one row of NULL, 0 and empty texts only."""
    return len(table.rows) == 1 and all(cell in (None, 0, "") for cell in table.rows[0])


# ------------------------------------------------------------
# A graded score for a pair of queries, from their results on generated databases.

# How much a difference on data of each profile weighs, from 0 to 1. Chosen on one half of the
# labelled pairs (by hash of the identifier), from the differences that people count.
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
"""The share of the weight that remains if only one database of very many differs."""
_CONVINCED: Final = 3
"""So many informative databases without a difference halve the distance of the score to 1."""
_CHANCE: Final = 0.3
"""The share of trust that is lost if four or more databases are undecided."""


def graded(search: Search, profiles: Collection[DataProfile]) -> float:
    """The score, in [0, 1]: below one half if a database of the profiles shows a difference.

    With a difference: the lower, the more it weighs. It weighs more on clean data than on data
    that violates foreign keys, more on many databases than on few, and less if it is slight (other
    types, no row against NULL). Without one: one half or more, the higher, the more databases were
    informative; lower if other profiles show a difference or comparisons are undecided.
    """
    counted = max(
        (_COUNTED[kind] * _weight(trials) for kind, trials in _by_profile(search, profiles)),
        default=0.0,
    )
    if counted:
        return 0.5 * (1 - counted)
    others = {trial.plan.profile for trial in search.trials} - set(profiles)
    outside = max(
        (
            _NOT_COUNTED.get(kind, _DEFAULT_NOT_COUNTED) * _weight(trials)
            for kind, trials in _by_profile(search, others)
        ),
        default=0.0,
    )
    agreeing = sum(1 for trial in search.trials if trial.equal and trial.informative)
    undecided = sum(1 for trial in search.trials if trial.equal is None)
    trust: float = (1 - 0.5 ** (agreeing / _CONVINCED)) * (1 - outside)
    return 0.5 + 0.5 * trust * (1 - _CHANCE * min(1, undecided / 4))


def _by_profile(
    search: Search, profiles: Collection[DataProfile]
) -> list[tuple[DataProfile, list[DataTrial]]]:
    return [(kind, search.tried(kind)) for kind in sorted(profiles)]


def _weight(trials: Sequence[DataTrial]) -> float:
    """How much the differences among these databases weigh together, in [0, 1]."""
    weights = [_SLIGHT if trial.slight else 1.0 for trial in trials if trial.equal is False]
    if not weights:
        return 0.0
    share = min(1.0, 2 * sum(weights) / len(trials))
    return (_RARE + (1 - _RARE) * share) * max(weights)
