"""What a rewrite rule is, and how a function becomes one.

A rule is a function with the decorator :func:`rule`; its docstring begins with ``before → after``
and says in words what is assumed of the data. :mod:`sqljury.equivalence.rules.registry` finds it in
any file of this package, and :mod:`sqljury.equivalence.rules.order` says when it is tried.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqljury.equivalence.blocks.chain import Reading
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Expression, Field, Relation


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rule made of a relation, and what that assumed (nothing, most often)."""

    relation: Relation
    assumed: frozenset[Assumption] = frozenset()
    by: tuple[str, ...] = ()
    """The names of the rules that did it, where one has parts with names of their own."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: the row that it sees, the rows around it (nearest first)."""

    row: tuple[Field, ...]
    context: Context
    outer: tuple[tuple[Field, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Simplified:
    """What became of an expression, and what that assumed (nothing, most often)."""

    expression: Expression
    assumed: frozenset[Assumption] = frozenset()
    by: tuple[str, ...] = ()
    """The names of the rules that did it, each once; empty in the result of a single rule."""


OnRelation = Callable[[Any, Context], Rewritten | None]
OnBlock = Callable[[Reading, Context], frozenset[Assumption] | None]
OnExpression = Callable[[Any, Scope], Expression | Simplified | None]
"""The first argument is of the class that the rule is tried at: ``Call`` for functions and
operators."""
Apply = TypeVar("Apply", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class RuleKind(Generic[Apply]):
    """What a rule rewrites, and so the type of its function; None where it does not apply."""

    name: str
    rewrites: str


RELATION: RuleKind[OnRelation] = RuleKind(
    "relation", "a relation, keeping its rows, order and width"
)
"""Tried at every relation, from the leaves up, those inside subqueries included. It must keep the
rows as a bag, their order where a Sort gives one, and the width."""
BLOCK: RuleKind[OnBlock] = RuleKind("block", "joins and filters below a projection or an aggregate")
"""Rewrites a block in place, and returns what that assumed. ``at`` is what the block must have:
``several`` inputs, ``outer`` joins; it is tried at all where it names nothing."""
QUERY: RuleKind[OnRelation] = RuleKind("query", "a whole query, knowing who reads its rows")
"""For what depends on who reads the rows: order, columns."""
EXPRESSION: RuleKind[OnExpression] = RuleKind(
    "expression", "an expression, keeping its value in every row"
)
"""Tried at every part of an expression, from the leaves up."""
CONDITION: RuleKind[OnExpression] = RuleKind(
    "condition", "a condition, in which NULL may become FALSE"
)
"""Tried after those of expressions at the conditions of filters, joins and CASE, and at their parts
under AND and OR: there it only counts whether the condition is true."""
KINDS: tuple[RuleKind[Any], ...] = (RELATION, BLOCK, QUERY, EXPRESSION, CONDITION)


@dataclass(frozen=True, slots=True)
class Rule(Generic[Apply]):
    """A rewrite rule: equal rows before and after, on all data that satisfies what it assumes."""

    name: str
    kind: RuleKind[Apply]
    apply: Apply
    at: frozenset[str]
    """Where it is tried: classes of nodes, for a call the name of the function or operator; empty:
    everywhere."""
    assumes: frozenset[Assumption]
    """All that it may assume; what it does assume goes with each result."""
    needs: frozenset[str] = frozenset()
    """What the tree must hold one of, in itself or below, for the rule to do anything: classes of
    nodes, functions or operators; empty: nothing. It is not tried on other trees."""

    @property
    def function(self) -> str:
        """The name of its function, which no other rule's has."""
        return str(getattr(self.apply, "__name__", ""))

    @property
    def rewrites(self) -> str:
        """``before → after``: the first paragraph of its docstring, as one line."""
        first = (inspect.getdoc(self.apply) or "").partition("\n\n")[0]
        return " ".join(first.replace("``", "").split()).removesuffix(".")

    def to_json(self) -> dict[str, object]:
        """A JSON object."""
        return {
            "name": self.name,
            "kind": self.kind.name,
            "rewrites": self.rewrites,
            "at": sorted(self.at),
            "assumes": [each.value for each in Assumption if each in self.assumes],
        }


REGISTERED: list[Rule[Any]] = []
"""The rules of the modules that were imported so far."""


def rule(
    kind: RuleKind[Apply],
    *,
    at: Collection[str] = (),
    needs: Collection[str] = (),
    assumes: Collection[Assumption] = (),
    name: str = "",
) -> Callable[[Apply], Apply]:
    """Register a function as a rewrite rule, under its own name unless another is given.

    A rule of conditions may have the name of the rule of expressions that it extends.
    """

    def registered(apply: Apply) -> Apply:
        known = name or str(getattr(apply, "__name__", ""))
        where = frozenset(at), frozenset(assumes), frozenset(needs)
        REGISTERED.append(Rule(known, kind, apply, *where))
        return apply

    return registered
