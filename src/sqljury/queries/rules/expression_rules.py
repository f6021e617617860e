"""The rules of expressions and conditions, in the order in which they are tried at a node."""

from __future__ import annotations

from sqljury.queries.rules import (
    between_to_range,
    commutative_operands,
    comparison_direction,
    in_list,
    merge_ranges,
    null_operands,
    push_not_down,
    same_operands,
    tidy_logic,
)
from sqljury.queries.rules.base import ConditionRule, ExpressionRule

EXPRESSION_RULES: tuple[ExpressionRule, ...] = (
    *null_operands.RULES,
    between_to_range.RULE,
    push_not_down.RULE,
    comparison_direction.RULE,
    same_operands.RULE,
    in_list.RULE,
    *commutative_operands.RULES,
    tidy_logic.RULE,
    merge_ranges.RULE,
)
"""Each keeps the value."""

CONDITION_RULES: tuple[ConditionRule, ...] = (
    null_operands.CONDITION_RULE,
    push_not_down.CONDITION_RULE,
    same_operands.CONDITION_RULE,
    in_list.CONDITION_RULE,
    tidy_logic.CONDITION_RULE,
    merge_ranges.CONDITION_RULE,
)
"""Each keeps whether the value is true."""
