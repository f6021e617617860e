"""Whether the rows are equal under each policy, and how they differ."""

from __future__ import annotations

from math import log
from typing import Any, Final

from sqljury.evidence_shapes import faults_of, mismatch_of
from sqljury.execution import ResultTable
from sqljury.judges.counterexample import slight_difference
from sqljury.judges.jury_features.group import (
    Feature,
    Pair,
    Values,
    both_sides,
    feature_group,
    on_both_sides,
)
from sqljury.tables import POLICIES, MismatchKind, render_cell
from sqljury.verdict import Outcome, Verdict

_POLICIES = ("strict", "spider", "bird", "rose", "intent")
_FORGIVEN = ("column_order", "extra_columns", "duplicates_differ", "tolerance", "text_case")


@feature_group(
    "execution",
    Feature("prediction_runs", "1 if the prediction runs, else 0", 1, alone=True),
    *(Feature(one, f"1 if the rows are equal under `{one}`, else 0", 1) for one in _POLICIES),
    *(
        Feature(f"forgave_{one}", f"1 if `intent` had to forgive `{one}` for equal rows, else 0")
        for one in _FORGIVEN
    ),
    Feature("limit_cuts_tie", "where rows differ: 1 if the reference's LIMIT cuts a tie, else 0"),
)
def execution(pair: Pair) -> Values:
    """Table comparison under each policy."""
    found: dict[str, float | None] = {"prediction_runs": pair.score("executable")}
    found |= {one: pair.score(f"execution:{one}") for one in _POLICIES}
    kind = pair.verdict("execution:intent")
    if kind is not None and kind.outcome is Outcome.CORRECT:
        found |= {f"forgave_{one}": float(one in kind.labels) for one in _FORGIVEN}
    if pair.reference and kind is not None and kind.outcome is Outcome.INCORRECT:
        found["limit_cuts_tie"] = float("limit_cuts_tie" in kind.labels)
    return found


# ------------------------------------------------------------
# How two result tables differ: shapes, shares of equal cells, kinds of difference.

_INTENT: Final = "execution:intent"
_Cells = list[tuple[Any, ...]]
"""Rows with cells that can be compared and hashed."""
_MOST_ROWS = 2000
"""Repeated rows and NULLs are counted in at most so many rows."""


@feature_group(
    "tables",
    Feature("soft_f1", "F1 over cells, rows paired by content", 1),
    Feature("soft_precision", "share of the prediction's cells that the reference has", 1),
    Feature("soft_recall", "share of the reference's cells that the prediction has", 1),
    *on_both_sides("rows", "logarithm of 1 + the number of rows"),
    *on_both_sides("columns", "number of columns"),
    *on_both_sides("repeats", "share of rows that repeat another"),
    *on_both_sides("nulls", "share of cells that are NULL"),
    *on_both_sides("nothing", "1 if it returns no rows, or only NULL and 0"),
    Feature("values_of_reference", "share of the reference's distinct cells that occur at all", 1),
    Feature("values_of_prediction", "share of the prediction's distinct cells that occur too", 1),
    Feature("slight", "1 if rows differ in types, rounding, or nothing against NULL or 0", 1),
    Feature("of_tie", "1 if its LIMIT cuts a tie, and its rows are some of the reference's", 1),
    Feature("added_zeros", "1 if it has the reference's rows, and others all with 0 or NULL", 1),
    *(
        Feature(f"kind_{one}", f"1 if `intent` finds a difference of kind `{one}`")
        for one in MismatchKind
    ),
)
def tables(pair: Pair) -> Values:
    """How the rows of prediction and reference differ."""
    if pair.tables is None:
        return _of_prediction(pair) if pair.reference is None else {}
    prediction, reference = pair.tables
    own, others = _cells(prediction), _cells(reference)
    return {
        **_soft(pair.verdict("soft_f1")),
        **both_sides("rows", log(1 + len(prediction.rows)), log(1 + len(reference.rows))),
        **both_sides("columns", float(prediction.width), float(reference.width)),
        **both_sides("repeats", _repeats(own), _repeats(others)),
        **both_sides("nulls", _nulls(prediction), _nulls(reference)),
        **both_sides("nothing", _nothing(prediction), _nothing(reference)),
        "values_of_reference": _share(others, own),
        "values_of_prediction": _share(own, others),
        "slight": float(bool(slight_difference(reference, prediction, POLICIES["intent"]))),
        "of_tie": float(_of_tie(pair, own, others)),
        "added_zeros": float(_added_zeros(prediction, own, others)),
        **_kinds(pair.verdict(_INTENT)),
    }


def _of_prediction(pair: Pair) -> Values:
    """What the prediction's rows show where there is no reference."""
    table = pair.evidence.rows(pair.prediction).table if pair.evidence.has_database else None
    if table is None:
        return {}
    return {
        "rows_prediction": log(1 + len(table.rows)),
        "columns_prediction": float(table.width),
        "repeats_prediction": _repeats(_cells(table)),
        "nulls_prediction": _nulls(table),
        "nothing_prediction": _nothing(table),
    }


def _of_tie(pair: Pair, own: _Cells, others: _Cells) -> bool:
    """True if a LIMIT cuts a tie in the prediction, and all its rows are rows of the reference."""
    if not own or not set(own) < set(others):
        return False
    found = pair.verdict("faults")
    return found is not None and any(
        one["code"] == "AU204" for one in faults_of(found.evidence)["findings"]
    )


def _added_zeros(prediction: ResultTable, own: _Cells, others: _Cells) -> bool:
    """True if the prediction has all rows of the reference, and each other one a 0 or NULL: things
    without partners, which an outer join keeps."""
    known = set(others)
    added = [row for cells, row in zip(own, prediction.rows, strict=False) if cells not in known]
    has_all = bool(known) and known < set(own)
    return has_all and all(any(cell is None or cell == 0 for cell in row) for row in added)


def _soft(found: Verdict | None) -> Values:
    if found is None:
        return {}
    names = {"soft_precision": "precision", "soft_recall": "recall"}
    return {"soft_f1": found.score, **{k: found.measures.get(v) for k, v in names.items()}}


def _kinds(found: Verdict | None) -> Values:
    if found is None or found.outcome not in (Outcome.CORRECT, Outcome.INCORRECT):
        return {}
    explanation = mismatch_of(found.evidence)
    kinds = explanation["kinds"] if explanation else ()
    return {f"kind_{one}": float(one.value in kinds) for one in MismatchKind}


def _cells(table: ResultTable) -> _Cells:
    return [tuple(render_cell(cell) for cell in row) for row in table.rows[:_MOST_ROWS]]


def _repeats(rows: _Cells) -> float | None:
    return 1 - len(set(rows)) / len(rows) if rows else None


def _nulls(table: ResultTable) -> float | None:
    cells = [cell is None for row in table.rows[:_MOST_ROWS] for cell in row]
    return sum(cells) / len(cells) if cells else None


def _nothing(table: ResultTable) -> float:
    return float(all(cell is None or cell == 0 for row in table.rows[:1] for cell in row)
                 and len(table.rows) <= 1)  # fmt: skip


def _share(rows: _Cells, other: _Cells) -> float | None:
    """The share of a table's distinct cells that the other has, too."""
    own, others = ({cell for row in one for cell in row} for one in (rows, other))
    return len(own & others) / len(own) if own else None
