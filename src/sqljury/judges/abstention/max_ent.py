"""MAXENT: the highest entropy among the tokens that a model wrote."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

from sqljury.benchmarks import Token
from sqljury.judges.abstention.max_prob import TokenJudge
from sqljury.judges.base import register


@register
@dataclass(frozen=True)
class MaxEnt(TokenJudge):
    """exp(-H) of the token with the highest entropy H (in nats); an answer at `threshold`.

    H is computed from the likeliest tokens that the file has; the rest of the probability counts
    as one further token, so H is a lower bound. For a token without alternatives there are two
    outcomes: this token and all others.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), MAXENT; Lee et al. 2022 (EHRSQL).
    """

    name: ClassVar[str] = "max_ent"
    version: ClassVar[int] = 1

    def confidence(self, tokens: tuple[Token, ...]) -> float:
        """exp(-H) of the token with the highest entropy H, in (0, 1]."""
        return exp(-max(map(_entropy, tokens)))


def _entropy(token: Token) -> float:
    known = [exp(logprob) for logprob in token.likeliest or (token.logprob,)]
    shares = [*known, max(0.0, 1.0 - sum(known))]
    return -sum(share * log(share) for share in shares if share > 0)
