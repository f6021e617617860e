"""Rules for UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqljury.equivalence.blocks.forms import (
    NOTHING,
    NUMBERS,
    Assumed,
    assumed_for_not_null,
    comparable,
)
from sqljury.equivalence.blocks.selection import FilteredBase, not_exists, selection, with_questions
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.exists import any_of
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.conditions import conjunction, disjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Distinct,
    Expression,
    Field,
    Filter,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.order import sort_key
from sqljury.trees.properties import assumed_for_unique, same_values
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import any_volatile, has_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    expressions,
    with_inputs,
)

# ---------------------------------------------------------------- set operands
# UNION is DISTINCT over UNION ALL, whose inputs are in canonical order.
#
# Nested unions are flattened. Below DISTINCT equal inputs are written once, and without a DISTINCT
# or Sort of their own.


@rule(RELATION, at={"SetOperation", "Distinct"})
def set_operands(relation: Relation, context: Context) -> Rewritten | None:
    """``b UNION a`` → ``DISTINCT (a UNION ALL b)``."""
    match relation:
        case SetOperation(kind=SetKind.UNION, all=False):
            return Rewritten(Distinct(_union(relation.inputs)))
        case SetOperation(kind=SetKind.UNION):
            new = _ordered(_taken_apart(relation.inputs), context)
        case Distinct(input=SetOperation(kind=SetKind.UNION) as union):
            once = dict.fromkeys(
                part.input if isinstance(part, Distinct | Sort) else part
                for part in _taken_apart(union.inputs)
            )
            return _if_new(relation, Distinct(_union(_ordered(once, context))))
        case _:
            return None
    return _if_new(relation, _union(new))


def _if_new(old: Relation, new: Relation) -> Rewritten | None:
    return Rewritten(new) if new != old else None


def _union(parts: Iterable[Relation]) -> Relation:
    inputs = tuple(parts)
    return inputs[0] if len(inputs) == 1 else SetOperation(SetKind.UNION, True, inputs)


def _taken_apart(parts: Iterable[Relation]) -> Iterable[Relation]:
    for part in parts:
        if isinstance(part, SetOperation) and part.kind is SetKind.UNION and part.all:
            yield from _taken_apart(part.inputs)
        else:
            yield part


def _ordered(parts: Iterable[Relation], context: Context) -> list[Relation]:
    """The inputs in canonical order; in the given order if that may decide the columns' types."""
    found = list(parts)
    rows = [fields(part, context) for part in found]
    alike = all(
        _same_in_any_order(a, b, context) for row in rows for a, b in zip(rows[0], row, strict=True)
    )
    volatile = any(has_volatile(part) for part in found)
    return sorted(found, key=sort_key) if alike and not volatile else found


def _same_in_any_order(one: Field, other: Field, context: Context) -> bool:
    """True if a union of the two columns has the same type in either order."""
    numbers = one.type in NUMBERS and other.type in NUMBERS
    return comparable(one, other, context) or (numbers and context.dialect != "sqlite")


# ---------------------------------------------------------------- set to exists
# INTERSECT is EXISTS of an equal row in the other input, EXCEPT is NOT EXISTS.
#
# Both remove duplicates and treat NULLs as equal, unlike ``IN`` and ``NOT IN``.


@rule(RELATION, at={"SetOperation"})
def set_to_exists(relation: SetOperation, context: Context) -> Rewritten | None:
    """``SELECT x FROM a INTERSECT SELECT y FROM b`` → ``SELECT DISTINCT x FROM a WHERE EXISTS
    (SELECT 1 FROM b WHERE x IS y)``; EXCEPT → NOT EXISTS."""
    if relation.all or relation.kind is SetKind.UNION:
        return None
    # Duplicates in the other inputs do not matter; those in the first are removed by DISTINCT.
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
    inside = deepen_relation(other)
    equal = [_same(i, a, b) for i, (a, b) in enumerate(zip(row, fields_, strict=True))]
    rows = Filter(inside, conjunction(equal))
    if kind is SetKind.EXCEPT:
        return not_exists(rows)
    return Subquery(SubqueryKind.EXISTS, rows)


def _same(index: int, one: Field, other: Field) -> Expression:
    name = "IS" if one.nullable and other.nullable else "="
    return Call(name, (Outer(1, index), Ref(index)))


# ---------------------------------------------------------------- set to predicate
# INTERSECT and EXCEPT of selections from one relation become AND and AND NOT.
#
# Rows with the same output must be the same row, or the second condition must read the output only.
# ``SELECT name … INTERSECT SELECT name …`` may return a name that two different people have.


