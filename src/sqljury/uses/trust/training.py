"""What detectors are trained on: texts, and whether answering was right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqljury.case import Case
from sqljury.uses.trust.from_records import decisions_of
from sqljury.verdict import Record


class DetectorExample(NamedTuple):
    """One text to learn from."""

    question: str
    sql: str
    """Empty where the question is all that is read."""
    is_right: bool


def answerable_examples(cases: Iterable[Case]) -> Iterator[DetectorExample]:
    """Questions, and whether they can be answered.

    A question is answerable where its file says so, or where there is a reference and the file
    says nothing; of others nothing is known, and they are left out.

    Source: TrustSQL (Lee et al. 2024), section 4.2, RF.
    """
    for case in cases:
        known = case.answerable
        if known is None and case.reference_sqls:
            known = True
        if case.question and known is not None:
            yield DetectorExample(case.question, "", known)


def right_examples(
    records: Iterable[Record], judge: str, threshold: float = 0.5
) -> Iterator[DetectorExample]:
    """Questions with the SQL that answered them, and whether it was right.

    An answer to an unanswerable question is wrong; what is left out of scores teaches nothing.

    Source: TrustSQL (Lee et al. 2024), section 4.2, RF*.
    """
    kept = [record for record in records if record.judge == judge]
    for record, decision in zip(kept, decisions_of(kept, judge, threshold), strict=True):
        case = record.case
        known = (decision.is_right or decision.is_wrong) and not decision.left_out
        if known and case.question and isinstance(case.predicted_sql, str):
            yield DetectorExample(case.question, case.predicted_sql, decision.is_right)
