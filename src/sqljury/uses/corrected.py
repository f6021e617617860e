"""Verdicts that were given before a reference was corrected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqljury.benchmarks import Overlay
from sqljury.decision import Decision
from sqljury.verdict import Outcome, Record, Scored, Verdict

_REASON = "its reference was corrected since"


def records_under(overlay: Overlay | None, records: Iterable[Record]) -> Iterator[Record]:
    """The records of a run; a verdict on a reference that is corrected is ``reference_missing``.

    What was judged under the overlay already has the new reference, and stays.

    Raises:
        InputError: SJ532: a question or a reference is not what it was when it was decided on;
            SJ122: no correction is about any of them.
    """
    is_used = False
    for record in records:
        case = record.case
        is_used = is_used or (overlay is not None and overlay.decides(case.db_id, case.id))
        if overlay is not None and next(overlay.applied([record.case])) is not record.case:
            verdict = Verdict(outcome=Outcome.REFERENCE_MISSING, reason=_REASON)
            yield replace(record, verdict=verdict)
        else:
            yield record
    if overlay is not None:
        overlay.check_used(is_used)


def scores_under(overlay: Overlay | None, rows: Iterable[Scored]) -> Iterator[Scored]:
    """The rows of a results file, which are joined to corrections by the question's id."""
    is_used = False
    for row in rows:
        if overlay is not None and _is_decided(overlay, row.slices.get("db_id", ""), row.id):
            is_used = True
            yield replace(row, outcome=Outcome.REFERENCE_MISSING, score=None)
        else:
            yield row
    if overlay is not None:
        overlay.check_used(is_used)


def decisions_under(overlay: Overlay | None, decisions: Iterable[Decision]) -> Iterator[Decision]:
    """The rows of a decision file, which are joined to corrections by the question's id."""
    is_used = False
    for one in decisions:
        if overlay is not None and overlay.decides(one.slices.get("db_id", ""), one.id):
            is_used = True
            yield replace(one, outcome=Outcome.REFERENCE_MISSING, correct=None)
        else:
            yield one
    if overlay is not None:
        overlay.check_used(is_used)


def _is_decided(overlay: Overlay, db_id: str, name: str) -> bool:
    """Whether the question of a row is; its name may end with who predicted."""
    return overlay.decides(db_id, name) or overlay.decides(db_id, name.rpartition("/")[0])
