"""A UNION of selections from one relation is one selection with OR."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.exists_merge import any_of
from sqljury.queries.rules.selection import Selection, selection
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Distinct, Expression, Relation, SetKind, SetOperation


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    del context
    match relation:
        case Distinct(input=SetOperation(kind=SetKind.UNION) as union):
            found = [selection(part) for part in union.inputs]
        case _:
            return None
    groups: dict[tuple[Relation, tuple[Expression, ...]], list[Selection]] = {}
    for each in found:
        if each is not None:
            groups.setdefault((each.base, each.outputs), []).append(each)
    if all(len(group) == 1 for group in groups.values()):
        return None
    rest = [part for part, each in zip(union.inputs, found, strict=True) if each is None]
    parts = (*rest, *map(_merged, groups.values()))
    one = parts[0] if len(parts) == 1 else SetOperation(SetKind.UNION, True, parts)
    return Rewritten(Distinct(one))


def _merged(group: list[Selection]) -> Relation:
    return group[0].relation(any_of([each.conjuncts for each in group]))


UNION_OF_FILTERS = RelationRule("union_of_filters", _apply)
