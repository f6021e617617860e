"""Small trees that proofs are made of."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.trees.nodes import (
    TRUE,
    Call,
    Expression,
    Literal,
    Relation,
    SetKind,
    SetOperation,
    Type,
)

ONE = Literal(1, Type.INTEGER)
ZERO = Literal(0, Type.INTEGER)


def union_all(relations: Sequence[Relation]) -> Relation:
    """All rows of all relations."""
    if len(relations) == 1:
        return relations[0]
    return SetOperation(SetKind.UNION, True, tuple(relations))


def conjunction(conditions: Sequence[Expression]) -> Expression:
    """All of several conditions."""
    if not conditions:
        return TRUE
    return conditions[0] if len(conditions) == 1 else Call("AND", tuple(conditions))
