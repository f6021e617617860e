"""Rules for window functions."""

from __future__ import annotations

import re
from dataclasses import replace

from sqljury.equivalence.blocks.forms import NOTHING, Assumed, integer
from sqljury.equivalence.chance import IN_ANY_ORDER, WHOLE
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Sort,
    Type,
    Window,
    WindowCall,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import width

_NUMBERS = ("ROW_NUMBER", "RANK", "DENSE_RANK")

# ---------------------------------------------------------------- frames
# One spelling for frames of the same rows.


_ORDER_ALONE = {*_NUMBERS, "NTILE", "PERCENT_RANK", "CUME_DIST", "LAG", "LEAD"}
"""Functions that ignore the frame."""
_BOUNDS = re.compile(
    "(ROWS|RANGE|GROUPS) BETWEEN (UNBOUNDED PRECEDING|CURRENT ROW)"
    " AND (UNBOUNDED FOLLOWING|CURRENT ROW)"
)
"""Frames of the current row, of the rows before it, after it, or of all rows."""
_DEFAULT = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


@rule(RELATION, at={"Window"}, assumes={Assumption.PRIMARY_KEY})
def window_frame(relation: Window, context: Context) -> Rewritten | None:
    """``SUM(x) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)`` → ``SUM(x) OVER (ORDER BY id)`` where
    no id occurs twice; ``SUM(x) OVER (ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED
    FOLLOWING)`` → ``SUM(x) OVER ()``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    found = [_framed(call, relation.input, context) for call in relation.calls]
    calls = tuple(call for call, _ in found)
    if calls == relation.calls:
        return None
    assumed = frozenset[Assumption]().union(*(each for _, each in found))
    return Rewritten(replace(relation, calls=calls), assumed)


def _framed(call: WindowCall, rows: Relation, context: Context) -> tuple[WindowCall, Assumed]:
    bounds = _BOUNDS.fullmatch(call.frame or _DEFAULT)
    if call.name in _ORDER_ALONE:
        return replace(call, frame=""), NOTHING
    if bounds is None:
        return call, NOTHING
    if bounds[2].startswith("UNBOUNDED") and bounds[3].startswith("UNBOUNDED"):
        order = () if call.name in IN_ANY_ORDER else call.order
        return replace(call, order=order, frame="" if not order else WHOLE), NOTHING
    if not call.order and bounds[1] != "ROWS":  # all rows of the partition are peers
        return replace(call, frame=""), NOTHING
    alone = _assumed_for_no_peers(call, rows, context)
    if bounds[1] == "RANGE" or alone is None:
        return call, NOTHING
    frame = f"RANGE BETWEEN {bounds[2]} AND {bounds[3]}"
    return replace(call, frame="" if frame == _DEFAULT else frame), alone


def _assumed_for_no_peers(call: WindowCall, rows: Relation, context: Context) -> Assumed | None:
    """The assumptions under which no two rows of a partition tie in its order; None if some may."""
    sorted_by = (*call.partition, *(key.expression for key in call.order))
    columns = [part.index for part in sorted_by if isinstance(part, Ref)]
    return assumed_for_unique(rows, columns, context)


# ---------------------------------------------------------------- window of key
# Windows of one row, and row numbers, where a key rules out ties.
#
# ``ROW_NUMBER() OVER (PARTITION BY id …)`` is 1 for a key ``id``, so DISTINCT ON a key does
# nothing. ``RANK() OVER (ORDER BY id)`` and DENSE_RANK are the same as ROW_NUMBER.


_RANKS = ("RANK", "DENSE_RANK")
_OF_ONE_ROW = ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE")
_ONE = Literal(1, Type.INTEGER)
_ROW_ITSELF = "RANGE BETWEEN CURRENT ROW AND CURRENT ROW"


@rule(RELATION, at={"Window"}, assumes={Assumption.PRIMARY_KEY})
def window_of_key(relation: Window, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (PARTITION BY id …)`` → 1; ``MAX(x) OVER (PARTITION BY id)`` → x;
    ``RANK() OVER (ORDER BY id)`` → ``ROW_NUMBER() OVER (ORDER BY id)``, where no id occurs twice.

    Assumes primary key where uniqueness comes from a declared key.
    """
    found = [_numbered(call, relation.input, context) for call in relation.calls]
    if not any(found):
        return None
    assumed = frozenset[Assumption]().union(*(each[1] for each in found if each))
    new = [each[0] if each else call for each, call in zip(found, relation.calls, strict=True)]
    kept = tuple(call for call in new if isinstance(call, WindowCall))
    below: Relation = replace(relation, calls=kept) if kept else relation.input
    if len(kept) == len(new):
        return Rewritten(below, assumed)
    start = width(relation.input)
    outputs: list[Expression] = list(map(Ref, range(start)))
    for call in new:
        outputs.append(Ref(start) if isinstance(call, WindowCall) else call)
        start += isinstance(call, WindowCall)
    return Rewritten(Project(below, tuple(outputs)), assumed)


