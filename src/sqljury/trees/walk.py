"""Functions to walk and rebuild trees: a node's parts, copies with other parts, references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from operator import is_
from typing import Any, TypeVar, get_args

from sqljury.trees.facts import fact
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
    TreeNode,
    Values,
    Window,
    WindowCall,
    Working,
    ref,
)

OnExpression = Callable[[Expression], Expression]
Part = TypeVar("Part")
Kind = TypeVar("Kind", bound=TreeNode)


def _mapped(parts: tuple[Part, ...], f: Callable[[Part], Part]) -> tuple[Part, ...]:
    """``f`` of each part; the same tuple object if no part changes."""
    new = tuple([f(part) for part in parts])
    return parts if _same(parts, new) else new


def _same(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    """True if both tuples hold the same objects (``is``)."""
    return len(old) == len(new) and all(map(is_, old, new))


# ---------------------------------------------------------------- relations


@fact
def width(relation: Relation) -> int:
    """The number of output columns of a relation."""
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
    """A relation's input relations, left to right; not the subqueries in its expressions."""
    if isinstance(relation, _OF_ONE):
        return (relation.input,)
    match relation:
        case Join():
            return (relation.left, relation.right)
        case SetOperation():
            return relation.inputs
        case Recursive():
            return (relation.seed, relation.step)
        case _:
            return ()


_OF_ONE = (Filter, Project, Aggregate, Distinct, Sort, Limit, Window)


def with_inputs(relation: Relation, new: tuple[Relation, ...]) -> Relation:
    """The same operator on other inputs; the same object if the inputs do not change."""
    if _same(inputs(relation), new):
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
        # The constructor instead of replace(): three times as fast, for the most frequent kinds.
        case Filter():
            return Filter(new[0], relation.condition)
        case Project():
            return Project(new[0], relation.expressions, relation.names)
        case Aggregate():
            return Aggregate(new[0], relation.keys, relation.calls, relation.names)
        case _:
            return replace(relation, input=new[0])


def expressions(node: TreeNode) -> Iterator[Expression]:
    """The expressions in the fields of a relation, call or sort key, in order; inputs are not
    entered."""
    for name, _ in _HOLDERS[type(node)]:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, _CARRIERS):
                yield from expressions(part)
            elif isinstance(part, tuple):
                yield from part
            elif part is not None:
                yield part


def map_expressions(node: Kind, f: OnExpression) -> Kind:
    """The relation, call or sort key with ``f`` applied to each of its own expressions; the same
    object if nothing changes."""
    new = {}
    for name, mapped in _HOLDERS[type(node)]:
        value = getattr(node, name)
        made = mapped(value, f)
        if made is not value:
            new[name] = made
    if not new:
        return node
    # The constructor instead of replace(), which takes three times as long.
    names = type(node).__match_args__  # type: ignore[attr-defined]
    return type(node)(*[new[name] if name in new else getattr(node, name) for name in names])


def _map_many(parts: tuple[Kind, ...], f: OnExpression) -> tuple[Kind, ...]:
    return _mapped(parts, lambda part: map_expressions(part, f))


_MAPPED: dict[str, Callable[[Any, OnExpression], Any]] = {
    "Expression": lambda value, f: f(value),
    "Expression | None": lambda value, f: None if value is None else f(value),
    "tuple[Expression, ...]": _mapped,
    "tuple[tuple[Expression, ...], ...]": lambda rows, f: _mapped(rows, lambda r: _mapped(r, f)),
    "tuple[AggregateCall, ...]": _map_many,
    "tuple[WindowCall, ...]": _map_many,
    "tuple[SortKey, ...]": _map_many,
}
"""How ``f`` is applied to a field's value, by the field's declared type."""
_CARRIERS = (SortKey, AggregateCall, WindowCall)
"""Nodes that hold expressions but are neither expressions nor relations."""
_HOLDERS = {
    kind: tuple((f.name, _MAPPED[str(f.type)]) for f in fields(kind) if f.type in _MAPPED)
    for kind in (*get_args(Relation), *_CARRIERS)
}
"""For each class, its fields that hold expressions and how to map them, in declaration order."""


def with_groups(
    relation: Aggregate, keys: tuple[Expression, ...], calls: tuple[AggregateCall, ...]
) -> Aggregate:
    """The Aggregate with other keys and calls; the same object if both are the same objects."""
    if keys is relation.keys and calls is relation.calls:
        return relation
    return Aggregate(relation.input, keys, calls, relation.names)


# ---------------------------------------------------------------- expressions


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The direct operands of an expression; not the expressions of a subquery's relation."""
    kind = type(expression)
    if kind is Call or kind is Subquery:
        return expression.operands  # type: ignore[union-attr]
    return (expression.operand,) if isinstance(expression, Cast) else ()


