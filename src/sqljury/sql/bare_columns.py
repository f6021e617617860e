"""A query that takes the least value of a group where it shows any one, and the greatest.

A column that stands beside aggregates or groups that do not fix it (SQLite and MySQL allow it) is
that of any row. Where both queries give the same rows, it does not matter which.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from sqljury.sql.tokens import parse


@lru_cache(maxsize=512)
def bare_chosen(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """The two queries, or None where no column is bare, or the text cannot be written again.

    Bare columns beside a MIN or MAX stay as they are: SQLite shows those of its row. The rows of a
    DISTINCT that is ordered by something else are groups, too.

    >>> bare_chosen("SELECT b, count(*) FROM t GROUP BY a")[1]
    'SELECT MAX(b) AS "b", COUNT(*) FROM t GROUP BY a'
    >>> bare_chosen("SELECT a, count(*) FROM t GROUP BY a") is None
    True
    """
    tree = parse(sql, dialect)
    if tree is None or tree.find(exp.AggFunc, exp.Group, exp.Distinct) is None:
        return None
    try:
        least, greatest = (_chosen(tree, kind) for kind in (exp.Min, exp.Max))
        return (least.sql(dialect), greatest.sql(dialect)) if least != tree else None
    except Exception:  # generators stumble over trees in many ways
        return None


def _chosen(tree: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    changed = tree.copy()
    for select in list(changed.find_all(exp.Select)):
        _group_distinct(select)
        for column in list(_bare(select)):
            value = kind(this=column.copy())
            shown = column.parent is select and column.arg_key == "expressions"
            column.replace(exp.alias_(value, column.name, quoted=True) if shown else value)
    return changed


def _group_distinct(select: exp.Select) -> None:
    """DISTINCT rows in an order of something else are groups of rows: which row's, nobody says."""
    order, distinct = select.args.get("order"), select.args.get("distinct")
    plain = not select.args.get("group") and not any(_calls(select))
    if distinct is None or order is None or not plain or any(i.is_star for i in select.expressions):
        return
    shown = {item.unalias().sql().lower() for item in select.expressions}
    names = {item.alias_or_name.lower() for item in select.expressions}
    names |= {item.name.lower() for item in select.expressions if isinstance(item, exp.Column)}
    keys = [key.this for key in order.expressions]
    if all(_is_shown(key, shown, names) for key in keys):
        return
    select.set("distinct", None)
    select.set("group", exp.Group(expressions=[i.unalias().copy() for i in select.expressions]))


def _is_shown(key: exp.Expr, shown: set[str], names: set[str]) -> bool:
    plain = isinstance(key, exp.Column) and key.name.lower() in names
    return plain or isinstance(key, exp.Literal) or key.sql().lower() in shown


def _calls(select: exp.Select) -> Iterator[exp.Expr]:
    """The aggregates of a query itself, not of those inside of it."""
    for part in _parts(select):
        for call in part.find_all(exp.AggFunc):
            if call.parent_select is select:
                yield call


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    yield from select.expressions
    having, order = select.args.get("having"), select.args.get("order")
    if having is not None:
        yield having.this
    if order is not None:
        yield from order.expressions


def _bare(select: exp.Select) -> Iterator[exp.Column]:
    """The columns shown, asked for or ordered by that nothing fixes."""
    group = select.args.get("group")
    calls = list(_calls(select))
    if group is None and not calls:
        return
    if any(isinstance(call, exp.Min | exp.Max) for call in calls):
        return
    if any(part.find(exp.Window) for part in _parts(select)):
        return
    keys = group.expressions if group is not None else []
    places = {int(key.this) for key in keys if isinstance(key, exp.Literal) and key.is_int}
    fixed = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    shown = {item.alias_or_name.lower() for item in select.expressions}
    own = {source.alias_or_name.lower() for source in _sources(select)}
    inner = select.parent_select is not None
    items = len(select.expressions)
    for place, part in enumerate(_parts(select), start=1):
        if place <= items and (place in places or part.alias.lower() in fixed):
            continue
        for column in _outside_aggregates(part):
            name, table = column.name.lower(), column.table.lower()
            is_own = table in own if table else not inner
            names_output = place > items and not table and name in shown
            if is_own and name not in fixed and not names_output:
                yield column


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    source = select.args.get("from_")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or ():
        yield join.this


def _outside_aggregates(node: exp.Expr) -> Iterator[exp.Column]:
    if isinstance(node, exp.Column):
        if not isinstance(node.this, exp.Star):
            yield node
    elif not isinstance(node, exp.AggFunc | exp.Query):
        for child in node.iter_expressions():
            yield from _outside_aggregates(child)
