"""Reads a verdict's evidence: sentences, the cause of a failure, result rows that differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqljury.case import Json
from sqljury.difference import Difference, DifferenceKind
from sqljury.evidence_shapes import (
    MismatchFields,
    RowsAlone,
    ShownRows,
    mismatch_of,
    reasons_of,
    reasons_text,
    shown_rows,
)
from sqljury.reports.words import shortened, visible
from sqljury.verdict import Outcome, Verdict

_SHOWN_OTHERWISE = ("explanation", "reference", "prediction")


def sentences(evidence: Mapping[str, Json]) -> list[str]:
    """The findings of the explanation as sentences, the most informative first."""
    explanation = evidence.get("explanation")
    if isinstance(explanation, str):
        return [explanation]
    if not isinstance(explanation, dict):
        return []
    findings = explanation.get("findings") or ()
    return [str(finding["text"]) for finding in findings]


def said(verdict: Verdict) -> list[str]:
    """The reason and then the findings; a reason that repeats the findings is left out, as are
    the reasons with weights, which get bars."""
    found = sentences(verdict.evidence)
    weighed = reasons_text(reasons_of(verdict.evidence))
    reason = verdict.reason.removesuffix(weighed).removesuffix("; ")
    if not reason or reason in (" ".join(found), *found):
        return found
    return [reason, *found]


WEIGHED_LEGEND = (
    "Bars to the right speak for the prediction, bars to the left against it, in log-odds: +0.7 "
    "doubles the odds that it is right, -0.7 halves them."
)


def other_evidence(evidence: Mapping[str, Json]) -> dict[str, Json]:
    """Evidence that is neither an explanation, nor a result table, nor weighed reasons, by name."""
    weighed = ("reasons", "weights") if "reasons" in evidence else ()
    return {
        name: value
        for name, value in evidence.items()
        if name not in weighed
        and (name not in _SHOWN_OTHERWISE or not isinstance(value, dict | str))
    }


_LONGEST_CAUSE = 60
# Kind of difference → the cause; {} is replaced by the clause.
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
# Kind of mismatch → the cause, used if the queries cannot be compared; the first that an
# explanation has counts.
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


def cause_of(verdict: Verdict, differences: Sequence[Difference] = ()) -> str:
    """The cause of a verdict that is not correct, in a few words that similar failures share.

    Args:
        differences: between the queries, the likeliest cause first; without them the cause is
            taken from the rows.
    """
    if verdict.outcome is Outcome.PREDICTION_MISSING:
        return "no prediction"
    if verdict.outcome is Outcome.PREDICTION_ERROR:
        if "syntax error" in verdict.reason.lower():
            return "syntax error"
        return one_line(re.split(r"[:\"']", verdict.reason)[0].strip() or "error")[:_LONGEST_CAUSE]
    if verdict.outcome is not Outcome.INCORRECT:
        return verdict.outcome.removeprefix("prediction_").replace("_", " ")
    if "limit_cuts_tie" in verdict.labels:
        return "tie"
    if differences:
        return _CAUSES[differences[0].kind].format(differences[0].clause)
    explanation = verdict.evidence.get("explanation")
    kinds = explanation.get("kinds", ()) if isinstance(explanation, dict) else ()
    return next((cause for kind, cause in _BY_ROWS.items() if kind in kinds), "other")


def one_line(text: str) -> str:
    """The text on one line: each run of white space becomes one space."""
    return " ".join(text.split())


_MOST_ROWS = 30
_NULL_LIKE = re.compile(r"null|none|nan|true|false|\s.*|.*\s|'.*'", re.IGNORECASE | re.DOTALL)
_NUMBER_LIKE = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
_LONGEST_NUMBER = 15
"""Evidence stores longer numbers as text, because JSON readers would round them."""


def cell_text(cell: Json, most: int) -> str:
    """A cell as text on one line; text that looks like a number or NULL is put in quotes.

    >>> [cell_text(cell, 9) for cell in (None, 123, "00123", "", "NULL", "Zoë", 1.0)]
    ['NULL', '123', "'00123'", "''", "'NULL'", 'Zoë', '1.0']
    """
    if cell is None:
        return "NULL"
    if not isinstance(cell, str):
        return shortened(visible(json.dumps(cell, ensure_ascii=False)), most)
    text = shortened(visible(cell).replace("\n", "\\n").replace("\t", "\\t"), most)
    is_short_number = len(cell) <= _LONGEST_NUMBER and _NUMBER_LIKE.fullmatch(cell)
    return f"'{text}'" if not cell or _NULL_LIKE.fullmatch(cell) or is_short_number else text


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a result table, and which of its cells differ from the other table."""

    number: int
    """Counted from 1."""
    cells: tuple[Json, ...]
    differs: bool
    differing: frozenset[int]
    """The columns that differ: all of them if the other table has no such row."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The first rows of a result table, and rows further down that differ."""

    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    row_count: int
    differing: int = 0
    """The number of rows, shown or not, that the other table does not have."""

    @property
    def hidden(self) -> int:
        """The number of rows that are not shown."""
        return max(0, self.row_count - len(self.rows))

    @property
    def hidden_differing(self) -> int:
        """The number of rows that differ and are not shown."""
        return max(0, self.differing - sum(row.differs for row in self.rows))

    def is_numeric(self, column: int) -> bool:
        """True if every cell of the column is a number or NULL."""
        cells = [row.cells[column] for row in self.rows if column < len(row.cells)]
        return all(
            isinstance(cell, int | float) and not isinstance(cell, bool)
            for cell in cells
            if cell is not None
        )


