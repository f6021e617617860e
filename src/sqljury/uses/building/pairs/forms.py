"""What a query is known by: its canonical tree, its faithful tree, its text."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass

from sqljury.equivalence.canonical import canonical_query
from sqljury.schema import Schema
from sqljury.sql import normalise_text, parse
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable


def canonical_form(sql: str, schema: Schema | None, *, named: bool = False) -> str:
    """A name that all queries with one canonical tree share; of the text where there is no tree.

    Args:
        named: output columns count by their names, too.
    """
    found = None if schema is None else canonical_query(sql, schema, schema.dialect)
    if found is None or isinstance(found, Unreadable):
        return text_form(sql)
    return _hashed("canonical", repr(found.relation) if named else _spelled(found.relation))


def tree_form(sql: str, schema: Schema | None) -> str:
    """A name that all queries share which do the same in the same way, whatever their names."""
    found = None if schema is None else build_tree(sql, schema, schema.dialect)
    if found is None or isinstance(found, Unreadable):
        return text_form(sql)
    return _hashed("tree", _spelled(found))


def text_form(sql: str) -> str:
    """A name that all spellings of a query share that differ in spaces and letters alone.

    What is in quotes counts, too, in any letters: of two questions for ``'Ann'`` and ``'ann'``
    none should be trained on where the other is evaluated on.
    """
    text = normalise_text(sql).casefold().replace('"', "'")
    return _hashed("text", " ".join(text.replace("'", " ' ").split()))


def table_names(sql: str) -> frozenset[str]:
    """All names in FROM, case-folded; none where the text cannot be read."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    return (
        frozenset(one.name.casefold() for one in tree.find_all(exp.Table)) if tree else frozenset()
    )


def _spelled(value: object) -> str:
    """A tree in words, without what two equal ones may differ in: names of output columns."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = (_spelled(getattr(value, one.name)) for one in fields(value) if one.compare)
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))})"
    return repr(value)


def _hashed(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
