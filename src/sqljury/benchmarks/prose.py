"""Predictions as chat models write them: the statement is taken out of the prose around it."""

from __future__ import annotations

from dataclasses import replace

from sqljury.case import Case
from sqljury.extraction import statement_in

AS_WRITTEN = "prediction_as_written"
"""The key of ``extra`` that keeps what a model wrote, where its statement was taken out."""


def without_prose(case: Case) -> Case:
    """The case with the statements of its predictions; the same case where they are nothing else.

    Abstentions, missing and empty predictions stay what they are.
    """
    sql = case.predicted_sql
    found = statement_in(sql) if isinstance(sql, str) else sql
    pool = tuple(one if one is None else statement_in(one) for one in case.pool)
    if found == sql and pool == case.pool:
        return case
    return replace(case, predicted_sql=found, pool=pool, extra={**case.extra, AS_WRITTEN: sql})
