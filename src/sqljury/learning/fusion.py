"""Combines chat models' answers about a case with the probability from offline evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqljury.errors import InputError
from sqljury.writing import new_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sqljury.learning.model_file import PathLike

    Array = NDArray[Any]


Asked = tuple[str, str]
"""A question and the model that answers it: ``("rose", "o3")``."""
Opinions = Mapping[Asked, str]
"""The answers: ``accepts``, ``rejects``, or who of ROSE's two rejects: ``prover``, ``refuter``."""
Counts = Mapping[str, tuple[int, int]]
"""By answer, how many right and how many wrong predictions got it."""

SHIPPED: Final = Path(__file__).with_name("jury_fusion.json")
"""The parameters that come with the package."""
ANSWERS: Final = {"rose": ("accepts", "prover", "refuter")}
"""The possible answers to a question; :data:`_YES_NO` for all others."""
_YES_NO: Final = ("accepts", "rejects")
_LIKE: Final = {"reviewer": "rose_unified"}
"""Questions without labelled answers, with the one whose rates are assumed for them."""

_KIND: Final = "jury fusion"
_VERSION: Final = 1
_WRITTEN: Final = ("slope", "overlap", "offset", "counts", "prices", "card")
_PRIOR_CASES: Final = 10.0
"""Weight of the other models' answers to a question, in cases per label."""
_START: Final = (1.0, 0.3, 0.0)
_BOUNDS: Final = ((0.0, 3.0), (0.0, 2.0), (-2.0, 2.0))
_PULL: Final = 0.002
"""Weight of the penalty that keeps slope, overlap and offset near :data:`_START`."""
_MASKS: Final = 8
"""Number of fits with some opinions left out at random, because a cascade asks only few models."""


