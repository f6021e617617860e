"""A query as planners print it: what it only sorts by is shown, too, under a name of their own.

Apache Calcite prints ``ORDER BY COUNT(*)`` as a column ``$f1`` of the result and ``ORDER BY 2``.
Whoever compares such a text with the query it came from has to know that the column is none.
"""

from __future__ import annotations

from sqljury.queries.variants.base import readable, text_of
from sqljury.schema import Schema


def planner_text(sql: str, schema: Schema, *, dialect: str = "sqlite") -> str | None:
    """The query with its hidden sort keys shown last; None where it has none.

    >>> empty = Schema(dialect="sqlite", tables=())
    >>> planner_text("SELECT a FROM t GROUP BY a ORDER BY COUNT(*)", empty)
    'SELECT a, COUNT(*) AS "$f1" FROM t GROUP BY a ORDER BY 2'
    """
    from sqlglot import exp

    tree = readable(sql, schema, dialect)
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return None
    order = tree.args.get("order")
    if order is None:
        return None
    if any(isinstance(one, exp.Star) for one in tree.selects):
        return None
    known = [part.sql() for one in tree.selects for part in (one, one.unalias())]
    known += [one.alias for one in tree.selects if isinstance(one, exp.Alias)]
    hidden = [
        key
        for key in order.expressions
        if key.this.sql() not in known and not isinstance(key.this, exp.Literal)
    ]
    for key in hidden:
        name = exp.to_identifier(f"$f{len(tree.selects)}", quoted=True)
        tree.append("expressions", exp.Alias(this=key.this.copy(), alias=name))
        key.set("this", exp.Literal.number(len(tree.selects)))
    return text_of(tree, dialect) if hidden else None
