"""MAXPROB, the minimum of the tokens' highest probabilities; the base of such judges."""

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
# The common part of judges that use token log-probabilities.


@dataclass(frozen=True)
class TokenJudge(Judge):
    """A judge of how sure a model was of the tokens that it wrote.

    Args:
        logprobs: a file of the tokens' log-probabilities by question id, or a pool that
            ``sqljury generate --logprobs`` wrote.
        threshold: the lowest confidence that means to answer.
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
        """A digest of the file of log-probabilities."""
        return {"logprobs": fingerprint(self.logprobs)[:8]}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:  # noqa: ARG002 - a judge's shape
        """The verdict by the confidence; ``judge_unavailable`` if the file lacks the case."""
        tokens = self._tokens.get(case.id)
        if not tokens:
            reason = "there are no log-probabilities"
            return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)
        sure = self.confidence(tokens)
        reason = f"confidence {sure:.3f} in the least sure of {len(tokens)} tokens"
        verdict = Verdict.correct(reason) if sure >= self.threshold else Verdict.incorrect(reason)
        return verdict.with_score(sure)

    def confidence(self, tokens: tuple[Token, ...]) -> float:
        """How sure the model was of these tokens, in [0, 1]."""
        raise NotImplementedError


# ---------------------------------------------------------------- max prob


@register
@dataclass(frozen=True)
class MaxProb(TokenJudge):
    """The minimum over tokens of the highest token probability; an answer at `threshold`.

    If the file has only the log-probabilities of the written tokens, these are taken as the
    highest, which they are in greedy decoding.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), MAXPROB; Stengel-Eskin & Van Durme 2023.
    """

    name: ClassVar[str] = "max_prob"
    version: ClassVar[int] = 1

    def confidence(self, tokens: tuple[Token, ...]) -> float:
        """The minimum over tokens of the highest probability."""
        return exp(min(max((token.logprob, *token.likeliest)) for token in tokens))
