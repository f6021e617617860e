"""A query whose every LIMIT chooses among ties in a stated way, and in the opposite one.

Where both give the same rows, no choice that a LIMIT makes matters: the first takes the smallest
of the rows that tie at the cut, the second the largest. In the same way stand the rows that tie in
the ORDER BY of the whole.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqljury.queries.tokens import parse

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=512)
def tie_broken(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """The two queries, or None where nothing is limited or ordered, or the text cannot be
    written again.

    >>> tie_broken("SELECT a, b FROM t ORDER BY c LIMIT 1")[1]
    'SELECT a, b FROM t ORDER BY c, 1 DESC, 2 DESC LIMIT 1'
    """
    from sqlglot import exp

    tree = parse(sql, dialect)
    if tree is None or not (tree.args.get("order") or tree.find(exp.Limit)):
        return None
    try:
        return _broken(tree, dialect, False), _broken(tree, dialect, True)
    except Exception:  # generators stumble over trees in many ways
        return None


def _broken(tree: exp.Expr, dialect: str, descending: bool) -> str:
    from sqlglot import exp

    changed = tree.copy()
    limited = [limit.parent for limit in changed.find_all(exp.Limit)]
    if not changed.args.get("limit") and changed.args.get("order"):
        limited.append(changed)
    for query in limited:
        if query is None:
            continue
        order = query.args.get("order") or exp.Order(expressions=[])
        for place in range(1, _width(query) + 1):
            order.append(
                "expressions",
                exp.Ordered(
                    this=exp.Literal.number(place), desc=descending, nulls_first=not descending
                ),
            )
        query.set("order", order)
    return changed.sql(dialect)


def _width(query: exp.Expr) -> int:
    """The number of columns of a result; 1 where a star hides it."""
    from sqlglot import exp

    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.left if isinstance(query, exp.SetOperation) else query.this
    columns = query.expressions
    return 1 if any(column.is_star for column in columns) else max(1, len(columns))
