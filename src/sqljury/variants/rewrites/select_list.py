"""Equivalent ways to write a SELECT list: names, order, counts, DISTINCT."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, is_inner, is_unique, origin_of, sources_of

# ---------------------------------------------------------------- output names
# Aliases of output columns, and ORDER BY of those aliases.


_WORDS = {"Count": "num", "Sum": "total", "Avg": "average", "Max": "highest", "Min": "lowest"}


def output_names(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Adds aliases to all aggregates, or to all columns, of a SELECT without any."""
    if not isinstance(node, exp.Select) or node.parent_select is not None:
        return
    if any(isinstance(one, exp.Alias) for one in node.selects):
        return
    if any(isinstance(one, exp.AggFunc) for one in node.selects):
        yield _aggregates_named
    if all(isinstance(one, exp.Column) and not one.find(exp.Star) for one in node.selects):
        yield lambda n: n.set(
            "expressions", [exp.alias_(one.copy(), one.name.upper()) for one in n.selects]
        )


def _aggregates_named(select: exp.Select) -> None:
    """Gives all output aggregates aliases, and writes these in ORDER BY."""
    order = select.args.get("order")
    taken = {column.name.casefold() for column in select.find_all(exp.Column)}
    shown: list[exp.Expr] = []
    for place, one in enumerate(select.selects):
        if not isinstance(one, exp.AggFunc):
            shown.append(one.copy())
            continue
        name = _WORDS.get(type(one).__name__, "value")
        column = one.find(exp.Column)
        name = f"{name}_{column.name.lower()}" if column is not None else name
        while name in taken:
            name = f"{name}_{place}"
        taken.add(name)
        for key in order.expressions if order is not None else ():
            if key.this == one:
                key.set("this", exp.column(name))
        shown.append(exp.alias_(one.copy(), name))
    select.set("expressions", shown)


# ---------------------------------------------------------------- output order
# Output columns in another order, for comparisons that ignore it.


def output_order(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Reverses the output columns of the whole query."""
    if not isinstance(node, exp.Select) or node.parent is not None or len(node.selects) < 2:
        return
    order, group = node.args.get("order"), node.args.get("group")
    keys = [*(one.this for one in (order.expressions if order is not None else ()))]
    keys += group.expressions if group is not None else []
    if not any(isinstance(one, exp.Literal) for one in keys):
        yield lambda n: n.set("expressions", [one.copy() for one in reversed(n.expressions)])


# ---------------------------------------------------------------- count rows
# COUNT of a key, or of 1, for COUNT(*), and the other way round.


def count_rows(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces COUNT(*) by COUNT(1) or COUNT of a column without NULLs, and the other way round."""
    if not isinstance(node, exp.Count):
        return
    select = node.find_ancestor(exp.Select)
    counted = node.this
    joins = (select.args.get("joins") or []) if select is not None else []
    inner = all(is_inner(join) for join in joins)
    if isinstance(counted, exp.Star) and select is not None:
        yield lambda n: n.set("this", exp.Literal.number(1))
        if inner:
            for name, column in _never_null(select, context):
                yield _column(name, column)
    elif isinstance(counted, exp.Column) and not counted.find(exp.Star):
        home = origin_of(counted, context)
        if home is not None and not home.column.nullable and inner:
            yield lambda n: n.set("this", exp.Star())
    elif isinstance(counted, exp.Distinct) and len(counted.expressions) == 1 and select is not None:
        home = origin_of(counted.expressions[0], context)
        if home is not None and home.unique and not joins:
            yield lambda n: n.set("this", exp.Star())


def _never_null(select: exp.Select, context: QueryContext) -> Iterator[tuple[str, str]]:
    for source in sources_of(select):
        table = context.schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None:
            continue
        for column in table.columns:
            if not column.nullable or (column.name,) == table.primary_key:
                yield source.alias_or_name, column.name


def _column(source: str, name: str) -> Change:
    return lambda n: n.set("this", exp.column(name, table=source))


# ---------------------------------------------------------------- count case
# COUNT of a CASE for COUNT(*) with WHERE.


def count_case(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``COUNT(*) … WHERE c`` by ``COUNT(CASE WHEN c THEN 1 END)``."""
    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    alone = len(node.selects) == 1 and isinstance(node.selects[0], exp.Count)
    plain = not any(node.args.get(one) for one in ("group", "having", "limit"))
    if alone and plain and isinstance(node.selects[0].this, exp.Star):
        yield _case


def _case(select: exp.Select) -> None:
    condition = select.args["where"].this.copy()
    case = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))])
    select.set("expressions", [exp.Count(this=case, big_int=True)])
    select.set("where", None)


# ---------------------------------------------------------------- average
# The sum divided by the count for the average.


def average(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``AVG(a)`` by ``SUM(a) * 1.0 / COUNT(a)``."""
    shown = isinstance(node, exp.Avg) and isinstance(node.parent, exp.Select)
    if shown and isinstance(node.this, exp.Column):
        yield _divided


def _divided(node: exp.Expr) -> None:
    column = node.this
    scaled = exp.Mul(this=exp.Sum(this=column.copy()), expression=exp.Literal.number("1.0"))
    count = exp.Count(this=column.copy())
    node.replace(exp.Div(this=scaled, expression=count))


# ---------------------------------------------------------------- distinct of key
# DISTINCT added or removed where rows are unique.


def distinct_of_key(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Adds or removes DISTINCT if the output columns contain a key or all group keys."""
    if not isinstance(node, exp.Select) or node.args.get("joins"):
        return
    group = node.args.get("group")
    if group is not None:
        keyed = {one.sql() for one in group.expressions} <= {one.sql() for one in node.selects}
    else:
        homes = [home for one in node.selects if (home := origin_of(one, context)) is not None]
        names = {home.column.name.casefold() for home in homes}
        keyed = bool(homes) and is_unique(homes[0].table, names)
    if keyed and node.args.get("distinct"):
        yield lambda n: n.set("distinct", None)
    elif keyed:
        yield lambda n: n.set("distinct", exp.Distinct())
