"""Which question to put to which model next: the most information for its price."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log2
from typing import Final

from sqljury.learning.fusion import Asked, Fusion, Opinions

_LEAST_PRICE: Final = 1e-6
"""Of a model on the user's own machine, in US dollars: cheap, and not for nothing."""


def next_question(
    fusion: Fusion,
    offline: float | None,
    heard: Opinions,
    left: Mapping[Asked, float],
    *,
    target: float,
    bar: float = 0.0,
) -> Asked | None:
    """The question to ask, or None where the verdict is sure enough or cannot change any more.

    Of the questions left, the one whose answer is expected to take away most doubt (in bits of
    entropy) per dollar.

    Args:
        heard: what was answered so far.
        left: questions that were not asked, with their prices in US dollars.
        target: the probability of the verdict from which on nobody is asked; 1 asks everything.
        bar: log-odds from which on the verdict is a yes.

    Source: Lindley (1956), the expected information of an experiment.
    """
    now = _probability(fusion.log_odds(offline, heard))
    is_sure = max(now, 1 - now) >= target or not _can_change(fusion, offline, heard, left, bar)
    if not left or (is_sure and target < 1):
        return None

    def value(asked: Asked) -> float:
        return _information(fusion, offline, heard, asked) / max(left[asked], _LEAST_PRICE)

    return max(left, key=value)


def _can_change(
    fusion: Fusion, offline: float | None, heard: Opinions, left: Mapping[Asked, float], bar: float
) -> bool:
    """Whether some of the questions left, all answered against the verdict, would turn it."""
    total = sum(fusion.ratio(asked, answer) for asked, answer in heard.items())
    says_yes = fusion.fused(offline, total, len(heard)) >= bar
    worst = sorted(
        (min if says_yes else max)(fusion.ratio(one, answer) for answer in fusion.rates(one))
        for one in left
    )
    for number, against in enumerate(worst if says_yes else worst[::-1], start=1):
        total += against
        if (fusion.fused(offline, total, len(heard) + number) >= bar) is not says_yes:
            return True
    return False


def _information(fusion: Fusion, offline: float | None, heard: Opinions, asked: Asked) -> float:
    """The entropy that an answer is expected to take away."""
    now = _probability(fusion.log_odds(offline, heard))
    after = 0.0
    for answer, (right, wrong) in fusion.rates(asked).items():
        then = _probability(fusion.log_odds(offline, {**heard, asked: answer}))
        after += (now * right + (1 - now) * wrong) * _entropy(then)
    return _entropy(now) - after


def _entropy(probability: float) -> float:
    sides = (one for one in (probability, 1 - probability) if one > 0)
    return -sum(one * log2(one) for one in sides)


def _probability(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds)) if log_odds > -700 else 0.0
