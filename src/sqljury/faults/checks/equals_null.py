"""= NULL is never true."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import edited
from sqljury.faults.query import Query
from sqljury.faults.sites import calls
from sqljury.trees.nodes import NULL

_COMPARED = ("=", "<>", "<", "<=", ">", ">=")


@check("AU107", sees=Sees.TREE)
def equals_null(query: Query) -> Iterator[Finding]:
    """A comparison with NULL is never true, where IS NULL was meant."""
    for site in query.sites:
        for call in calls(site, *_COMPARED):
            if NULL in call.operands:
                yield Finding(
                    reason=f"{call.name} NULL is never true.",
                    part=f"{call.name} NULL",
                    proposal=edited(query.sql, query.dialect, _is_null),
                )


def _is_null(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = [n for n in tree.find_all(exp.EQ, exp.NEQ) if isinstance(n.expression, exp.Null)]
    for node in found:
        test = exp.Is(this=node.this.copy(), expression=exp.null())
        node.replace(exp.Not(this=test) if isinstance(node, exp.NEQ) else test)
    return bool(found)
