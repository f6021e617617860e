"""Agreement of yes/no answers with yes/no labels, from the four counts of a 2x2 table.

Each statistic is a fraction: the functions here give its numerator and denominator, for
plain integers and for numpy arrays of resampled tables alike, so that every formula stands
here once. Where the denominator is zero the statistic is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Ratio = tuple[Any, Any]
"""Numerator and denominator: numbers, or arrays of them."""


def kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:
    """Cohen's κ: agreement beyond what the margins alone would give.

    κ = (p_o - p_e) / (1 - p_e), which is 2(tp·tn - fp·fn) / ((tp+fp)(fp+tn) + (tp+fn)(fn+tn)).

    Undefined when both sides say the same one thing throughout (p_e = 1).

    Source: Cohen (1960), A coefficient of agreement for nominal scales, EPM 20(1), eq. 1.
    """
    return 2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)


def accuracy(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:
    """The share of answers that equal the label: (tp + tn) / n."""
    return tp + tn, tp + fp + fn + tn


def mcc(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:
    """Matthews' correlation coefficient, the φ of the table.

    (tp·tn - fp·fn) / sqrt((tp+fp)(tp+fn)(tn+fp)(tn+fn)).

    Undefined when the labels or the answers are of one class only.

    Source: Matthews (1975), Biochimica et Biophysica Acta 405(2).
    """
    return tp * tn - fp * fn, ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5


def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:  # noqa: ARG001 - one shape for all six
    """The harmonic mean of precision and recall: 2tp / (2tp + fp + fn).

    Undefined when nothing is yes, neither by label nor by answer.

    Source: van Rijsbergen (1979), Information Retrieval, ch. 7; Dice (1945).
    """
    return 2 * tp, 2 * tp + fp + fn


def precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:  # noqa: ARG001
    """Of the cases answered yes, the share that is yes by label: tp / (tp + fp)."""
    return tp, tp + fp


def recall(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:  # noqa: ARG001
    """Of the cases that are yes by label, the share answered yes: tp / (tp + fn)."""
    return tp, tp + fn


COUNT_STATISTICS: dict[str, Callable[[Any, Any, Any, Any], Ratio]] = {
    "kappa": kappa,
    "accuracy": accuracy,
    "mcc": mcc,
    "f1": f1,
    "precision": precision,
    "recall": recall,
}


@dataclass(frozen=True, slots=True)
class Confusion:
    """The four counts of yes/no answers against yes/no labels.

    >>> Confusion(tp=91, fp=0, fn=120, tn=91).statistics()["precision"]
    1.0
    """

    tp: int = 0
    """Label yes, answer yes."""
    fp: int = 0
    """Label no, answer yes."""
    fn: int = 0
    """Label yes, answer no."""
    tn: int = 0
    """Label no, answer no."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Confusion:
        """Count (label, answer) pairs."""
        counts = [0, 0, 0, 0]
        for label, answer in pairs:
            counts[2 * label + answer] += 1
        tn, fp, fn, tp = counts
        return cls(tp=tp, fp=fp, fn=fn, tn=tn)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """(tp, fp, fn, tn), the order in which every statistic takes them."""
        return (self.tp, self.fp, self.fn, self.tn)

    @property
    def n(self) -> int:
        """How many cases were counted."""
        return sum(self.counts)

    def statistics(self) -> dict[str, float | None]:
        """Every statistic of :data:`COUNT_STATISTICS`; None where it is undefined."""
        ratios = {name: ratio(*self.counts) for name, ratio in COUNT_STATISTICS.items()}
        return {name: up / down if down else None for name, (up, down) in ratios.items()}
