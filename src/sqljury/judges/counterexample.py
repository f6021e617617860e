"""The search for a database on which two queries give different rows.

A difference counts only where it cannot be chance: a result that changes when the same rows are
written in another order (a LIMIT that cuts a tie, a column that no group fixes) is one of several
right answers, and no counterexample.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

from sqljury.execution import Execution, ResultTable, Status
from sqljury.judges.execution import is_ordered, tie_groups
from sqljury.tables import Comparison, Kind, Policy, compare, make_policy
from sqljury.value_profile import ValueProfile

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile, Material, Plan, Rows
    from sqljury.evidence import Scratch

_ROUNDING = 1e-9
"""Sums of the same numbers in another order may differ by that much."""
_ORDERS = 3
"""Other orders of the same rows under which a result has to stay the same."""


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
    kind: Kind | None = None
    slight: str = ""
    """Why the difference weighs little: ``types``, ``nothing``, ``rounding``."""
    arbitrary: bool = False
    """The candidate's answer depends on chance, the reference's does not."""


@dataclass(slots=True)
class Search:
    """What was tried, and the database that tells the queries apart, if there is one."""

    looks: list[Look] = field(default_factory=list)
    found: Look | None = None
    rows: Rows | None = None
    failure: tuple[str, Execution] | None = None
    """``left`` or ``right``, and how it fails: on every database, as nothing runs."""
    seconds: float = 0.0

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
        scratch: where the rows go (see :meth:`sqljury.evidence.Evidence.generated`).
    """

    def __init__(
        self, left: Side, right: Side, material: Material, scratch: Scratch, policy: Policy
    ) -> None:
        self.left = left
        self.right = right
        self.material = material
        self._scratch = scratch
        exact = policy.values == "text"
        tolerance = policy.tolerance if exact else max(policy.tolerance, _ROUNDING)
        self._policy = replace(policy, tolerance=tolerance)
        self._ordered = is_ordered(policy, left.sql, "sqlite")

    def search(
        self, plans: Iterable[Plan], *, first_only: bool = False, seconds: float = 10.0
    ) -> Search:
        """Make the databases and look at each; the simplest that differs is kept.

        Args:
            first_only: stop at the first difference.
            seconds: stop when that much time is spent.
        """
        from sqljury.databases.generated import make_rows

        started = perf_counter()
        result = Search()
        largest = 1 << 30
        for plan in plans:
            if perf_counter() - started > seconds:
                break
            if plan.tuples > largest:
                continue
            rows = make_rows(self.material, plan)
            look = self.look(plan, rows)
            if isinstance(look, tuple):
                side, run = look
                if run.status not in (Status.TIMEOUT, Status.TOO_LARGE, Status.OUT_OF_MEMORY):
                    result.failure = look
                    break
                largest = max(1, plan.tuples - 1)
                look = Look(plan, None)
            result.looks.append(look)
            if look.equal is False and result.found is None:
                result.found, result.rows = look, rows
                if first_only:
                    break
        result.seconds = perf_counter() - started
        return result

    def look(self, plan: Plan, rows: Rows) -> Look | tuple[str, Execution]:
        """Run both queries on one database; a query that does not run is given back as it is."""
        self._scratch.fill(rows)
        left = self._scratch.rows(self.left.sql)
        if left.table is None:
            return "left", left
        right = self._scratch.rows(self.right.sql)
        if right.table is None:
            return "right", right
        informative = _shows(left.table) and _shows(right.table)
        found = self._compared(left.table, right.table)
        if found.equal or found.equal is None:
            return Look(plan, found.equal, informative)
        return self._confirmed(plan, rows, left.table, right.table, found, informative)

    def results(self, rows: Rows) -> tuple[ResultTable, ResultTable] | None:
        """Both results on a database, or None where one of them has none."""
        self._scratch.fill(rows)
        left, right = self._scratch.rows(self.left.sql), self._scratch.rows(self.right.sql)
        return (left.table, right.table) if left.table and right.table else None

    # ------------------------------------------------------------ comparing

    def _compared(self, left: ResultTable, right: ResultTable) -> Comparison:
        found = compare(left, right, self._policy, ordered=self._ordered)
        if found.only_order_differs and self._policy.free_ties:
            ties = tie_groups(self.left.sql, left, "sqlite", self._scratch.rows)
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
        slight = _slight(left, right, self._policy)
        differs = Look(plan, False, informative, found.reason, slight)
        if found.reason is Kind.COLUMN_COUNT:
            return differs
        if found.only_order_differs:
            return differs if self._order_is_fixed(rows, left) else Look(plan, None, informative)
        if not (self.left.profile.fragile or self.right.profile.fragile):
            return differs
        return self._judged_by_chance(differs, rows, left, right)

    def _order_is_fixed(self, rows: Rows, left: ResultTable) -> bool:
        """Whether the reference's order is its own: rows that tie are in no order."""
        if tie_groups(self.left.sql, left, "sqlite", self._scratch.rows) is not None:
            return True
        for shuffled in _shuffles(rows):
            results = self.results(shuffled)
            if results is None or results[0].rows != left.rows:
                return False
        return True

    def _judged_by_chance(
        self, differs: Look, rows: Rows, left: ResultTable, right: ResultTable
    ) -> Look:
        """The difference stands if no order of the same rows makes the reference waver."""
        counts = {len(left.rows)}, {len(right.rows)}
        left_stays = right_stays = True
        for shuffled in _shuffles(rows):
            results = self.results(shuffled)
            if results is None:
                return replace(differs, equal=None)
            again_left, again_right = results
            left_stays = left_stays and self._same(left, again_left)
            right_stays = right_stays and self._same(right, again_right)
            counts[0].add(len(again_left.rows))
            counts[1].add(len(again_right.rows))
        if left_stays and right_stays:
            return differs
        if not counts[0] & counts[1] and self._policy.duplicates != "set":
            return differs
        if left_stays and (self.right.profile.any_rows or not self.right.profile.cuts_ties):
            return replace(differs, arbitrary=True)
        return replace(differs, equal=None)

    def _same(self, a: ResultTable, b: ResultTable) -> bool:
        return compare(a, b, self._policy).equal is True


