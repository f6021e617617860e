"""Expressions whose value differs from one evaluation to the next."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.trees.nodes import Call, Expression, Relation
from sqljury.trees.walk import names, subexpressions

VOLATILE = frozenset(
    ("RANDOM", "RAND", "RANDOMBLOB", "UUID", "GEN_RANDOM_UUID", "NEWID", "NEXTVAL", "SETSEED")
) | {"CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID", "UNIFORM", "RANDN", "CLOCK_TIMESTAMP"}


def is_volatile(*parts: Expression) -> bool:
    """Whether any of the expressions, or a query inside them, draws a random value or the like."""
    return not all(VOLATILE.isdisjoint(names(part)) for part in parts)


def has_volatile(relation: Relation) -> bool:
    """Whether a relation evaluates anything volatile anywhere below."""
    return not VOLATILE.isdisjoint(names(relation))


def any_volatile(several: Iterable[Expression]) -> bool:
    """Whether one of the expressions is volatile; the queries inside them are not entered."""
    return any(
        isinstance(part, Call) and part.name in VOLATILE
        for whole in several
        if is_volatile(whole)
        for part in subexpressions(whole)
    )
