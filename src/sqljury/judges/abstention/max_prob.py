"""MAXPROB, the least probability of a likeliest token; judges of token log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import ClassVar

from sqljury.benchmarks import Token, fingerprint, read_logprobs
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.verdict import Outcome, Verdict

# ------------------------------------------------------------
# What judges that look at token log-probabilities have in common: the file they are in.


@dataclass(frozen=True)
class TokenJudge(Judge):
    """A judge of how sure a model was of the tokens that it wrote.

    Args:
        logprobs: a file of the tokens' log-probabilities by question id, or a pool that
            ``sqljury generate --logprobs`` wrote.
        threshold: the confidence from which on the question is answered.
    """

    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    logprobs: str = ""
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not self.logprobs:
            raise InputError(
                "SJ358",
                f"the judge {self.name} needs log-probabilities.",
                hint=f"Write --judge {self.name},logprobs=FILE.",
            )
        _ = self._tokens  # a broken file is an error when the judge is made

    @cached_property
    def _tokens(self) -> dict[str, tuple[Token, ...]]:
        return read_logprobs(self.logprobs)

    def signature_fields(self) -> dict[str, Json]:
        """A digest of the file."""
        return {"logprobs": fingerprint(self.logprobs)[:8]}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:  # noqa: ARG002 - a judge's shape
        """The confidence in the least sure token."""
        tokens = self._tokens.get(case.id)
        if not tokens:
            reason = "there are no log-probabilities"
            return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)
        sure = self.confidence(tokens)
        reason = f"confidence {sure:.3f} in the least sure of {len(tokens)} tokens"
        verdict = Verdict.correct(reason) if sure >= self.threshold else Verdict.incorrect(reason)
        return verdict.with_score(sure)

    def confidence(self, tokens: tuple[Token, ...]) -> float:
        """In [0, 1], the higher, the surer."""
        raise NotImplementedError


# ---------------------------------------------------------------- max prob
#
# MAXPROB: the least probability that a model gave to a likeliest token.


@register
@dataclass(frozen=True)
class MaxProb(TokenJudge):
    """The minimum over tokens of the highest token probability; an answer at `threshold`.

    Where only the written tokens' log-probabilities are there, they stand for the highest: so it
    is in greedy decoding.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), MAXPROB; Stengel-Eskin & Van Durme 2023.
    """

    name: ClassVar[str] = "max_prob"
    version: ClassVar[int] = 1

    def confidence(self, tokens: tuple[Token, ...]) -> float:
        """The least of the highest probabilities."""
        return exp(min(max((token.logprob, *token.likeliest)) for token in tokens))
