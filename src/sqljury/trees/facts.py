"""Facts of a node, found once and kept with it.

Nodes never change and rewriting shares them, so what is known of a part need not be found again
for every tree that it is in.
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
    """A function of nothing but a node, computed once for each node. It never gives None."""

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
    """A function of a node, the schema, the dialect and ``converts``, found once for each node.

    Schemas are known by identity, as hashing one looks at every column; what is found is kept with
    its schema, so that no other one can have the same identity meanwhile.
    """

    def __init__(self, find: Callable[[On, Context], Fact]) -> None:
        self._find = find

    def of(self, node: On, context: Context, assumed: Hashable) -> Fact:
        """The fact; ``assumed`` is what else of the context it depends on."""
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
