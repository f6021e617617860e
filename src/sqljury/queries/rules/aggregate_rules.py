"""The rules about what aggregates are given, in the order in which they are tried."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule
from sqljury.queries.rules.case_to_filter import CASE_TO_FILTER, FILTER_OF_ALL_CALLS
from sqljury.queries.rules.sum_to_count import (
    AVERAGE_TO_SHARE,
    SUM_TO_COUNT,
    SUM_TO_COUNT_IN_FRACTION,
)

AGGREGATE_RULES: tuple[RelationRule, ...] = (
    CASE_TO_FILTER,
    AVERAGE_TO_SHARE,
    SUM_TO_COUNT,
    SUM_TO_COUNT_IN_FRACTION,
    FILTER_OF_ALL_CALLS,
)
