"""What a rewrite rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Expression, Field, Relation


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rule made of a relation, and what that assumed (nothing, most often)."""

    relation: Relation
    assumed: frozenset[Assumption] = frozenset()
    by: tuple[str, ...] = ()
    """The names of the rules that did it, where one has parts with names of their own."""


@dataclass(frozen=True, slots=True)
class RelationRule:
    """A rewrite of one relation and what is below it; None where it does not apply.

    It is tried at every relation, from the leaves up, those inside subqueries included. It must
    keep the rows as a bag, their order where a Sort gives one, and the width.
    """

    name: str
    apply: Callable[[Relation, Context], Rewritten | None]


@dataclass(frozen=True, slots=True)
class RootRule:
    """A rewrite of a whole query, for what depends on who reads the rows (order, duplicates)."""

    name: str
    apply: Callable[[Relation, Context], Rewritten | None]


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


OnScope = Callable[[Expression, Scope], Expression | Simplified | None]


@dataclass(frozen=True, slots=True)
class ExpressionRule:
    """A rewrite of one expression with the same value for every row; None where it does not apply.

    It is tried at every part of an expression, from the leaves up, if the part is a call of one of
    the names ``at``, or a node of the class ``at`` (``Cast``, ``Literal``, …).
    """

    name: str
    apply: OnScope
    at: frozenset[str]


@dataclass(frozen=True, slots=True)
class ConditionRule:
    """A rewrite of a condition of which only "true or not" is asked: NULL may become false.

    It is tried at the conditions of filters, joins and CASE and at their parts under AND and OR,
    ``at`` as an ExpressionRule is.
    """

    name: str
    apply: OnScope
    at: frozenset[str]
