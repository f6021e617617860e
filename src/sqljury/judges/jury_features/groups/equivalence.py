"""Whether the two queries are equivalent, and how similar they are."""

from __future__ import annotations

from sqljury.judges.jury_features.group import Feature, Pair, Values, feature_group
from sqljury.verdict import Outcome, Verdict

_JUDGE = "equivalence,column_order=any"
_ANSWERS = {
    "proved": ("1 if they are proved equivalent", 1),
    "refuted": ("1 if a generated database tells them apart", -1),
    "no_counterexample": ("1 if no counterexample was found", 0),
}
_PROFILES = ("clean", "duplicates", "foreign_keys_violated")
_PERMUTED = "columns_permuted"


@feature_group(
    "equivalence",
    *(Feature(name, *rest) for name, rest in _ANSWERS.items()),
    Feature("score", "how likely they are equivalent; what weighs little counts for more", 1),
    Feature("canonical", "1 if the canonical trees are equal", 1),
    Feature("canonical_permuted", "1 if they are equal up to the order of columns", 1),
    Feature("tree_match", "1 if the trees are equal after rewrites that the keys verify", 1),
    Feature("tree_match_etm", "1 if the trees are equal after ETM's published rules", 1),
    *(Feature(f"differ_{one}", f"1 if they differ on data that is `{one}`") for one in _PROFILES),
)
def equivalence(pair: Pair) -> Values:
    """Equivalence on all data: proved, refuted, or neither."""
    matches = {"tree_match": "tree_match", "tree_match_etm": "tree_match:etm"}
    return {
        **_equivalence(pair.verdict(_JUDGE)),
        **_canonical(pair),
        **{name: pair.score(judge) for name, judge in matches.items()},
    }


def _equivalence(found: Verdict | None) -> Values:
    if found is None or not found.labels or "unknown" in found.labels:
        return {}
    profile = found.evidence.get("profile")
    return {
        **{name: float(name in found.labels) for name in _ANSWERS},
        "score": found.score,
        **{f"differ_{one}": float(one == profile) for one in _PROFILES},
    }


def _canonical(pair: Pair) -> Values:
    found = None if pair.trees is None else pair.verdict("canonical")
    if found is None:
        return {}
    equal = found.outcome is Outcome.CORRECT
    return {
        "canonical": float(equal),
        "canonical_permuted": float(equal or _PERMUTED in found.labels),
    }


# ------------------------------------------------------------
# How similar the two queries are as texts and as trees.

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
    """How similar the two queries are, without running them."""
    return {judge: pair.score(judge) for judge in _JUDGES}
