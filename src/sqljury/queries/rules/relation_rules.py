"""The rules about relations, in the order in which they are tried."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, RootRule
from sqljury.queries.rules.count_rows import COUNT_ROWS
from sqljury.queries.rules.distinct_as_exists import DISTINCT_AS_EXISTS
from sqljury.queries.rules.distinct_rows import DISTINCT_ROWS
from sqljury.queries.rules.filter_below_distinct import FILTER_BELOW_DISTINCT
from sqljury.queries.rules.group_before_join import GROUP_BEFORE_JOIN
from sqljury.queries.rules.group_keys import GROUP_KEYS
from sqljury.queries.rules.group_not_empty import GROUP_NOT_EMPTY
from sqljury.queries.rules.having_to_where import HAVING_TO_WHERE
from sqljury.queries.rules.join_order import JOIN_ORDER
from sqljury.queries.rules.limits import LIMITS
from sqljury.queries.rules.merge_projects import MERGE_PROJECTS
from sqljury.queries.rules.never_true import NEVER_TRUE
from sqljury.queries.rules.sort_keys import SORT_KEYS
from sqljury.queries.rules.unread_columns import UNREAD_COLUMNS
from sqljury.queries.rules.unread_order import UNREAD_ORDER

RELATION_RULES: tuple[RelationRule, ...] = (
    NEVER_TRUE,
    MERGE_PROJECTS,
    LIMITS,
    HAVING_TO_WHERE,
    GROUP_NOT_EMPTY,
    FILTER_BELOW_DISTINCT,
    JOIN_ORDER,
    COUNT_ROWS,
    GROUP_BEFORE_JOIN,
    GROUP_KEYS,
    DISTINCT_ROWS,
    DISTINCT_AS_EXISTS,
    SORT_KEYS,
)
ROOT_RULES: tuple[RootRule, ...] = (UNREAD_ORDER, UNREAD_COLUMNS)
