"""Agreement of yes/no answers, and of scores, with yes/no labels.

Yes/no answers are compared with the labels by the four counts of a 2x2 table. Each statistic is a
fraction. The functions here return its numerator and denominator, for plain integers and for numpy
arrays of resampled tables alike, so that every formula is written once. Where the denominator is
zero the statistic is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]


Ratio = tuple[Any, Any]
"""Numerator and denominator: numbers, or arrays of them."""


def kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Ratio:
    """Cohen's κ: agreement beyond what the margins alone would give.

    κ = (p_o - p_e) / (1 - p_e), which is 2(tp·tn - fp·fn) / ((tp+fp)(fp+tn) + (tp+fn)(fn+tn)).

    Undefined when labels and answers are all yes or all no (p_e = 1).

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


def fleiss_kappa(counts: Iterable[Sequence[int]]) -> float | None:
    """Fleiss' κ of several raters: agreement beyond what the shares of the answers would give.

    Undefined (None) without cases, with one rater, or if all answers are the same.

    Args:
        counts: for each case how many raters gave each answer; all cases have equally many raters.

    >>> fleiss_kappa([(2, 0), (1, 1), (0, 2), (2, 0)])
    0.4666666666666667

    Source: Fleiss (1971), Measuring nominal scale agreement among many raters, Psych. Bull. 76(5).
    """
    rows = list(counts)
    raters = sum(rows[0]) if rows else 0
    if raters < 2:
        return None
    pairs = raters * (raters - 1)
    observed = sum(n * (n - 1) for row in rows for n in row) / (pairs * len(rows))
    shares = [sum(column) / (raters * len(rows)) for column in zip(*rows, strict=True)]
    expected = sum(share * share for share in shares)
    return None if expected == 1 else (observed - expected) / (1 - expected)


# ------------------------------------------------------------
# Association of a real-valued score with a yes/no label, without a threshold.
# Everything is computed from a ScoreTable, which counts labels at each distinct score: ties are
# exact, the order of the cases cannot matter, and a whole stack of resampled tables goes through
# the same formulas at once.


ASSOCIATION_STATISTICS = ("auc", "kendall_tau", "spearman_rho", "pearson_r")


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Distinct scores in ascending order, and how many no and yes labels each has.

    ``no`` and ``yes`` have the distinct scores along their last axis; axes before it stack
    resampled tables.
    """

    scores: Floats
    no: Floats
    yes: Floats

    @classmethod
    def of(cls, scores: Sequence[float], labels: Sequence[bool]) -> ScoreTable:
        """Count labels at each distinct score."""
        import numpy as np

        distinct, place = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
        counts = np.zeros((2, len(distinct)))
        np.add.at(counts, (np.asarray(labels, dtype=int), place), 1)
        return cls(distinct, counts[0], counts[1])

    def statistics(self) -> dict[str, float | None]:
        """Every statistic of :data:`ASSOCIATION_STATISTICS`; None where it is undefined."""
        values = associations(self)
        return {name: None if value != value else float(value) for name, value in values.items()}


def associations(table: ScoreTable) -> dict[str, Any]:
    """The four association statistics of each stacked table; NaN where undefined.

    If all labels are equal, none is defined; if all scores are equal, only the AUC is (1/2).
    """
    import numpy as np

    yes, no = table.yes.sum(-1), table.no.sum(-1)
    two_classes = (yes > 0) & (no > 0)
    two_scores = ((table.yes + table.no) > 0).sum(-1) > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        values = {
            "auc": auc(table),
            "kendall_tau": kendall_tau(table),
            "spearman_rho": spearman_rho(table),
            "pearson_r": pearson_r(table),
        }
    return {
        name: np.where(two_classes & (two_scores | (name == "auc")), value, np.nan)
        for name, value in values.items()
    }


def auc(table: ScoreTable) -> Any:
    """Area under the ROC curve: P(a yes case scores higher than a no case), a tie counts half.

    Source: Hanley & McNeil (1982), Radiology 143(1); Mann & Whitney's U / (n_yes · n_no).
    """
    below = table.no.cumsum(-1) - table.no
    wins = (table.yes * (below + table.no / 2)).sum(-1)
    return wins / (table.yes.sum(-1) * table.no.sum(-1))


def kendall_tau(table: ScoreTable) -> Any:
    """Kendall's τ_b = (C - D) / sqrt((n_0 - n_1)(n_0 - n_2)).

    C and D count concordant and discordant pairs, n_0 all pairs, n_1 and n_2 those tied in
    the label and in the score. With a yes/no label n_0 - n_1 = n_yes · n_no.

    Source: Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).
    """
    import numpy as np

    at_score = table.no + table.yes
    mixed = table.yes.sum(-1) * table.no.sum(-1)
    concordant_minus_discordant = mixed * (2 * auc(table) - 1)
    untied = (at_score.sum(-1) ** 2 - (at_score**2).sum(-1)) / 2
    return concordant_minus_discordant / np.sqrt(mixed * untied)


def spearman_rho(table: ScoreTable) -> Any:
    """Spearman's ρ: Pearson's r of the mid-ranks.

    Source: Spearman (1904), The proof and measurement of association between two things.
    """
    at_score = table.no + table.yes
    mid_ranks = at_score.cumsum(-1) - (at_score - 1) / 2
    return _point_biserial(mid_ranks, table)


def pearson_r(table: ScoreTable) -> Any:
    """Pearson's r of score and label (as 0 and 1): the point-biserial correlation.

    Source: Pearson (1895), Proceedings of the Royal Society 58.
    """
    # Subtracting the lowest score does not change r and keeps close scores far from zero exact.
    return _point_biserial(table.scores - table.scores[:1], table)


def _point_biserial(values: Floats, table: ScoreTable) -> Any:
    import numpy as np

    at_score = table.no + table.yes
    n, yes, no = at_score.sum(-1), table.yes.sum(-1), table.no.sum(-1)
    # Two passes: the one-pass formula loses close scores to cancellation.
    mean = (at_score * values).sum(-1) / n
    deviations = values - mean[..., None]
    # In units of the largest deviation, whose square might otherwise underflow.
    largest = np.abs(np.where(at_score > 0, deviations, 0)).max(-1, initial=0)
    deviations = deviations / largest[..., None]
    together = (table.yes * deviations).sum(-1)
    spread = (at_score * deviations**2).sum(-1)
    return np.clip(together / np.sqrt(spread * yes * no / n), -1, 1)
