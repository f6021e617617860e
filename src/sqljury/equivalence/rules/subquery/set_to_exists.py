"""INTERSECT asks whether a row EXISTS in the other input, EXCEPT whether it does not.

Duplicates are removed and NULLs count as equal, unlike in ``IN`` and ``NOT IN``.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.comparable import comparable
from sqljury.equivalence.blocks.exists_join import not_exists
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Call,
    Distinct,
    Expression,
    Field,
    Filter,
    Outer,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.order import sort_key
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import map_outer_references


@rule(RELATION, at={"SetOperation"}, order=260)
def set_to_exists(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT x FROM a INTERSECT SELECT y FROM b`` → ``SELECT DISTINCT x FROM a WHERE EXISTS
    (SELECT 1 FROM b WHERE x IS y)``; EXCEPT → NOT EXISTS."""
    if not isinstance(relation, SetOperation) or relation.all or relation.kind is SetKind.UNION:
        return None
    # Duplicates of the other inputs do not count, and those of the first are removed at the end.
    parts = [part.input if isinstance(part, Distinct) else part for part in relation.inputs]
    if relation.kind is SetKind.INTERSECT:
        parts = sorted(dict.fromkeys(parts), key=sort_key)
    rows = [fields(part, context) for part in parts]
    alike = all(comparable(a, b, context) for r in rows for a, b in zip(rows[0], r, strict=True))
    if not alike or any(has_volatile(part) for part in parts):
        return None
    questions = [
        _question(part, rows[0], row, relation.kind)
        for part, row in zip(parts[1:], rows[1:], strict=True)
    ]
    return Rewritten(Distinct(Filter(parts[0], conjunction(questions))))


def _question(other: Relation, row: Row, fields_: Row, kind: SetKind) -> Expression:
    inside = map_outer_references(other, lambda level, index: Outer(level + 1, index))
    equal = [_same(i, a, b) for i, (a, b) in enumerate(zip(row, fields_, strict=True))]
    rows = Filter(inside, conjunction(equal))
    if kind is SetKind.EXCEPT:
        return not_exists(rows)
    return Subquery(SubqueryKind.EXISTS, rows)


def _same(index: int, one: Field, other: Field) -> Expression:
    name = "IS" if one.nullable and other.nullable else "="
    return Call(name, (Outer(1, index), Ref(index)))
