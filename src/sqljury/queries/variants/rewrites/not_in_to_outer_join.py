"""An outer join without a partner for NOT IN."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, all_of, parts, qualify, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def not_in_to_outer_join(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``LEFT JOIN … WHERE … IS NULL``."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    if any(isinstance(one, exp.Star) for one in node.selects):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        inner = one.this.unnest() if isinstance(one, exp.Not) else None
        if isinstance(inner, exp.In) and inner.args.get("query") is not None:
            yield partial(_without_partner, place=place, around=around)


def _without_partner(select: exp.Select, place: int, around: Around) -> None:
    from sqlglot import exp

    qualify(select, around)
    conditions = parts(select.args["where"].this)
    found = conditions.pop(place).this.unnest()
    inner = found.args["query"].this
    sources = sources_of(inner) if isinstance(inner, exp.Select) else []
    names = {one.alias_or_name.casefold() for one in sources_of(select)}
    plain = len(sources) == 1 and not any(inner.args.get(o) for o in ("group", "limit", "having"))
    if not plain or sources[0].alias_or_name.casefold() in names:
        raise ValueError("not a plain subquery")
    qualify(inner, around)
    shown = inner.selects[0]
    if not isinstance(shown, exp.Column) or not shown.table:
        raise ValueError("not known where the column is from")
    where = inner.args.get("where")
    same = exp.EQ(this=found.this.copy(), expression=shown.copy())
    on = all_of([same, *parts(where.this if where is not None else None)])
    select.append("joins", exp.Join(this=sources[0].copy(), on=on, side="LEFT"))
    missing = exp.Is(this=shown.copy(), expression=exp.Null())
    select.set("where", exp.Where(this=all_of([*conditions, missing])))