@dataclass(frozen=True)
class Fusion:
    """Log-odds of a case: slope × offline + Σ ratios / (1 + overlap × (opinions - 1)) + offset.

    A ratio is log P(answer | right) / P(answer | wrong) of a model's answer to a question. A model
    with few or no labelled answers is assumed to be like the others with answers to the question.

    Args:
        slope: the factor of the offline log-odds.
        overlap: how much opinions repeat each other: 0 if they are independent, 1 if all are alike.
        offset: added to the log-odds if there is offline evidence.
        counts: numbers of labelled answers, by question and model.
        prices: US dollars for a call, by model.
        card: a description of the data that it was fitted on.

    Source: Dawid and Skene (1979) for rates per judge; the divisor is Kish's design effect (1965).
    """

    slope: float
    overlap: float
    offset: float
    counts: Mapping[str, Mapping[str, Counts]]
    prices: Mapping[str, float] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    _found: dict[Asked, dict[str, tuple[float, float]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def rates(self, asked: Asked) -> Mapping[str, tuple[float, float]]:
        """By answer, its probability for a right and for a wrong prediction."""
        if asked not in self._found:
            self._found[asked] = self._rates(*asked)
        return self._found[asked]

    def _rates(self, question: str, model: str) -> dict[str, tuple[float, float]]:
        answers = ANSWERS.get(question, _YES_NO)
        known = self.counts.get(question) or self.counts.get(_LIKE.get(question, ""), {})
        own = known.get(model, {})
        others = [counts for name, counts in known.items() if name != model]
        found = []
        for side in (0, 1):
            all_of = {a: sum(c.get(a, (0, 0))[side] for c in others) + 0.5 for a in answers}
            share = {a: count / sum(all_of.values()) for a, count in all_of.items()}
            seen = {a: own.get(a, (0, 0))[side] for a in answers}
            cases = sum(seen.values()) + _PRIOR_CASES
            found.append({a: (seen[a] + _PRIOR_CASES * share[a]) / cases for a in answers})
        return {a: (found[0][a], found[1][a]) for a in answers}

    def ratio(self, asked: Asked, answer: str) -> float:
        """The log of P(answer | right prediction) / P(answer | wrong prediction)."""
        right, wrong = self.rates(asked)[answer]
        return log(right / wrong)

    def log_odds(self, offline: float | None, opinions: Opinions) -> float:
        """The log-odds that the prediction is right, from offline log-odds and models' answers.

        Without offline log-odds only the answers count, starting from even odds.
        """
        ratios = [self.ratio(asked, answer) for asked, answer in opinions.items()]
        return self.fused(offline, sum(ratios), len(ratios))

    def fused(self, offline: float | None, total: float, opinions: int) -> float:
        """The same log-odds from the sum of the ratios and the number of opinions."""
        repeated = 1 + self.overlap * max(opinions - 1, 0)
        known = 0.0 if offline is None else self.slope * offline + self.offset
        return known + total / repeated

    def recounted(self, opinions: Sequence[Opinions], labels: Sequence[bool]) -> Fusion:
        """The fusion with new counts: those of these cases replace the same models' old counts."""
        new = _counted(opinions, labels)
        questions = {**dict.fromkeys(self.counts), **dict.fromkeys(new)}
        merged = {q: {**self.counts.get(q, {}), **new.get(q, {})} for q in questions}
        return replace(self, counts=merged)

    def save(self, path: PathLike) -> None:
        """Writes the parameters to a JSON file.

        Raises:
            InputError, InfrastructureError: SJ801, SJ802: it cannot be written.
        """
        names = ("slope", "overlap", "offset", "counts", "prices", "card")
        facts = {
            "kind": _KIND,
            "version": _VERSION,
            **{name: getattr(self, name) for name in names},
        }
        with new_file(path) as stream:
            stream.write(json.dumps(facts, indent=1, sort_keys=True) + "\n")


def load_fusion(path: PathLike) -> Fusion:
    """Loads the parameters from a file.

    Raises:
        InputError: SJ020: there is no such file, or it does not contain a fusion of this version.
    """
    try:
        facts = json.loads(Path(path).read_text(encoding="utf-8"))
        if (facts["kind"], facts["version"]) != (_KIND, _VERSION):
            raise ValueError("of another kind or version")
        counts = {
            question: {
                model: {answer: (int(n[0]), int(n[1])) for answer, n in counts.items()}
                for model, counts in models.items()
            }
            for question, models in facts["counts"].items()
        }
        slope, overlap, offset = (float(facts[name]) for name in ("slope", "overlap", "offset"))
        return Fusion(slope, overlap, offset, counts, facts["prices"], facts["card"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            "SJ020", f"the parameters of a jury cannot be read: {error}.", where=str(path)
        ) from None


def fit_fusion(
    offline: Sequence[float],
    opinions: Sequence[Opinions],
    labels: Sequence[bool],
    *,
    prices: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
) -> Fusion:
    """Counts the answers, and fits slope, overlap and offset by maximum likelihood.

    Opinions are left out at random while fitting, because a cascade asks only few models.

    Args:
        offline: log-odds of each case by a jury that was trained without its label.
        opinions: models' answers on each case.
        labels: whether each prediction is right.
        prices: US dollars for a call, by model.
        card: a description of the cases, for the file.
    """
    import numpy as np
    from scipy.optimize import minimize

    found = Fusion(*_START, _counted(opinions, labels), prices or {}, card or {})
    base, sign = np.asarray(offline, dtype=float), np.where(labels, 1.0, -1.0)
    totals = list(_masked(found, opinions))

    def loss(at: Array) -> float:
        guess = replace(found, slope=at[0], overlap=at[1], offset=at[2])
        repeated = [1 + guess.overlap * np.maximum(heard - 1, 0) for _, heard in totals]
        odds = [
            guess.slope * base + total / by + guess.offset
            for (total, _), by in zip(totals, repeated, strict=True)
        ]
        pull = float(np.square(at - np.array(_START)).sum())
        return (
            float(np.mean([np.logaddexp(0.0, -sign * one).mean() for one in odds])) + _PULL * pull
        )

    slope, overlap, offset = minimize(loss, _START, bounds=_BOUNDS).x
    return replace(found, slope=float(slope), overlap=float(overlap), offset=float(offset))


def _masked(found: Fusion, opinions: Sequence[Opinions]) -> list[tuple[Array, Array]]:
    """For each case the sum of ratios and the number of opinions: first of all opinions, then of
    random parts of them."""
    import numpy as np

    asked = sorted({one for case in opinions for one in case})
    heard = np.array([[one in case for one in asked] for case in opinions], dtype=bool)
    ratios = np.array(
        [
            [found.ratio(one, case[one]) if one in case else 0.0 for one in asked]
            for case in opinions
        ]
    )
    random = np.random.default_rng(0)
    masks = [heard, *(heard & _some(random, heard.shape) for _ in range(_MASKS))]
    return [((ratios * mask).sum(axis=1), mask.sum(axis=1)) for mask in masks]


def _some(random: Any, shape: tuple[int, int]) -> Array:
    kept: Array = random.random(shape) < random.random((shape[0], 1))
    return kept


def _counted(
    opinions: Sequence[Opinions], labels: Sequence[bool]
) -> dict[str, dict[str, dict[str, tuple[int, int]]]]:
    counts: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    for case, label in zip(opinions, labels, strict=True):
        for (question, model), answer in case.items():
            of_model = counts.setdefault(question, {}).setdefault(model, {})
            right, wrong = of_model.get(answer, (0, 0))
            of_model[answer] = (right + label, wrong + (not label))
    return counts


# ---------------------------------------------------------------- next question
#
# Which question to ask which model next: the one with the most information per price.


_LEAST_PRICE: Final = 1e-6
"""Price of a call, in US dollars, for a model on the user's own machine: cheap, but not zero."""


def next_question(
    fusion: Fusion,
    offline: float | None,
    heard: Opinions,
    left: Mapping[Asked, float],
    *,
    target: float,
    bar: float = 0.0,
) -> Asked | None:
    """The next question to ask; None if the verdict is certain enough or can no longer change.

    Of the remaining questions, the one whose answer is expected to reduce the entropy most (in
    bits) per dollar.

    Args:
        heard: the answers so far.
        left: the remaining questions with their prices in US dollars.
        target: no more questions once the verdict has this probability; 1 asks all.
        bar: the verdict is yes from these log-odds on.

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
    """True if answers against the verdict to some of the remaining questions would change it."""
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
    """The expected reduction of entropy by an answer, in bits."""
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
