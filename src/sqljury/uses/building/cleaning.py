"""Which questions can be used, and with which query: one for each question and meaning.

Source: TrustSQL (Lee et al. 2024), appendix G. What its authors corrected by hand is left out
here, with the reason, so that it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqljury.case import Case
from sqljury.execution import Execution
from sqljury.schema import Schema
from sqljury.uses.building.relative_time import reads_clock, relative_times
from sqljury.uses.building.structures import canonical_tree, structures_of
from sqljury.uses.building.unanswerable import folded

Run = Callable[[str, str], Execution | None]
"""Runs a query on the database of that name; None where there is none."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that is not used, and why."""

    case: Case
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Usable:
    """A question with one query, and the name of the query's structure."""

    case: Case
    structure: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What can be used, what cannot, and what was said to be unanswerable before."""

    usable: tuple[Usable, ...]
    unanswerable: tuple[Case, ...]
    left_out: tuple[LeftOut, ...]
    n_merged: int
    """Questions that got the shorter one of two queries that mean the same."""
    n_unchecked: int
    """Questions whose query could not be run: there is no database."""


def clean(cases: Iterable[Case], schemas: Mapping[str, Schema], run: Run) -> Cleaned:
    """Leave out what cannot be used, join what means the same."""
    left_out: list[LeftOut] = []
    given: list[Case] = []
    kept: list[Case] = []
    unchecked = 0
    for case in cases:
        reason, detail = _unusable(case)
        if not reason and case.answerable is not False:
            ran = run(case.db_id, case.reference_sqls[0])
            unchecked += ran is None
            reason, detail = ("", "") if ran is None else _without_result(ran)
        if reason:
            left_out.append(LeftOut(case, reason, detail))
        else:
            (given if case.answerable is False else kept).append(case)
    single, repeated = _one_for_each_question(kept)
    usable, merged = _with_shortest_queries(single, schemas)
    return Cleaned(tuple(usable), tuple(given), (*left_out, *repeated), merged, unchecked)


def _unusable(case: Case) -> tuple[str, str]:
    if not case.question:
        return "no_question", ""
    if case.answerable is False:
        return "", ""
    if not case.reference_sqls:
        return "no_reference", ""
    times = relative_times(case.question)
    if times:
        return "relative_time", ", ".join(times)
    if reads_clock(case.reference_sqls[0]):
        return "relative_time", "the reference asks for the time"
    return "", ""


def _without_result(ran: Execution) -> tuple[str, str]:
    if ran.table is None:
        return f"reference_{ran.status.value}", ran.message
    if any(cell is not None for row in ran.table.rows for cell in row):
        return "", ""
    return "null_result", "only NULL is returned" if ran.table.rows else "no row is returned"


def _by_length(sql: str) -> tuple[int, str]:
    return len(sql), sql


def _one_for_each_question(cases: Sequence[Case]) -> tuple[list[Case], list[LeftOut]]:
    """Of equal questions on one database the one with the shortest query."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.db_id, folded(case.question or "")), []).append(case)
    best = {
        id(min(group, key=lambda c: (_by_length(c.reference_sqls[0]), c.key)))
        for group in groups.values()
    }
    kept = [case for case in cases if id(case) in best]
    left = [LeftOut(case, "duplicate_question") for case in cases if id(case) not in best]
    return kept, left


def _with_shortest_queries(
    cases: Sequence[Case], schemas: Mapping[str, Schema]
) -> tuple[list[Usable], int]:
    """Queries that are proved to mean the same become the shortest of them."""
    trees = [canonical_tree(c.reference_sqls[0], schemas.get(c.db_id)) for c in cases]
    shortest: dict[object, str] = {}
    for case, tree in zip(cases, trees, strict=True):
        if tree is not None:
            sql = case.reference_sqls[0]
            known = shortest.setdefault((case.db_id, tree), sql)
            shortest[case.db_id, tree] = min(known, sql, key=_by_length)
    merged = [
        case if tree is None else _asked_with(case, shortest[case.db_id, tree])
        for case, tree in zip(cases, trees, strict=True)
    ]
    changed = sum(new is not old for new, old in zip(merged, cases, strict=True))
    names = structures_of(
        (case.db_id, case.reference_sqls[0], tree) for case, tree in zip(merged, trees, strict=True)
    )
    return [Usable(case, name) for case, name in zip(merged, names, strict=True)], changed


def _asked_with(case: Case, sql: str) -> Case:
    if sql == case.reference_sqls[0]:
        return case
    return replace(case, reference_sqls=(sql, *case.reference_sqls[1:]))
