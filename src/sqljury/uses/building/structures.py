"""Which queries have one structure: the same canonical tree, or text, without the literals.

Source: TrustSQL (Lee et al. 2024), section 3.4; Finegan-Dollak et al. (2018), arXiv:1806.09029.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqljury.schema import Schema
from sqljury.uses.trust.structures import text_structure

if TYPE_CHECKING:
    from sqljury.trees.nodes import Expression, Relation


def canonical_tree(sql: str, schema: Schema | None) -> Relation | None:
    """The canonical tree of a query under the declared keys, or None where it cannot be read."""
    from sqljury.equivalence.canonical import canonical_query
    from sqljury.trees.context import DECLARED_ASSUMPTIONS
    from sqljury.trees.nodes import Unreadable

    if schema is None:
        return None
    found = canonical_query(sql, schema, schema.dialect, DECLARED_ASSUMPTIONS)
    return None if isinstance(found, Unreadable) else found.relation


def without_literals(relation: Relation) -> Relation:
    """The same tree with one constant in the place of every other."""
    from sqljury.trees.walk import inputs, map_expressions, with_inputs

    below = tuple(map(without_literals, inputs(relation)))
    return map_expressions(with_inputs(relation, below), _bare)


def _bare(expression: Expression) -> Expression:
    from sqljury.trees.nodes import Literal, Subquery, Type
    from sqljury.trees.walk import transform

    def bare(part: Expression) -> Expression:
        if isinstance(part, Literal):
            # TRUE and NULL are put in by rules, not by people.
            is_value = part.value is not None and not isinstance(part.value, bool)
            return Literal("?", Type.TEXT) if is_value else part
        if isinstance(part, Subquery):
            return replace(part, relation=without_literals(part.relation))
        return part

    return transform(expression, bare)


def structures_of(
    queries: Iterable[tuple[str, str, Relation | None]], dialect: str = "sqlite"
) -> list[str]:
    """A name of the structure of each (database, text, canonical tree).

    Two queries that share a text without literals, or in one database a tree without literals,
    have one structure, and so have all that such steps join. Its name is the first of its texts
    in the alphabet.
    """
    listed = list(queries)
    texts = [text_structure(sql, dialect) for _, sql, _ in listed]
    trees: list[Hashable] = [
        text if tree is None else (db_id, without_literals(tree))
        for (db_id, _, tree), text in zip(listed, texts, strict=True)
    ]
    return _joined(texts, trees)


def _joined(texts: Sequence[str], trees: Sequence[Hashable]) -> list[str]:
    root = {text: text for text in texts}

    def find(text: str) -> str:
        while root[text] != text:
            root[text] = root[root[text]]
            text = root[text]
        return text

    first: dict[Hashable, str] = {}
    for text, tree in zip(texts, trees, strict=True):
        one, other = sorted((find(text), find(first.setdefault(tree, text))))
        root[other] = one
    return [find(text) for text in texts]