def _numbered(
    call: WindowCall, rows: Relation, context: Context
) -> tuple[WindowCall | Expression, Assumed] | None:
    """The simplified call, or its value in a window of one row; and the assumptions of that.

    None if nothing changes.
    """
    if call.filter is not None:
        return None
    apart = _assumed_for_no_peers(call, rows, context)
    parts = [part.index for part in call.partition if isinstance(part, Ref)]
    alone = assumed_for_unique(rows, parts, context)
    if call.name in _NUMBERS:
        if alone is not None:
            return _ONE, alone
        ranked = call.name in _RANKS and apart is not None
        return (replace(call, name="ROW_NUMBER"), apart or NOTHING) if ranked else None
    bounds = _BOUNDS.fullmatch(call.frame or _DEFAULT)
    value = _of_one_row(call)
    # In SQLite a column and a function of it are converted differently.
    if value is None or bounds is None or (context.converts and context.dialect == "sqlite"):
        return None
    if call.frame.startswith("ROWS BETWEEN CURRENT ROW AND CURRENT ROW"):
        return value, NOTHING
    own = apart if call.frame == _ROW_ITSELF else alone
    return None if own is None else (value, own)


def _of_one_row(call: WindowCall) -> Expression | None:
    """The value of a function in a window of only the current row; None for unknown functions."""
    if call.name == "COUNT":
        tests = [Call("IS NULL", (operand,)) for operand in call.operands]
        return Call("CASE", (*tests, integer(0), _ONE)) if tests else _ONE
    single = call.name in _OF_ONE_ROW and len(call.operands) == 1
    return call.operands[0] if single else None


# ---------------------------------------------------------------- rank to limit
# ``ROW_NUMBER() OVER (ORDER BY x) = 1`` is ``ORDER BY x LIMIT 1``.
#
# RANK and DENSE_RANK give all tied rows the same number, so for them no ties is assumed.


@rule(RELATION, at={"Filter"}, assumes={Assumption.NO_TIES})
def rank_to_limit(relation: Relation, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (ORDER BY x) = 1`` → ``ORDER BY x LIMIT 1``.

    Assumes no ties for RANK and DENSE_RANK, which give all tied rows the same number.
    """
    match relation:
        case Filter(input=Window(calls=(call,)) as window) if not has_volatile(relation):
            assumed = _assumed_for_number(call, context)
            parts = conjuncts(relation.condition)
        case _:
            return None
    rank = width(window.input)
    asked = [part for part in parts if _is_first(part, rank)]
    if assumed is None or not asked:
        return None
    rest = [part for part in parts if part not in asked]
    first = Limit(Sort(window.input, call.order), Literal(1, Type.INTEGER))
    row: tuple[Expression, ...] = (*map(Ref, range(rank)), Literal(1, Type.INTEGER))
    return Rewritten(filtered(Project(first, row), conjunction(rest)), assumed)


def _assumed_for_number(call: WindowCall, context: Context) -> Assumed | None:
    """The assumptions under which the function numbers all rows 1, 2, 3 …; None if it does not."""
    if call.partition or not call.order:
        return None
    if call.name == "ROW_NUMBER":
        return NOTHING
    if call.name in _RANKS and context.may(Assumption.NO_TIES):
        return frozenset((Assumption.NO_TIES,))
    return None


def _is_first(part: Expression, column: int) -> bool:
    match part:
        case (
            Call(name="=" | "<=", operands=(Ref(index=index), Literal(value=1)))
            | Call(name="<", operands=(Ref(index=index), Literal(value=2)))
        ):
            return index == column
        case _:
            return False
