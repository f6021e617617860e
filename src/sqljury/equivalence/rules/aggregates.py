"""Rules for aggregate functions and their operands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.forms import (
    NOTHING,
    Assumed,
    assumed_for_not_null,
    is_null,
    number,
    typed,
)
from sqljury.equivalence.blocks.selection import selection, with_questions
from sqljury.equivalence.rules.base import BLOCK, RELATION, Rewritten, Scope, rule
from sqljury.equivalence.rules.exists import is_blind
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.conditions import conjunction, conjuncts, disjunction, not_null
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    NULL,
    TRUE,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Literal,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.types import fields, null_rejected
from sqljury.trees.volatile import any_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    expressions,
    map_expressions,
    operands,
    transform,
    width,
)

# ---------------------------------------------------------------- count rows
# COUNT of an operand that is never NULL counts rows; DISTINCT of unique values does nothing.


_SAME_WITHOUT_DISTINCT = frozenset(("MIN", "MAX", "BARE"))
_DISTINCT = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "GROUP_CONCAT"))


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
def count_rows(relation: Aggregate, context: Context) -> Rewritten | None:
    """``COUNT(x)`` → ``COUNT(*)`` where x is never NULL; ``COUNT(DISTINCT x)`` → ``COUNT(x)``
    where no x occurs twice.

    Assumes primary key or not null where the absence of NULLs comes from them. Assumes primary
    key where uniqueness comes from a declared key.
    """
    assumed: frozenset[Assumption] = frozenset()
    calls = []
    for call in relation.calls:
        found = _once(call, relation, context)
        calls.append(found[0])
        assumed |= found[1]
    if tuple(calls) == relation.calls:
        return None
    return Rewritten(replace(relation, calls=tuple(calls)), assumed)


def _once(
    call: AggregateCall, aggregate: Aggregate, context: Context
) -> tuple[AggregateCall, frozenset[Assumption]]:
    """The call without a needless DISTINCT or operand, and the assumptions of that."""
    if call.distinct and call.name in _SAME_WITHOUT_DISTINCT:
        return replace(call, distinct=False), frozenset()
    if call.distinct:
        assumed = _assumed_for_different(call, aggregate, context)
        return (call, frozenset()) if assumed is None else (replace(call, distinct=False), assumed)
    if call.name != "COUNT" or len(call.operands) != 1 or is_volatile(*call.operands):
        return call, frozenset()
    assumed = assumed_for_not_null(call.operands, _rows_counted(call, aggregate), context)
    if assumed is None:
        return call, frozenset()
    return replace(call, operands=(), order=()), assumed


def _rows_counted(call: AggregateCall, aggregate: Aggregate) -> Relation:
    return aggregate.input if call.filter is None else Filter(aggregate.input, call.filter)


def _assumed_for_different(
    call: AggregateCall, aggregate: Aggregate, context: Context
) -> frozenset[Assumption] | None:
    """The assumptions under which no value occurs twice in a group; None if one may.

    Several NULLs are allowed, as these aggregates ignore them.
    """
    if call.name not in _DISTINCT or call.order:
        return None
    columns = [e.index for e in (*aggregate.keys, *call.operands[:1]) if isinstance(e, Ref)]
    if len(call.operands) != 1 or not isinstance(call.operands[0], Ref):
        return None
    held = frozenset((call.operands[0].index,))
    return assumed_for_unique(_rows_counted(call, aggregate), columns, context, held)


# ---------------------------------------------------------------- null blind
# ``WHERE x IS NOT NULL`` is needless if all aggregates ignore NULLs of x and there are no groups.


_BLIND = frozenset(("SUM", "AVG", "MIN", "MAX", "COUNT", "TOTAL", "GROUP_CONCAT", "STRING_AGG"))


@rule(BLOCK)
def null_blind(found: Reading, _: Context) -> frozenset[Assumption] | None:
    """``SELECT SUM(x) FROM t WHERE x IS NOT NULL`` → ``SELECT SUM(x) FROM t``."""
    reader = found.readers[0]
    if not isinstance(reader, Aggregate) or reader.keys or len(found.readers) > 1:
        return None
    # Without keys every use is a call: its first operand comes first.
    skipped = [
        null_rejected(not_null(use.expressions[0]))
        if (call.name in _BLIND and bool(call.operands))
        else frozenset()
        for call, use in zip(reader.calls, found.uses, strict=True)
    ]
    if not skipped:
        return None
    needless = [not_null(Ref(c)) for c in frozenset.intersection(*skipped)]
    parts = found.block.conjuncts
    kept = [part for part in parts if part not in needless]
    if len(kept) == len(parts):
        return None
    found.block.conjuncts = kept
    return frozenset()


# ---------------------------------------------------------------- case to filter
# An aggregate of CASE WHEN c THEN x END is the aggregate of x for the rows where c is true.
#
# Aggregates ignore NULLs, so rows for which CASE gives NULL can be filtered out.


_PASS_OVER_NULL = frozenset(("COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL"))
_ONE = Literal(1, Type.INTEGER)


@rule(RELATION, at={"Aggregate"})
def case_to_filter(relation: Aggregate, _: Context) -> Rewritten | None:
    """``SUM(CASE WHEN c THEN x END)`` → ``SUM(x) FILTER (WHERE c)``.

    Not if there is a bare column, which SQLite takes from the row of the MIN or MAX.
    """
    if any(c.name == "BARE" for c in relation.calls):
        return None
    calls = tuple(map(_filtered, relation.calls))
    return None if calls == relation.calls else Rewritten(replace(relation, calls=calls))


def _filtered(call: AggregateCall) -> AggregateCall:
    if call.name not in _PASS_OVER_NULL or len(call.operands) != 1 or call.order:
        return call
    found = _value_and_condition(call.operands[0], counted=call.name == "COUNT")
    if found is None:
        return call
    value, condition = found
    before = () if call.filter is None else conjuncts(call.filter)
    return replace(call, operands=(value,), filter=conjunction((*before, condition)))


def _value_and_condition(
    operand: Expression, *, counted: bool
) -> tuple[Expression, Expression] | None:
    match operand:
        case Call(name="CASE", operands=(condition, value, default)) if is_null(default):
            return value, condition
        case Call(name="CASE", operands=(condition, value, default)) if is_null(value):
            return default, Call("NOT", (Call("IS TRUE", (condition,)),))
        case Call(name="OR", operands=parts) if counted and any(map(is_null, parts)):
            # COUNT(c OR NULL)
            return _ONE, disjunction(part for part in parts if not is_null(part))
        case _:
            return None


@rule(RELATION, at={"Aggregate"})
def filter_of_all_calls(relation: Aggregate, _: Context) -> Rewritten | None:
    """``SELECT SUM(x) FILTER (WHERE c) FROM t`` → ``SELECT SUM(x) FROM t WHERE c``, where all
    aggregates have that filter.

    Only without GROUP BY: groups in which no row satisfies c would be lost.
    """
    if relation.keys or not relation.calls:
        return None
    condition = relation.calls[0].filter
    if condition is None or any(call.filter != condition for call in relation.calls):
        return None
    calls = tuple(replace(call, filter=None) for call in relation.calls)
    return Rewritten(replace(relation, input=Filter(relation.input, condition), calls=calls))


# ---------------------------------------------------------------- sum to count
# SUM of ones and zeros counts rows, AVG of them is a share: ``SUM(CASE WHEN c THEN 1 ELSE 0 END)``
# and, in SQLite and MySQL, ``SUM(c)`` of a condition that is never NULL.
#
# Over no rows SUM is NULL and COUNT is 0. So without GROUP BY a SUM is replaced only if that makes
# no difference: if COALESCE turns NULL into 0, or in a fraction whose denominator is 0 or NULL over
# no rows, as those dialects then return NULL.


_BY_ZERO_IS_NULL = frozenset(("sqlite", "mysql"))
_PREDICATES = COMPARISONS | {"IN", "IS NULL", "LIKE", "GLOB"}
_LOGICAL = _PREDICATES | {"AND", "OR", "NOT", "IS", "IS TRUE", "IS FALSE"}
_ROWS = AggregateCall("COUNT")
_Counted = tuple[Expression, Assumed]


# ---------------------------------------------------------------- what is summed


def _counted(call: AggregateCall, below: Relation, context: Context) -> _Counted | None:
    """The condition whose true rows a SUM or AVG counts, and the assumptions; None if it does not.

    The operand must be 1 for rows where the condition is true, and 0 for all others.
    """
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


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
def sum_to_count(relation: Aggregate, context: Context) -> Rewritten | None:
    """``SUM(CASE WHEN c THEN 1 ELSE 0 END)`` of groups → ``COUNT(*) FILTER (WHERE c)``.

    No group is empty, so no SUM is NULL. Assumes primary key or not null where the absence of
    NULLs comes from them.
    """
    if not relation.keys:
        return None
    sums = range(len(relation.calls))
    return _with_counts(relation, [i for i in sums if relation.calls[i].name == "SUM"], context)


def _with_counts(relation: Aggregate, sums: list[int], context: Context) -> Rewritten | None:
    """The aggregate with COUNT in place of those of the given calls that count rows; or None."""
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


@rule(RELATION, at={"Project"})
def sum_or_zero_to_count(relation: Project, context: Context) -> Rewritten | None:
    """``COALESCE(SUM(CASE WHEN c THEN 1 ELSE 0 END), 0)`` → ``COUNT(*) FILTER (WHERE c)``."""
    if not isinstance(relation.input, Aggregate):
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
    """The condition whose true rows a SUM counts; None if it does not count rows.

    The SUM may be NULL, and its operand may be NULL instead of 0.
    """
    if call.distinct or call.order or len(call.operands) != 1:
        return None
    condition = _counted_value(call.operands[0], context)
    if condition is None or call.filter is None:
        return condition
    return conjunction((*conjuncts(call.filter), *conjuncts(condition)))


def _counted_value(summed: Expression, context: Context) -> Expression | None:
    """The condition under which a value is 1, if it is 0 or NULL otherwise; else None."""
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
    """True if a column is read anywhere outside ``COALESCE(column, 0)``."""
    return any(index in columns_read(_without_default(e, index, NULL)) for e in expressions)


def _without_default(
    expression: Expression, index: int, instead: Expression | None = None
) -> Expression:
    """The expression with ``instead`` in place of ``COALESCE(x, 0)`` of a column; by default x."""

    def of_part(part: Expression) -> Expression:
        match part:
            case Call(name="COALESCE", operands=(Ref() as read, zero)) if number(zero) == 0:
                plain = read.index == index and isinstance(number(zero), int)
                return (read if instead is None else instead) if plain else part
        return part

    return transform(expression, of_part)


@rule(RELATION, at={"Project"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
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
    """The columns whose NULL the expression would distinguish from 0."""
    match expression:
        case Call(name="/", operands=(above, below)) if _vanishes(below, sums, counts):
            # A number or NULL that is divided by 0 or NULL is NULL, whatever the numerator is.
            return frozenset() if _is_arithmetic(above) else columns_read(above)
        case Call() | Cast():
            parts = (_outside_of_fractions(p, sums, counts) for p in operands(expression))
            return frozenset[int]().union(*parts)
        case _:
            return columns_read(expression)


def _vanishes(expression: Expression, sums: set[int], counts: set[int]) -> bool:
    """True if the expression is 0 or NULL over no rows, whether the sums are NULL or 0 then."""
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
    """True if the expression consists of columns, constants and strict arithmetic operators."""
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


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
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


# ---------------------------------------------------------------- aggregate of distinct
# ``COUNT(x)`` over ``SELECT DISTINCT x`` is ``COUNT(DISTINCT x)``; so with other aggregates of x.


_OF_VALUES = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX"))


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
def aggregate_of_distinct(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT COUNT(x) FROM (SELECT DISTINCT x FROM t)`` → ``SELECT COUNT(DISTINCT x) FROM
    t``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    match relation:
        case Aggregate(input=Distinct(input=Project() as below)) if relation.calls:
            place = _aggregated(relation, below)
        case _:
            return None
    if place is None or any_volatile(below.expressions):
        return None
    value = below.expressions[place]
    calls = [_of_value(call, place) for call in relation.calls]
    assumed: Assumed | None = NOTHING
    if AggregateCall("COUNT") in relation.calls:
        assumed = assumed_for_not_null((value,), below.input, context)
    if assumed is None or not all(calls):
        return None
    new = tuple(replace(c, operands=(value,), distinct=True) for c in calls if c is not None)
    keys = tuple(below.expressions[k.index] for k in relation.keys if isinstance(k, Ref))
    return Rewritten(Aggregate(below.input, keys, new, relation.names), assumed)


def _aggregated(relation: Aggregate, below: Project) -> int | None:
    """The only column that is no group key; None unless there is exactly one."""
    keys = {key.index for key in relation.keys if isinstance(key, Ref)}
    rest = set(range(len(below.expressions))) - keys
    columns_only = all(isinstance(key, Ref) for key in relation.keys)
    return rest.pop() if columns_only and len(rest) == 1 else None


def _of_value(call: AggregateCall, place: int) -> AggregateCall | None:
    """The call if its only operand is that column, or if it is COUNT(*); else None."""
    wanted: tuple[tuple[Expression, ...], ...] = ((Ref(place),),)
    if call.name == "COUNT":
        wanted = (*wanted, ())
    fits = call.name in _OF_VALUES and call.filter is None and not call.order
    return call if fits and call.operands in wanted else None


# ---------------------------------------------------------------- count of key
# ``COUNT(DISTINCT t.id)`` of a join counts rows of ``t`` that have a partner, if id is a key.
#
# Joined tables that are not read become EXISTS. Then every row has another id.


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY})
def count_of_key(relation: Aggregate, context: Context) -> Rewritten | None:
    """``SELECT COUNT(DISTINCT t.id) FROM t JOIN c ON …`` → ``SELECT COUNT(t.id) FROM t WHERE
    EXISTS (SELECT 1 FROM c WHERE …)``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if not any(map(_counts, relation.calls)):
        return None
    if not all(map(is_blind, relation.calls)):
        return None
    read = tuple(dict.fromkeys(expressions(relation)))
    joined = selection(Project(relation.input, read))
    asking = with_questions(joined) if joined is not None else None
    if asking is None:
        return None
    rows = asking.where(*asking.conjuncts)
    new = map_expressions(replace(relation, input=rows), lambda e: Ref(read.index(e)))
    assert isinstance(new, Aggregate)
    for call in filter(_counts, new.calls):
        columns = {e.index for e in (*new.keys, *call.operands) if isinstance(e, Ref)}
        assumed = assumed_for_unique(rows, columns, context)
        if assumed is not None:
            return Rewritten(new, assumed)
    return None