def shown_tables(evidence: Mapping[str, Json]) -> tuple[ShownTable, ShownTable] | None:
    """The result tables of reference and prediction from an execution judge's evidence.

    None if either is missing.
    """
    sides = [shown_rows(evidence, name) for name in ("reference", "prediction")]
    reference, prediction = (side if _is_table(side) else None for side in sides)
    if reference is None or prediction is None:
        return None
    explanation = mismatch_of(evidence)
    if not isinstance(explanation, dict):
        explanation = None
    return (
        _shown(reference, explanation, "missing", "reference"),
        _shown(prediction, explanation, "extra", "candidate"),
    )


def _is_table(side: Json) -> bool:
    return (
        isinstance(side, dict)
        and isinstance(side.get("columns"), list)
        and isinstance(side.get("rows"), list)
        and all(isinstance(row, list) for row in side["rows"])
    )


def _shown(
    side: ShownRows,
    explanation: MismatchFields | None,
    alone: Literal["missing", "extra"],
    name: Literal["reference", "candidate"],
) -> ShownTable:
    """The shown table of one side.

    Args:
        alone: the key of the explanation under which the rows that only this side has are listed.
    """
    rows = dict(enumerate(side["rows"][:_MOST_ROWS]))
    of_this_side = explanation.get(alone) if explanation else None
    further = {row["row"]: row["cells"] for row in (of_this_side or _NO_ROWS)["rows"]}
    for index in sorted(further):
        if len(rows) < _MOST_ROWS:
            rows.setdefault(index, further[index])
    marks = {mark for mark in side.get("marks") or () if isinstance(mark, int)} | set(further)
    cells = _differing_cells(explanation, name)
    count = side.get("row_count")
    return ShownTable(
        columns=tuple(str(name) for name in side["columns"]),
        rows=tuple(
            ShownRow(
                index + 1,
                tuple(row),
                index in marks,
                frozenset(cells.get(index) or range(len(row) if index in marks else 0)),
            )
            for index, row in rows.items()
        ),
        row_count=count if isinstance(count, int) else len(side["rows"]),
        differing=(of_this_side or _NO_ROWS)["total"],
    )


_NO_ROWS: RowsAlone = {"total": 0, "rows": []}


def _differing_cells(
    explanation: MismatchFields | None, side: Literal["reference", "candidate"]
) -> dict[int, set[int]]:
    cells: dict[int, set[int]] = {}
    for cell in (explanation.get("cells") if explanation else None) or ():
        row, column = (
            (cell["reference_row"], cell["reference_column"])
            if side == "reference"
            else (cell["candidate_row"], cell["candidate_column"])
        )
        cells.setdefault(row, set()).add(column)
    return cells
