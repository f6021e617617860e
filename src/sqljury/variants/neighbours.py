"""Neighbours of a query: queries with one small change, of kinds that people and models make."""

from __future__ import annotations

from itertools import zip_longest

from sqljury.schema import Schema
from sqljury.sql.tokens import parse
from sqljury.variants.base import MOST_NODES, changed, context_of, text_of
from sqljury.variants.mutations import NEIGHBOUR_KINDS


def neighbours(sql: str, schema: Schema, *, most: int = 60, dialect: str = "sqlite") -> list[str]:
    """Queries that differ from the given one in one place; the kinds of changes alternate.

    The changes: other comparisons and constants, fewer conditions, AND and OR exchanged, other
    aggregates and joins, DISTINCT, another column of the same table and type, other orders,
    limits, groups and set operations. A few neighbours are equivalent to the query; the result
    does not say which. Empty if the query cannot be parsed or is too large.

    >>> from sqljury.schema import Column, Table
    >>> t = Table(name="t", columns=(Column(name="a", type="INT"),))
    >>> neighbours("SELECT a FROM t WHERE a > 3", Schema(dialect="sqlite", tables=(t,)), most=3)
    ['SELECT DISTINCT a FROM t WHERE a > 3', 'SELECT a FROM t', 'SELECT a FROM t WHERE a >= 3']

    Source: Zhong, Yu and Klein (2020), section 3.2 (neighbour queries).
    """
    tree = parse(sql, dialect)
    if tree is None:
        return []
    nodes = list(tree.walk())
    if len(nodes) > MOST_NODES:
        return []
    known = context_of(tree, schema)
    kinds: dict[str, list[str]] = {}
    for index, node in enumerate(nodes):
        for kind, changes in NEIGHBOUR_KINDS.items():
            for change in changes(node, known):
                found = changed(tree, index, change)
                text = None if found is None else text_of(found, dialect)
                if text is not None:
                    kinds.setdefault(kind, []).append(text)
    same = tree.sql(dialect=dialect)
    in_turn = (text for row in zip_longest(*kinds.values()) for text in row if text is not None)
    return [text for text in dict.fromkeys(in_turn) if text != same][:most]
