"""SUM of ones and zeros counts rows, AVG of them is a share: ``SUM(CASE WHEN c THEN 1 ELSE 0 END)``
and, in SQLite and MySQL, ``SUM(c)`` of a condition that is never NULL.

Of no rows SUM is NULL and COUNT is 0. So without groups a SUM counts only where that makes no
difference: where COALESCE makes 0 of NULL, or in a fraction whose denominator is 0 or NULL of no
rows, as those dialects then give NULL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqljury.equivalence.blocks.forms import number
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    NULL,
    TRUE,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Expression,
    Literal,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.walk import columns_read, operands, transform, width

_BY_ZERO_IS_NULL = frozenset(("sqlite", "mysql"))
_PREDICATES = frozenset(("=", "<>", "<", "<=", ">", ">=", "IN", "IS NULL", "LIKE", "GLOB"))
_LOGICAL = _PREDICATES | {"AND", "OR", "NOT", "IS", "IS TRUE", "IS FALSE"}
_ROWS = AggregateCall("COUNT")
_Counted = tuple[Expression, Assumed]


# ---------------------------------------------------------------- what is summed


def _counted(call: AggregateCall, below: Relation, context: Context) -> _Counted | None:
    """The condition whose rows a SUM or an AVG counts, and what that assumes."""
    if call.distinct or call.filter is not None or call.order or len(call.operands) != 1:
        return None
    match call.operands[0]:
        case Call(name="CASE", operands=(condition, one, zero)):
            values = number(one), number(zero)
            if call.name == "SUM" and not all(isinstance(v, int) for v in values):
                return None
            if values == (1, 0):
                return condition, NOTHING
            if values == (0, 1):
                return Call("NOT", (Call("IS TRUE", (condition,)),)), NOTHING
        case condition if context.dialect in _BY_ZERO_IS_NULL and _is_logical(condition):
            assumed = assumed_for_not_null((condition,), below, context)
            return None if assumed is None else (condition, assumed)
    return None


def _is_logical(expression: Expression) -> bool:
    if isinstance(expression, Subquery):
        return expression.kind is not SubqueryKind.SCALAR
    return isinstance(expression, Call) and expression.name in _LOGICAL


# ---------------------------------------------------------------- of groups


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=30)
def sum_to_count(relation: Relation, context: Context) -> Rewritten | None:
    """``SUM(CASE WHEN c THEN 1 ELSE 0 END)`` of groups → ``COUNT(*) FILTER (WHERE c)``.

    A group has rows, so no SUM is NULL. Assumes primary key or not null where the absence of
    NULLs comes from them.
    """
    if not isinstance(relation, Aggregate) or not relation.keys:
        return None
    sums = range(len(relation.calls))
    return _with_counts(relation, [i for i in sums if relation.calls[i].name == "SUM"], context)


def _with_counts(relation: Aggregate, sums: list[int], context: Context) -> Rewritten | None:
    """COUNT in place of some of the calls, where they count."""
    calls = list(relation.calls)
    assumed = NOTHING
    for i in sums:
        found = _counted(calls[i], relation.input, context)
        if found is not None:
            calls[i] = replace(_ROWS, filter=found[0])
            assumed |= found[1]
    if tuple(calls) == relation.calls:
        return None
    return Rewritten(replace(relation, calls=tuple(calls)), assumed)


# ---------------------------------------------------------------- of all rows


@rule(RELATION, at={"Project"}, order=35)
def sum_or_zero_to_count(relation: Relation, context: Context) -> Rewritten | None:
    """``COALESCE(SUM(CASE WHEN c THEN 1 ELSE 0 END), 0)`` → ``COUNT(*) FILTER (WHERE c)``."""
    if not isinstance(relation, Project) or not isinstance(relation.input, Aggregate):
        return None
    below = relation.input
    start = len(below.keys)
    for i, call in enumerate(below.calls):
        condition = _counted_if_any(call, context) if call.name == "SUM" else None
        if condition is None or _reads_bare(relation.expressions, start + i):
            continue
        count = _ROWS if condition == TRUE else replace(_ROWS, filter=condition)
        calls = (*below.calls[:i], count, *below.calls[i + 1 :])
        shown = tuple(_without_default(e, start + i) for e in relation.expressions)
        return Rewritten(replace(relation, input=replace(below, calls=calls), expressions=shown))
    return None


def _counted_if_any(call: AggregateCall, context: Context) -> Expression | None:
    """The condition whose rows a SUM counts where it is not NULL: neither it nor what is summed
    has to be."""
    if call.distinct or call.order or len(call.operands) != 1:
        return None
    condition = _counted_value(call.operands[0], context)
    if condition is None or call.filter is None:
        return condition
    return conjunction((*conjuncts(call.filter), *conjuncts(condition)))


def _counted_value(summed: Expression, context: Context) -> Expression | None:
    """The condition under which a value is 1, if it is 0 or NULL otherwise."""
    match summed:
        case Literal(value=1, type=Type.INTEGER):
            return TRUE
        case Call(name="CASE", operands=(condition, one, zero)) if number(one) == 1:
            whole = isinstance(number(one), int)
            return condition if whole and (zero == NULL or number(zero) == 0) else None
        case condition if context.dialect in _BY_ZERO_IS_NULL and _is_logical(condition):
            return condition
    return None


def _reads_bare(expressions: Iterable[Expression], index: int) -> bool:
    """Whether a column is read anywhere else than in a COALESCE with 0."""
    return any(index in columns_read(_without_default(e, index, NULL)) for e in expressions)


def _without_default(
    expression: Expression, index: int, instead: Expression | None = None
) -> Expression:
    """``COALESCE(x, 0)`` of a column as the column, or what is given instead."""

    def of_part(part: Expression) -> Expression:
        match part:
            case Call(name="COALESCE", operands=(Ref() as read, zero)) if number(zero) == 0:
                plain = read.index == index and isinstance(number(zero), int)
                return (read if instead is None else instead) if plain else part
        return part

    return transform(expression, of_part)


@rule(RELATION, at={"Project"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=40)
def sum_to_count_in_fraction(relation: Relation, context: Context) -> Rewritten | None:
    """``SUM(CASE WHEN c THEN 1 ELSE 0 END) / COUNT(*)`` of all rows → ``COUNT(*) FILTER (WHERE
    c) / COUNT(*)``, in SQLite and MySQL.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    if context.dialect not in _BY_ZERO_IS_NULL or not isinstance(relation, Project):
        return None
    below = relation.input
    if not isinstance(below, Aggregate) or below.keys:
        return None
    wide = width(below)
    sums = {i for i in range(wide) if below.calls[i].name == "SUM"}
    counts = {i for i in range(wide) if below.calls[i].name == "COUNT"}
    for expression in relation.expressions:
        sums -= _outside_of_fractions(expression, sums, counts)
    found = _with_counts(below, sorted(sums), context)
    if found is None:
        return None
    return replace(found, relation=replace(relation, input=found.relation))


