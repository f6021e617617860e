"""Predictions that are not correct, by the cause that they share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.case import MISSING, Case
from sqljury.frames import data_frame
from sqljury.likeness.differences import Difference, DifferenceKind
from sqljury.verdict import Outcome, Record, Verdict

_LONGEST_CAUSE = 60

# DifferenceKind of difference -> the cause, with the clause in its place.
_CAUSES: Mapping[DifferenceKind, str] = {
    DifferenceKind.NEVER: "conditions that contradict each other",
    DifferenceKind.NEGATION: "negation",
    DifferenceKind.MISSING: "missing {}",
    DifferenceKind.EXTRA: "extra {}",
    DifferenceKind.COLUMN: "wrong column in a {}",
    DifferenceKind.AGGREGATE: "wrong aggregate",
    DifferenceKind.COMPARISON: "wrong comparison in a {}",
    DifferenceKind.CONSTANT: "wrong value in a {}",
    DifferenceKind.LITERAL_CASE: "other capitals in a {}",
    DifferenceKind.DIRECTION: "wrong sort direction",
    DifferenceKind.CHANGED: "wrong {}",
    DifferenceKind.EMPTY: "nothing in place of NULL, or NULL in place of nothing",
    DifferenceKind.TIES: "tie",
    DifferenceKind.REPEATS: "repeated rows",
    DifferenceKind.ORDER: "order of the {}s",
}

# What the rows show, where the queries cannot be read; the first that an explanation names.
_BY_ROWS = {
    "tie": "tie",
    "column_count": "number of columns",
    "empty": "empty result",
    "subset": "missing rows",
    "superset": "extra rows",
    "row_count": "number of rows",
    "duplicates": "repeated rows",
    "row_order": "order of the rows",
    "column_order": "order of the columns",
    "types": "types of values",
    "text_case": "capitals or spaces of values",
    "rounding": "rounding",
    "null": "NULL in place of a value",
    "values": "other values",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """One prediction that a judge does not call correct."""

    case: Case
    judge: str
    outcome: Outcome
    cause: str
    """What it has in common with others: ``missing filter``, ``no such column``, ``tie``."""
    reason: str
    """One line."""

    def to_row(self) -> dict[str, Any]:
        """A row of a data frame."""
        case = self.case
        return {
            "cause": self.cause,
            "benchmark": case.benchmark,
            "id": case.id,
            "source": case.source,
            "db_id": case.db_id,
            "question": case.question,
            "reference_sql": next(iter(case.reference_sqls), None),
            "predicted_sql": None if case.predicted_sql is MISSING else case.predicted_sql,
            "judge": self.judge,
            "outcome": str(self.outcome),
            "reason": self.reason,
        }


class Failures(dict[str, list[Failure]]):
    """Failures by cause, the most frequent first."""

    def to_frame(self, library: str | None = None) -> Any:
        """A data frame, one row a failure.

        Args:
            library: ``pandas`` or ``polars``; the first of them that is installed by default.

        Raises:
            InputError: SJ803: neither is installed.
        """
        return data_frame([one.to_row() for group in self.values() for one in group], library)


def failures(
    records: Iterable[Record], told_apart: Callable[[Case], Sequence[Difference]]
) -> Failures:
    """The failures among some records by cause, the most frequent first.

    What is left out of a score (a reference that fails, …) is no failure of a prediction.

    Args:
        told_apart: what the prediction of a case does differently from its reference; nothing
            where that cannot be told.
    """
    found: defaultdict[str, list[Failure]] = defaultdict(list)
    for record in records:
        verdict = record.verdict
        if verdict.outcome is Outcome.CORRECT or verdict.outcome.left_out:
            continue
        differences = told_apart(record.case) if verdict.outcome is Outcome.INCORRECT else ()
        cause = cause_of(verdict, differences)
        reason = differences[0].words if differences else verdict.reason or str(verdict.outcome)
        failure = Failure(record.case, record.judge, verdict.outcome, cause, _line(reason))
        found[cause].append(failure)
    return Failures(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def cause_of(verdict: Verdict, differences: Sequence[Difference] = ()) -> str:
    """What a verdict that is not correct has in common with others, in a few words.

    Args:
        differences: of the queries, the likeliest first; without them the rows say what they show.
    """
    if verdict.outcome is Outcome.PREDICTION_MISSING:
        return "no prediction"
    if verdict.outcome is Outcome.PREDICTION_ERROR:
        if "syntax error" in verdict.reason.lower():
            return "syntax error"
        return _line(re.split(r"[:\"']", verdict.reason)[0].strip() or "error")[:_LONGEST_CAUSE]
    if verdict.outcome is not Outcome.INCORRECT:
        return verdict.outcome.removeprefix("prediction_").replace("_", " ")
    if "limit_cuts_tie" in verdict.labels:
        return "tie"
    if differences:
        return _CAUSES[differences[0].kind].format(differences[0].clause)
    return _row_cause(verdict)


def _row_cause(verdict: Verdict) -> str:
    """What the rows of a mismatch show; ``other`` where the judge did not look at rows."""
    explanation = verdict.evidence.get("explanation")
    kinds = explanation.get("kinds", ()) if isinstance(explanation, dict) else ()
    return next((cause for kind, cause in _BY_ROWS.items() if kind in kinds), "other")


def _line(text: str) -> str:
    return " ".join(text.split())
