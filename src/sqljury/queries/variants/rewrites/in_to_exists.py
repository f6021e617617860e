"""EXISTS for IN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import (
    Around,
    Change,
    all_of,
    free_name,
    parts,
    qualify,
    renamed,
    sources_of,
)

if TYPE_CHECKING:
    from sqlglot import exp


def in_to_exists(node: exp.Expr, around: Around) -> Iterator[Change]:
    """A subquery that is asked for each row whether it has one."""
    from sqlglot import exp

    query = node.args.get("query") if isinstance(node, exp.In) else None
    inner = query.this if query is not None else None
    if not isinstance(inner, exp.Select) or len(inner.selects) != 1:
        return
    if not any(inner.args.get(one) for one in ("group", "limit", "having")):
        yield lambda n: _exists(n, around)


def _exists(node: exp.Expr, around: Around) -> None:
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    inner = node.args["query"].this
    assert select is not None
    qualify(select, around)
    outside = {one.alias_or_name.casefold() for one in sources_of(select)}
    for source in sources_of(inner):
        if source.alias_or_name.casefold() in outside:
            renamed(inner, source.alias_or_name, free_name(select, "s"))
    shown = inner.selects[0]
    sides = (shown, node.this)
    if not all(isinstance(side, exp.Column) and side.table for side in sides):
        raise ValueError("not known where the columns are from")
    where = inner.args.get("where")
    same = exp.EQ(this=shown.copy(), expression=node.this.copy())
    conditions = [*parts(where.this if where is not None else None), same]
    inner.set("where", exp.Where(this=all_of(conditions)))
    inner.set("expressions", [exp.Literal.number(1)])
    inner.set("distinct", None)
    inner.set("order", None)
    node.replace(exp.Exists(this=inner.copy()))