def _counts(call: AggregateCall) -> bool:
    return call.name == "COUNT" and call.distinct and len(call.operands) == 1


# ---------------------------------------------------------------- difference of counts


@rule(RELATION, at={"Project"}, needs={"-"})
def difference_of_counts(relation: Project, _: Context) -> Rewritten | None:
    """``COUNT(*) - COUNT(x)`` → ``COUNT(*) FILTER (WHERE x IS NULL)``.

    Any two counts of the same rows, where the second counts some of what the first counts.
    """
    below = relation.input
    if not isinstance(below, Aggregate):
        return None
    calls = list(below.calls)

    def counted(part: Expression) -> Expression:
        match part:
            case Call(name="-", operands=(Ref(index=one), Ref(index=other))):
                count = _rest(*(_counted_rows(below, index) for index in (one, other)))
                if count is not None:
                    calls.append(count)
                    return Ref(width(below) + len(calls) - len(below.calls) - 1)
        return part

    shown = tuple(transform(e, counted) for e in relation.expressions)
    if len(calls) == len(below.calls):
        return None
    return Rewritten(
        replace(relation, input=replace(below, calls=tuple(calls), names=()), expressions=shown)
    )


def _counted_rows(aggregate: Aggregate, index: int) -> list[Expression] | None:
    """The conditions of the rows that a COUNT counts; None if the column is no such COUNT."""
    place = index - len(aggregate.keys)
    call = aggregate.calls[place] if place >= 0 else None
    if call is None or call.name != "COUNT" or call.distinct or len(call.operands) > 1:
        return None
    conditions = [] if call.filter is None else list(conjuncts(call.filter))
    return conditions + [not_null(operand) for operand in call.operands]