def _shuffles(rows: Rows) -> Iterable[Rows]:
    """The same rows in other orders: backwards, then shuffled."""
    yield {name: own[::-1] for name, own in rows.items()}
    random = Random(7)
    for _ in range(_ORDERS - 1):
        shuffled = {}
        for name, own in rows.items():
            shuffled[name] = own[:]
            random.shuffle(shuffled[name])
        yield shuffled


_TEXTS = make_policy("strict", values="text", row_order="free")


def _slight(left: ResultTable, right: ResultTable, policy: Policy) -> str:
    """A name for differences that many people would not call one.

    ``nothing``: no row against one row of NULL or 0; ``types``: cells print alike; ``rounding``:
    numbers agree to two parts in a hundred.
    """
    if len(left.rows) + len(right.rows) == 1 and (_is_nothing(left) or _is_nothing(right)):
        return "nothing"
    if compare(left, right, replace(_TEXTS, column_order=policy.column_order)).equal:
        return "types"
    if policy.values != "text" and _numbers_differ(left, right):
        return "rounding" if compare(left, right, replace(policy, tolerance=0.02)).equal else ""
    return ""


def _numbers_differ(left: ResultTable, right: ResultTable) -> bool:
    return any(isinstance(cell, float) for row in (*left.rows[:1], *right.rows[:1]) for cell in row)


def _is_nothing(table: ResultTable) -> bool:
    return len(table.rows) == 1 and all(cell in _EMPTY_CELLS for cell in table.rows[0])


_EMPTY_CELLS: Sequence[object] = (None, 0, "")


def _shows(table: ResultTable) -> bool:
    """Whether a result says something: it has rows, and more than one row of nothing."""
    return bool(table.rows) and not _is_nothing(table)
