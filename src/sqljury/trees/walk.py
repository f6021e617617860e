"""Parts of trees: what is directly inside, the same node with other parts, new references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    Subquery,
    TableFunction,
    Values,
    Window,
    WindowCall,
    Working,
)

OnExpression = Callable[[Expression], Expression]


# ---------------------------------------------------------------- relations


def width(relation: Relation) -> int:
    """How many columns a relation's rows have."""
    match relation:
        case Scan() | TableFunction():
            return len(relation.columns)
        case Values():
            return len(relation.rows[0]) if relation.rows else len(relation.names)
        case Project():
            return len(relation.expressions)
        case Join():
            left = width(relation.left)
            semi = relation.kind in (JoinKind.SEMI, JoinKind.ANTI)
            return left if semi else left + width(relation.right)
        case Aggregate():
            return len(relation.keys) + len(relation.calls)
        case Window():
            return width(relation.input) + len(relation.calls)
        case SetOperation():
            return width(relation.inputs[0])
        case Recursive():
            return width(relation.seed)
        case Working():
            return relation.width
        case Filter() | Distinct() | Sort() | Limit():
            return width(relation.input)


def inputs(relation: Relation) -> tuple[Relation, ...]:
    """The relations that a relation reads, left to right; not those inside its expressions."""
    match relation:
        case Scan() | Values() | TableFunction() | Working():
            return ()
        case Join():
            return (relation.left, relation.right)
        case SetOperation():
            return relation.inputs
        case Recursive():
            return (relation.seed, relation.step)
        case _:
            return (relation.input,)


def with_inputs(relation: Relation, new: tuple[Relation, ...]) -> Relation:
    """The same operator on other inputs."""
    if all(a is b for a, b in zip(inputs(relation), new, strict=True)):
        return relation
    match relation:
        case Scan() | Values() | TableFunction() | Working():
            return relation
        case Join():
            left, right = new
            return Join(relation.kind, left, right, relation.condition, relation.lateral)
        case SetOperation():
            return replace(relation, inputs=new)
        case Recursive():
            return replace(relation, seed=new[0], step=new[1])
        # Not by replace(), which takes three times as long, and most are these.
        case Filter():
            return Filter(new[0], relation.condition)
        case Project():
            return Project(new[0], relation.expressions, relation.names)
        case Aggregate():
            return Aggregate(new[0], relation.keys, relation.calls, relation.names)
        case _:
            return replace(relation, input=new[0])


def expressions(relation: Relation) -> Iterator[Expression]:
    """The expressions that a relation itself evaluates, in order."""
    match relation:
        case Filter() | Join():
            yield relation.condition
        case Project():
            yield from relation.expressions
        case TableFunction():
            yield from relation.operands
        case Values():
            for row in relation.rows:
                yield from row
        case Aggregate():
            yield from relation.keys
            for call in relation.calls:
                yield from _of_aggregate(call)
        case Window():
            for window in relation.calls:
                yield from _of_window(window)
        case Sort():
            yield from (key.expression for key in relation.keys)
        case Limit():
            yield from (e for e in (relation.count, relation.offset) if e is not None)
        case _:
            return


def map_expressions(relation: Relation, f: OnExpression) -> Relation:
    """The same operator with ``f`` of each of its own expressions."""
    match relation:
        case Filter():
            return Filter(relation.input, f(relation.condition))
        case Join():
            condition = f(relation.condition)
            return Join(relation.kind, relation.left, relation.right, condition, relation.lateral)
        case Project():
            return Project(relation.input, tuple(map(f, relation.expressions)), relation.names)
        case TableFunction():
            return replace(relation, operands=tuple(map(f, relation.operands)))
        case Values():
            return replace(relation, rows=tuple(tuple(map(f, row)) for row in relation.rows))
        case Aggregate():
            return replace(
                relation,
                keys=tuple(map(f, relation.keys)),
                calls=tuple(map_aggregate(call, f) for call in relation.calls),
            )
        case Window():
            return replace(relation, calls=tuple(map_window(call, f) for call in relation.calls))
        case Sort():
            return replace(relation, keys=map_keys(relation.keys, f))
        case Limit():
            return replace(
                relation, count=_maybe(relation.count, f), offset=_maybe(relation.offset, f)
            )
        case _:
            return relation


