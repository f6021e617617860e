"""What blocks read, compared operator by operator: tables, groups, limits, windows, sets."""

from __future__ import annotations

from itertools import islice, permutations

from sqljury.equivalence.proof.aggregates import aggregates
from sqljury.equivalence.proof.session import MOST_ORDERS, Columns, ProofSession, Session
from sqljury.equivalence.proof.values import Frames
from sqljury.trees.nodes import (
    Aggregate,
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
from sqljury.trees.walk import width


def by_operator(
    prover: ProofSession,
    left: Relation,
    right: Relation,
    session: Session,
    around: tuple[Frames, Frames],
) -> Columns | None:
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
    """Sets of rows with their columns in some order."""
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
    """Whether as many of the same rows are taken in the same order; ties by chance."""
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
    """Whether the same functions are computed over the same windows of the same rows."""
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
    """Whether the inputs are the same one by one."""
    if (left.kind, left.all, len(left.inputs)) != (right.kind, right.all, len(right.inputs)):
        return False
    return all(
        prover.bags(a, b, session, around) or (not left.all and prover.sets(a, b, session, around))
        for a, b in zip(left.inputs, right.inputs, strict=True)
    )


def in_order(relation: Relation) -> tuple[Relation, tuple[SortKey, ...]]:
    """A relation without its order, with the keys of it as columns at the end."""
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
    """All of a call but the expressions that it reads."""
    counts = len(call.operands), len(call.partition), call.filter is None
    return call.name, counts, call.frame, call.distinct, tuple(map(_way, call.order))


def _with_parts_of_windows(window: Window) -> Relation:
    """The input's rows, then all that the calls read."""
    parts: list[Expression] = list(map(Ref, range(width(window.input))))
    for call in window.calls:
        parts += [*call.operands, *call.partition, *(k.expression for k in call.order)]
        parts += [] if call.filter is None else [call.filter]
    return Project(window.input, tuple(parts))
