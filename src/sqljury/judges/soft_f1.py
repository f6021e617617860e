"""Soft F1: partial credit for rows that agree in some of their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any, ClassVar, cast

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable
from sqljury.judges.base import Judge, Needs, predicted_rows, register
from sqljury.tables import counted_columns, render_cell
from sqljury.verdict import Verdict

_Row = tuple[Any, ...]
_MOST_PAIRS = 250_000
"""For more pairs of rows the optimal assignment, which would take seconds, is not computed."""


@register
@dataclass(frozen=True)
class SoftF1(Judge):
    """F1 over the cells of the rows; neither row nor column order matters.

    Equal rows are paired first; the others are paired so that as many cells as possible agree (in
    sorted order if there are more than 250,000 possible pairs). Duplicate rows count once.
    Measures: precision and recall.

    Source: BIRD mini-dev's soft F1-score, which pairs rows by their position; pairing them by
    content makes it independent of the row order.
    """

    name: ClassVar[str] = "soft_f1"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS
    takes_tables: ClassVar[bool] = True

    @property
    def threshold(self) -> float:
        """1: only equal cells count as a yes; any lower score is partial credit."""
        return 1.0

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The best F1 over the references that run."""
        prediction = predicted_rows(self, case, evidence)
        given = [table for table in case.reference_tables if not table.problem]
        known = [counted_columns(table, prediction) for table in given]
        if not known:
            runs = [evidence.rows(sql).table for sql in case.reference_sqls]
            known = [counted_columns(table, prediction) for table in runs if table is not None]
        found = [soft_f1(*pair) for pair in known]
        f1, precision, recall = max(found)
        measures = {"precision": precision, "recall": recall}
        reason = f"F1 {f1:.3f} (precision {precision:.3f}, recall {recall:.3f})"
        if f1 == 1.0:
            return Verdict.correct(reason, measures=measures)
        return Verdict.incorrect(reason, measures=measures).with_score(f1)


def soft_f1(reference: ResultTable, prediction: ResultTable) -> tuple[float, float, float]:
    """F1, precision and recall, each in [0, 1]; all 1 for two empty results.

    >>> table = ResultTable(("a", "b"), [(1, 2), (3, 4)])
    >>> soft_f1(table, ResultTable(("b", "a"), [(4, 3), (2, 9)]))
    (0.75, 0.75, 0.75)
    """
    left, right = _distinct(reference), _distinct(prediction)
    if not left and not right:
        return 1.0, 1.0, 1.0
    agree, reference_only, prediction_only = _paired_shares(left, right)
    precision = agree / (agree + prediction_only) if agree else 0.0
    recall = agree / (agree + reference_only) if agree else 0.0
    f1 = 2 * precision * recall / (precision + recall) if agree else 0.0
    return f1, precision, recall


def _distinct(table: ResultTable) -> list[_Row]:
    """The distinct rows with hashable cells, in an order that does not depend on the query."""
    rows = {tuple(_hashable(cell) for cell in row) for row in table.rows}
    return sorted(rows, key=lambda row: [(str(type(cell)), str(cell)) for cell in row])


def _hashable(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return render_cell(cell)
    return cell


def _paired_shares(left: list[_Row], right: list[_Row]) -> tuple[float, float, float]:
    """The amounts of cells that agree, that only the reference has, and that only the prediction
    has.

    They are in units of rows: each row weighs 1 whatever its width, as in BIRD's definition.
    """
    rest_left, rest_right, equal = _without_equal(left, right)
    pairs = _assignment(rest_left, rest_right)
    agree = float(equal)
    reference_only = float(len(rest_left) - len(pairs))
    prediction_only = float(len(rest_right) - len(pairs))
    for i, j in pairs:
        common = _common(rest_left[i], rest_right[j])
        width = len(rest_left[i]) or 1
        agree += common / width
        reference_only += (len(rest_left[i]) - common) / width
        prediction_only += (len(rest_right[j]) - common) / width
    return agree, reference_only, prediction_only


def _common(a: _Row, b: _Row) -> int:
    return (Counter(a) & Counter(b)).total()


def _without_equal(left: list[_Row], right: list[_Row]) -> tuple[list[_Row], list[_Row], int]:
    """The rows of either side without a row of equal cells on the other, and the number of pairs
    of rows with equal cells."""
    key = [frozenset(Counter(row).items()) for row in left]
    open_right = Counter(frozenset(Counter(row).items()) for row in right)
    rest_left, equal = [], 0
    for row, cells in zip(left, key, strict=True):
        if open_right[cells]:
            open_right[cells] -= 1
            equal += 1
        else:
            rest_left.append(row)
    rest_right = []
    for row in reversed(right):
        cells = frozenset(Counter(row).items())
        if open_right[cells]:
            open_right[cells] -= 1
            rest_right.append(row)
    return rest_left, rest_right[::-1], equal


def _assignment(left: list[_Row], right: list[_Row]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
    if len(left) * len(right) > _MOST_PAIRS:
        return [(i, i) for i in range(min(len(left), len(right)))]
    gain = [[_common(a, b) for b in right] for a in left]
    rows, columns = _solver()(gain, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


@cache
def _solver() -> Callable[..., tuple[Any, Any]]:
    """scipy's ``linear_sum_assignment``, without the rest of its package, which takes 0.3 s."""
    import scipy

    package = str(Path(scipy.__file__).parent / "optimize")
    spec = PathFinder.find_spec("scipy.optimize._lsap", [package])
    if spec is None or spec.loader is None:  # a scipy with other files
        from scipy.optimize import linear_sum_assignment as found
    else:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        found = module.linear_sum_assignment
    return cast("Callable[..., tuple[Any, Any]]", found)
