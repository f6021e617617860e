"""AND and OR without brackets."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query


@check("AU112", sees=Sees.TEXT, read=(3, 4))
def mixed_and_or(query: Query) -> Iterator[Finding]:
    """OR beside AND without brackets: AND binds tighter than it is read."""
    from sqlglot import exp

    for node in query.syntax.find_all(exp.Or) if query.syntax is not None else ():
        first, last = node.this, node.expression
        # a AND b OR c AND d is a list of alternatives that each say all.
        if isinstance(first, exp.And) == isinstance(last, exp.And):
            continue
        single = last if isinstance(first, exp.And) else first
        if not isinstance(single, exp.Or | exp.Paren):
            part = node.sql(query.dialect)
            yield Finding(reason="AND binds tighter than OR, and no brackets say so.", part=part)


@check("AU113", sees=Sees.TREE, read=(4, 4))
def same_on_both_sides(query: Query) -> Iterator[Finding]:
    """A value is compared with itself, divided by itself or subtracted from itself."""
    from sqljury.faults.sites import calls
    from sqljury.trees.nodes import Literal

    for site in query.sites:
        for call in calls(site, "=", "<>", "<", ">", "<=", ">=", "/", "-"):
            first, *rest = call.operands
            if rest == [first] and not isinstance(first, Literal):
                yield Finding(reason=f"both sides of {call.name} are the same.", part=call.name)
