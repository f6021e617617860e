"""What a verdict counts for in an aggregate, whatever score a judge attached to it."""

from __future__ import annotations

from sqljury.verdict import Outcome

_WITHOUT_SCORE = (Outcome.UNKNOWN, Outcome.ABSTAINED)


def counted_score(outcome: Outcome | None, score: float | None) -> float | None:
    """The score that enters an aggregate: 0 for prediction_*, None for unknown and abstained.

    Without an outcome (other people's files) it is the score itself.
    """
    if outcome is None:
        return score
    if outcome in _WITHOUT_SCORE or outcome.left_out:
        return None
    return 0.0 if outcome.startswith("prediction_") else score
