"""INTERSECT and EXCEPT of selections from one relation become AND and AND NOT.

Two rows with the same output must be one row, or the second condition must be about the output
only. ``SELECT name … INTERSECT SELECT name …`` may well speak of two people of that name.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.blocks.selection import FilteredBase, selection
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import disjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Distinct,
    Expression,
    Literal,
    Ref,
    Relation,
    SetKind,
    SetOperation,
)
from sqljury.trees.properties import assumed_for_unique, same_values
from sqljury.trees.types import fields
from sqljury.trees.walk import columns_read

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))


@rule(
    RELATION, at={"SetOperation"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=250
)
def set_to_predicate(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT id … WHERE p INTERSECT SELECT id … WHERE q`` → ``SELECT DISTINCT id … WHERE p
    AND q``; with EXCEPT ``p AND NOT q``.

    Assumes primary key where uniqueness comes from a declared key. Assumes primary key or not
    null where the absence of NULLs comes from them.
    """
    if not isinstance(relation, SetOperation) or relation.all or relation.kind is SetKind.UNION:
        return None
    first = selection(relation.inputs[0])
    for i, part in enumerate(relation.inputs[1:], start=1):
        second = selection(part)
        merged = _merged(first, second, relation.kind, context)
        if merged is not None:
            rest = relation.inputs[1:i] + relation.inputs[i + 1 :]
            return Rewritten(_with_rest(merged.relation, rest, relation.kind), merged.assumed)
    return None


def _with_rest(merged: Relation, rest: tuple[Relation, ...], kind: SetKind) -> Relation:
    return SetOperation(kind, False, (merged, *rest)) if rest else Distinct(merged)


def _merged(
    first: FilteredBase | None, second: FilteredBase | None, kind: SetKind, context: Context
) -> Rewritten | None:
    if first is None or second is None:
        return None
    if (first.base, first.outputs) != (second.base, second.outputs):
        return None
    common = [part for part in first.conjuncts if part in second.conjuncts]
    only = [part for part in second.conjuncts if part not in common]
    own = [part for part in first.conjuncts if part not in common]
    both = kind is SetKind.INTERSECT
    assumed = _assumed_for_one_row(first, common, context)
    if _about_output(only, first, context) or (both and _about_output(own, first, context)):
        assumed = NOTHING
    if assumed is None:
        return None
    if both:
        return Rewritten(first.where(*first.conjuncts, *only), assumed)
    without, more = _not_true(only, first.base, context)
    return Rewritten(first.where(*first.conjuncts, without), assumed | more)


def _assumed_for_one_row(
    chosen: FilteredBase, common: list[Expression], context: Context
) -> Assumed | None:
    """What makes rows that are equal in the outputs one row of the base."""
    rows = chosen.where(*common)
    return assumed_for_unique(rows, range(len(chosen.outputs)), context)


def _about_output(parts: list[Expression], chosen: FilteredBase, context: Context) -> bool:
    """Whether conditions read only what is put out, unchanged."""
    row = fields(chosen.base, context)
    shown = {
        e.index
        for e in chosen.outputs
        if isinstance(e, Ref) and same_values(row[e.index], row[e.index], context)
    }
    return all(columns_read(part) <= shown for part in parts)


def _not_true(
    parts: list[Expression], base: Relation, context: Context
) -> tuple[Expression, Assumed]:
    """That some part is false or NULL."""
    found: list[Expression] = []
    assumed: Assumed = NOTHING
    for part in parts:
        found.append(Call("NOT", (part,)))
        known = assumed_for_not_null((part,), base, context)
        if known is None:
            found += _null(part)
        else:
            assumed |= known
    return disjunction(found), assumed


def _null(part: Expression) -> list[Expression]:
    """That a condition is NULL: a comparison is if an operand is."""
    compared = isinstance(part, Call) and part.name in _COMPARISONS
    operands = part.operands if isinstance(part, Call) and compared else (part,)
    return [Call("IS NULL", (o,)) for o in operands if not isinstance(o, Literal)]
