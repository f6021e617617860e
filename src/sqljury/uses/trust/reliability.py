"""The reliability score φ_c: a right answer adds 1, a wrong one subtracts a penalty c."""

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
    """The penalty for a wrong answer, in right answers. ``value`` is None for N.

    >>> [penalty.of(527) for penalty in DEFAULT_PENALTIES]
    [0.0, 10.0, 527.0]
    """

    value: float | None

    @property
    def name(self) -> str:
        """``0``, ``10``, ``N``."""
        return "N" if self.value is None else f"{self.value:g}"

    def of(self, n: int) -> float:
        """The penalty as a number, if ``n`` questions are evaluated."""
        return float(n) if self.value is None else self.value


DEFAULT_PENALTIES = (Penalty(0.0), Penalty(10.0), Penalty(None))
"""The three penalties of the paper (section 4.4)."""


def parse_penalty(text: str) -> Penalty:
    """The penalty that a text like ``0``, ``2.5`` or ``N`` states.

    Raises:
        InputError: SJ540: it is neither a number ≥ 0 nor N.
    """
    if text.strip().upper() == "N":
        return Penalty(None)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0 or not isfinite(value):
        raise InputError(
            "SJ540", f"{text!r} is not a penalty.", hint="Write a number from 0 on, or N."
        )
    # abs: -0.0 would be printed with its sign.
    return Penalty(abs(value))


# ------------------------------------------------------------
# The mixes of answerable and unanswerable questions over which a reliability score is reported.
# Source: TrustSQL (Lee et al. 2024), section 5: ANS, ANS+UnANS(25%), ANS+UnANS.

MIXES = {"ans": 0.0, "ans_unans_25": 0.25, "ans_unans": 1.0}
"""Mix → the share of the unanswerable questions in it; each has all answerable ones."""


def mixed(decisions: Iterable[Decision], share: float, seed: int = 0) -> list[Decision]:
    """The decisions on all answerable questions and on a share of the unanswerable ones.

    The share is rounded to whole questions. A hash of the seed and the question's id chooses
    them, so that every system is scored on the same questions, in any order.
    """
    listed = list(decisions)
    others = [decision for decision in listed if not decision.answerable]
    chosen = _chosen(others, round(share * len(others)), seed)
    return [d for d in listed if d.answerable or d.key in chosen]


def _chosen(decisions: Sequence[Decision], size: int, seed: int) -> set[tuple[str, str]]:
    # By the id without the benchmark, which runs know and files of decisions rarely state.
    def place(key: tuple[str, str]) -> tuple[bytes, str]:
        benchmark, name = key
        text = f"{seed}\0{name}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).digest(), benchmark

    return set(sorted((decision.key for decision in decisions), key=place)[:size])


# ------------------------------------------------------------
# Baselines of a score: a system that never answers, one that always does, and the best that
# abstaining can achieve with the same SQL.
# Source: TrustSQL (Lee et al. 2024), section 5, ABSTAIN-ALL; Whitehead et al. 2022 for the
# others.


def abstain_all(decision: Decision) -> Decision:
    """The decision of a system that never answers: its φ_c is the share of unanswerable questions
    for every c."""
    return replace(decision, reply=ReplyKind.ABSTAINED)


def answer_all(decision: Decision) -> Decision:
    """The decision of a system that always answers; without known SQL the answer is wrong."""
    return replace(decision, reply=ReplyKind.ANSWERED)


def oracle(decision: Decision) -> Decision:
    """The decision of a system that answers exactly if the known SQL is right.

    It abstains if the SQL is not known to be right. No other way of abstaining scores higher with
    the same SQL.
    """
    right = decision.answerable and bool(decision.correct)
    return replace(decision, reply=ReplyKind.ANSWERED if right else ReplyKind.ABSTAINED)


BASELINES: dict[str, Callable[[Decision], Decision]] = {
    "abstain_all": abstain_all,
    "answer_all": answer_all,
    "oracle": oracle,
}


# ------------------------------------------------------------
# The reliability score: right answers and right abstentions add 1; wrong answers, and answers to
# unanswerable questions, cost c.
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.4, equation 4.


def reliability(decision: Decision, penalty: float) -> float:
    """φ_c of one question: 1, 0 or -c.

    1 for a right answer, and for abstaining from an unanswerable question; 0 for abstaining from
    an answerable one; -c for every other answer. A missing reply scores 0: it is neither an
    answer nor an abstention.

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
    """Counts of questions by reply and correctness; φ_c, coverage and risk are ratios of them."""

    right: int = 0
    """Answerable, with a right answer."""
    wrong: int = 0
    """Answerable, with a wrong answer; includes ``errors`` and ``unknown``."""
    harmful: int = 0
    """Unanswerable, but answered."""
    withheld: int = 0
    """Answerable, but the system abstained."""
    declined: int = 0
    """Unanswerable, and the system abstained."""
    missing_answerable: int = 0
    missing_unanswerable: int = 0
    errors: int = 0
    """Of ``wrong``: SQL that does not run (prediction_error, a timeout, a refusal, …)."""
    unknown: int = 0
    """Of ``wrong``: the judge's outcome is ``unknown``."""

    @property
    def n_answerable(self) -> int:
        """The number of answerable questions."""
        return self.right + self.wrong + self.withheld + self.missing_answerable

    @property
    def n_unanswerable(self) -> int:
        """The number of unanswerable questions."""
        return self.harmful + self.declined + self.missing_unanswerable

    @property
    def n(self) -> int:
        """The number of questions."""
        return self.n_answerable + self.n_unanswerable

    @property
    def answered(self) -> int:
        """The number of answers."""
        return self.right + self.wrong + self.harmful

    @property
    def coverage(self) -> float | None:
        """The share of questions that are answered; None without questions."""
        return self.answered / self.n if self.n else None

    @property
    def risk(self) -> float | None:
        """The share of answers that are wrong or to unanswerable questions; None without
        answers."""
        return (self.wrong + self.harmful) / self.answered if self.answered else None

    @property
    def harm(self) -> float | None:
        """Coverage times risk: the share of questions with a wrong answer; None without
        questions."""
        return (self.wrong + self.harmful) / self.n if self.n else None

    def phi(self, penalty: float) -> float | None:
        """Mean φ_c; None without questions."""
        if not self.n:
            return None
        return (self.right + self.declined - penalty * (self.wrong + self.harmful)) / self.n

    def interval(self, penalty: float, bootstrap: Bootstrap) -> Interval | None:
        """The bootstrap interval of :meth:`phi`, with the penalty fixed."""
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
    """Count the questions by reply and correctness; those that are left out are not counted."""
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
