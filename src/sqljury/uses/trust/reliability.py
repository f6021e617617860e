"""The reliability score: right answers count, and wrong ones cost."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.statistics import Bootstrap, Interval
from sqljury.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a wrong answer costs, in right answers. ``value`` is None for N.

    >>> [penalty.of(527) for penalty in DEFAULT_PENALTIES]
    [0.0, 10.0, 527.0]
    """

    value: float | None

    @property
    def name(self) -> str:
        """``0``, ``10``, ``N``."""
        return "N" if self.value is None else f"{self.value:g}"

    def of(self, n: int) -> float:
        """The penalty where ``n`` questions are evaluated."""
        return float(n) if self.value is None else self.value


DEFAULT_PENALTIES = (Penalty(0.0), Penalty(10.0), Penalty(None))
"""The three of the paper (section 4.4)."""


def parse_penalty(text: str) -> Penalty:
    """From ``0``, ``2.5``, ``N``.

    Raises:
        InputError: SJ540: neither a number from 0 on nor N.
    """
    if text.strip().upper() == "N":
        return Penalty(None)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0 or not isfinite(value):
        raise InputError(
            "SJ540", f"{text!r} is no penalty.", hint="Write a number from 0 on, or N."
        )
    # -0.0 would be printed as such.
    return Penalty(abs(value))


# ------------------------------------------------------------
# The mixes of questions that a reliability score is given for.
# Source: TrustSQL (Lee et al. 2024), section 5: ANS, ANS+UnANS(25%), ANS+UnANS.

MIXES = {"ans": 0.0, "ans_unans_25": 0.25, "ans_unans": 1.0}
"""The share of the unanswerable questions that goes into each mix beside all answerable ones."""


def mixed(decisions: Iterable[Decision], share: float, seed: int = 0) -> list[Decision]:
    """All answerable questions, and a share of the others, rounded to whole questions.

    Which ones is decided by a hash of the seed and the question's id: every system is scored on
    the same questions, in whatever order they come.
    """
    listed = list(decisions)
    others = [decision for decision in listed if not decision.answerable]
    chosen = _chosen(others, round(share * len(others)), seed)
    return [d for d in listed if d.answerable or d.key in chosen]


def _chosen(decisions: Sequence[Decision], size: int, seed: int) -> set[tuple[str, str]]:
    # By the id alone: a file of decisions rarely states the benchmark that a run knows.
    def place(key: tuple[str, str]) -> tuple[bytes, str]:
        benchmark, name = key
        text = f"{seed}\0{name}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).digest(), benchmark

    return set(sorted((decision.key for decision in decisions), key=place)[:size])


# ------------------------------------------------------------
# What a score is to be held against: a system that never answers, one that always does, and
# the best that abstaining could make of the same SQL.
# Source: TrustSQL (Lee et al. 2024), section 5, ABSTAIN-ALL; Whitehead et al. 2022 for the
# others.


def abstain_all(decision: Decision) -> Decision:
    """No question is answered: φ_c is the share of unanswerable questions, whatever c."""
    return replace(decision, reply=ReplyKind.ABSTAINED)


def answer_all(decision: Decision) -> Decision:
    """Every question is answered, with the SQL that is known; where none is known, wrongly."""
    return replace(decision, reply=ReplyKind.ANSWERED)


def oracle(decision: Decision) -> Decision:
    """A question is answered exactly where the SQL that is known is right.

    What SQL nobody knows to be right is abstained from: no other way of abstaining does better
    with this SQL.
    """
    right = decision.answerable and bool(decision.correct)
    return replace(decision, reply=ReplyKind.ANSWERED if right else ReplyKind.ABSTAINED)


BASELINES: dict[str, Callable[[Decision], Decision]] = {
    "abstain_all": abstain_all,
    "answer_all": answer_all,
    "oracle": oracle,
}


# ------------------------------------------------------------
# The reliability score: right answers count, wrong ones cost, and so do answers to the
# impossible.
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.4, equation 4.


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
