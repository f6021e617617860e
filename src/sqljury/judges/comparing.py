"""The common parts of judges that compare the prediction's text with the references' texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqljury.case import Case
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.likeness.matching.partial import Weights
    from sqljury.likeness.matching.trees import Node
    from sqljury.trees.nodes import Unreadable


def compared(
    case: Case,
    read: Callable[[str], Any],
    compare: Callable[[Any, Any], Verdict],
) -> Verdict:
    """The verdict with the highest score that comparing with one of the references gives.

    Args:
        case: with a prediction and at least one reference.
        read: turns a text into what is compared, or into an ``Unreadable`` with the reason.
        compare: gives the verdict on the prediction and one reference.

    Returns:
        ``unknown`` with the reason if the prediction or all references cannot be read: such a
        query may still return the right rows.
    """
    from sqljury.trees.nodes import Unreadable

    prediction = read(str(case.predicted_sql))
    if isinstance(prediction, Unreadable):
        return _unreadable("the prediction", prediction)
    references = [read(sql) for sql in case.reference_sqls]
    readable = [found for found in references if not isinstance(found, Unreadable)]
    if not readable:
        return _unreadable(
            "the reference", next(f for f in references if isinstance(f, Unreadable))
        )
    verdicts = [compare(prediction, reference) for reference in readable]
    return max(verdicts, key=lambda verdict: (verdict.score is not None, verdict.score or 0.0))


def _unreadable(whose: str, found: Unreadable) -> Verdict:
    return Verdict(
        outcome=Outcome.UNKNOWN,
        reason=f"{whose} cannot be read: {found.reason}",
        evidence={"unreadable": found.kind},
    )


def graded(score: float, threshold: float, reason: str, **measures: float) -> Verdict:
    """The verdict for a score in [0, 1]: ``correct`` if it reaches the threshold."""
    outcome = Outcome.CORRECT if score >= threshold else Outcome.INCORRECT
    return Verdict(outcome=outcome, score=score, reason=reason, measures=measures)


def partially(
    prediction: Node, reference: Node, weights: Weights, threshold: float, what: str
) -> Verdict:
    """The verdict for a partial match of two trees.

    Args:
        what: the kind of trees, for the reason.
    """
    from sqljury.likeness.matching.partial import TooManyMatchesError, partial_match

    try:
        found = partial_match(prediction, reference, weights)
    except TooManyMatchesError:
        reason = f"{what}: too large to be matched part by part"
        return Verdict(outcome=Outcome.UNKNOWN, reason=reason)
    reason = f"{what}: precision {found.precision:.3f}, recall {found.recall:.3f}"
    return graded(found.f, threshold, reason, precision=found.precision, recall=found.recall)
