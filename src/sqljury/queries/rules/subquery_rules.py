"""The rules about queries inside expressions, set operations and extremes."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, RelationRule
from sqljury.queries.rules.count_to_exists import COUNT_TO_EXISTS
from sqljury.queries.rules.exists_input import EXISTS_INPUT
from sqljury.queries.rules.exists_merge import EXISTS_MERGE
from sqljury.queries.rules.in_to_exists import IN_TO_EXISTS
from sqljury.queries.rules.not_in_to_not_exists import NOT_IN_TO_NOT_EXISTS

SUBQUERY_EXPRESSION_RULES: tuple[ExpressionRule, ...] = (
    COUNT_TO_EXISTS,
    EXISTS_INPUT,
    EXISTS_MERGE,
)
SUBQUERY_CONDITION_RULES: tuple[ConditionRule, ...] = (IN_TO_EXISTS,)
SUBQUERY_RULES: tuple[RelationRule, ...] = (NOT_IN_TO_NOT_EXISTS,)
