"""Whether the rows are the same, under each policy, and what the kindest one forgave."""

from __future__ import annotations

from sqljury.judges.jury_features.group import Feature, Values, feature_group
from sqljury.judges.jury_features.pair import Pair
from sqljury.verdict import Outcome

_POLICIES = ("strict", "spider", "bird", "rose", "intent")
_FORGIVEN = ("column_order", "extra_columns", "duplicates_differ", "tolerance", "text_case")


@feature_group(
    "execution",
    Feature("prediction_runs", "1 if the prediction runs, else 0", 1),
    *(Feature(one, f"1 if the rows are equal under `{one}`, else 0", 1) for one in _POLICIES),
    *(
        Feature(f"forgave_{one}", f"1 if `intent` had to forgive `{one}` for equal rows, else 0")
        for one in _FORGIVEN
    ),
    Feature("limit_cuts_tie", "where rows differ: 1 if the reference's LIMIT cuts a tie, else 0"),
)
def execution(pair: Pair) -> Values:
    """Table comparison under each policy."""
    found: dict[str, float | None] = {"prediction_runs": pair.score("executable")}
    found |= {one: pair.score(f"execution:{one}") for one in _POLICIES}
    kind = pair.verdict("execution:intent")
    if kind is not None and kind.outcome is Outcome.CORRECT:
        found |= {f"forgave_{one}": float(one in kind.labels) for one in _FORGIVEN}
    if kind is not None and kind.outcome is Outcome.INCORRECT:
        found["limit_cuts_tie"] = float("limit_cuts_tie" in kind.labels)
    return found
