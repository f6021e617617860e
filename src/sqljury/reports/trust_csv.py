"""CSV: a line per question with its reliability score under each penalty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqljury.decision import Decision
from sqljury.spreadsheet import SafeRows
from sqljury.uses.trust import Penalty, Trust, reliability
from sqljury.writing import PathLike, new_file

_FIELDS = ("system", "benchmark", "id", "answerable", "reply", "correct", "outcome", "confidence")


def write_trust_csv(
    path: PathLike,
    systems: Iterable[Trust],
    penalties: Sequence[Penalty],
) -> None:
    """Write what became of each question; questions that are left out have no scores.

    Raises:
        InputError: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write([*_FIELDS, *(f"phi_{penalty.name}" for penalty in penalties)])
        for found in systems:
            for decision in found.decisions:
                scores = [
                    "" if decision.left_out else reliability(decision, penalty.of(found.n))
                    for penalty in penalties
                ]
                rows.write([found.name, *_cells(decision), *scores])


def _cells(decision: Decision) -> list[object]:
    correct = "" if decision.correct is None else str(decision.correct).lower()
    return [
        decision.benchmark,
        decision.id,
        str(decision.answerable).lower(),
        str(decision.reply),
        correct,
        decision.outcome or "",
        "" if decision.confidence is None else decision.confidence,
    ]
