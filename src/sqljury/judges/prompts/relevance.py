"""The part of a large schema that a question is about.

Words of the question are looked for in the names and descriptions of tables and columns; a word
that few columns have counts more than one that many have, as in retrieval of documents.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sqljury.schema import Column, Schema, Table
from sqljury.sql.names import singular, words
from sqljury.trees.catalog import BySchema

_STEM = 6
"""Words are equal if their first letters are: citation and citations, patent and patents."""
_DESCRIBED = 0.4
"""What a word in a description counts, against 1 in a name."""
_NEIGHBOUR = 0.25
"""The share of its best score that a table gives to those that a foreign key joins it with."""
_FIRST = 30
"""The most columns that a table gets before the next table gets any."""
_TABLE = 20
"""Characters that a table costs besides its columns."""


@dataclass(frozen=True)
class _Index:
    """The words of a schema: of each table's name, of each column's name and description."""

    tables: Mapping[str, frozenset[str]]
    names: Mapping[tuple[str, str], frozenset[str]]
    described: Mapping[tuple[str, str], frozenset[str]]
    columns_with: Counter[str]
    """In how many columns a word occurs."""


def _stems(*texts: str) -> frozenset[str]:
    return frozenset(singular(word)[:_STEM] for text in texts for word in words(text))


def _indexed(schema: Schema) -> _Index:
    pairs = [(table, column) for table in schema.tables for column in table.columns]
    names = {(table.name, column.name): _stems(column.name) for table, column in pairs}
    described = {
        (table.name, column.name): _stems(column.description, column.value_description)
        for table, column in pairs
        if column.description or column.value_description
    }
    tables = {table.name: _stems(table.name, table.description) for table in schema.tables}
    counted = Counter(word for found in (*names.values(), *tables.values()) for word in found)
    counted.update(word for found in described.values() for word in found)
    return _Index(tables, names, described, counted)


_index = BySchema(_indexed)


def most_relevant(schema: Schema, text: str, most: int, cost: Callable[[Column], int]) -> Schema:
    """The tables and columns that a text is most likely about, in at most ``most`` characters.

    Tables come in the order of their relevance, with their keys and then their most relevant
    columns; if there is room left, with the others, too. Of tables whose names differ in digits
    only, the most relevant one comes first, and those with the same columns are left out. The
    result has the schema's own order.

    Args:
        text: the question, its hint, and what else is known of the query.
        cost: the characters that a column takes.

    >>> columns = tuple(Column(name=name) for name in ("id", "harbour", "tonnage"))
    >>> schema = Schema(dialect="sqlite", tables=(Table(name="ship", columns=columns),))
    >>> found = most_relevant(schema, "tonnage of ships", 32, lambda column: len(column.name))
    >>> [column.name for column in found.tables[0].columns]
    ['tonnage']
    """
    index = _index(schema)
    asked = _stems(text)
    weight = {word: math.log(1 + len(index.names) / index.columns_with[word])
              for word in asked if index.columns_with[word]}  # fmt: skip

    def score(table: Table, column: Column) -> float:
        key = (table.name, column.name)
        named = index.names[key] & asked
        said = (index.described.get(key, frozenset()) & asked) - named
        return sum(weight[w] for w in named) + _DESCRIBED * sum(weight[w] for w in said)

    scores = {
        table.name: {column.name: score(table, column) for column in table.columns}
        for table in schema.tables
    }
    ranked = _ranked(schema, index, asked, weight)
    chosen: dict[str, set[str]] = defaultdict(set)
    left = most
    for first in (True, False):
        for table in ranked:
            order = _order(table, scores[table.name])
            for column in order[:_FIRST] if first else order:
                price = cost(column) + (0 if table.name in chosen else len(table.name) + _TABLE)
                if column.name not in chosen.get(table.name, ()) and price <= left:
                    chosen[table.name].add(column.name)
                    left -= price
    return replace(schema, tables=tuple(_kept(schema.tables, chosen)))


def _ranked(
    schema: Schema, index: _Index, asked: frozenset[str], weight: Mapping[str, float]
) -> list[Table]:
    """The tables by relevance: first one of each family, whose names differ in digits only, then
    those of the families that have other columns."""
    own = {}
    for table in schema.tables:
        named = index.tables[table.name] & asked
        columns = (
            frozenset().union(*(index.names[table.name, c.name] for c in table.columns)) & asked
        )
        said = frozenset().union(
            *(index.described.get((table.name, c.name), frozenset()) for c in table.columns)
        )
        found = Counter(dict.fromkeys(said & asked, _DESCRIBED))
        found.update(dict.fromkeys(columns - named, 1 - _DESCRIBED))
        own[table.name] = sum(weight[word] * times for word, times in found.items()) + sum(
            1.5 * weight[word] for word in named
        )
    near = dict(own)
    known = {table.name.casefold(): table.name for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            other = known.get(key.target_table.casefold(), table.name)
            for a, b in ((table.name, other), (other, table.name)):
                near[a] = max(near[a], own[a] + _NEIGHBOUR * own[b])
    families: dict[str, dict[tuple[str, ...], Table]] = defaultdict(dict)
    for table in sorted(schema.tables, key=lambda table: -near[table.name]):
        columns_of = tuple(column.name for column in table.columns)
        families[re.sub(r"\d+", "0", table.name)].setdefault(columns_of, table)
    one_of_each = [next(iter(family.values())) for family in families.values()]
    others = [table for family in families.values() for table in [*family.values()][1:]]
    return one_of_each + sorted(others, key=lambda table: -near[table.name])


def _order(table: Table, scores: Mapping[str, float]) -> list[Column]:
    """The columns: those that the question names, then the keys, then the others."""
    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    return sorted(table.columns, key=lambda column: (-scores[column.name], column.name not in keys))


def _kept(tables: Iterable[Table], chosen: Mapping[str, set[str]]) -> Iterable[Table]:
    for table in tables:
        names = chosen.get(table.name)
        if names:
            keys = tuple(key for key in table.foreign_keys if names.issuperset(key.columns))
            yield replace(
                table,
                columns=tuple(column for column in table.columns if column.name in names),
                primary_key=table.primary_key if names.issuperset(table.primary_key) else (),
                foreign_keys=keys,
            )
