"""A condition on the groups of a subquery for HAVING."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, free_name

if TYPE_CHECKING:
    from sqlglot import exp


def having_to_where(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``SELECT a FROM (SELECT a, COUNT(*) AS n … GROUP BY a) AS g WHERE n > 2``."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("having") is None:
        return
    plain = not any(node.args.get(one) for one in ("order", "limit", "distinct"))
    if plain and all(isinstance(one, exp.Column) for one in node.selects):
        names = [one.name.casefold() for one in node.selects]
        if len(set(names)) == len(names):
            yield _outside


def _outside(select: exp.Select) -> None:
    from sqlglot import exp

    alias = free_name(select, "g")
    condition = select.args["having"].this.copy()
    inner = select.copy()
    inner.set("having", None)
    holder = exp.Paren(this=condition)
    # An aggregate in a subquery is the subquery's own.
    own = [one for one in holder.find_all(exp.AggFunc) if one.find_ancestor(exp.Query) is None]
    for place, one in enumerate(own):
        name = f"n{place}"
        inner.append("expressions", exp.alias_(one.copy(), name))
        one.replace(exp.column(name, table=alias))
    columns = (one for one in holder.find_all(exp.Column) if one.find_ancestor(exp.Query) is None)
    if any(column.table != alias for column in columns):
        raise ValueError("a condition on a column")
    outer = exp.Select(expressions=[exp.column(one.name, table=alias) for one in select.selects])
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    select.replace(outer.from_(source).where(holder.this))