def with_operands(expression: Expression, new: tuple[Expression, ...]) -> Expression:
    """The same operator on other operands; the same object if the operands do not change."""
    if _same(operands(expression), new):
        return expression
    match expression:
        case Call():
            return Call(expression.name, new)
        case Subquery():
            return Subquery(expression.kind, expression.relation, new, expression.operator)
        case Cast():
            return Cast(new[0], expression.type_name)
        case _:
            return expression


def transform(expression: Expression, f: OnExpression) -> Expression:
    """Rewrites an expression bottom-up by ``f``; relations of subqueries are not entered."""
    parts = operands(expression)
    if parts:
        expression = with_operands(expression, tuple([transform(part, f) for part in parts]))
    return f(expression)


def map_queries(expression: Expression, f: Callable[[Subquery], Expression]) -> Expression:
    """Replaces each subquery of an expression by ``f`` of it, bottom-up."""
    if "Subquery" not in names(expression):
        return expression
    return transform(expression, lambda e: f(e) if isinstance(e, Subquery) else e)


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all its parts; relations of subqueries are not entered."""
    yield expression
    for part in operands(expression):
        yield from subexpressions(part)


def subqueries(relation: Relation) -> Iterator[Subquery]:
    """The subqueries in a relation's own expressions; inputs are not entered."""
    for expression in expressions(relation):
        yield from (part for part in subexpressions(expression) if isinstance(part, Subquery))


def relations(relation: Relation) -> Iterator[Relation]:
    """The relation and every relation below it, including those of subqueries."""
    yield relation
    for sub in subqueries(relation):
        yield from relations(sub.relation)
    for below in inputs(relation):
        yield from relations(below)


# ---------------------------------------------------------------- what is in a tree


@fact
def names(node: Expression | Relation) -> frozenset[str]:
    """The class names of all nodes of a tree, and the names of its scalar and table functions.

    Subqueries are included. Used to test cheaply whether a tree contains something.
    """
    found = {type(node).__name__}
    if isinstance(node, _LEAVES):
        return frozenset(found)
    if isinstance(node, (Call, TableFunction)):
        found.add(node.name)
    for part in _parts(node):
        found |= names(part)
    return frozenset(found)


@fact
def length(expression: Expression) -> int:
    """The number of nodes of an expression, itself included; relations of subqueries do not
    count."""
    return 1 + sum([length(part) for part in operands(expression)])


@fact
def size(relation: Relation) -> int:
    """The number of relations in a tree, including those of subqueries."""
    below = [size(part) for part in inputs(relation)]
    if "Subquery" in names(relation):
        below += [size(sub.relation) for sub in subqueries(relation)]
    return 1 + sum(below)


_LEAVES = (Ref, Outer, Literal)


def _parts(node: Expression | Relation) -> tuple[Expression | Relation, ...]:
    """The direct parts of a node: operands, inputs, own expressions, a subquery's relation."""
    match node:
        case Subquery():
            return (*node.operands, node.relation)
        case Ref() | Outer() | Literal() | Call() | Cast():
            return operands(node)
        case _:
            return (*inputs(node), *expressions(node))


# ---------------------------------------------------------------- references
#
# A reference is (level, index), relative to the expression that contains it: level 0 is the current
# row. Inside a subquery the same row is one level higher.

Replacement = Callable[[int, int], Expression]


def map_references(expression: Expression, f: Replacement) -> Expression:
    """Replaces each reference by ``f(level, index)``; level 0 is the current row.

    ``f`` returns an expression relative to ``expression``; for references inside a subquery, the
    levels of that result are raised accordingly.
    """
    return _map_expression(expression, f, 0)


def map_outer_references(relation: Relation, f: Replacement) -> Relation:
    """Replaces each reference out of the relation by ``f(level, index)``; level 1 is the row of the
    nearest enclosing query.

    ``f`` returns an expression relative to an expression directly inside the relation, where
    that row is ``Outer(1, …)``.
    """
    return _map_relation(relation, lambda level, index: f(level + 1, index), 1, lift=1)


def _map_expression(
    expression: Expression, f: Replacement, depth: int, lift: int = 0
) -> Expression:
    kind = type(expression)
    if kind is Ref:
        return expression if depth else f(0, expression.index)  # type: ignore[union-attr]
    if kind is Literal or reach(expression) < depth:
        return expression
    if kind is Outer:
        level, index = expression.level, expression.index  # type: ignore[union-attr]
        return deepen(f(level - depth, index), depth - lift)
    new = tuple([_map_expression(o, f, depth, lift) for o in operands(expression)])
    mapped = with_operands(expression, new)
    if isinstance(expression, Subquery):
        return with_relation(mapped, _map_relation(expression.relation, f, depth + 1, lift))
    return mapped


