"""Expressions whose value differs from one evaluation to the next."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.trees.nodes import Call, Expression, Relation, Subquery, TableFunction
from sqljury.trees.walk import expressions, relations, subexpressions

VOLATILE = frozenset(
    ("RANDOM", "RAND", "RANDOMBLOB", "UUID", "GEN_RANDOM_UUID", "NEWID", "NEXTVAL", "SETSEED")
) | {"CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID", "UNIFORM", "RANDN", "CLOCK_TIMESTAMP"}


def is_volatile(*parts: Expression) -> bool:
    """Whether any of the expressions, or a query inside them, draws a random value or the like."""
    return any(_volatile(part) for whole in parts for part in subexpressions(whole))


def has_volatile(relation: Relation) -> bool:
    """Whether a relation evaluates anything volatile anywhere below."""
    return any(
        (isinstance(below, TableFunction) and below.name in VOLATILE)
        or any_volatile(expressions(below))
        for below in relations(relation)
    )


def any_volatile(several: Iterable[Expression]) -> bool:
    """Whether one of the expressions is volatile; the queries inside them are not entered."""
    return any(
        isinstance(part, Call) and part.name in VOLATILE
        for whole in several
        for part in subexpressions(whole)
    )


def _volatile(part: Expression) -> bool:
    if isinstance(part, Subquery):
        return has_volatile(part.relation)
    return isinstance(part, Call) and part.name in VOLATILE
