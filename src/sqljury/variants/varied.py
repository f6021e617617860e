"""Random variants of a query: mistakes (mutations) and equivalent rewrites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.variants.base import (
    Change,
    Changes,
    ColumnValues,
    Variant,
    changed,
    context_of,
    quote_new_names,
    readable,
)
from sqljury.variants.base import text_of as _text_of
from sqljury.variants.mutations import MUTATIONS
from sqljury.variants.rewrites import RARE, STRUCTURES, STYLES

_STYLED = 0.7
"""The share of rewrites that also get another spelling."""
_RARELY = 0.2
"""The weight of a rare kind of rewrite; the other kinds have 1."""
_TRIES = 4
_FIRST = frozenset({"bound"})
"""Kinds of mistakes that come first: few queries can have them, and they look most like it."""


def mutations(
    sql: str,
    schema: Schema,
    *,
    seed: int = 0,
    most: int = 12,
    dialect: str = "sqlite",
    values: ColumnValues | None = None,
) -> list[Variant]:
    """Queries with one realistic mistake each, of kinds that alternate in random order.

    Bounds that are slightly off come first. Most variants are not equivalent to the query; some
    happen to be. Empty if the query cannot be parsed or is too large.

    Args:
        seed: the same seed and query give the same variants.
        most: the largest number of variants.
        values: values of columns. With them, constants are also replaced by other values of their
            column and by values near to their own.
    """
    tree = readable(sql, schema, dialect)
    if tree is None:
        return []
    random = Random(f"mutations/{seed}/{sql}")
    places = _places(tree, schema, MUTATIONS, values)
    kinds = sorted(places)
    for kind in kinds:
        random.shuffle(places[kind])
    found: dict[str, Variant] = {}
    same = _text_of(tree, dialect)
    while kinds and len(found) < most:
        random.shuffle(kinds)
        for kind in sorted(kinds, key=lambda kind: kind not in _FIRST):
            text = _applied(tree, places[kind].pop(), schema, dialect)
            if text is not None and text != same:
                found.setdefault(text, Variant(text, (kind,)))
        kinds = [kind for kind in kinds if places[kind]]
    return list(found.values())[:most]


def rewrites(
    sql: str,
    schema: Schema,
    *,
    seed: int = 0,
    most: int = 8,
    steps: int = 3,
    dialect: str = "sqlite",
) -> list[Variant]:
    """Queries that should be equivalent to the given one, each made by several rewrites in a row.

    Rewrites rely on keys, foreign keys and NOT NULL as the schema declares them. Some also assume
    that there are rows and no NULLs. Empty if the query cannot be parsed or is too large.

    Args:
        seed: the same seed and query give the same variants.
        most: the largest number of variants.
        steps: most rewrites of the structure in one variant; another spelling may be added.
            The number of rewrites cycles through 1 … ``steps`` and starts at random.
    """
    tree = readable(sql, schema, dialect)
    if tree is None:
        return []
    random = Random(f"rewrites/{seed}/{sql}")
    first = random.randrange(steps)
    found: dict[str, Variant] = {}
    same = _text_of(tree, dialect)
    for number in range(_TRIES * most):
        if len(found) >= most:
            break
        variant = _rewritten(tree, schema, random, 1 + (first + number) % steps, dialect)
        if variant is not None and variant.sql != same:
            found.setdefault(variant.sql, variant)
    return list(found.values())


def _rewritten(
    tree: exp.Expr, schema: Schema, random: Random, steps: int, dialect: str
) -> Variant | None:
    kinds: list[str] = []
    for _ in range(steps):
        tree = _stepped(tree, schema, random, STRUCTURES, kinds)
    if not kinds or random.random() < _STYLED:
        tree = _stepped(tree, schema, random, STYLES, kinds)
    text = _text_of(tree, dialect)
    return Variant(text, tuple(kinds)) if kinds and text is not None else None


def _stepped(
    tree: exp.Expr,
    schema: Schema,
    random: Random,
    known: Mapping[str, Changes],
    kinds: list[str],
) -> exp.Expr:
    """The query with one more random change, whose kind is appended to ``kinds``.

    Unchanged if no change was possible.
    """
    places = _places(tree, schema, known)
    left = sorted(places)
    for _ in range(_TRIES):
        if not left:
            break
        kind = random.choices(left, [_RARELY if one in RARE else 1.0 for one in left])[0]
        left.remove(kind)
        index, change = random.choice(places[kind])
        found = changed(tree, index, change)
        if found is not None:
            kinds.append(kind)
            return found
    return tree


def _places(
    tree: exp.Expr,
    schema: Schema,
    known: Mapping[str, Changes],
    values: ColumnValues | None = None,
) -> dict[str, list[tuple[int, Change]]]:
    """All possible changes of a query by kind, each with the position of its node."""
    places: dict[str, list[tuple[int, Change]]] = {}
    for index, kind, change in _all(tree, schema, known, values):
        places.setdefault(kind, []).append((index, change))
    return places


def _all(
    tree: exp.Expr, schema: Schema, known: Mapping[str, Changes], values: ColumnValues | None
) -> Iterator[tuple[int, str, Change]]:
    here = context_of(tree, schema, values)
    for index, node in enumerate(tree.walk()):
        for kind, changes in known.items():
            for change in changes(node, here):
                yield index, kind, change


def _applied(tree: exp.Expr, place: tuple[int, Change], schema: Schema, dialect: str) -> str | None:
    found = changed(tree, *place)
    if found is None:
        return None
    quote_new_names(found, schema, dialect)
    return _text_of(found, dialect)
