"""The rules about relations, in the order in which they are tried."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, RootRule
from sqljury.queries.rules.join_order import JOIN_ORDER
from sqljury.queries.rules.merge_projects import MERGE_PROJECTS

RELATION_RULES: tuple[RelationRule, ...] = (
    MERGE_PROJECTS,
    JOIN_ORDER,
)
ROOT_RULES: tuple[RootRule, ...] = ()
