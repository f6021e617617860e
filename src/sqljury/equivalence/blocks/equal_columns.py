"""Columns of a block that hold equal values, as classes: ``a = b AND b = c`` is one class.

Only where columns that are equal hold the same value, so that one may stand for the other:
SQLite finds the text '1' equal to the number 1, and '1.0', too.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.equivalence.blocks.block import Block
from sqljury.trees.context import Context
from sqljury.trees.nodes import Call, Expression, Ref
from sqljury.trees.properties import same_values
from sqljury.trees.types import Row, fields
from sqljury.trees.walk import width


def equal_columns(block: Block, context: Context) -> list[frozenset[int]]:
    """The classes of two and more columns of inner-joined inputs."""
    inner = sum(map(width, block.inputs))
    pairs = [pair for part in block.conjuncts if (pair := _pair(part, inner)) is not None]
    if not pairs:
        return []
    row = inner_row(block, context)
    classes: list[frozenset[int]] = []
    for pair in pairs:
        if not same_values(row[pair[0]], row[pair[1]], context):
            continue
        near = [members for members in classes if not members.isdisjoint(pair)]
        classes = [members for members in classes if members.isdisjoint(pair)]
        classes.append(frozenset(pair).union(*near))
    return classes


def inner_row(block: Block, context: Context) -> Row:
    """The columns of the inner-joined inputs."""
    return tuple(field for relation in block.inputs for field in fields(relation, context))


def without_equalities(
    parts: Iterable[Expression], classes: list[frozenset[int]]
) -> list[Expression]:
    """What is not said by the classes."""
    return [part for part in parts if not _said(part, classes)]


def _said(part: Expression, classes: list[frozenset[int]]) -> bool:
    match part:
        case Call(name="=", operands=(Ref() as a, Ref() as b)):
            return a != b and any(a.index in m and b.index in m for m in classes)
        case _:
            return False


def _pair(part: Expression, inner: int) -> tuple[int, int] | None:
    match part:
        case Call(name="=", operands=(Ref() as a, Ref() as b)):
            both = a.index, b.index
            return both if a != b and max(both) < inner else None
        case _:
            return None


def is_trivial(part: Expression) -> bool:
    """Whether a condition compares a column with itself, as what is left when two become one."""
    match part:
        case Call(name="=", operands=(Ref(a), Ref(b))):
            return a == b
        case _:
            return False
