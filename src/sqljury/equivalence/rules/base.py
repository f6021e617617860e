"""The types of rewrite rules, and the decorator that registers a function as one.

A rule is a function with the decorator :func:`rule`. Its docstring begins with ``before → after``
and says in words what the rule assumes about the data.
:mod:`sqljury.equivalence.rules.registry` finds it in any file of this package, and
:mod:`sqljury.equivalence.rules.order` fixes the order in which rules are tried.
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
    """The relation that a rule returns, and the assumptions it made (usually none)."""

    relation: Relation
    assumed: frozenset[Assumption] = frozenset()
    by: tuple[str, ...] = ()
    """The names to record, for a rule made of parts with names of their own; else empty."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns an expression can read: of its own row, then of outer queries, nearest first."""

    row: tuple[Field, ...]
    context: Context
    outer: tuple[tuple[Field, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Simplified:
    """The expression that a rule returns, and the assumptions it made (usually none)."""

    expression: Expression
    assumed: frozenset[Assumption] = frozenset()
    by: tuple[str, ...] = ()
    """The names of the rules applied, each once; empty in the result of a single rule."""


OnRelation = Callable[[Any, Context], Rewritten | None]
OnBlock = Callable[[Reading, Context], frozenset[Assumption] | None]
OnExpression = Callable[[Any, Scope], Expression | Simplified | None]
"""The first argument has the node class that the rule's ``at`` names; ``Call`` if ``at`` names a
function or operator."""
Apply = TypeVar("Apply", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class RuleKind(Generic[Apply]):
    """What a rule rewrites, which fixes the type of its function.

    The function returns None where the rule does not apply.
    """

    name: str
    rewrites: str


RELATION: RuleKind[OnRelation] = RuleKind(
    "relation", "a relation, keeping its rows, order and width"
)
"""Tried at every relation from the leaves up, also inside subqueries. The rule must keep the bag of
rows, their order if a Sort gives one, and the number of columns."""
BLOCK: RuleKind[OnBlock] = RuleKind("block", "joins and filters below a projection or an aggregate")
"""Rewrites a block in place and returns the assumptions made. ``at`` names what the block must
have: ``several`` inputs or ``outer`` joins. An empty ``at`` means every block."""
QUERY: RuleKind[OnRelation] = RuleKind("query", "a whole query, knowing who reads its rows")
"""Tried at the whole query, for rewrites that need to know what reads the rows: order, columns."""
EXPRESSION: RuleKind[OnExpression] = RuleKind(
    "expression", "an expression, keeping its value in every row"
)
"""Tried at every part of an expression, from the leaves up."""
CONDITION: RuleKind[OnExpression] = RuleKind(
    "condition", "a condition, in which NULL may become FALSE"
)
"""Tried after the expression rules, at conditions of filters, joins and CASE and at their operands
of AND and OR. Only whether such a condition is true matters: NULL may become FALSE."""
KINDS: tuple[RuleKind[Any], ...] = (RELATION, BLOCK, QUERY, EXPRESSION, CONDITION)


@dataclass(frozen=True, slots=True)
class Rule(Generic[Apply]):
    """A rewrite rule: same rows before and after on all data that satisfies its assumptions."""

    name: str
    kind: RuleKind[Apply]
    apply: Apply
    at: frozenset[str]
    """The node classes, functions and operators at which the rule is tried; empty: everywhere."""
    assumes: frozenset[Assumption]
    """All assumptions the rule may make; each result names those actually made."""
    needs: frozenset[str] = frozenset()
    """Node classes, functions or operators: the rule is tried only on trees that contain at least
    one of them, at any depth. Empty: no condition."""

    @property
    def function(self) -> str:
        """The name of the rule's function, unique among all rules."""
        return str(getattr(self.apply, "__name__", ""))

    @property
    def rewrites(self) -> str:
        """``before → after``: the first paragraph of its docstring, as one line."""
        first = (inspect.getdoc(self.apply) or "").partition("\n\n")[0]
        return " ".join(first.replace("``", "").split()).removesuffix(".")

    def to_json(self) -> dict[str, object]:
        """The rule as a JSON object."""
        return {
            "name": self.name,
            "kind": self.kind.name,
            "rewrites": self.rewrites,
            "at": sorted(self.at),
            "assumes": [each.value for each in Assumption if each in self.assumes],
        }


REGISTERED: list[Rule[Any]] = []
"""The rules of all modules imported so far."""


def rule(
    kind: RuleKind[Apply],
    *,
    at: Collection[str] = (),
    needs: Collection[str] = (),
    assumes: Collection[Assumption] = (),
    name: str = "",
) -> Callable[[Apply], Apply]:
    """A decorator that registers a function as a rewrite rule, by its own name unless one is given.

    A condition rule may have the name of the expression rule that it extends.
    """

    def registered(apply: Apply) -> Apply:
        known = name or str(getattr(apply, "__name__", ""))
        where = frozenset(at), frozenset(assumes), frozenset(needs)
        REGISTERED.append(Rule(known, kind, apply, *where))
        return apply

    return registered
