"""A ratio of integers, cut to an integer."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import edited
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import calls
from sqljury.trees.nodes import Call, Cast, Expression, Literal, Type

_CUTS = ("sqlite", "postgres", "tsql")
"""Dialects in which an integer through an integer is an integer."""


@check("AU302", sees=Sees.TREE, read=(3, 4))
def integer_division(query: Query) -> Iterator[Finding]:
    """A division of integers loses what is behind the point."""
    if query.dialect not in _CUTS:
        return
    for site in query.sites:
        for call in calls(site, "/"):
            both = all(site.type(one) is Type.INTEGER for one in call.operands)
            if both and not _is_meant(call):
                finding = _shown(query)
                if finding is not None:
                    yield finding
                    return


def _is_meant(call: Call) -> bool:
    """Dividing by a constant such as 1000 or 10 cuts digits on purpose, maybe."""
    right: Expression = call.operands[1]
    return isinstance(right, Literal | Cast)


def _shown(query: Query) -> Finding | None:
    """None where the result stays the same, as where all divisions leave nothing over."""
    proposal = edited(query.sql, query.dialect, _as_real)
    evidence = {}
    if proposal is not None and query.result.table is not None:
        after, before = query.rows(proposal), query.result.table.rows
        if after is not None and after == before:
            return None
        evidence = {"rows": shown(before), "without_cutting": shown(after or [])}
    reason = "integers are divided, and what is behind the point is lost."
    return Finding(reason=reason, part="/", evidence=evidence, proposal=proposal)


def _as_real(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = list(tree.find_all(exp.Div))
    for node in found:
        node.set("this", exp.cast(node.this.unnest().copy(), "REAL"))
    return bool(found)
