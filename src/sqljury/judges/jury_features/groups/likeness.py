"""How alike the two queries are as texts and as trees."""

from __future__ import annotations

from sqljury.judges.jury_features.group import Feature, Values, feature_group
from sqljury.judges.jury_features.pair import Pair

_JUDGES = {
    "relpm": "partial match of canonical operator trees",
    "astpm": "partial match of syntax trees",
    "codebleu": "CodeBLEU",
    "crystalbleu": "CrystalBLEU",
    "exact_match": "1 if the texts are equal",
    "exact_set_match": "1 if the clauses are equal by Spider's script",
}


@feature_group("likeness", *(Feature(k, meaning, 1) for k, meaning in _JUDGES.items()))
def likeness(pair: Pair) -> Values:
    """How alike the two queries are, without running them."""
    return {judge: pair.score(judge) for judge in _JUDGES}
