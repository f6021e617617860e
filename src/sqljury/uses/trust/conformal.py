"""Conformal risk control: a threshold under which wrong answers stay rare, whatever the confidence.

The loss of a question is 1 where it gets a wrong answer, else 0; abstaining costs nothing. Let λ be
the lowest threshold with (n/(n + 1)) · mean loss + 1/(n + 1) ≤ α on n calibration questions. The
next question, if it is exchangeable with them, gets a wrong answer with a probability of at most
α: in the mean over calibration sets, among all questions, answered or not.

Source: Angelopoulos, Bates, Fisch, Lei & Schuster (2022), Conformal Risk Control,
arXiv:2208.02814, theorem 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, inf, nextafter

from sqljury.decision import Decision
from sqljury.errors import InputError


def conformal_threshold(decisions: Iterable[Decision], harm: float) -> float:
    """The lowest threshold whose share of wrong answers among all questions is controlled.

    Args:
        decisions: calibration decisions, as exchangeable with those to come as can be had.
        harm: α, the largest share of questions that may get a wrong answer.

    Returns:
        Answer from this confidence on; ``inf`` where so few decisions guarantee nothing.

    Raises:
        InputError: SJ547: not a share.

    >>> from sqljury.decision import ReplyKind
    >>> rows = [Decision(id=str(c), answerable=True, reply=ReplyKind.ANSWERED, correct=c > 1,
    ...                  confidence=float(c)) for c in range(9)]
    >>> 1.0 < conformal_threshold(rows, 0.1) < 1.0001, conformal_threshold(rows, 0.05)
    (True, inf)
    """
    if not 0 < harm < 1:
        raise InputError("SJ547", f"a risk of {harm:g} is not between 0 and 1.")
    kept = [decision for decision in decisions if not decision.left_out]
    # The mean loss above λ counts the wrong answers surer than λ: so many may be.
    allowed = floor(harm * (len(kept) + 1) - 1 + 1e-12)
    if allowed < 0:
        return inf
    wrong = sorted(
        (d.confidence for d in kept if d.is_wrong and d.confidence is not None), reverse=True
    )
    if len(wrong) <= allowed:
        return -inf
    # Strictly surer than the first wrong answer too many.
    return nextafter(wrong[allowed], inf)
