"""Expressions whose value differs from one evaluation to the next."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.trees.nodes import Call, Expression, Relation
from sqljury.trees.walk import names, subexpressions

VOLATILE = frozenset(
    ("RANDOM", "RAND", "RANDOMBLOB", "UUID", "GEN_RANDOM_UUID", "NEWID", "NEXTVAL", "SETSEED")
) | {"CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID", "UNIFORM", "RANDN", "CLOCK_TIMESTAMP"}


def is_volatile(*parts: Expression) -> bool:
    """True if an expression, or a subquery in it, calls a volatile function such as RANDOM."""
    return not all(VOLATILE.isdisjoint(names(part)) for part in parts)


def has_volatile(relation: Relation) -> bool:
    """True if a relation or anything below it calls a volatile function."""
    return not VOLATILE.isdisjoint(names(relation))


def any_volatile(several: Iterable[Expression]) -> bool:
    """True if an expression calls a volatile function; calls inside subqueries do not count."""
    return any(
        isinstance(part, Call) and part.name in VOLATILE
        for whole in several
        if is_volatile(whole)
        for part in subexpressions(whole)
    )
