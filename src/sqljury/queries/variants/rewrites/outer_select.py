"""All of a subquery for the query itself; a condition asked of a subquery."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def outer_select(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``SELECT * FROM (…) AS t``; the query's name in a WITH."""
    from sqlglot import exp

    if not isinstance(node, exp.Query) or node.parent_select is not None:
        return
    if isinstance(node.parent, exp.SetOperation) or node.args.get("order") is not None:
        return
    if node.args.get("with_") is not None or not isinstance(node, exp.Select | exp.SetOperation):
        return
    yield lambda n: n.replace(_wrapped(exp.Subquery(this=n.copy(), alias=_alias("t"))))
    yield lambda n: n.replace(_named(n.copy()))


def _alias(name: str) -> exp.Expr:
    from sqlglot import exp

    return exp.TableAlias(this=exp.to_identifier(name))


def _wrapped(source: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Select(expressions=[exp.Star()]).from_(source)


def _named(query: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    with_ = exp.With(expressions=[exp.CTE(this=query, alias=_alias("result"))])
    found = _wrapped(exp.to_table("result"))
    found.set("with_", with_)
    return found
