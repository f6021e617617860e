"""Whether ``=`` between two columns compares what is there, and nothing is converted first.

Set operations, DISTINCT and GROUP BY never convert; a comparison does, if the types differ.
"""

from __future__ import annotations

from sqljury.trees.affinity import NUMERIC_AFFINITIES
from sqljury.trees.context import Context
from sqljury.trees.nodes import Field, Type

_NUMBERS = frozenset((Type.INTEGER, Type.REAL, Type.DECIMAL))


def comparable(one: Field, other: Field, context: Context) -> bool:
    """Whether both hold numbers, both hold texts, or both hold what else is of one kind.

    Elsewhere than in SQLite a set operation makes one type of two, so they are of one type there.

    Source: https://www.sqlite.org/datatype3.html, sections 4.2 and 4.3.
    """
    kind = _kind(one, context)
    return kind is not None and kind == _kind(other, context)


def _kind(field: Field, context: Context) -> str | None:
    if context.dialect == "sqlite" and field.affinity:
        if field.affinity in NUMERIC_AFFINITIES:
            return "number"
        return "text" if field.affinity == "TEXT" else None
    if context.dialect == "sqlite" and field.type in _NUMBERS:
        return "number"
    if field.type in (Type.ANY, Type.NULL):
        return None
    return "text" if field.type is Type.TEXT else field.type.value
