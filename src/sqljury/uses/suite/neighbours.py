"""Neighbours of a query: one small change each, of the kinds that people and models make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from sqljury.databases.generated.columns import affinity_of
from sqljury.queries import parse
from sqljury.schema import Schema, Table

if TYPE_CHECKING:
    from sqlglot import exp

_MOST_NODES = 400
"""Of a query; each neighbour is a changed copy of all of them."""

Change = Callable[["exp.Expr"], object]
"""Turns a node of a copy of the query, in place, into what stands there in the neighbour."""


def neighbours(sql: str, schema: Schema, *, most: int = 60, dialect: str = "sqlite") -> list[str]:
    """Queries that differ from one in one place, kinds of changes in turn, at most so many.

    Changed are comparisons, constants, conditions left out, AND and OR, aggregates, joins,
    DISTINCT, columns (for others of the same table and type), orders, limits, groups and set
    operations. A few neighbours mean the same as the query: nothing tells those apart.

    >>> from sqljury.schema import Column
    >>> t = Table(name="t", columns=(Column(name="a", type="INT"),))
    >>> neighbours("SELECT a FROM t WHERE a > 3", Schema(dialect="sqlite", tables=(t,)), most=3)
    ['SELECT a FROM t WHERE a >= 3', 'SELECT a FROM t WHERE a > 4', 'SELECT a FROM t']

    Source: Zhong, Yu and Klein (2020), section 3.2 (neighbour queries).
    """
    tree = parse(sql, dialect)
    if tree is None:
        return []
    nodes = list(tree.walk())
    if len(nodes) > _MOST_NODES:
        return []
    tables = _tables(tree, schema)
    kinds: dict[str, list[str]] = {}
    for index, node in enumerate(nodes):
        for kind, change in _changes(node, tables):
            text = _changed(tree, index, change, dialect)
            if text is not None:
                kinds.setdefault(kind, []).append(text)
    same = tree.sql(dialect=dialect)
    in_turn = (text for row in zip_longest(*kinds.values()) for text in row if text is not None)
    return [text for text in dict.fromkeys(in_turn) if text != same][:most]


def _changed(tree: exp.Expr, index: int, change: Change, dialect: str) -> str | None:
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # In a holder the root, too, can be replaced.
    holder = exp.Paren(this=tree.copy())
    node = next(node for number, node in enumerate(holder.this.walk()) if number == index)
    try:
        change(node)
        return str(holder.this.sql(dialect=dialect))
    except (SqlglotError, ValueError, AttributeError, RecursionError):
        return None  # this place takes no such change


def _tables(tree: exp.Expr, schema: Schema) -> dict[str, Table]:
    """The tables of a query by the names they have in it."""
    from sqlglot import exp

    found = {}
    for node in tree.find_all(exp.Table):
        table = schema.table(node.name)
        if table is not None:
            found[node.alias_or_name.casefold()] = table
    return found


# ---------------------------------------------------------------- changes of one node


def _changes(node: exp.Expr, tables: dict[str, Table]) -> Iterator[tuple[str, Change]]:
    """The changes that a node takes, each with its kind."""
    for kind, changes in (
        ("comparison", _of_comparison(node)),
        ("constant", _of_constant(node)),
        ("condition", _of_condition(node)),
        ("aggregate", _of_aggregate(node)),
        ("query", _of_query(node)),
        ("join", _of_join(node)),
        ("order", _of_order(node)),
        ("column", _of_column(node, tables)),
        ("set", _of_set_operation(node)),
    ):
        for change in changes:
            yield kind, change


def _of_comparison(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    others: dict[type, tuple[type, ...]] = {
        exp.GT: (exp.GTE, exp.LT),
        exp.GTE: (exp.GT, exp.LTE),
        exp.LT: (exp.LTE, exp.GT),
        exp.LTE: (exp.LT, exp.GTE),
        exp.EQ: (exp.NEQ, exp.GTE),
        exp.NEQ: (exp.EQ,),
    }
    if node.find_ancestor(exp.Join) is not None and isinstance(node, exp.EQ):
        return
    for other in others.get(type(node), ()):
        yield _with_operands(other)
    if isinstance(node, exp.In | exp.Like | exp.Between | exp.Exists):
        yield lambda n: n.replace(exp.Not(this=n.copy()))
    if isinstance(node, exp.Not):
        yield lambda n: n.replace(n.this)


def _of_constant(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.Limit | exp.Offset):
        return
    text = str(node.this)
    if not node.is_string:
        if text.isdigit():
            yield lambda n: n.replace(exp.Literal.number(int(text) + 1))
            yield lambda n: n.replace(exp.Literal.number(int(text) - 1))
        return
    if isinstance(node.parent, exp.Like):
        yield lambda n: n.replace(exp.Literal.string(text.strip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.rstrip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.lstrip("%")))
    elif isinstance(node.parent, exp.EQ):
        yield lambda n: _within_equality(n, text)
    yield lambda n: n.replace(exp.Literal.string(text + "x"))


def _within_equality(literal: exp.Expr, text: str) -> None:
    from sqlglot import exp

    equality = literal.parent
    assert equality is not None
    contains = exp.Literal.string(f"%{text}%")
    equality.replace(exp.Like(this=equality.this, expression=contains))


def _with_operands(other: type[exp.Expr], **more: bool) -> Change:
    """The same operands under another operator."""
    return lambda n: n.replace(other(this=n.this, expression=n.expression, **more))


def _of_argument(other: type[exp.Expr]) -> Change:
    """Another function of the same argument."""
    return lambda n: n.replace(other(this=n.this))


def _named(column: str) -> Change:
    """Another column in the same place."""
    from sqlglot import exp

    return lambda n: n.set("this", exp.to_identifier(column))


def _of_condition(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if isinstance(node, exp.Where | exp.Having):
        yield lambda n: n.pop()
    if isinstance(node, exp.And | exp.Or):
        other = exp.Or if isinstance(node, exp.And) else exp.And
        yield lambda n: n.replace(n.this)
        yield lambda n: n.replace(n.expression)
        yield _with_operands(other)


def _of_aggregate(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    others: dict[type, tuple[type, ...]] = {
        exp.Max: (exp.Min, exp.Avg),
        exp.Min: (exp.Max,),
        exp.Sum: (exp.Avg, exp.Count),
        exp.Avg: (exp.Sum, exp.Max),
    }
    for other in others.get(type(node), ()):
        yield _of_argument(other)
    if isinstance(node, exp.Count):
        if isinstance(node.this, exp.Distinct):
            yield lambda n: n.this.replace(n.this.expressions[0])
        elif isinstance(node.this, exp.Column):
            yield lambda n: n.set("this", exp.Distinct(expressions=[n.this.copy()]))
            yield lambda n: n.set("this", exp.Star())
            yield _of_argument(exp.Sum)


def _of_query(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if not isinstance(node, exp.Select):
        return
    if node.args.get("distinct"):
        yield lambda n: n.set("distinct", None)
    else:
        yield lambda n: n.set("distinct", exp.Distinct())
    limit = node.args.get("limit")
    if limit is not None:
        yield lambda n: n.set("limit", None)
        number = str(limit.expression.name)
        if number.isdigit():
            larger = exp.Limit(expression=exp.Literal.number(int(number) + 1))
            yield lambda n: n.set("limit", larger)
    elif node.args.get("order") is not None:
        one = exp.Limit(expression=exp.Literal.number(1))
        yield lambda n: n.set("limit", one)
    if node.args.get("group") is not None:
        yield lambda n: n.set("group", None)


def _of_join(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if not isinstance(node, exp.Join):
        return
    if node.side:
        yield lambda n: n.set("side", None)
    else:
        yield lambda n: n.set("side", "LEFT")
    # Fails where a column of the table is used; where none is, the join may matter all the same.
    yield lambda n: n.pop()


def _of_order(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if isinstance(node, exp.Ordered):
        yield _turned_around
        if len(node.parent.expressions if node.parent else ()) > 1:
            yield lambda n: n.pop()
    if isinstance(node, exp.Order):
        yield lambda n: n.pop()


def _turned_around(ordered: exp.Expr) -> None:
    descending = not ordered.args.get("desc")
    ordered.set("desc", descending or None)
    ordered.set("nulls_first", not descending)  # as SQLite has it where nothing is said


_OTHER_COLUMNS = 3


def _of_column(node: exp.Expr, tables: dict[str, Table]) -> Iterator[Change]:
    """Other columns of the same table and affinity, the next ones first."""
    from sqlglot import exp

    if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join) is not None:
        return
    own = tables.get(node.table.casefold()) if node.table else None
    holders = [own] if own is not None else list(tables.values())
    table = next((t for t in holders if t.column(node.name) is not None), None)
    column = table.column(node.name) if table is not None else None
    if table is None or column is None:
        return
    at = table.columns.index(column)
    others = [*table.columns[at + 1 :], *table.columns[:at]]
    wanted = affinity_of(column.type)
    same = [other.name for other in others if affinity_of(other.type) is wanted]
    for name in same[:_OTHER_COLUMNS]:
        yield _named(name)


def _of_set_operation(node: exp.Expr) -> Iterator[Change]:
    from sqlglot import exp

    if not isinstance(node, exp.SetOperation):
        return
    for other in (exp.Union, exp.Intersect, exp.Except):
        if not isinstance(node, other):
            yield _with_operands(other, distinct=True)
    yield lambda n: n.replace(n.this)
    yield lambda n: n.replace(n.expression)