@rule(RELATION, at={"SetOperation"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
def set_to_predicate(relation: SetOperation, context: Context) -> Rewritten | None:
    """``SELECT id … WHERE p INTERSECT SELECT id … WHERE q`` → ``SELECT DISTINCT id … WHERE p
    AND q``; with EXCEPT ``p AND NOT q``.

    Assumes primary key where uniqueness comes from a declared key. Assumes primary key or not
    null where the absence of NULLs comes from them.
    """
    if relation.all or relation.kind is SetKind.UNION:
        return None
    first = selection(relation.inputs[0])
    for i, part in enumerate(relation.inputs[1:], start=1):
        second = selection(part)
        merged = _combined(first, second, relation.kind, context)
        if merged is not None:
            rest = relation.inputs[1:i] + relation.inputs[i + 1 :]
            parts = (merged.relation, *rest)
            new = SetOperation(relation.kind, False, parts) if rest else Distinct(merged.relation)
            return Rewritten(new, merged.assumed)
    return None


def _combined(
    first: FilteredBase | None, second: FilteredBase | None, kind: SetKind, context: Context
) -> Rewritten | None:
    """Two selections from one base as one selection; None if that could change the rows."""
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
    """The assumptions under which rows with equal outputs are the same row of the base; or None."""
    rows = chosen.where(*common)
    return assumed_for_unique(rows, range(len(chosen.outputs)), context)


def _about_output(parts: list[Expression], chosen: FilteredBase, context: Context) -> bool:
    """True if the conditions read only columns that are output unchanged."""
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
    """The condition that at least one part is false or NULL, and its assumptions."""
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
    """Conditions of which one is true if ``part`` is NULL: for a comparison, operands are NULL."""
    compared = isinstance(part, Call) and part.name in COMPARISONS
    operands = part.operands if isinstance(part, Call) and compared else (part,)
    return [Call("IS NULL", (o,)) for o in operands if not isinstance(o, Literal)]


# ---------------------------------------------------------------- union of filters
# A UNION of selections from one relation is one selection with OR.
#
# A join that only tests whether there is a partner counts as a condition: ``SELECT id FROM t WHERE
# x = 1 UNION SELECT t.id FROM t JOIN u …`` has all rows with x = 1 or with a partner.


@rule(RELATION, at={"Distinct"})
def union_of_filters(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT … WHERE p UNION SELECT … WHERE q`` → ``SELECT DISTINCT … WHERE p OR q``."""
    match relation:
        case Distinct(input=SetOperation(kind=SetKind.UNION) as union):
            found = [selection(part) for part in union.inputs]
        case _:
            return None
    parts = _merged(union.inputs, found)
    if parts is None:
        asking = [each and (with_questions(each) or each) for each in found]
        parts = _merged(union.inputs, asking)
    if parts is None:
        return None
    one = parts[0] if len(parts) == 1 else SetOperation(SetKind.UNION, True, tuple(parts))
    return Rewritten(Distinct(one))


def _merged(
    inputs: Sequence[Relation], found: Sequence[FilteredBase | None]
) -> list[Relation] | None:
    """The inputs, with those that have the same base and outputs merged; None if none have."""
    groups: dict[tuple[Relation, tuple[Expression, ...]], list[int]] = {}
    for i, each in enumerate(found):
        if each is not None:
            groups.setdefault((each.base, each.outputs), []).append(i)
    if all(len(group) == 1 for group in groups.values()):
        return None
    merged = {i for group in groups.values() if len(group) > 1 for i in group}
    parts = [part for i, part in enumerate(inputs) if i not in merged]
    for group in groups.values():
        same = [each for i in group if (each := found[i]) is not None]
        if len(same) > 1:
            parts.append(same[0].relation(any_of([each.conjuncts for each in same])))
    return parts


# ---------------------------------------------------------------- filter into union
# A filter or projection above UNION ALL moves into each input.


@rule(RELATION, at={"Filter", "Project"})
def filter_into_union(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT … FROM (a UNION ALL b) WHERE c`` → ``SELECT … FROM a WHERE c UNION ALL SELECT …
    FROM b WHERE c``."""
    match relation:
        case Filter(input=Distinct(input=SetOperation()) as distinct):
            if any_volatile(expressions(relation)):
                return None
            return Rewritten(Distinct(Filter(distinct.input, relation.condition)))
        case Filter(input=SetOperation(kind=SetKind.UNION, all=True) as union):
            above: Filter | Project = relation
        case Project(input=SetOperation(kind=SetKind.UNION, all=True) as union):
            above = relation
        case _:
            return None
    if any_volatile(expressions(above)) or not _alike(union, context):
        return None
    return Rewritten(
        replace(union, inputs=tuple(with_inputs(above, (part,)) for part in union.inputs))
    )


def _alike(union: SetOperation, context: Context) -> bool:
    """True if each column is compared in the same way whichever input it comes from."""
    rows = [fields(part, context) for part in union.inputs]
    return all(
        comparable(one, other, context) and one.affinity == other.affinity
        for row in rows[1:]
        for one, other in zip(rows[0], row, strict=True)
    )
