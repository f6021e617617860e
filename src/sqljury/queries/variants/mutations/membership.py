"""One value for many: ``=`` for IN, a join by ``!=`` for NOT IN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, all_of, parts, qualify, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def membership(node: exp.Expr, around: Around) -> Iterator[Change]:
    """A comparison with the first row of a subquery; a row that has a row unlike it."""
    from sqlglot import exp

    if isinstance(node, exp.In) and node.args.get("query") is not None:
        yield lambda n: n.replace(exp.EQ(this=n.this, expression=n.args["query"]))
    if isinstance(node, exp.Select) and node.args.get("where") is not None:
        for place, one in enumerate(parts(node.args["where"].this)):
            if isinstance(one, exp.Not) and isinstance(one.this.unnest(), exp.In):
                yield _unlike(place, around)


def _unlike(place: int, around: Around) -> Change:
    from sqlglot import exp

    def change(select: exp.Select) -> None:
        qualify(select, around)
        conditions = parts(select.args["where"].this)
        found = conditions.pop(place).this.unnest()
        inner = found.args["query"].this
        source = inner.args["from_"].this
        alone = not inner.args.get("joins") and isinstance(source, exp.Table)
        names = {one.alias_or_name.casefold() for one in sources_of(select)}
        if not alone or inner.args.get("group") or source.alias_or_name.casefold() in names:
            raise ValueError("not a plain subquery")
        qualify(inner, around)
        where = inner.args.get("where")
        more = parts(where.this if where is not None else None)
        on = exp.NEQ(this=found.this.copy(), expression=inner.selects[0].copy())
        select.append("joins", exp.Join(this=source.copy(), on=on))
        rest = all_of([*conditions, *more])
        select.set("where", exp.Where(this=rest) if rest is not None else None)

    return change
