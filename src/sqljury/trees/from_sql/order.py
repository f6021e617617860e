"""ORDER BY, LIMIT, OFFSET, TOP and FETCH."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sqljury.trees.from_sql.calls import sort_key
from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.names import identifier
from sqljury.trees.from_sql.scopes import (
    Environment,
    FromItem,
    FromScope,
    NoTreeError,
    invalid,
    unsupported,
)
from sqljury.trees.from_sql.work import Item, NamedRelation, SelectItems, Work
from sqljury.trees.nodes import (
    Call,
    Expression,
    Limit,
    Literal,
    Ref,
    Relation,
    Sort,
    SortKey,
    Type,
)

Bounds = tuple[Expression | None, Expression | None]


# ---------------------------------------------------------------- LIMIT


def bounds(work: Work, node: exp.Expr, environment: Environment) -> Bounds:
    """How many rows after how many; None for all and none."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    return _count(work, limit, environment), _value(work, offset, environment)


def _count(work: Work, limit: exp.Expr | None, environment: Environment) -> Expression | None:
    if limit is None:
        return None
    options = limit.args.get("limit_options")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        raise unsupported("PERCENT or WITH TIES")
    if limit.args.get("expressions"):
        raise unsupported("LIMIT BY")
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
        if count is None:
            return Literal(1, Type.INTEGER)
        return expression(work, count, FromScope(environment))
    return _value(work, limit, environment)


def _value(work: Work, node: exp.Expr | None, environment: Environment) -> Expression | None:
    if node is None:
        return None
    value = node.expression
    if isinstance(value, exp.Null | exp.All) or (
        isinstance(value, exp.Column | exp.Var) and value.name.upper() == "ALL"
    ):
        return None
    return expression(work, value, FromScope(environment))


def limited(relation: Relation, limits: Bounds) -> Relation:
    """The rows within bounds."""
    return relation if limits == (None, None) else Limit(relation, *limits)


# ---------------------------------------------------------------- ORDER BY


@dataclass(frozen=True, slots=True)
class Term:
    """One key of an ORDER BY: an output column, or else an expression of the row below."""

    ordered: exp.Expr
    position: int | None
    expression: Expression | None
    collation: Literal | None = None


def terms(
    node: exp.Expr, width: int, resolve: Callable[[exp.Expr], int | Expression]
) -> list[Term]:
    """The keys of a query's ORDER BY, each resolved to an output column or to an expression.

    ``width`` is the number of output columns, for ORDER BY ALL.
    """
    order = node.args.get("order")
    if order is None:
        return []
    if order.args.get("siblings") or node.args.get("sort") or node.args.get("cluster"):
        raise unsupported("ORDER SIBLINGS BY, SORT BY or CLUSTER BY")
    found = []
    for ordered in order.expressions:
        key, collation = ordered.this, None
        if isinstance(key, exp.Var) and key.name.upper() == "ALL":
            found += [Term(ordered, i, None) for i in range(width)]
            continue
        if isinstance(key, exp.Collate):
            collation = Literal(key.expression.name, Type.TEXT)
            key = key.this
        value = resolve(key)
        if isinstance(value, int):
            found.append(Term(ordered, value, None, collation))
        else:
            found.append(Term(ordered, None, value, collation))
    return found


def position(node: exp.Expr, width: int) -> int | None:
    """The output column that a number means, from 0.

    Raises:
        NoTreeError: there is no such column.
    """
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
        return None
    number = int(node.this)
    if not 1 <= number <= width:
        raise invalid(f"there is no column {number}")
    return number - 1


def named(node: exp.Expr, items: tuple[Item, ...]) -> int | None:
    """The output column that is called so."""
    if not isinstance(node, exp.Column) or node.args.get("table") is not None:
        return None
    name = identifier(node.this)
    for i, item in enumerate(items):
        if item.named and item.name.lower() == name:
            return i
    return None


def sort_keys(found: list[Term], values: list[Expression]) -> tuple[SortKey, ...]:
    """The keys of an order; ``values`` are the terms as expressions of the row that is sorted."""
    keys = []
    for term, value in zip(found, values, strict=True):
        if term.collation is not None:
            value = Call("COLLATE", (value, term.collation))
        keys.append(sort_key(term.ordered, value))
    return tuple(keys)


# ---------------------------------------------------------------- of set operations and brackets


def ordered_query(
    work: Work, query: NamedRelation, node: exp.Expr, environment: Environment
) -> NamedRelation:
    """A query whose ORDER BY sees output columns only: of a set operation, or in brackets."""
    found = terms(node, len(query.names), lambda key: _output(work, key, query, environment))
    relation = query.relation
    if found:
        values = [
            Ref(term.position) if term.expression is None else term.expression  # type: ignore[arg-type]
            for term in found
        ]
        relation = Sort(relation, sort_keys(found, values))
    relation = limited(relation, bounds(work, node, environment))
    return NamedRelation(relation, query.names, query.leaves, query.unnamed)


def _output(
    work: Work, key: exp.Expr, query: NamedRelation, environment: Environment
) -> int | Expression:
    found = position(key, len(query.names))
    if found is not None:
        return found
    for leaf in query.leaves:
        found = named(key, leaf.items)
        found = _equal(work, key, leaf) if found is None else found
        if found is not None:
            return found
        if work.dialect not in ("sqlite", "duckdb"):
            break
    if work.dialect == "sqlite" and query.leaves:
        raise NoTreeError("ORDER BY names no column of the result", "unknown_name")
    return expression(work, key, FromScope(environment, [FromItem("", query.names)]))


def _equal(work: Work, key: exp.Expr, leaf: SelectItems) -> int | None:
    """The output column of a SELECT that is the same expression."""
    leaf.scope.aggregates_allowed = leaf.scope.windows_allowed = True
    try:
        value = expression(work, key, leaf.scope)
    except NoTreeError:
        return None
    return equal_item(value, leaf.items)


def equal_item(value: Expression, items: tuple[Item, ...]) -> int | None:
    """The output column that holds the same expression."""
    for i, item in enumerate(items):
        if item.expression == value:
            return i
    return None
