"""The reliability score: right answers count, wrong ones cost, and so do answers to the impossible.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.4, equation 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqljury.decision import Decision, ReplyKind
from sqljury.uses.statistics import Bootstrap, Interval
from sqljury.verdict import Outcome


def reliability(decision: Decision, penalty: float) -> float:
    """φ_c of one question: 1, 0 or -c.

    1 for a right answer, and for abstaining from what cannot be answered; 0 for abstaining from
    what can; -c for every other answer. A missing reply earns and costs nothing: nobody was
    answered, and nobody was told that there is no answer.

    Args:
        penalty: c.

    Source: equation 4; the missing reply is ours, the paper has none.

    >>> reliability(Decision(id="1", answerable=False, reply=ReplyKind.ABSTAINED), 10)
    1.0
    """
    if decision.reply is ReplyKind.MISSING:
        return 0.0
    if decision.reply is ReplyKind.ABSTAINED:
        return 0.0 if decision.answerable else 1.0
    return 1.0 if decision.is_right else 0.0 - penalty


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCounts:
    """What became of some questions; φ_c, coverage and risk are ratios of these."""

    right: int = 0
    """Answerable, answered rightly."""
    wrong: int = 0
    """Answerable, answered wrongly; ``errors`` are among them."""
    harmful: int = 0
    """Not answerable, answered."""
    withheld: int = 0
    """Answerable, abstained from."""
    declined: int = 0
    """Not answerable, abstained from."""
    missing_answerable: int = 0
    missing_unanswerable: int = 0
    errors: int = 0
    """Of ``wrong``: SQL that does not run (prediction_error, a timeout, a refusal, …)."""
    unknown: int = 0
    """Of ``wrong``: the judge cannot say."""

    @property
    def n_answerable(self) -> int:
        """All answerable questions."""
        return self.right + self.wrong + self.withheld + self.missing_answerable

    @property
    def n_unanswerable(self) -> int:
        """All others."""
        return self.harmful + self.declined + self.missing_unanswerable

    @property
    def n(self) -> int:
        """All questions."""
        return self.n_answerable + self.n_unanswerable

    @property
    def answered(self) -> int:
        """All answers."""
        return self.right + self.wrong + self.harmful

    @property
    def coverage(self) -> float | None:
        """The share of questions that are answered."""
        return self.answered / self.n if self.n else None

    @property
    def risk(self) -> float | None:
        """The share of answers that are wrong, answers to the unanswerable included."""
        return (self.wrong + self.harmful) / self.answered if self.answered else None

    @property
    def harm(self) -> float | None:
        """The share of questions that get a wrong answer: coverage times risk."""
        return (self.wrong + self.harmful) / self.n if self.n else None

    def phi(self, penalty: float) -> float | None:
        """Mean φ_c; None where there is no question."""
        if not self.n:
            return None
        return (self.right + self.declined - penalty * (self.wrong + self.harmful)) / self.n

    def interval(self, penalty: float, bootstrap: Bootstrap) -> Interval | None:
        """The bootstrap interval of :meth:`phi`; the penalty stays what it is."""
        good, bad = self.right + self.declined, self.wrong + self.harmful
        scores = Counter({1.0: good, 0.0: self.n - good - bad})
        scores[0.0 - penalty] += bad  # c = 0: the same score as abstaining
        return bootstrap.mean(scores)


_KINDS = {
    (ReplyKind.ABSTAINED, True): "withheld",
    (ReplyKind.ABSTAINED, False): "declined",
    (ReplyKind.MISSING, True): "missing_answerable",
    (ReplyKind.MISSING, False): "missing_unanswerable",
}


def count(decisions: Iterable[Decision]) -> ReplyCounts:
    """Count what became of the questions; those that are left out are not counted."""
    found: Counter[str] = Counter()
    for decision in decisions:
        if decision.left_out:
            continue
        found[_kind(decision)] += 1
        if decision.is_wrong and decision.answerable and decision.outcome is not None:
            found["errors"] += decision.outcome.startswith("prediction_")
            found["unknown"] += decision.outcome is Outcome.UNKNOWN
    return ReplyCounts(**found)


def _kind(decision: Decision) -> str:
    if decision.reply is ReplyKind.ANSWERED:
        if not decision.answerable:
            return "harmful"
        return "right" if decision.is_right else "wrong"
    return _KINDS[decision.reply, decision.answerable]
