"""Functions of a node whose results are cached on the node.

Nodes never change and rewritten trees share them, so a result is computed once for all the trees
that contain the node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from sqljury.schema import Schema
from sqljury.trees.context import Context
from sqljury.trees.nodes import TreeNode, set_facts

On = TypeVar("On", bound=TreeNode)
Fact = TypeVar("Fact")


def fact(find: Callable[[On], Fact]) -> Callable[[On], Fact]:
    """Decorator: caches a function of one node on the node. The function must not return None."""

    def known(node: On) -> Fact:
        facts = node._facts
        if facts is None:
            facts = _no_facts(node)
        found: Fact | None = facts.get(find)
        if found is None:
            found = facts[find] = find(node)
        return found

    known.__doc__, known.__name__, known.__module__ = find.__doc__, find.__name__, find.__module__
    return known


class InContext(Generic[On, Fact]):
    """A function of a node and a context (schema, dialect, ``converts``), cached on the node.

    Schemas are compared by identity, because hashing one reads every column. The cache holds a
    reference to the schema, so that its id cannot be reused meanwhile.
    """

    def __init__(self, find: Callable[[On, Context], Fact]) -> None:
        self._find = find

    def of(self, node: On, context: Context, assumed: Hashable) -> Fact:
        """The function's value for the node.

        Args:
            assumed: a cache key for what else of the context the value depends on.
        """
        facts = node._facts
        if facts is None:
            facts = _no_facts(node)
        key = (self, id(context.schema), context.dialect, context.converts, assumed)
        found: tuple[Schema, Fact] | None = facts.get(key)
        if found is None:
            found = facts[key] = (context.schema, self._find(node, context))
        return found[1]


def _no_facts(node: TreeNode) -> dict[Any, Any]:
    facts: dict[Any, Any] = {}
    set_facts(node, facts)
    return facts
