"""``WHERE x = (SELECT MAX(x) …)`` of the same rows is ``ORDER BY x DESC LIMIT 1``.

So are ``x >= ALL (SELECT x …)`` and that there is no row with a greater x. All of them keep every
row of a tie, and none where x is NULL.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.nullability import NOTHING, assumed_for_not_null
from sqljury.equivalence.blocks.selection import selection
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Limit,
    Literal,
    Outer,
    Ref,
    Relation,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import is_correlated, references, width

_EXTREMES = {"MAX": ("=", ">="), "MIN": ("=", "<=")}
_SWAPPED = {"=": "=", "<=": ">=", ">=": "<="}


@rule(
    RELATION,
    at={"Filter"},
    needs={"Subquery"},
    assumes={Assumption.NO_TIES, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=370,
)
def extreme_to_first(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM t WHERE x = (SELECT MAX(x) FROM t)`` → ``FROM t WHERE x IS NOT NULL ORDER BY x
    DESC LIMIT 1``.

    Assumes no ties. Assumes primary key or not null where the absence of NULLs comes from them.
    """
    if not isinstance(relation, Filter) or not context.may(Assumption.NO_TIES):
        return None
    if has_volatile(relation):
        return None
    parts = conjuncts(relation.condition)
    for i, part in enumerate(parts):
        rows = filtered(relation.input, conjunction(parts[:i] + parts[i + 1 :]))
        found = _of_scalar(part, rows)
        if found is not None:
            return _first(rows, *found, context, null_is_out=True)
        found = _of_not_exists(part, rows)
        if found is not None:
            return _first(rows, *found, context, null_is_out=False)
    return None


def _first(
    rows: Relation, value: Expression, greatest: bool, context: Context, *, null_is_out: bool
) -> Rewritten | None:
    """The first row in the order of a value, which is NULL in no row."""
    assumed = assumed_for_not_null((value,), rows, context)
    if assumed is None:
        if not null_is_out:
            return None
        rows = Filter(rows, Call("NOT", (Call("IS NULL", (value,)),)))
    # NULLs are the smallest values: where SQLite puts them, if there are any.
    key = SortKey(value, descending=greatest, nulls_last=greatest)
    first = Limit(Sort(rows, (key,)), Literal(1, Type.INTEGER))
    return Rewritten(first, (assumed or NOTHING) | {Assumption.NO_TIES})


def _of_scalar(part: Expression, rows: Relation) -> tuple[Expression, bool] | None:
    """The value of which the extreme is asked, and whether it is the greatest."""
    match part:
        case Call(operands=(value, Subquery(kind=SubqueryKind.SCALAR) as sub)):
            operator = part.name
        case Call(operands=(Subquery(kind=SubqueryKind.SCALAR) as sub, value)):
            operator = _SWAPPED.get(part.name, "")
        case _:
            return None
    match sub.relation:
        case Aggregate(keys=(), calls=(AggregateCall(operands=(inner,), filter=None) as call,)):
            fits = operator in _EXTREMES.get(call.name, ())
            same = fits and _same(value, rows, inner, sub.relation.input)
            return (value, call.name == "MAX") if same else None
        case _:
            return None


def _same(value: Expression, rows: Relation, other: Expression, others: Relation) -> bool:
    """Whether one is the same value of the same rows as the other."""
    if is_correlated(others):
        return False
    match rows, others, value, other:
        case Aggregate(), Aggregate(), Ref(), Ref():
            alike = rows.input == others.input and set(rows.keys) == set(others.keys)
            return alike and _column(rows, value.index) == _column(others, other.index)
        case _:
            return value == other and rows == others


def _column(aggregate: Aggregate, index: int) -> Expression | AggregateCall:
    return (*aggregate.keys, *aggregate.calls)[index]


def _of_not_exists(part: Expression, rows: Relation) -> tuple[Expression, bool] | None:
    """The value of which no row has a greater (or a less) one, and whether it is the greatest."""
    match part:
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.EXISTS) as sub,)):
            others, own = selection(sub.relation), selection(rows)
        case _:
            return None
    if others is None or own is None or is_correlated(own.base):
        return None
    compared = [c for c in others.conjuncts if c not in own.conjuncts]
    if others.base != own.base or len(others.conjuncts) != len(own.conjuncts) + 1:
        return None
    if own.outputs != tuple(map(Ref, range(width(rows)))):
        return None
    if any(map(_reads_around, own.conjuncts)):
        return None
    match compared:
        case [Call(name="<" | ">" as name, operands=(Ref() as a, Outer(level=1) as b))]:
            return (a, name == ">") if a.index == b.index else None
        case [Call(name="<" | ">" as name, operands=(Outer(level=1) as b, Ref() as a))]:
            return (a, name == "<") if a.index == b.index else None
        case _:
            return None


def _reads_around(part: Expression) -> bool:
    return any(level > 0 for level, _ in references(part))
