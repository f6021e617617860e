"""Named numbers about a prediction and its reference (features), in groups."""

from sqljury.judges.jury_features.group import (
    Feature,
    FeatureGroup,
    FeatureRow,
    Pair,
    all_groups,
    chosen_groups,
    feature_group,
    known_of_rows,
    values_or_none,
)

__all__ = [
    "Feature",
    "FeatureGroup",
    "FeatureRow",
    "Pair",
    "all_groups",
    "chosen_groups",
    "feature_group",
    "known_of_rows",
    "values_or_none",
]
