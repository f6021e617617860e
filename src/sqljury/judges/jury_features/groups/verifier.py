"""What the reference-free verifier says of the prediction, and of the reference."""

from __future__ import annotations

from math import log

from sqljury.judges.jury_features.group import Values, both_sides, feature_group, on_both_sides
from sqljury.judges.jury_features.pair import Pair

_LEAST = 1e-3


@feature_group("verifier", *on_both_sides("odds", "log-odds that it answers the question", 1))
def verifier(pair: Pair) -> Values:
    """How well each query answers the question, the other one unseen."""
    prediction = pair.verifier_score()
    reference = pair.verifier_score(of_reference=True)
    return both_sides("odds", _odds(prediction), _odds(reference))


def _odds(probability: float | None) -> float | None:
    if probability is None:
        return None
    kept = min(max(probability, _LEAST), 1 - _LEAST)
    return log(kept / (1 - kept))
