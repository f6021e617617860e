"""The tables of inner joins in another order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import (
    Around,
    Change,
    all_of,
    is_inner,
    parts,
    qualify,
    sources_of,
    tables_in,
)

if TYPE_CHECKING:
    from sqlglot import exp


def join_order(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Each table first, the others after it as soon as a condition connects them."""
    from sqlglot import exp

    if isinstance(node, exp.Select) and not any(isinstance(one, exp.Star) for one in node.selects):
        joins = node.args.get("joins") or []
        if joins and all(is_inner(join) and join.args.get("on") is not None for join in joins):
            for first in range(1, len(joins) + 1):
                yield _from(first, around)


def _from(first: int, around: Around) -> Change:
    from sqlglot import exp

    def change(select: exp.Select) -> None:
        qualify(select, around)
        sources = sources_of(select)
        waiting = [one for join in select.args["joins"] for one in parts(join.args["on"])]
        sources.insert(0, sources.pop(first))
        there = {sources[0].alias_or_name.casefold()}
        left, joins = sources[1:], []
        while left:
            at, conditions = _next(left, waiting, there)
            source = left.pop(at)
            there.add(source.alias_or_name.casefold())
            waiting = [one for one in waiting if one not in conditions]
            joins.append(exp.Join(this=source.copy(), on=all_of(conditions)))
        if waiting:
            raise ValueError("a condition of no table here")
        select.set("from_", exp.From(this=sources[0].copy()))
        select.set("joins", joins)

    return change


def _next(
    left: list[exp.Expr], waiting: list[exp.Expr], there: set[str]
) -> tuple[int, list[exp.Expr]]:
    """The first table that a condition connects, and its conditions."""
    for at, source in enumerate(left):
        known = {*there, source.alias_or_name.casefold()}
        conditions = [one for one in waiting if tables_in(one) <= known]
        if conditions:
            return at, conditions
    raise ValueError("no condition connects the tables")
