"""How alike the two queries are as texts and as trees."""

from __future__ import annotations

from sqljury.judges.jury_features.group import Feature, Values, feature_group
from sqljury.judges.jury_features.pair import Pair

_JUDGES = {
    "relpm": "partial match of canonical operator trees",
    "astpm": "partial match of syntax trees",
    "codebleu": "CodeBLEU",
    "crystalbleu": "CrystalBLEU",
    "tree_match": "1 if the trees are equal after rewrites that the keys verify",
    "tree_match:etm": "1 if the trees are equal after ETM's published rules",
    "exact_match": "1 if the texts are equal",
    "exact_set_match": "1 if the clauses are equal by Spider's script",
}


def _key(judge: str) -> str:
    return judge.replace(":", "_")


@feature_group("likeness", *(Feature(_key(k), meaning, 1) for k, meaning in _JUDGES.items()))
def likeness(pair: Pair) -> Values:
    """How alike the two queries are, without running them."""
    return {_key(judge): pair.score(judge) for judge in _JUDGES}
