"""A query whose every LIMIT chooses among ties in a stated way, and in the opposite one.

Where both give the same rows, no choice that a LIMIT makes matters: the first takes the smallest
of the rows that tie at the cut, the second the largest. In the same way stand the rows that tie in
the ORDER BY of the whole, and the rows of a subquery of which one is taken as a value.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from sqljury.sql.tokens import parse


@lru_cache(maxsize=512)
def tie_broken(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """The two queries, or None where nothing is limited or ordered, or the text cannot be
    written again.

    >>> tie_broken("SELECT a, b FROM t ORDER BY c LIMIT 1")[1]
    'SELECT a, b FROM t ORDER BY c, 1 DESC, 2 DESC LIMIT 1'
    """
    tree = parse(sql, dialect)
    if tree is None or not _choosing(tree):
        return None
    try:
        return _broken(tree, dialect, False), _broken(tree, dialect, True)
    except Exception:  # generators stumble over trees in many ways
        return None


def _broken(tree: exp.Expr, dialect: str, descending: bool) -> str:
    changed = tree.copy()
    for query in _choosing(changed):
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


def _choosing(tree: exp.Expr) -> list[exp.Expr]:
    """The queries that take some of their rows, or have them in an order."""
    found = [limit.parent for limit in tree.find_all(exp.Limit)]
    values = (sub.this for sub in tree.find_all(exp.Subquery) if _is_value(sub))
    whole = [tree] if tree.args.get("order") else []
    unique = {id(query): query for query in (*found, *values, *whole) if query is not None}
    return list(unique.values())


def _is_value(subquery: exp.Subquery) -> bool:
    """Whether a subquery stands for the value of its first row."""
    parent = subquery.parent
    rows = (exp.From, exp.Join, exp.In, exp.Exists, exp.SetOperation, exp.Subquery, exp.CTE)
    return parent is not None and not isinstance(parent, (*rows, exp.Any, exp.All, exp.Lateral))


def _width(query: exp.Expr) -> int:
    """The number of columns of a result; 1 where a star hides it."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.left if isinstance(query, exp.SetOperation) else query.this
    columns = query.expressions
    return 1 if any(column.is_star for column in columns) else max(1, len(columns))