def _of_aggregate(call: AggregateCall) -> Iterator[Expression]:
    yield from call.operands
    if call.filter is not None:
        yield call.filter
    yield from (key.expression for key in call.order)


def _of_window(call: WindowCall) -> Iterator[Expression]:
    yield from call.operands
    yield from call.partition
    yield from (key.expression for key in call.order)
    if call.filter is not None:
        yield call.filter


def map_aggregate(call: AggregateCall, f: OnExpression) -> AggregateCall:
    """The same aggregate with ``f`` of each of its expressions."""
    return AggregateCall(
        call.name,
        tuple(map(f, call.operands)),
        call.distinct,
        _maybe(call.filter, f),
        map_keys(call.order, f),
    )


def map_window(call: WindowCall, f: OnExpression) -> WindowCall:
    """The same window function with ``f`` of each of its expressions."""
    return replace(
        call,
        operands=tuple(map(f, call.operands)),
        partition=tuple(map(f, call.partition)),
        order=map_keys(call.order, f),
        filter=_maybe(call.filter, f),
    )


def map_keys(keys: tuple[SortKey, ...], f: OnExpression) -> tuple[SortKey, ...]:
    """The same order by ``f`` of each key."""
    return tuple(SortKey(f(key.expression), key.descending, key.nulls_last) for key in keys)


def _maybe(expression: Expression | None, f: OnExpression) -> Expression | None:
    return None if expression is None else f(expression)


# ---------------------------------------------------------------- expressions


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside; not those of a subquery's relation."""
    match expression:
        case Call() | Subquery():
            return expression.operands
        case Cast():
            return (expression.operand,)
        case _:
            return ()


def with_operands(expression: Expression, new: tuple[Expression, ...]) -> Expression:
    """The same operator on other operands."""
    match expression:
        case Call() | Subquery():
            if all(a is b for a, b in zip(expression.operands, new, strict=True)):
                return expression
            if isinstance(expression, Call):
                return Call(expression.name, new)
            return replace(expression, operands=new)
        case Cast():
            return (
                expression if expression.operand is new[0] else replace(expression, operand=new[0])
            )
        case _:
            return expression


def transform(expression: Expression, f: OnExpression) -> Expression:
    """``f`` of every part from the leaves up; relations inside subqueries are left alone."""
    parts = tuple(transform(part, f) for part in operands(expression))
    return f(with_operands(expression, parts))


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all its parts; relations inside subqueries are not entered."""
    yield expression
    for part in operands(expression):
        yield from subexpressions(part)


def subqueries(relation: Relation) -> Iterator[Subquery]:
    """The subqueries in a relation's own expressions."""
    for expression in expressions(relation):
        yield from (part for part in subexpressions(expression) if isinstance(part, Subquery))


def relations(relation: Relation) -> Iterator[Relation]:
    """The relation and every relation below, those inside expressions included."""
    yield relation
    for sub in subqueries(relation):
        yield from relations(sub.relation)
    for below in inputs(relation):
        yield from relations(below)


# ---------------------------------------------------------------- references
#
# A reference is (level, index) as seen from the expression that is looked at: level 0 is the row
# at hand. Inside a subquery the same row is one level further out.

Replacement = Callable[[int, int], Expression]


def map_references(expression: Expression, f: Replacement) -> Expression:
    """``f(level, index)`` in place of each reference to the row at hand (0) or further out.

    What ``f`` gives is written as seen from ``expression``; inside subqueries it is deepened.
    """
    return _map_expression(expression, f, 0)


def map_outer_references(relation: Relation, f: Replacement) -> Relation:
    """The relation with ``f`` of all references that lead out of it; level 1 is the nearest row
    around.

    What ``f`` gives is written as seen from an expression directly inside the relation, where
    the row around is ``Outer(1, …)``.
    """
    return _map_relation(relation, lambda level, index: f(level + 1, index), 1, lift=1)


def _map_expression(
    expression: Expression, f: Replacement, depth: int, lift: int = 0
) -> Expression:
    match expression:
        case Ref() if depth == 0:
            return f(0, expression.index)
        case Outer() if expression.level >= depth:
            return deepen(f(expression.level - depth, expression.index), depth - lift)
        case Subquery():
            return replace(
                expression,
                relation=_map_relation(expression.relation, f, depth + 1, lift),
                operands=tuple(_map_expression(o, f, depth, lift) for o in expression.operands),
            )
        case Call() | Cast():
            new = tuple(_map_expression(o, f, depth, lift) for o in operands(expression))
            return with_operands(expression, new)
        case _:
            return expression


