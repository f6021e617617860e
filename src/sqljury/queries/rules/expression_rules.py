"""The rules of expressions and conditions, in the order in which they are tried at a node."""

from __future__ import annotations

from sqljury.queries.rules import (
    absorption,
    between_to_range,
    boolean_tests,
    cast_of_foreign_key,
    casts,
    coalesce,
    commutative_operands,
    compare_pairs,
    comparison_direction,
    date_parts,
    division_by_zero,
    fold_constants,
    function_names,
    implied_not_null,
    in_list,
    like_patterns,
    literal_affinity,
    merge_ranges,
    neutral_operands,
    null_operands,
    numbers_as_truth,
    push_not_down,
    same_operands,
    simplify_case,
    tidy_logic,
)
from sqljury.queries.rules.base import ConditionRule, ExpressionRule

EXPRESSION_RULES: tuple[ExpressionRule, ...] = (
    *null_operands.RULES,
    between_to_range.RULE,
    push_not_down.RULE,
    *fold_constants.RULES,
    comparison_direction.RULE,
    *simplify_case.RULES,
    coalesce.RULE,
    *boolean_tests.RULES,
    same_operands.RULE,
    *function_names.RULES,
    *commutative_operands.RULES,
    *neutral_operands.RULES,
    *division_by_zero.RULES,
    *casts.RULES,
    cast_of_foreign_key.RULE,
    literal_affinity.RULE,
    *like_patterns.RULES,
    *date_parts.RULES,
    in_list.RULE,
    numbers_as_truth.RULE,
    tidy_logic.RULE,
    *absorption.RULES,
    compare_pairs.RULE,
    merge_ranges.RULE,
)
"""Each keeps the value."""

CONDITION_RULES: tuple[ConditionRule, ...] = (
    null_operands.CONDITION_RULE,
    *numbers_as_truth.CONDITION_RULES,
    push_not_down.CONDITION_RULE,
    simplify_case.CONDITION_RULE,
    *coalesce.CONDITION_RULES,
    *boolean_tests.CONDITION_RULES,
    same_operands.CONDITION_RULE,
    like_patterns.CONDITION_RULE,
    in_list.CONDITION_RULE,
    tidy_logic.CONDITION_RULE,
    absorption.CONDITION_RULE,
    implied_not_null.CONDITION_RULE,
    compare_pairs.CONDITION_RULE,
    merge_ranges.CONDITION_RULE,
)
"""Each keeps whether the value is true; it stands in for a rule of expressions of its name."""
