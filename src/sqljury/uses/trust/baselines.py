"""What a score is to be held against: a system that never answers, one that always does, and
the best that abstaining could make of the same SQL.

Source: TrustSQL (Lee et al. 2024), section 5, ABSTAIN-ALL; Whitehead et al. 2022 for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqljury.decision import Decision, ReplyKind


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


def as_if(decisions: Iterable[Decision], name: str) -> list[Decision]:
    """The decisions as a baseline would have made them."""
    return [BASELINES[name](decision) for decision in decisions]
