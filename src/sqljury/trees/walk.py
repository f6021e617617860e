"""Parts of trees: what is directly inside, the same node with other parts, new references."""

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
    """``f`` of each part; the very same tuple where nothing changes."""
    new = tuple([f(part) for part in parts])
    return parts if _same(parts, new) else new


def _same(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    """Whether these are the very same parts."""
    return len(old) == len(new) and all(map(is_, old, new))


# ---------------------------------------------------------------- relations


@fact
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
    """The same operator on other inputs."""
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
        # Not by replace(), which takes three times as long, and most are these.
        case Filter():
            return Filter(new[0], relation.condition)
        case Project():
            return Project(new[0], relation.expressions, relation.names)
        case Aggregate():
            return Aggregate(new[0], relation.keys, relation.calls, relation.names)
        case _:
            return replace(relation, input=new[0])


def expressions(node: TreeNode) -> Iterator[Expression]:
    """The expressions that a relation or a call itself evaluates, in order."""
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
    """The same relation, call or sort key with ``f`` of each of its own expressions; the very same
    one where nothing changes."""
    new = {}
    for name, mapped in _HOLDERS[type(node)]:
        value = getattr(node, name)
        made = mapped(value, f)
        if made is not value:
            new[name] = made
    if not new:
        return node
    # Not by replace(), which takes three times as long.
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
"""How a field's value is mapped, by the field's type."""
_CARRIERS = (SortKey, AggregateCall, WindowCall)
"""What holds expressions, and is none."""
_HOLDERS = {
    kind: tuple((f.name, _MAPPED[str(f.type)]) for f in fields(kind) if f.type in _MAPPED)
    for kind in (*get_args(Relation), *_CARRIERS)
}
"""The fields of each class that hold expressions, in their order."""


def with_groups(
    relation: Aggregate, keys: tuple[Expression, ...], calls: tuple[AggregateCall, ...]
) -> Aggregate:
    """The same aggregate by other keys, with other calls; the very same one where these are."""
    if keys is relation.keys and calls is relation.calls:
        return relation
    return Aggregate(relation.input, keys, calls, relation.names)


# ---------------------------------------------------------------- expressions


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside; not those of a subquery's relation."""
    if isinstance(expression, (Call, Subquery)):
        return expression.operands
    return (expression.operand,) if isinstance(expression, Cast) else ()


def with_operands(expression: Expression, new: tuple[Expression, ...]) -> Expression:
    """The same operator on other operands."""
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
    """``f`` of every part from the leaves up; relations inside subqueries are left alone."""
    parts = operands(expression)
    if parts:
        expression = with_operands(expression, tuple([transform(part, f) for part in parts]))
    return f(expression)


def map_queries(expression: Expression, f: Callable[[Subquery], Expression]) -> Expression:
    """``f`` of every subquery in an expression, from the leaves up."""
    if "Subquery" not in names(expression):
        return expression
    return transform(expression, lambda e: f(e) if isinstance(e, Subquery) else e)


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


# ---------------------------------------------------------------- what is in a tree


@fact
def names(node: Expression | Relation) -> frozenset[str]:
    """The names of all that a tree is made of: the classes of its nodes, and for calls of one row
    and tables' functions their own names; queries inside expressions are entered."""
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
    """How many parts an expression has, itself included; queries inside are not entered."""
    return 1 + sum([length(part) for part in operands(expression)])


@fact
def size(relation: Relation) -> int:
    """How many relations a tree has, those inside expressions included."""
    below = [size(part) for part in inputs(relation)]
    if "Subquery" in names(relation):
        below += [size(sub.relation) for sub in subqueries(relation)]
    return 1 + sum(below)


_LEAVES = (Ref, Outer, Literal)


def _parts(node: Expression | Relation) -> tuple[Expression | Relation, ...]:
    """All that is directly inside a node."""
    match node:
        case Subquery():
            return (*node.operands, node.relation)
        case Ref() | Outer() | Literal() | Call() | Cast():
            return operands(node)
        case _:
            return (*inputs(node), *expressions(node))


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
        case Ref():
            return expression if depth else f(0, expression.index)
        case Outer() if expression.level >= depth:
            return deepen(f(expression.level - depth, expression.index), depth - lift)
        case Call() | Cast() if reach(expression) >= depth:
            new = tuple([_map_expression(o, f, depth, lift) for o in operands(expression)])
            return with_operands(expression, new)
        case Subquery() if reach(expression) >= depth:
            inside = _map_relation(expression.relation, f, depth + 1, lift)
            new = tuple([_map_expression(o, f, depth, lift) for o in expression.operands])
            return with_relation(with_operands(expression, new), inside)
        case _:
            return expression


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
    """A subquery's expression with another query."""
    assert isinstance(subquery, Subquery)
    if relation is subquery.relation:
        return subquery
    return Subquery(subquery.kind, relation, subquery.operands, subquery.operator)


@fact
def reach(node: Expression | Relation) -> int:
    """How far out a tree reads: 0 the row at hand, 1 the nearest row around it, and so on; -1
    where it reads no row, or, of a relation, none around it."""
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
    """The same rows as seen from one subquery further in."""
    return map_outer_references(relation, lambda level, index: Outer(level + 1, index))


def deepen(expression: Expression, levels: int) -> Expression:
    """The same value as seen from ``levels`` subqueries further in."""
    if levels == 0:
        return expression
    return map_references(expression, lambda level, index: Outer(level + levels, index))


def substitute(expression: Expression, values: tuple[Expression, ...]) -> Expression:
    """``values[i]`` in place of column *i* of the row at hand: an expression over a Project's
    output becomes one over its input."""
    if isinstance(expression, Ref):
        return values[expression.index]
    return map_references(
        expression, lambda level, index: values[index] if level == 0 else Outer(level, index)
    )


def renumber(expression: Expression, position: Callable[[int], int]) -> Expression:
    """``Ref(position(i))`` in place of column *i* of the row at hand."""
    if isinstance(expression, Ref):
        return ref(position(expression.index))

    def moved(level: int, index: int) -> Expression:
        return ref(position(index)) if level == 0 else Outer(level, index)

    return map_references(expression, moved)


def over_pair(expression: Expression, by: int) -> Expression:
    """A condition inside a subquery, as the condition of a join that has the ``by`` columns of
    the row around on its left and the subquery's own row on its right."""

    def moved(level: int, index: int) -> Expression:
        if level == 0:
            return ref(by + index)
        return ref(index) if level == 1 else Outer(level - 1, index)

    return map_references(expression, moved)


def shift(expression: Expression, by: int) -> Expression:
    """All columns of the row at hand ``by`` places further right."""
    return expression if by == 0 else renumber(expression, lambda index: index + by)


@fact
def references(expression: Expression) -> frozenset[tuple[int, int]]:
    """All (level, index) that an expression reads, from inside its subqueries too."""
    found: set[tuple[int, int]] = set()

    def note(level: int, index: int) -> Expression:
        found.add((level, index))
        return ref(index) if level == 0 else Outer(level, index)

    map_references(expression, note)
    return frozenset(found)


@fact
def columns_read(expression: Expression) -> frozenset[int]:
    """The columns of the row at hand that an expression reads, from inside its subqueries too."""
    return frozenset(index for level, index in references(expression) if level == 0)


@fact
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
    return reach(relation) > 0


def literal(expression: Expression) -> Literal | None:
    """The expression if it is a constant."""
    return expression if isinstance(expression, Literal) else None
