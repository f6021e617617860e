"""MAXPROB: the least probability that a model gave to a likeliest token."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import ClassVar

from sqljury.benchmarks import Token
from sqljury.judges.abstention.tokens import TokenJudge
from sqljury.judges.base import register


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