def _map_relation(relation: Relation, f: Replacement, depth: int, lift: int = 0) -> Relation:
    if reach(relation) < depth:
        return relation
    lateral = isinstance(relation, Join) and relation.lateral
    new = tuple(
        [
            _map_relation(below, f, depth + (1 if lateral and i == 1 else 0), lift)
            for i, below in enumerate(inputs(relation))
        ]
    )
    mapped = map_expressions(relation, lambda e: _map_expression(e, f, depth, lift))
    return with_inputs(mapped, new)


def with_relation(subquery: Expression, relation: Relation) -> Expression:
    """The subquery with another relation; the same object if it is the same relation."""
    assert isinstance(subquery, Subquery)
    if relation is subquery.relation:
        return subquery
    return Subquery(subquery.kind, relation, subquery.operands, subquery.operator)


@fact
def reach(node: Expression | Relation) -> int:
    """The highest level that a tree references.

    For an expression: 0 is the current row, 1 the nearest enclosing query's row, and so on; -1 if
    it reads no row. For a relation: 1 is the nearest enclosing query's row; -1 if uncorrelated.
    """
    match node:
        case Ref():
            return 0
        case Outer():
            return node.level
        case Literal():
            return -1
        case Call() | Cast():
            return max(map(reach, operands(node)), default=-1)
        case Subquery():
            inside = reach(node.relation) - 1
            return max(max(map(reach, node.operands), default=-1), inside)
        case _:
            below = [reach(part) for part in inputs(node)]
            if isinstance(node, Join) and node.lateral:
                below[1] -= 1
            found = max([*below, *map(reach, expressions(node))], default=-1)
            return found if found > 0 else -1


def deepen_relation(relation: Relation) -> Relation:
    """The relation with the levels of all references out of it raised by one, for use one subquery
    deeper."""
    return map_outer_references(relation, lambda level, index: Outer(level + 1, index))


def deepen(expression: Expression, levels: int) -> Expression:
    """The expression with all references raised by ``levels``, for use that many subqueries
    deeper."""
    if levels == 0:
        return expression
    return map_references(expression, lambda level, index: Outer(level + levels, index))


def substitute(expression: Expression, values: tuple[Expression, ...]) -> Expression:
    """Replaces column *i* of the current row by ``values[i]``: turns an expression over a Project's
    output into one over its input."""
    if isinstance(expression, Ref):
        return values[expression.index]
    return map_references(
        expression, lambda level, index: values[index] if level == 0 else Outer(level, index)
    )


def renumber(expression: Expression, position: Callable[[int], int]) -> Expression:
    """Replaces column *i* of the current row by ``Ref(position(i))``."""
    if isinstance(expression, Ref):
        return ref(position(expression.index))

    def moved(level: int, index: int) -> Expression:
        return ref(position(index)) if level == 0 else Outer(level, index)

    return map_references(expression, moved)


def over_pair(expression: Expression, by: int) -> Expression:
    """Turns a condition inside a subquery into the condition of a join.

    The join's left side is the enclosing query's row of ``by`` columns, its right side the
    subquery's own row.
    """

    def moved(level: int, index: int) -> Expression:
        if level == 0:
            return ref(by + index)
        return ref(index) if level == 1 else Outer(level - 1, index)

    return map_references(expression, moved)


def shift(expression: Expression, by: int) -> Expression:
    """Adds ``by`` to the index of every reference to the current row."""
    return expression if by == 0 else renumber(expression, lambda index: index + by)


@fact
def references(expression: Expression) -> frozenset[tuple[int, int]]:
    """All (level, index) that an expression reads, also inside its subqueries."""
    found: set[tuple[int, int]] = set()

    def note(level: int, index: int) -> Expression:
        found.add((level, index))
        return ref(index) if level == 0 else Outer(level, index)

    map_references(expression, note)
    return frozenset(found)


@fact
def columns_read(expression: Expression) -> frozenset[int]:
    """Indexes of the columns of the current row that an expression reads, also inside its
    subqueries."""
    return frozenset(index for level, index in references(expression) if level == 0)


@fact
def outer_references(relation: Relation) -> frozenset[tuple[int, int]]:
    """All (level, index) by which a relation reads rows of enclosing queries; level 1 is the
    nearest."""
    found: set[tuple[int, int]] = set()

    def note(level: int, index: int) -> Expression:
        found.add((level, index))
        return Outer(level, index)

    map_outer_references(relation, note)
    return frozenset(found)


def is_correlated(relation: Relation) -> bool:
    """True if a relation reads a row of an enclosing query."""
    return reach(relation) > 0


def literal(expression: Expression) -> Literal | None:
    """The expression if it is a constant, else None."""
    return expression if isinstance(expression, Literal) else None
