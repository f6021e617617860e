"""Conditions of inner joins in WHERE, and those of WHERE at the join."""

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
    tables_in,
)

if TYPE_CHECKING:
    from sqlglot import exp


def join_condition(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Tables separated by commas; a condition on a joined table said where it is joined."""
    from sqlglot import exp

    joins = node.args.get("joins") or [] if isinstance(node, exp.Select) else []
    if not joins or not all(is_inner(join) for join in joins):
        return
    if all(join.args.get("on") is not None for join in joins):
        yield _with_commas
        if node.args.get("where") is not None:
            yield lambda n: _at_the_join(n, around)


def _with_commas(select: exp.Select) -> None:
    from sqlglot import exp

    joins = select.args["joins"]
    where = select.args.get("where")
    conditions = [one for join in joins for one in parts(join.args["on"])]
    found = all_of([*conditions, *parts(where.this if where is not None else None)])
    select.set("joins", [exp.Join(this=join.this) for join in joins])
    select.set("where", exp.Where(this=found))


def _at_the_join(select: exp.Select, around: Around) -> None:
    from sqlglot import exp

    qualify(select, around)
    conditions = parts(select.args["where"].this)
    last = select.args["joins"][-1]
    name = last.alias_or_name.casefold()
    moved = [one for one in conditions if name in tables_in(one)]
    if not moved:
        raise ValueError("no condition on the table")
    last.set("on", all_of([*parts(last.args["on"]), *moved]))
    rest = all_of([one for one in conditions if one not in moved])
    select.set("where", exp.Where(this=rest) if rest is not None else None)