def _map_relation(relation: Relation, f: Replacement, depth: int, lift: int = 0) -> Relation:
    if isinstance(relation, Join):
        right = depth + 1 if relation.lateral else depth
        new: tuple[Relation, ...] = (
            _map_relation(relation.left, f, depth, lift),
            _map_relation(relation.right, f, right, lift),
        )
    else:
        new = tuple(_map_relation(below, f, depth, lift) for below in inputs(relation))
    mapped = map_expressions(relation, lambda e: _map_expression(e, f, depth, lift))
    return with_inputs(mapped, new)


def deepen(expression: Expression, levels: int) -> Expression:
    """The same value as seen from ``levels`` subqueries further in."""
    if levels == 0:
        return expression
    return _deepen_expression(expression, levels, 0)


def _deepen_expression(expression: Expression, by: int, depth: int) -> Expression:
    match expression:
        case Ref() if depth == 0:
            return Outer(by, expression.index)
        case Outer() if expression.level >= max(depth, 1):
            return Outer(expression.level + by, expression.index)
        case Subquery():
            return replace(
                expression,
                relation=_deepen_relation(expression.relation, by, depth + 1),
                operands=tuple(_deepen_expression(o, by, depth) for o in expression.operands),
            )
        case Call() | Cast():
            new = tuple(_deepen_expression(o, by, depth) for o in operands(expression))
            return with_operands(expression, new)
        case _:
            return expression


def _deepen_relation(relation: Relation, by: int, depth: int) -> Relation:
    below = inputs(relation)
    lateral = isinstance(relation, Join) and relation.lateral
    new = tuple(
        _deepen_relation(r, by, depth + (1 if lateral and i == 1 else 0))
        for i, r in enumerate(below)
    )
    mapped = map_expressions(relation, lambda e: _deepen_expression(e, by, depth))
    return with_inputs(mapped, new)


def substitute(expression: Expression, values: tuple[Expression, ...]) -> Expression:
    """``values[i]`` in place of column *i* of the row at hand: an expression over a Project's
    output becomes one over its input."""
    return map_references(
        expression, lambda level, index: values[index] if level == 0 else Outer(level, index)
    )


def renumber(expression: Expression, position: Callable[[int], int]) -> Expression:
    """``Ref(position(i))`` in place of column *i* of the row at hand."""
    return map_references(
        expression,
        lambda level, index: Ref(position(index)) if level == 0 else Outer(level, index),
    )


def over_pair(expression: Expression, by: int) -> Expression:
    """A condition inside a subquery, as the condition of a join that has the ``by`` columns of
    the row around on its left and the subquery's own row on its right."""

    def moved(level: int, index: int) -> Expression:
        if level == 0:
            return Ref(by + index)
        return Ref(index) if level == 1 else Outer(level - 1, index)

    return map_references(expression, moved)


def shift(expression: Expression, by: int) -> Expression:
    """All columns of the row at hand ``by`` places further right."""
    return expression if by == 0 else renumber(expression, lambda index: index + by)


def references(expression: Expression) -> frozenset[tuple[int, int]]:
    """All (level, index) that an expression reads, from inside its subqueries too."""
    found: set[tuple[int, int]] = set()

    def note(level: int, index: int) -> Expression:
        found.add((level, index))
        return Ref(index) if level == 0 else Outer(level, index)

    map_references(expression, note)
    return frozenset(found)


def columns_read(expression: Expression) -> frozenset[int]:
    """The columns of the row at hand that an expression reads, from inside its subqueries too."""
    return frozenset(index for level, index in references(expression) if level == 0)


def outer_references(relation: Relation) -> frozenset[tuple[int, int]]:
    """All (level, index) that lead out of a relation; level 1 is the nearest row around."""
    found: set[tuple[int, int]] = set()

    def note(level: int, index: int) -> Expression:
        found.add((level, index))
        return Outer(level, index)

    map_outer_references(relation, note)
    return frozenset(found)


def is_correlated(relation: Relation) -> bool:
    """Whether a relation reads a row around it."""
    return bool(outer_references(relation))


def literal(expression: Expression) -> Literal | None:
    """The expression if it is a constant."""
    return expression if isinstance(expression, Literal) else None
