"""Compares two inputs of blocks by their operators: tables, groups, limits, windows, sets."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations

import z3

from sqljury.equivalence.proof.blocks import ProofBlock
from sqljury.equivalence.proof.pairing import pairings
from sqljury.equivalence.proof.rows import is_empty, reader_of
from sqljury.equivalence.proof.session import MOST_ORDERS, Columns, Matched, ProofSession, Session
from sqljury.equivalence.proof.values import Frames
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Limit,
    Project,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    Window,
    WindowCall,
)
from sqljury.trees.walk import substitute, width

# ---------------------------------------------------------------- aggregates
# Aggregates: whether they have the same groups of the same rows, and which calls are equal.


_SAME_AS_SETS = frozenset(("MIN", "MAX"))
"""Aggregates that duplicates do not change."""
_BY_ORDER = frozenset(
    ("GROUP_CONCAT", "STRING_AGG", "LISTAGG", "ARRAY_AGG", "FIRST", "LAST", "BARE")
)
"""Aggregates whose value depends on which row comes first."""


def aggregates(
    prover: ProofSession,
    left: Aggregate,
    right: Aggregate,
    session: Session,
    around: tuple[Frames, Frames],
) -> Columns | None:
    """The equal columns of two aggregates with the same groups; None if that is not proved."""
    if bool(left.keys) != bool(right.keys):
        return None
    ones, others = (
        [b for b in reader_of(prover, f).blocks(a.input) if not is_empty(prover, b, f, session)]
        for a, f in zip((left, right), around, strict=True)
    )
    best: Columns | None = None
    if len(ones) == len(others) == 1:
        for found in pairings(prover, ones[0], others[0], session, around):
            columns = _of_groups(prover, left, right, ones[0], others[0], found)
            if columns is not None and (best is None or columns.count(None) < best.count(None)):
                best = columns
            if best is not None and None not in best:
                return best
    if best is not None:
        return best
    return _one_by_one(prover, left, right, session, around)


def _of_groups(
    prover: ProofSession,
    left: Aggregate,
    right: Aggregate,
    one: ProofBlock,
    other: ProofBlock,
    found: Matched,
) -> Columns | None:
    """The equal keys and calls under one pairing of the inputs; None if the groups may differ."""
    ones = [substitute(k, one.outputs) for k in left.keys]
    others = [substitute(k, other.outputs) for k in right.keys]
    if not _same_groups(prover, ones, others, found):
        return None
    keys: list[int | None] = [
        next((i for i, a in enumerate(ones) if _same(prover, a, b, found)), None) for b in others
    ]
    calls: list[int | None] = []
    for call in right.calls:
        mine = _over_block(call, other)
        place = next(
            (
                i
                for i, c in enumerate(left.calls)
                if _same_call(prover, _over_block(c, one), mine, found)
            ),
            None,
        )
        calls.append(None if place is None else len(left.keys) + place)
    return (*keys, *calls)


def _same(prover: ProofSession, a: Expression, b: Expression, found: Matched) -> bool:
    one, other = prover.terms.value(a, found.left), prover.terms.value(b, found.right)
    return prover.same_value(one, other, found.session)


def _same_groups(
    prover: ProofSession, ones: list[Expression], others: list[Expression], found: Matched
) -> bool:
    """True if it is proved that both lists of keys divide the rows into the same groups."""
    return all(any(_same(prover, a, b, found) for b in others) for a in ones) and all(
        any(_same(prover, a, b, found) for a in ones) for b in others
    )


def _same_call(
    prover: ProofSession, one: AggregateCall, other: AggregateCall, found: Matched
) -> bool:
    """True if it is proved that two calls have the same value for the same group."""
    if one.name in _BY_ORDER or other.name in _BY_ORDER or one.order or other.order:
        return False
    if not _same_filter(prover, one, other, found):
        return False
    rows = [c for c in (one, other) if c.name == "COUNT" and not c.distinct]
    if len(rows) == 2 and any(not c.operands for c in rows):
        return _never_null(prover, one, found.left, found) and _never_null(
            prover, other, found.right, found
        )
    if (one.name, len(one.operands)) != (other.name, len(other.operands)):
        return False
    if one.distinct != other.distinct and one.name not in _SAME_AS_SETS:
        return False
    return all(
        _same(prover, a, b, found) for a, b in zip(one.operands, other.operands, strict=True)
    )


def _never_null(prover: ProofSession, call: AggregateCall, frames: Frames, found: Matched) -> bool:
    return all(
        prover.follows(found.session, z3.Not(prover.terms.value(o, frames).null))
        for o in call.operands
    )


def _same_filter(
    prover: ProofSession, one: AggregateCall, other: AggregateCall, found: Matched
) -> bool:
    left, right = (
        z3.BoolVal(True) if c.filter is None else prover.terms.truth(c.filter, f).true
        for c, f in ((one, found.left), (other, found.right))
    )
    return prover.follows(found.session, left == right)


def _one_by_one(
    prover: ProofSession,
    left: Aggregate,
    right: Aggregate,
    session: Session,
    around: tuple[Frames, Frames],
) -> Columns | None:
    """The equal columns if both aggregate the same rows by calls in the same order; else None.

    The keys may be in any order.
    """
    shapes = [
        [(c.name, len(c.operands), c.distinct, c.filter is None, bool(c.order)) for c in a.calls]
        for a in (left, right)
    ]
    if shapes[0] != shapes[1] or len(left.keys) != len(right.keys):
        return None
    if any(c.name in _BY_ORDER or c.order for c in left.calls):
        return None
    sets = all(c.distinct or c.name in _SAME_AS_SETS for c in left.calls)
    one = _with_parts_of_calls(left)
    for order in islice(permutations(range(len(right.keys))), MOST_ORDERS):
        keys = tuple(right.keys[place] for place in order)
        other = _with_parts_of_calls(replace(right, keys=keys))
        if prover.bags(one, other, session, around) or (
            sets and prover.sets(one, other, session, around)
        ):
            places = [order.index(place) for place in range(len(order))]
            return (*places, *range(len(order), width(right)))
    return None


def _over_block(call: AggregateCall, block: ProofBlock) -> AggregateCall:
    return replace(
        call,
        operands=tuple(substitute(o, block.outputs) for o in call.operands),
        filter=None if call.filter is None else substitute(call.filter, block.outputs),
    )


def _with_parts_of_calls(aggregate: Aggregate) -> Relation:
    """The rows that are grouped: keys, then operands and filters of the calls."""
    parts = list(aggregate.keys)
    for call in aggregate.calls:
        parts += call.operands
        parts += [] if call.filter is None else [call.filter]
    return Project(aggregate.input, tuple(parts))


# ---------------------------------------------------------------- operators
# Inputs of blocks with the same operator at the root. ``by_operator`` returns their equal columns,
# or None if they are not proved to have the same rows.


def by_operator(
    prover: ProofSession,
    left: Relation,
    right: Relation,
    session: Session,
    around: tuple[Frames, Frames],
) -> Columns | None:
    """The equal columns of two relations with the same rows; None if that is not proved."""
    every = tuple(range(width(right)))
    match left, right:
        case Scan(), Scan():
            if left.table != right.table:
                return None
            return tuple(
                left.columns.index(c) if c in left.columns else None for c in right.columns
            )
        case Distinct(), Distinct():
            return _permuted(prover, left, right, session, around)
        case Aggregate(), Aggregate():
            return aggregates(prover, left, right, session, around)
        case Limit(), Limit():
            return every if _limits(prover, left, right, session, around) else None
        case Window(), Window():
            return every if _windows(prover, left, right, session, around) else None
        case SetOperation(), SetOperation():
            return every if _operations(prover, left, right, session, around) else None
    return None


def _permuted(
    prover: ProofSession,
    left: Distinct,
    right: Distinct,
    session: Session,
    around: tuple[Frames, Frames],
) -> Columns | None:
    """The order of columns in which two DISTINCT relations have the same rows, or None."""
    columns = width(left)
    if columns != width(right):
        return None
    for order in islice(permutations(range(columns)), MOST_ORDERS):
        turned = Project(left.input, tuple(map(Ref, order)))
        if prover.sets(turned, right.input, session, around):
            return order
    return None


def _limits(
    prover: ProofSession, left: Limit, right: Limit, session: Session, around: tuple[Frames, Frames]
) -> bool:
    """True if both take the same number of the same rows in the same order, apart from ties."""
    if (left.count, left.offset) != (right.count, right.offset):
        return False
    one, other = in_order(left.input), in_order(right.input)
    if [_way(k) for k in one[1]] != [_way(k) for k in other[1]]:
        return False
    return prover.bags(one[0], other[0], session, around)


def _windows(
    prover: ProofSession,
    left: Window,
    right: Window,
    session: Session,
    around: tuple[Frames, Frames],
) -> bool:
    """True if both compute the same functions over the same windows of the same rows."""
    if len(left.calls) != len(right.calls):
        return False
    if [_shape(call) for call in left.calls] != [_shape(call) for call in right.calls]:
        return False
    one, other = (_with_parts_of_windows(window) for window in (left, right))
    return prover.bags(one, other, session, around)


def _operations(
    prover: ProofSession,
    left: SetOperation,
    right: SetOperation,
    session: Session,
    around: tuple[Frames, Frames],
) -> bool:
    """True if both are the same operation and their inputs are equal one by one."""
    if (left.kind, left.all, len(left.inputs)) != (right.kind, right.all, len(right.inputs)):
        return False
    return all(
        prover.bags(a, b, session, around) or (not left.all and prover.sets(a, b, session, around))
        for a, b in zip(left.inputs, right.inputs, strict=True)
    )


def in_order(relation: Relation) -> tuple[Relation, tuple[SortKey, ...]]:
    """The relation without its Sort, the sort keys appended as columns; and these keys."""
    if isinstance(relation, Sort):
        row = tuple(map(Ref, range(width(relation))))
        keys = relation.keys
        return Project(relation.input, row + tuple(k.expression for k in keys)), keys
    if isinstance(relation, Project) and isinstance(relation.input, Sort):
        keys = relation.input.keys
        shown = relation.expressions + tuple(k.expression for k in keys)
        return Project(relation.input.input, shown), keys
    return relation, ()


def _way(key: SortKey) -> tuple[bool, bool]:
    return key.descending, key.nulls_last


def _shape(call: WindowCall) -> tuple[object, ...]:
    """Everything of a call except the expressions that it reads."""
    counts = len(call.operands), len(call.partition), call.filter is None
    return call.name, counts, call.frame, call.distinct, tuple(map(_way, call.order))


def _with_parts_of_windows(window: Window) -> Relation:
    """The input's columns, then all expressions that the calls read."""
    parts: list[Expression] = list(map(Ref, range(width(window.input))))
    for call in window.calls:
        parts += [*call.operands, *call.partition, *(k.expression for k in call.order)]
        parts += [] if call.filter is None else [call.filter]
    return Project(window.input, tuple(parts))
