"""How well the question and the hint account for the columns, tables and values of each query."""

from __future__ import annotations

from typing import Final

from sqljury.judges.jury_features.group import Values, both_sides, feature_group, on_both_sides
from sqljury.judges.jury_features.pair import Pair

_PARTS: Final = {
    "regret_shape": ("how much likelier another shape of query is, all parts", -1),
    "regret_worst": ("how much likelier another shape is, the worst part", -1),
    "regret_columns": ("how much likelier other columns are, all roles", -1),
    "tables_regret": ("how much likelier other tables are", -1),
    "named_used": ("how well its columns are named, on average", 1),
    "named_unused": ("columns that are named in full and not used", -1),
    "missed_anywhere": ("probability of the likeliest column that it does not use", -1),
    "more_items": ("output columns beyond those expected", 0),
    "more_conditions": ("conditions beyond those expected", 0),
    "texts_unsaid": ("texts that it compares with and nobody said", -1),
    "numbers_unsaid": ("numbers that it compares with and nobody said", -1),
    "numbers_unused": ("numbers that were said and it does not have", -1),
    "quoted_unused": ("texts that were quoted and it does not have", -1),
    "missing_values": ("values that it looks for and their columns do not have", -1),
    "hits_unused": ("values of the database that were said and it does not have", -1),
    "hits_elsewhere": ("values that it looks for in another column than they are in", -1),
}
_OF_ROWS: Final = ("missing_values", "hits_unused", "hits_elsewhere")
"""Parts that are -1 where there is no database."""


@feature_group(
    "linking", *(f for k, (what, sign) in _PARTS.items() for f in on_both_sides(k, what, sign))
)
def linking(pair: Pair) -> Values:
    """Schema linking: what question and hint let one expect, beside what each query has."""
    prediction, reference = (_parts(pair, of_reference=side) for side in (False, True))
    found: dict[str, float | None] = {}
    for name in _PARTS:
        found |= both_sides(name, prediction.get(name), reference.get(name))
    return found


def _parts(pair: Pair, *, of_reference: bool) -> dict[str, float]:
    found = pair.verifier_features(of_reference=of_reference) if pair.case.question else None
    if found is None:
        return {}
    return {k: v for k, v in found.items() if not (k in _OF_ROWS and v < 0)}
