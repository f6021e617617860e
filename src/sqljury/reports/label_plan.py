"""Cases that people are asked to label, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqljury.spreadsheet import SafeRows
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from sqljury.api.benchmark_scores import PlannedLabel

_COLUMNS = (
    *("id", "source", "benchmark", "db_id", "question", "hint"),
    *("predicted_sql", "reference_sql", "score", "probability", "label"),
)


def write_label_plan(path: PathLike, cases: Sequence[PlannedLabel]) -> None:
    """Write a CSV file whose last column, ``label``, is left for people.

    Raises:
        InputError, InfrastructureError: SJ801, SJ802: it cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(_COLUMNS)
        for one in cases:
            case = one.case
            rows.write(
                [
                    *(case.id, case.source, case.benchmark, case.db_id, case.question, case.hint),
                    *(case.predicted_sql, "; ".join(case.reference_sqls)),
                    *(one.score, one.probability, ""),
                ]
            )
