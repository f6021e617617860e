"""VOTING: how many of the samples for a question agree with the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql import normalise_text, top_level_order
from sqljury.tables import Policy, compare, make_policy
from sqljury.verdict import Outcome, Verdict

_WAYS = ("text", "canonical", "rows")


@register
@dataclass(frozen=True)
class Voting(Judge):
    """The share of the samples that agree with the prediction; an answer at `threshold`.

    Samples are given as a list of queries in place of a prediction. The threshold 1 is the
    paper's: all samples have to agree.

    Args:
        by: the variant: samples agree by ``text`` (except for white space, case and comments),
            ``canonical`` (equal canonical trees, or texts if a query cannot be read) or ``rows``
            (equal results; a query that fails agrees with nothing).
        threshold: the lowest share that means to answer.
        match: the policy by which results are equal.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), VOTING; Wang et al. 2022,
    self-consistency (arXiv:2203.11171).
    """

    name: ClassVar[str] = "voting"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True
    variant: ClassVar[str] = "by"

    by: str = "text"
    threshold: float = 1.0
    match: str = "strict"

    def __post_init__(self) -> None:
        if self.by not in _WAYS:
            raise ValueError(f"by={self.by}: one of {', '.join(_WAYS)}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold={self.threshold} is no share")
        _ = self._policy
        if self.by == "rows":
            object.__setattr__(self, "needs", Needs.PREDICTION_ROWS)

    @cached_property
    def _policy(self) -> Policy:
        return make_policy(self.match)

    def signature_fields(self) -> dict[str, Json]:
        """The policy of comparison, if rows are compared."""
        return {"match": self.match} if self.by == "rows" else {}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the share of samples that agree; ``unknown`` without samples."""
        if not case.pool:
            return Verdict(outcome=Outcome.UNKNOWN, reason="there is one prediction, no samples")
        agrees = self._agreement(str(case.predicted_sql), evidence)
        known: dict[str, bool] = {}
        for sample in filter(None, case.pool):
            known.setdefault(sample, agrees(sample))
        votes = sum(sample is not None and known.get(sample, False) for sample in case.pool)
        share = votes / len(case.pool)
        answers = share >= self.threshold
        reason = f"{votes} of {len(case.pool)} samples agree"
        verdict = Verdict.correct(reason) if answers else Verdict.incorrect(reason)
        return verdict.with_score(share)

    def _agreement(self, predicted: str, evidence: Evidence) -> Callable[[str], bool]:
        """A function that is True for a sample that agrees with the prediction."""
        if self.by != "rows":
            key = _canonical_key if self.by == "canonical" else _text_key
            wanted = key(predicted, evidence)
            return lambda sample: key(sample, evidence) == wanted
        table = evidence.rows(predicted).table
        ordered = self._policy.row_order != "free" and top_level_order(predicted, evidence.dialect)

        def same(sample: str) -> bool:
            other = evidence.rows(sample).table
            if table is None or other is None:
                return False
            return compare(table, other, self._policy, ordered=ordered).equal is True

        return same


def _text_key(sql: str, evidence: Evidence) -> object:
    return normalise_text(sql, evidence.dialect)


def _canonical_key(sql: str, evidence: Evidence) -> object:
    from sqljury.equivalence.canonical import Canonical, canonical_query

    schema = evidence.schema()
    if schema is not None:
        found = canonical_query(sql, schema, evidence.dialect)
        if isinstance(found, Canonical):
            return found.relation
    return _text_key(sql, evidence)