def _rest(rows: list[Expression] | None, without: list[Expression] | None) -> AggregateCall | None:
    """The count of the first rows that are not among the second; None if these are no part."""
    if rows is None or without is None or not set(rows) < set(without):
        return None
    more = conjunction(each for each in without if each not in rows)
    return replace(_ROWS, filter=conjunction((*rows, Call("NOT", (Call("IS TRUE", (more,)),)))))


# ---------------------------------------------------------------- extreme of arithmetic
# ``MAX(x + 1)`` is ``MAX(x) + 1``: the operation keeps the order of the values, or reverses it.
#
# Rounding keeps the order, too. Only integers are negated, because NaN stays the greatest number.
# Products of floats are taken with factors from 1: a smaller one can make -0.0 of a number.


_REVERSED = {"MIN": "MAX", "MAX": "MIN"}
_EXACT_NUMBERS = (Type.INTEGER, Type.DECIMAL)


@rule(
    RELATION,
    at={"Aggregate"},
    needs={"+", "-", "*", "/", "NEG"},
    assumes={Assumption.TYPES, Assumption.NO_OVERFLOW},
)
def extreme_of_arithmetic(relation: Aggregate, context: Context) -> Rewritten | None:
    """``MAX(x + 1)`` → ``MAX(x) + 1``; ``MIN(10 - x)`` → ``10 - MAX(x)``.

    Assumes no overflow for integers, and types in SQLite, which does not enforce declared types.
    """
    if any(call.name == "BARE" for call in relation.calls):
        return None
    scope = Scope(fields(relation.input, context), context)
    start = len(relation.keys)
    for i, call in enumerate(relation.calls):
        if call.name not in _REVERSED or len(call.operands) != 1:
            continue
        found = _monotone(call.operands[0], scope)
        if found is None:
            continue
        place, rising, assumed = found
        operation = call.operands[0]
        assert isinstance(operation, Call)
        plain = replace(
            call,
            name=call.name if rising else _REVERSED[call.name],
            operands=(operation.operands[place],),
        )
        shown: list[Expression] = list(map(Ref, range(width(relation))))
        outside = list(operation.operands)
        outside[place] = Ref(start + i)
        shown[start + i] = Call(operation.name, tuple(outside))
        calls = (*relation.calls[:i], plain, *relation.calls[i + 1 :])
        below = replace(relation, calls=calls, names=())
        return Rewritten(Project(below, tuple(shown), relation.names), assumed)
    return None


