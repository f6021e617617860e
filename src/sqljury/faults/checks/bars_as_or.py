"""|| joins texts; it is no OR."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import calls
from sqljury.trees.nodes import Call, Expression
from sqljury.trees.walk import subexpressions

_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "LIKE", "IS")


@check("AU111", sees=Sees.TREE)
def bars_as_or(query: Query) -> Iterator[Finding]:
    """The operator || joins texts between two conditions, where OR was meant."""
    for site in query.sites:
        for call in calls(site, *_COMPARED):
            inside = [one for one in call.operands if _is_comparison(one)]
            # || binds tighter than =: a = 'x' || b = 'y' is (a = ('x' || b)) = 'y'.
            if any(part for one in inside for part in subexpressions(one) if _is_bars(part)):
                yield Finding(reason="|| joins texts and binds first; OR was meant.", part="||")


def _is_comparison(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.name in _COMPARED


def _is_bars(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.name == "||"
