"""A join with the different rows of a subquery for IN."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import (
    Around,
    Change,
    all_of,
    free_name,
    home_of,
    parts,
    qualify,
    sources_of,
)

if TYPE_CHECKING:
    from sqlglot import exp


def in_to_join(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``JOIN (SELECT DISTINCT …)``, or a join with the table itself where its column is a key."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    if any(isinstance(one, exp.Star) for one in node.selects):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        if isinstance(one, exp.In) and one.args.get("query") is not None:
            yield partial(_joined, place=place, around=around)
            yield partial(_joined_plainly, place=place, around=around)


def _taken(select: exp.Select, place: int, around: Around) -> tuple[exp.Expr, exp.Select]:
    """Take a membership out of WHERE: what is looked for, and the query."""
    from sqlglot import exp

    qualify(select, around)
    conditions = parts(select.args["where"].this)
    found = conditions.pop(place)
    rest = all_of(conditions)
    inner = found.args["query"].this
    if not isinstance(inner, exp.Select) or len(inner.selects) != 1:
        raise ValueError("not a plain subquery")
    select.set("where", exp.Where(this=rest) if rest is not None else None)
    return found.this, inner


def _joined(select: exp.Select, place: int, around: Around) -> None:
    from sqlglot import exp

    value, inner = _taken(select, place, around)
    inner = inner.copy()
    shown = inner.selects[0]
    if not shown.alias_or_name or isinstance(shown, exp.Star):
        shown = exp.alias_(shown.copy(), "value")
        inner.set("expressions", [shown])
    if inner.args.get("group") is None:
        inner.set("distinct", exp.Distinct())
    elif inner.args["group"].expressions != [shown.unalias()]:
        raise ValueError("groups of another column")
    alias = free_name(select, "q")
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    on = exp.EQ(this=value.copy(), expression=exp.column(shown.alias_or_name, table=alias))
    select.append("joins", exp.Join(this=source, on=on))


def _joined_plainly(select: exp.Select, place: int, around: Around) -> None:
    from sqlglot import exp

    value, inner = _taken(select, place, around)
    names = {one.alias_or_name.casefold() for one in sources_of(select)}
    sources = sources_of(inner)
    home = home_of(inner.selects[0], around)
    plain = not any(inner.args.get(one) for one in ("group", "limit", "having"))
    plain = plain and len(sources) == 1 and home is not None and home.unique
    if not plain or sources[0].alias_or_name.casefold() in names:
        raise ValueError("not a plain subquery")
    on = exp.EQ(this=value.copy(), expression=inner.selects[0].copy())
    select.append("joins", exp.Join(this=sources[0].copy(), on=on))
    conditions = [
        one
        for where in (select.args.get("where"), inner.args.get("where"))
        for one in parts(where.this if where is not None else None)
    ]
    rest = all_of(conditions)
    select.set("where", exp.Where(this=rest) if rest is not None else None)
