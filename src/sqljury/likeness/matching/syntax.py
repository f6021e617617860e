"""A query's syntax tree as a tree of values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from sqlglot import exp

from sqljury.likeness.matching.labelled import Node
from sqljury.sql.tokens import parse


def syntax_tree(sql: str, dialect: str) -> Node | None:
    """The syntax tree of a text, or None where it cannot be parsed.

    Left out is what is a matter of writing: aliases, the table in front of a column, brackets,
    the case of names, quotes around literals, how AND and OR are nested.
    """
    tree = parse(sql, dialect)
    return None if tree is None else _node(tree)


def _node(part: exp.Expr) -> Node:
    part = _bare(part)
    if isinstance(part, exp.Column):
        return Node(f"column {part.name.casefold()}")
    if isinstance(part, exp.Table):
        return Node(f"table {part.name.casefold()}", _nodes(part, skip=("this", "db", "catalog")))
    if isinstance(part, (exp.Identifier, exp.Var)):
        return Node(part.name.casefold())
    if isinstance(part, exp.Literal):
        return Node(repr(part.name))
    if isinstance(part, exp.Connector):
        return Node(part.key, tuple(map(_node, _flat(part, type(part)))))
    return Node(part.key + _flags(part), _nodes(part), ordered=_is_ordered(part))


def _bare(part: exp.Expr) -> exp.Expr:
    """Without brackets and alias."""
    while isinstance(part, (exp.Paren, exp.Alias, exp.Subquery)) and part.this is not None:
        part = part.this
    return part


def _flat(part: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands of all ANDs (or ORs) that stand directly inside each other."""
    part = _bare(part)
    if type(part) is kind:
        yield from _flat(part.this, kind)
        yield from _flat(part.args["expression"], kind)
    else:
        yield part


def _nodes(part: exp.Expr, skip: tuple[str, ...] = ()) -> tuple[Node, ...]:
    values = [value for key, value in part.args.items() if key not in skip]
    parts: chain[Any] = chain.from_iterable(v if isinstance(v, list) else [v] for v in values)
    return tuple(
        _node(one)
        for one in parts
        if isinstance(one, exp.Expr) and not isinstance(one, exp.TableAlias)
    )


def _flags(part: exp.Expr) -> str:
    """What an operator says by a word: DESC, LEFT, the name of a function that is not known."""
    said = [
        f" {key}" if value is True else f" {value.casefold()}"
        for key, value in sorted(part.args.items())
        if value is True or (isinstance(value, str) and value)
    ]
    return "".join(said)


def _is_ordered(part: exp.Expr) -> bool:
    swappable = (exp.EQ, exp.NEQ, exp.Add, exp.Mul, exp.Union, exp.Intersect)
    return isinstance(part, (exp.Binary, exp.SetOperation)) and not isinstance(part, swappable)
