"""All rules until none applies."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqljury.equivalence.etm import queries
from sqljury.equivalence.etm.expressions import rewritten, with_joined_substrings
from sqljury.equivalence.etm.keys import Keys
from sqljury.equivalence.etm.order import ordered
from sqljury.equivalence.etm.spelling import respell
from sqljury.schema import Schema
from sqljury.sql import parse

_ROUNDS: Final = 20
"""No query of Spider or BIRD needs more than five; a rule that undid another would never end."""


def etm_form(sql: str, schema: Schema, dialect: str) -> exp.Expr | None:
    """The syntax tree to compare, or None where the text is no query that can be parsed."""
    parsed = parse(sql, dialect)
    if not isinstance(parsed, exp.Query):
        return None
    keys = Keys(schema)
    tree = exp.Subquery(this=respell(parsed, keys))
    for query in reversed(list(tree.find_all(exp.Select, exp.SetOperation, bfs=True))):
        if isinstance(query, exp.SetOperation):
            query.replace(queries.set_operation(query, keys))
    for select in reversed(list(tree.find_all(exp.Select, bfs=True))):
        _until_stable(select, keys)
    return tree


def _until_stable(select: exp.Select, keys: Keys) -> None:
    for _ in range(_ROUNDS):
        before = select.copy()
        ordered(select)
        _rewrite_expressions(select, keys)
        with_joined_substrings(select)
        queries.rewrite(select, keys)
        if select == before:
            return


def _rewrite_expressions(select: exp.Select, keys: Keys) -> None:
    for node in reversed(list(select.walk())):
        if node is not select and node.parent is not None:
            found = rewritten(node, keys)
            if found is not node:
                node.replace(found)
