"""Names in other letters, or in quotes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def identifier_style(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """All names of a query in lower or upper case, or quoted."""
    from sqlglot import exp

    if isinstance(node, exp.Query) and node.parent_select is None:
        if isinstance(node.parent, exp.SetOperation):
            return
        yield lambda n: _said(n, str.lower)
        yield lambda n: _said(n, str.upper)
        yield _quoted


def _said(query: exp.Expr, letters: Callable[[str], str]) -> None:
    from sqlglot import exp

    for name in query.find_all(exp.Identifier):
        name.set("this", letters(name.name))


def _quoted(query: exp.Expr) -> None:
    from sqlglot import exp

    for name in query.find_all(exp.Identifier):
        name.set("quoted", True)
