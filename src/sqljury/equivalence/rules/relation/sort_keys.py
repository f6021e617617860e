"""Sort keys that cannot matter: constants, what keys before determine, all after a unique key."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Literal, Outer, Ref, Relation, Sort, SortKey
from sqljury.trees.properties import properties, same_values, without_keys
from sqljury.trees.types import fields, nullable
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import columns_read


@rule(RELATION, at={"Sort"}, assumes={Assumption.PRIMARY_KEY}, order=190)
def sort_keys(relation: Relation, context: Context) -> Rewritten | None:
    """``ORDER BY id, name`` → ``ORDER BY id`` where the id determines the name.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if not isinstance(relation, Sort):
        return None
    free = _needed(relation, without_keys(context))
    keys = _needed(relation, context)
    if keys == relation.keys:
        return None
    assumed = frozenset((Assumption.PRIMARY_KEY,) if len(keys) < len(free) else ())
    below = relation.input
    return Rewritten(replace(relation, keys=keys) if keys else below, assumed)


def _needed(sort: Sort, context: Context) -> tuple[SortKey, ...]:
    known = properties(sort.input, context)
    row = fields(sort.input, context)
    exact = frozenset(c for c, field in enumerate(row) if same_values(field, field, context))
    columns: set[int] = set()
    kept: list[SortKey] = []
    for key in sort.keys:
        value = key.expression
        determined = known.determined(columns, len(row))
        read = columns_read(value)
        same = value in [k.expression for k in kept] or (
            read <= determined and (isinstance(value, Ref) or read & columns <= exact)
        )
        if isinstance(value, Literal | Outer) or (same and not is_volatile(value)):
            continue
        # Without NULLs it is all one where they would go.
        kept.append(key if nullable(value, row, context) else replace(key, nulls_last=False))
        if isinstance(value, Ref):
            columns.add(value.index)
    return tuple(kept)
