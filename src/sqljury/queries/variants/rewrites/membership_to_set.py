"""EXCEPT for NOT IN, INTERSECT for IN, where a key or DISTINCT makes rows differ."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, all_of, home_of, null_of_nothing, parts

if TYPE_CHECKING:
    from sqlglot import exp


def membership_to_set(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Two queries and a set operation for a condition on the only column shown."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    plain = not any(node.args.get(one) for one in ("group", "order", "limit", "having"))
    if not plain or len(node.selects) != 1 or isinstance(node.parent, exp.SetOperation):
        return
    home = home_of(node.selects[0], around)
    alone = not node.args.get("joins") and home is not None and home.unique
    if not (alone or node.args.get("distinct")):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        member = one.this.unnest() if isinstance(one, exp.Not) else one
        asked = isinstance(member, exp.In) and member.args.get("query") is not None
        # NOT IN is never true beside a NULL, EXCEPT takes no notice of it.
        vague = asked and one is not member and null_of_nothing(member.args["query"].this)
        if asked and not vague and member.this == node.selects[0]:
            yield partial(_set, place=place)


def _set(select: exp.Select, place: int) -> None:
    from sqlglot import exp

    conditions = parts(select.args["where"].this)
    found = conditions.pop(place)
    negated = isinstance(found, exp.Not)
    member = found.this.unnest() if negated else found
    left = select.copy()
    rest = all_of(conditions)
    left.set("where", exp.Where(this=rest) if rest is not None else None)
    left.set("distinct", None)
    kind = exp.Except if negated else exp.Intersect
    right = member.args["query"].this.copy()
    right.set("order", None)
    select.replace(kind(this=left, expression=right, distinct=True))
