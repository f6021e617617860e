"""Tables by other names: their own, their first letter, none with a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, qualify, renamed, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def table_names(node: exp.Expr, around: Around) -> Iterator[Change]:
    """All tables of a SELECT renamed in one manner."""
    from sqlglot import exp

    if isinstance(node, exp.Select) and node.args.get("from_") is not None:
        if any(isinstance(one, exp.Star) for one in node.find_all(exp.Column)):
            return
        yield lambda n: _renamed(n, around, _own)
        yield lambda n: _renamed(n, around, _letters)
        yield lambda n: _renamed(n, around, _numbered)


def _own(source: exp.Expr, _place: int) -> str:
    return str(source.name)


def _letters(source: exp.Expr, _place: int) -> str:
    return "".join(word[0] for word in source.name.lower().split("_") if word)


def _numbered(_source: exp.Expr, place: int) -> str:
    return f"t{place}" if place else "t"


def _renamed(select: exp.Select, around: Around, manner: Callable[[exp.Expr, int], str]) -> None:
    from sqlglot import exp

    qualify(select, around)
    sources = [one for one in sources_of(select) if isinstance(one, exp.Table)]
    wanted = [manner(one, place) for place, one in enumerate(sources)]
    others = {name_of(one) for one in select.root().find_all(exp.Table, exp.Subquery)}
    others -= {name_of(one) for one in sources}
    folded = [name.casefold() for name in wanted]
    if len(set(folded)) < len(folded) or set(folded) & others:
        raise ValueError("two tables of one name")
    # By way of names that nobody has: new names may be others' old ones.
    for place, source in enumerate(sources):
        renamed(select, source.alias_or_name, f"__{place}")
    for place, name in enumerate(wanted):
        renamed(select, f"__{place}", name)


def name_of(source: exp.Expr) -> str:
    """What a table or subquery is called in the query, case-folded."""
    return str(source.alias_or_name).casefold()
