"""Aggregates in one form: nested groups merged, counts as sums, single-row groups as rows."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.forms import null_of
from sqljury.trees.conditions import conjunction, not_null
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    NULL,
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Literal,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Type,
    Values,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import fields, type_of
from sqljury.trees.walk import columns_read, references, substitute, width

ONE = Literal(1, Type.INTEGER)
ZERO = Literal(0, Type.INTEGER)


_SAME_OF_ONE_ROW = frozenset(("MIN", "MAX", "BARE"))
_NULL_OF_NO_ROWS = frozenset(("SUM", "MIN", "MAX", "AVG"))


def has_no_rows(relation: Relation) -> bool:
    """True if a relation is an empty VALUES below projections, filters and sorts."""
    while isinstance(relation, Project | Filter | Sort):
        relation = relation.input
    return isinstance(relation, Values) and not relation.rows


def of_no_rows(aggregate: Aggregate, context: Context) -> tuple[Expression, ...] | None:
    """The values of aggregates without GROUP BY over no rows; None if one is not known."""
    made: list[Expression] = []
    for call, field in zip(aggregate.calls, fields(aggregate, context), strict=True):
        if call.name == "COUNT":
            made.append(ZERO)
        elif call.name in _NULL_OF_NO_ROWS:
            made.append(null_of(field.type, context))
        else:
            return None
    return tuple(made)


def of_single_rows(aggregate: Aggregate, context: Context) -> Relation | None:
    """The aggregate as a projection of its rows if no group has more than one row; else None."""
    keys = aggregate.keys
    if not keys:
        return None
    below = properties(aggregate.input, context)
    read = [key.index for key in keys if isinstance(key, Ref)]
    if not below.unique(read):
        return None
    row = fields(aggregate.input, context)
    made: list[Expression] = list(keys)
    for call in aggregate.calls:
        if call.filter is not None and call.name != "COUNT":
            return None
        if call.name == "COUNT":
            made.append(_counted(call))
        elif call.name in _SAME_OF_ONE_ROW or (
            call.name == "SUM" and type_of(call.operands[0], row, context) is Type.INTEGER
        ):
            # An aggregate's value has no affinity. COALESCE removes that of a column.
            made.append(Call("COALESCE", call.operands))
        else:
            return None
    return Project(aggregate.input, tuple(made))


def with_determined_keys(aggregate: Aggregate, context: Context) -> Relation | None:
    """The aggregate with operands that have one value per group as further keys; None if none.

    Bare columns, MIN, MAX and COUNT(DISTINCT) of such an operand are then computed from the key.
    """
    if not aggregate.keys:
        return None
    below = properties(aggregate.input, context)
    read = [key.index for key in aggregate.keys if isinstance(key, Ref)]
    fixed = below.determined(read, width(aggregate.input))
    added = [i for i, call in enumerate(aggregate.calls) if _has_one_value(call, fixed)]
    if not added:
        return None
    count = len(aggregate.keys)
    keys = aggregate.keys + tuple(aggregate.calls[i].operands[0] for i in added)
    kept = [i for i in range(len(aggregate.calls)) if i not in added]
    made = Aggregate(aggregate.input, keys, tuple(aggregate.calls[i] for i in kept))
    shown: list[Expression] = list(map(Ref, range(count)))
    for place, call in enumerate(aggregate.calls):
        if place in added:
            shown.append(_of_one_value(call, Ref(count + added.index(place))))
        else:
            shown.append(Ref(len(keys) + kept.index(place)))
    return Project(made, tuple(shown))


def _has_one_value(call: AggregateCall, fixed: frozenset[int]) -> bool:
    counted = call.name == "COUNT" and call.distinct and len(call.operands) == 1
    if call.filter is not None or not (counted or call.name in _SAME_OF_ONE_ROW):
        return False
    reads_outside = any(level for level, _ in references(call.operands[0]))
    return columns_read(call.operands[0]) <= fixed and not reads_outside


def _of_one_value(call: AggregateCall, value: Expression) -> Expression:
    if call.name == "COUNT":
        return Call("CASE", (Call("IS NULL", (value,)), ZERO, ONE))
    # A bare column keeps its affinity; the result of an aggregate has none.
    return value if call.name == "BARE" else Call("COALESCE", (value,))


def with_sums(aggregate: Aggregate) -> Aggregate:
    """The aggregate with COUNT as SUM of ones, if it has groups: these are never empty."""
    if not aggregate.keys:
        return aggregate
    calls = tuple(
        AggregateCall("SUM", (_counted(call),))
        if call.name == "COUNT" and not call.distinct and len(call.operands) < 2
        else call
        for call in aggregate.calls
    )
    return replace(aggregate, calls=calls)


def _counted(call: AggregateCall) -> Expression:
    """The number, 1 or 0, that one row adds to a COUNT."""
    conditions: list[Expression] = [] if call.filter is None else [call.filter]
    conditions += [not_null(o) for o in call.operands]
    return Call("CASE", (conjunction(conditions), ONE, ZERO)) if conditions else ONE


# ---------------------------------------------------------------- groups of groups


def rolled_up(outer: Aggregate) -> Aggregate | None:
    """An aggregate over an aggregate as one: SUM of SUM is SUM, MIN of MIN is MIN; None if not so.

    A UNION ALL may mix groups and plain rows below the outer aggregate.
    """
    arms = _arms(outer.input)
    if not any(isinstance(_split(arm)[0], Aggregate) for arm in arms):
        return None
    made = [_arm(outer, arm, alone=len(arms) == 1) for arm in arms]
    if any(arm is None for arm in made):
        return None
    calls = {tuple(arm[1]) for arm in made if arm is not None}
    if len(calls) != 1:
        return None
    rows = tuple(arm[0] for arm in made if arm is not None)
    whole = rows[0] if len(rows) == 1 else SetOperation(SetKind.UNION, True, rows)
    count = len(outer.keys)
    keys = tuple(map(Ref, range(count)))
    return Aggregate(
        whole,
        keys,
        tuple(
            AggregateCall(name, (Ref(count + place),), distinct)
            for place, (name, distinct) in enumerate(calls.pop())
        ),
    )


def _arms(relation: Relation) -> tuple[Relation, ...]:
    match relation:
        case SetOperation(kind=SetKind.UNION, all=True):
            return tuple(arm for each in relation.inputs for arm in _arms(each))
        case Project():
            below = _arms(relation.input)
            if len(below) > 1:
                return tuple(Project(arm, relation.expressions) for arm in below)
    return (relation,)


def _split(relation: Relation) -> tuple[Relation, tuple[Expression, ...]]:
    """The relation below projections, and the output columns as expressions over it."""
    columns: tuple[Expression, ...] = tuple(map(Ref, range(width(relation))))
    while isinstance(relation, Project):
        columns = tuple(substitute(c, relation.expressions) for c in columns)
        relation = relation.input
    return relation, columns


_Calls = list[tuple[str, bool]]


def _arm(outer: Aggregate, arm: Relation, *, alone: bool) -> tuple[Relation, _Calls] | None:
    """One input of the union as ungrouped rows of keys and operands, and the calls over them.

    None if the aggregates cannot be merged. ``alone`` says that it is the only input.
    """
    inner, columns = _split(arm)
    keys = [substitute(key, columns) for key in outer.keys]
    grouped = inner if isinstance(inner, Aggregate) else None
    if grouped is not None and not grouped.keys and outer.keys:
        return None
    shown: list[Expression] = []
    calls: _Calls = []
    below = inner if grouped is None else grouped.input
    for key in keys:
        moved = key if grouped is None else _of_keys(key, grouped)
        if moved is None:
            return None
        shown.append(moved)
    groups = list(shown)
    for call in outer.calls:
        if call.filter is not None or call.order or len(call.operands) > 1:
            return None
        operand = substitute(call.operands[0], columns) if call.operands else None
        if grouped is None:
            taken = _of_row(call, operand)
        else:
            taken = _of_group(call, operand, grouped, groups, alone=alone)
        if taken is None:
            return None
        shown.append(taken[0])
        calls.append(taken[1])
    return Project(below, tuple(shown)), calls


_Taken = tuple[Expression, tuple[str, bool]]


def _of_row(call: AggregateCall, operand: Expression | None) -> _Taken | None:
    if operand is None or (call.name == "COUNT" and not call.distinct):
        return None
    return operand, (call.name, call.distinct and call.name not in ("MIN", "MAX"))


def _of_group(
    call: AggregateCall,
    operand: Expression | None,
    inner: Aggregate,
    groups: list[Expression],
    *,
    alone: bool,
) -> _Taken | None:
    """A call over groups as operand and call over their rows; None if they cannot be merged."""
    if operand is None:
        return None
    by_keys = _of_keys(operand, inner)
    if by_keys is not None:
        if call.name in ("MIN", "MAX"):
            return by_keys, (call.name, False)
        single = alone and set(inner.keys) <= {*groups, by_keys}
        if call.name in ("SUM", "COUNT", "AVG") and (call.distinct or single):
            return by_keys, (call.name, True)
        return None
    if not isinstance(operand, Ref) or call.distinct:
        return None
    below = inner.calls[operand.index - len(inner.keys)]
    if below.distinct or below.order:
        return None
    if call.name == "SUM" and below.name == "COUNT" and inner.keys and len(below.operands) < 2:
        return _counted(below), ("SUM", False)
    if call.name == below.name and call.name in ("SUM", "MIN", "MAX") and below.filter is None:
        return below.operands[0], (call.name, False)
    return None


def _of_keys(expression: Expression, inner: Aggregate) -> Expression | None:
    """An expression over groups, rewritten over their rows; None if it reads more than keys."""
    if any(index >= len(inner.keys) for index in columns_read(expression)):
        return None
    return substitute(expression, (*inner.keys, *(NULL for _ in inner.calls)))