def _monotone(operand: Expression, scope: Scope) -> tuple[int, bool, Assumed] | None:
    """Which operand of an operation varies, whether the result rises with it, and what is assumed.

    None if the order of the values is not known to be kept or reversed.
    """
    match operand:
        case Call(name="NEG", operands=(x,)):
            place, factor, rising = 0, None, False
        case Call(name="+" | "-" | "*" | "/" as name, operands=(x, Literal() as constant)):
            place, factor = 0, number(constant)
            rising = name in "+-" or (factor or 0) > 0
        case Call(name="+" | "-" | "*" as name, operands=(Literal() as constant, x)):
            place, factor = 1, number(constant)
            rising = name == "+" or (name == "*" and (factor or 0) > 0)
        case _:
            return None
    if isinstance(x, Literal) or (operand.name != "NEG" and not factor):
        return None
    types: tuple[Type, ...] = _EXACT_NUMBERS if rising else (Type.INTEGER,)
    if rising and (operand.name in "+-" or (operand.name == "*" and (factor or 0) >= 1)):
        types = (*types, Type.REAL)
    assumed = typed(x, types, scope)
    if assumed is None or operand.name == "/" or typed(x, (Type.REAL,), scope) is not None:
        return None if assumed is None else (place, rising, assumed)
    if not scope.context.may(Assumption.NO_OVERFLOW):
        return None
    return place, rising, assumed | {Assumption.NO_OVERFLOW}
