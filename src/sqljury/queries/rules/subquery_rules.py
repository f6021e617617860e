"""The rules about queries inside expressions, set operations and extremes."""

from __future__ import annotations

from sqljury.queries.rules.aggregate_of_distinct import AGGREGATE_OF_DISTINCT
from sqljury.queries.rules.bare_to_first import BARE_TO_FIRST
from sqljury.queries.rules.base import ConditionRule, ExpressionRule, RelationRule
from sqljury.queries.rules.count_of_key import COUNT_OF_KEY
from sqljury.queries.rules.count_to_exists import COUNT_TO_EXISTS
from sqljury.queries.rules.exists_in_set import EXISTS_IN_EXISTS, EXISTS_IN_SET
from sqljury.queries.rules.exists_input import EXISTS_INPUT
from sqljury.queries.rules.exists_merge import EXISTS_MERGE
from sqljury.queries.rules.exists_same_row import EXISTS_SAME_ROW
from sqljury.queries.rules.exists_to_join import EXISTS_TO_JOIN
from sqljury.queries.rules.extreme_to_first import EXTREME_TO_FIRST
from sqljury.queries.rules.filter_into_union import FILTER_INTO_UNION
from sqljury.queries.rules.first_to_extreme import FIRST_TO_EXTREME, SCALAR_FIRST_TO_EXTREME
from sqljury.queries.rules.in_to_exists import IN_TO_EXISTS
from sqljury.queries.rules.is_to_equal import IS_TO_EQUAL
from sqljury.queries.rules.key_of_children import KEY_OF_CHILDREN
from sqljury.queries.rules.left_join_to_not_exists import LEFT_JOIN_TO_NOT_EXISTS
from sqljury.queries.rules.limit_before_join import LIMIT_BEFORE_JOIN
from sqljury.queries.rules.not_in_to_not_exists import NOT_IN_TO_NOT_EXISTS
from sqljury.queries.rules.one_row_to_scalar import ONE_ROW_TO_SCALAR
from sqljury.queries.rules.rank_to_limit import RANK_TO_LIMIT
from sqljury.queries.rules.scalar_to_exists import SCALAR_TO_EXISTS
from sqljury.queries.rules.set_operands import SET_OPERANDS
from sqljury.queries.rules.set_to_exists import SET_TO_EXISTS
from sqljury.queries.rules.set_to_predicate import SET_TO_PREDICATE
from sqljury.queries.rules.union_of_filters import UNION_OF_FILTERS

SUBQUERY_EXPRESSION_RULES: tuple[ExpressionRule, ...] = (
    COUNT_TO_EXISTS,
    EXISTS_INPUT,
    EXISTS_MERGE,
    EXISTS_IN_EXISTS,
    SCALAR_FIRST_TO_EXTREME,
)
SUBQUERY_CONDITION_RULES: tuple[ConditionRule, ...] = (IN_TO_EXISTS, SCALAR_TO_EXISTS)
SUBQUERY_RULES: tuple[RelationRule, ...] = (
    NOT_IN_TO_NOT_EXISTS,
    LEFT_JOIN_TO_NOT_EXISTS,
    SET_OPERANDS,
    UNION_OF_FILTERS,
    FILTER_INTO_UNION,
    SET_TO_PREDICATE,
    SET_TO_EXISTS,
    EXISTS_SAME_ROW,
    IS_TO_EQUAL,
    EXISTS_TO_JOIN,
    EXISTS_IN_SET,
    KEY_OF_CHILDREN,
    COUNT_OF_KEY,
    AGGREGATE_OF_DISTINCT,
    ONE_ROW_TO_SCALAR,
    RANK_TO_LIMIT,
    BARE_TO_FIRST,
    EXTREME_TO_FIRST,
    FIRST_TO_EXTREME,
    LIMIT_BEFORE_JOIN,
)
