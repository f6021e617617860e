"""DISTINCT where rows differ anyway, or without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, is_unique

if TYPE_CHECKING:
    from sqlglot import exp


def distinct_of_key(node: exp.Expr, around: Around) -> Iterator[Change]:
    """DISTINCT of what has a key: added, or left out."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("joins"):
        return
    group = node.args.get("group")
    if group is not None:
        keyed = {one.sql() for one in group.expressions} <= {one.sql() for one in node.selects}
    else:
        homes = [home for one in node.selects if (home := home_of(one, around)) is not None]
        names = {home.column.name.casefold() for home in homes}
        keyed = bool(homes) and is_unique(homes[0].table, names)
    if keyed and node.args.get("distinct"):
        yield lambda n: n.set("distinct", None)
    elif keyed:
        yield lambda n: n.set("distinct", exp.Distinct())