def _outside_of_fractions(
    expression: Expression, sums: set[int], counts: set[int]
) -> frozenset[int]:
    """The sums of which an expression would show whether they are NULL or 0."""
    match expression:
        case Call(name="/", operands=(above, below)) if _vanishes(below, sums, counts):
            # Strict operators above: NULL or a number, and divided by 0 or NULL it is NULL.
            return frozenset() if _is_arithmetic(above) else columns_read(above)
        case Call() | Cast():
            parts = (_outside_of_fractions(p, sums, counts) for p in operands(expression))
            return frozenset[int]().union(*parts)
        case _:
            return columns_read(expression)


def _vanishes(expression: Expression, sums: set[int], counts: set[int]) -> bool:
    """Whether it is 0 or NULL of no rows, whatever the sums are then."""
    match expression:
        case Ref():
            return expression.index in sums or expression.index in counts
        case Cast(operand=operand) | Call(name="NEG", operands=(operand,)):
            return _vanishes(operand, sums, counts)
        case Call(name="NULLIF", operands=(operand, zero)):
            return number(zero) == 0 and _vanishes(operand, sums, counts)
        case Call(name="*", operands=(left, right)):
            constant = number(right) is not None and _vanishes(left, sums, counts)
            return constant or (number(left) is not None and _vanishes(right, sums, counts))
        case _:
            return False


def _is_arithmetic(expression: Expression) -> bool:
    """Whether only strict operators stand above columns and constants."""
    match expression:
        case Cast(operand=operand):
            return _is_arithmetic(operand)
        case Call(name="+" | "-" | "*" | "/" | "NEG" | "ROUND" | "ABS", operands=parts):
            return all(map(_is_arithmetic, parts))
        case Call() | Subquery():
            return False
        case _:
            return True


# ---------------------------------------------------------------- averages


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=20)
def average_to_share(relation: Relation, context: Context) -> Rewritten | None:
    """``AVG(CASE WHEN c THEN 1 ELSE 0 END)`` → ``COUNT(*) FILTER (WHERE c) / COUNT(*)`` as
    REAL, in SQLite.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    if context.dialect != "sqlite" or not isinstance(relation, Aggregate):
        return None
    for i, call in enumerate(relation.calls):
        found = _counted(call, relation.input, context) if call.name == "AVG" else None
        if found is None:
            continue
        condition, assumed = found
        calls = (*relation.calls[:i], replace(_ROWS, filter=condition), *relation.calls[i + 1 :])
        place, rows = len(relation.keys) + i, len(relation.keys) + len(calls)
        shown: list[Expression] = [Ref(index) for index in range(rows)]
        shown[place] = Call("/", (Cast(Ref(place), "REAL"), Ref(rows)))
        counting = replace(relation, calls=(*calls, _ROWS), names=())
        return Rewritten(Project(counting, tuple(shown), relation.names), assumed)
    return None
