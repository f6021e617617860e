"""WITH for a subquery."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, free_name

if TYPE_CHECKING:
    from sqlglot import exp


def common_table(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """A subquery that reads no table from outside, named before the query."""
    from sqlglot import exp

    if not isinstance(node, exp.Subquery) or not isinstance(node.this, exp.Select):
        return
    root = node.root()
    query = root.this if isinstance(root, exp.Paren) else root
    fits = isinstance(node.parent, exp.From | exp.Join | exp.In)
    if fits and isinstance(query, exp.Select) and query.args.get("with_") is None:
        names = {one.alias_or_name.casefold() for one in node.this.find_all(exp.Table)}
        used = {column.table.casefold() for column in node.this.find_all(exp.Column)}
        if used - {""} <= names:
            yield _common


def _common(node: exp.Expr) -> None:
    from sqlglot import exp

    root = node.root()
    query = root.this if isinstance(root, exp.Paren) else root
    name = free_name(query, "part")
    inner = node.this.copy()
    shown = inner.selects[0]
    if isinstance(node.parent, exp.In):
        if len(inner.selects) != 1 or not isinstance(shown, exp.Column):
            raise ValueError("no name for its column")
        again = exp.Select(expressions=[exp.column(shown.name)]).from_(exp.to_table(name))
        node.replace(exp.Subquery(this=again))
    else:
        if any(not one.alias_or_name for one in inner.selects):
            raise ValueError("no name for its column")
        alias = exp.TableAlias(this=exp.to_identifier(node.alias_or_name))
        node.replace(exp.Table(this=exp.to_identifier(name), alias=alias))
    named = exp.CTE(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name)))
    query.set("with_", exp.With(expressions=[named]))
