"""What the words of the question ask for."""

from __future__ import annotations

from sqljury.judges.jury_features.asks import ASKS, asks_for
from sqljury.judges.jury_features.group import Feature, Values, feature_group
from sqljury.judges.jury_features.pair import Pair


@feature_group(
    "question",
    *(Feature(f"asks_{one}", f"1 if the question has words that ask for: {one}") for one in ASKS),
    Feature("numbers", "numbers that the question says"),
    Feature("quoted", "texts that the question quotes"),
    Feature("has_hint", "1 if there is a hint"),
)
def question(pair: Pair) -> Values:
    """What the words of the question ask for."""
    if pair.wording is None:
        return {}
    wording = pair.wording
    return {
        **{f"asks_{one}": float(asks_for(wording, one)) for one in ASKS},
        "numbers": float(len(wording.numbers)),
        "quoted": float(len(wording.quoted)),
        "has_hint": float(bool(pair.case.hint)),
    }
