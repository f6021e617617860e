"""Mistakes in the SELECT list: columns, aggregates, what is counted."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.trees.affinity import NUMERIC_AFFINITIES, declared_affinity
from sqljury.variants.base import Change, QueryContext, limit_of, origin_of, sources_of

# ---------------------------------------------------------------- output
# Other output columns: one less, or one more.


def output(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Removes one output column, or adds one of the first three columns of a table."""
    if not isinstance(node, exp.Select) or node.parent_select is not None:
        return
    if isinstance(node.parent, exp.SetOperation):
        return
    shown = node.selects
    if len(shown) > 1:
        for place in range(len(shown)):
            yield _without(place)
    if node.args.get("distinct"):
        return
    for source in sources_of(node):
        table = context.schema.table(source.name) if isinstance(source, exp.Table) else None
        columns = table.columns[:3] if table is not None else ()
        for column in columns:
            if column.name.casefold() not in {one.alias_or_name.casefold() for one in shown}:
                yield _with(source.alias_or_name, column.name)


def _without(place: int) -> Change:
    return lambda n: n.set("expressions", n.expressions[:place] + n.expressions[place + 1 :])


def _with(source: str, name: str) -> Change:
    return lambda n: n.append("expressions", exp.column(name, table=source))


# ---------------------------------------------------------------- column
# Another column of the same table and affinity.


_OTHER_COLUMNS = 3


def column(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a column by others of the same table and affinity, the next ones first."""
    if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join) is not None:
        return
    own = context.tables.get(node.table.casefold()) if node.table else None
    holders = [own] if own is not None else list(context.tables.values())
    table = next((t for t in holders if t.column(node.name) is not None), None)
    own_column = table.column(node.name) if table is not None else None
    if table is None or own_column is None:
        return
    at = table.columns.index(own_column)
    others = [*table.columns[at + 1 :], *table.columns[:at]]
    wanted = declared_affinity(own_column.type)
    same = [other.name for other in others if declared_affinity(other.type) == wanted]
    for name in same[:_OTHER_COLUMNS]:
        yield _named(name)


def _named(column: str) -> Change:
    """A change of a column's name that keeps its table."""
    return lambda n: n.set("this", exp.to_identifier(column))


# ---------------------------------------------------------------- foreign column
# A column of another table in the query: one of the same name, or of the same type.


_MOST = 4


def foreign_column(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a column by columns of other tables of the SELECT with the same affinity.

    Columns of the same name come first.
    """
    home = origin_of(node, context)
    select = node.find_ancestor(exp.Select)
    if home is None or select is None or isinstance(node.parent, exp.EQ | exp.Star):
        return
    name, affinity = home.column.name.casefold(), declared_affinity(home.column.type)
    found = []
    for source in sources_of(select):
        table = context.schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None or source.alias_or_name == home.source:
            continue
        for column in table.columns:
            if declared_affinity(column.type) == affinity:
                same = column.name.casefold() == name
                found.append((not same, source.alias_or_name, column.name))
    for _, source_name, column_name in sorted(found, key=lambda one: one[0])[:_MOST]:
        yield _column(source_name, column_name)


def _column(source: str, name: str) -> Change:
    return lambda n: n.replace(exp.column(name, table=source))


# ---------------------------------------------------------------- aggregate
# Another aggregate: MAX for MIN, with or without DISTINCT.


def aggregate(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces an aggregate by another of the same argument; adds or removes its DISTINCT."""
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


def _of_argument(other: type[exp.Expr]) -> Change:
    """A change of the function that keeps its argument."""
    return lambda n: n.replace(other(this=n.this))


# ---------------------------------------------------------------- counted
# COUNT(*) counts something else: the values of a column, or their sum.


def counted(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces COUNT(*) by COUNT(DISTINCT column), and by SUM(column) of a numeric column."""
    if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Star):
        return
    select = node.find_ancestor(exp.Select)
    for source in sources_of(select) if select is not None else ():
        table = context.schema.table(source.name) if isinstance(source, exp.Table) else None
        for column in table.columns[:3] if table is not None else ():
            yield _different(source.alias_or_name, column.name)
            if declared_affinity(column.type) in NUMERIC_AFFINITIES:
                yield _summed(source.alias_or_name, column.name)


def _different(source: str, name: str) -> Change:
    return lambda n: n.set("this", exp.Distinct(expressions=[exp.column(name, table=source)]))


def _summed(source: str, name: str) -> Change:
    return lambda n: n.replace(exp.Sum(this=exp.column(name, table=source)))


# ---------------------------------------------------------------- query
# DISTINCT, LIMIT, GROUP BY: removed or added.


def query(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Adds or removes DISTINCT; adds, removes or increases LIMIT; removes GROUP BY."""
    if not isinstance(node, exp.Select):
        return
    if node.args.get("distinct"):
        yield lambda n: n.set("distinct", None)
    else:
        yield lambda n: n.set("distinct", exp.Distinct())
    if node.args.get("limit") is not None:
        yield lambda n: n.set("limit", None)
        number = limit_of(node)
        if number.isdigit():
            larger = exp.Limit(expression=exp.Literal.number(int(number) + 1))
            yield lambda n: n.set("limit", larger)
    elif node.args.get("order") is not None:
        one = exp.Limit(expression=exp.Literal.number(1))
        yield lambda n: n.set("limit", one)
    if node.args.get("group") is not None:
        yield lambda n: n.set("group", None)
