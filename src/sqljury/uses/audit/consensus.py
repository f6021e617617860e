"""Estimates each question's right result from the results of many systems.

The systems and the reference are annotators of unknown accuracy. An annotator gives the right
result with a probability equal to its accuracy; otherwise it gives any other result, be it one that
some annotator gave or one that none gave, with equal probability. Accuracies and right results are
found alternately, by expectation maximisation. Systems that share a base model make the same
errors, so n correlated systems count for as many votes as their effective number.

Source: Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates, in its
one-coin form; Kish (1965), Survey sampling, for the effective number of correlated votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

NOBODY = -1
"""Stands for a right result that no annotator gave."""
_REFERENCE = ""
_ROUNDS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """The annotators' results for one question: equal results have equal numbers; None fails."""

    by_system: Mapping[str, int | None]
    reference: int | None

    def all(self) -> dict[str, int | None]:
        """The results by annotator, with the reference as one more."""
        return {**self.by_system, _REFERENCE: self.reference}


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """The most probable result of one question.

    Args:
        result: the number of the result; :data:`NOBODY` if no annotator gave it.
        probability: of the result, in [0, 1], by accuracies estimated on the other questions.
        agreeing: the systems that gave the result, the most accurate first.
    """

    result: int
    probability: float
    agreeing: tuple[str, ...]


def consensus(questions: Sequence[Votes]) -> list[Consensus]:
    """The most probable result of each question, in order.

    >>> votes = [Votes(by_system={"a": 1, "b": 1, "c": 1}, reference=1)] * 8
    >>> odd = Votes(by_system={"a": 1, "b": 1, "c": 1}, reference=2)
    >>> consensus([*votes, odd])[-1].result
    1
    """
    votes = [one.all() for one in questions]
    beliefs, _ = _fitted(votes, weight=1.0)
    weight = _weight(votes, beliefs)
    beliefs, hits = _fitted(votes, weight)
    asked = Counter(name for one in votes for name in one)
    found = []
    for one, belief in zip(votes, beliefs, strict=True):
        # Accuracies over all questions but this one.
        accuracy = {
            name: _rate(hits[name] - _hit(belief, vote), asked[name] - 1)
            for name, vote in one.items()
        }
        belief = _belief(one, accuracy, weight)
        result = max(belief.items(), key=lambda each: (each[1], -each[0]))[0]
        agreeing = [n for n, vote in one.items() if n != _REFERENCE and vote == result]
        agreeing.sort(key=lambda name: (-accuracy[name], name))
        found.append(Consensus(result=result, probability=belief[result], agreeing=tuple(agreeing)))
    return found


def _fitted(
    votes: Sequence[Mapping[str, int | None]], weight: float
) -> tuple[list[dict[int, float]], dict[str, float]]:
    """Per question the probability of each result; per annotator its expected right results."""
    asked = Counter(name for one in votes for name in one)
    beliefs = [_majority(one) for one in votes]
    hits: dict[str, float] = {}
    for _ in range(_ROUNDS):
        hits = dict.fromkeys(asked, 0.0)
        for one, belief in zip(votes, beliefs, strict=True):
            for name, vote in one.items():
                hits[name] += _hit(belief, vote)
        accuracy = {name: _rate(hits[name], asked[name]) for name in asked}
        beliefs = [_belief(one, accuracy, weight) for one in votes]
    return beliefs, hits


def _majority(votes: Mapping[str, int | None]) -> dict[int, float]:
    counts = Counter(vote for vote in votes.values() if vote is not None)
    total = sum(counts.values()) or 1
    return {**{result: n / total for result, n in counts.items()}, NOBODY: 0.0}


def _hit(belief: Mapping[int, float], vote: int | None) -> float:
    return 0.0 if vote is None else belief[vote]


def _rate(hits: float, asked: float) -> float:
    """The accuracy, smoothed by one right and one wrong result added (Laplace)."""
    return (hits + 1) / (asked + 2)


def _belief(
    votes: Mapping[str, int | None], accuracy: Mapping[str, float], weight: float
) -> dict[int, float]:
    """The probability of each result. Systems' votes have ``weight``, the reference's vote 1."""
    results = sorted({vote for vote in votes.values() if vote is not None})
    others = max(1, len(results))
    scores = dict.fromkeys([*results, NOBODY], 0.0)
    for name, vote in votes.items():
        rate, share = accuracy[name], 1.0 if name == _REFERENCE else weight
        for result in scores:
            scores[result] += share * log(rate if vote == result else (1 - rate) / others)
    top = max(scores.values())
    total = sum(exp(score - top) for score in scores.values())
    return {result: exp(score - top) / total for result, score in scores.items()}


def _weight(
    votes: Sequence[Mapping[str, int | None]], beliefs: Sequence[Mapping[int, float]]
) -> float:
    """A system's weight, if n systems have a mean correlation r: 1 / (1 + (n - 1) r)."""
    names = sorted({name for one in votes for name in one} - {_REFERENCE})
    if not names:
        return 1.0
    right = np.full((len(names), len(votes)), np.nan)
    for column, (one, belief) in enumerate(zip(votes, beliefs, strict=True)):
        for row, name in enumerate(names):
            if name in one:
                right[row, column] = _hit(belief, one[name])
    means = np.nanmean(right, axis=1, keepdims=True)
    centred = np.where(np.isnan(right), 0.0, right - means)
    varied = centred[centred.std(axis=1) > 0]
    if len(varied) < 2:
        return 1.0
    pairs = np.corrcoef(varied)
    mean = float((pairs.sum() - len(varied)) / (len(varied) * (len(varied) - 1)))
    return 1 / (1 + (len(names) - 1) * max(0.0, mean))
