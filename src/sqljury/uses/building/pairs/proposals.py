"""Pairs worth labelling: a reference and what is, or looks, like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sqljury.schema import Schema
from sqljury.sql import tables_of
from sqljury.uses.building.chance import place
from sqljury.uses.building.pairs.exclusion import Exclusion, canonical_form
from sqljury.uses.building.pairs.pair import MUTATION, OTHER, REWRITE, QueryPair
from sqljury.variants import Variant, mutations, rewrites

_REWRITES = 3
_MUTATIONS = 3
_OTHERS = 0.5
"""Of each reference; the last one is a share of the references."""
_DISGUISED = 0.8
"""The share of mutations that are rewritten on top: a mistake is not known by its spelling."""
_RESTATED = 0.35
"""The share of pairs whose reference is rewritten, too."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What was made of the references of one database."""

    db_id: str
    pairs: tuple[QueryPair, ...]
    references: int
    """Different ones, by their canonical forms."""
    excluded: int
    """Of these: references left out, as they are to be evaluated on."""


def propose(
    db_id: str, references: Sequence[str], schema: Schema, exclusion: Exclusion, *, seed: int = 0
) -> Proposed:
    """Pairs of each reference of a database, none with an excluded query.

    References with the same canonical form count once. For each there are rewrites, mutations,
    half of them rewritten, and the most similar other reference; a third of the pairs has its
    reference rewritten, too.
    """
    known: dict[str, str] = {}
    excluded = set()
    for sql in dict.fromkeys(references):
        form = canonical_form(sql, schema, named=True)
        if exclusion.has(sql, schema):
            excluded.add(form)
        else:
            known.setdefault(form, sql)
    own = list(known.values())
    pairs: dict[str, QueryPair] = {}
    for sql in own:
        for pair in _of(db_id, sql, own, schema, seed):
            if not any(exclusion.has(text, schema) for text in _made(pair, sql)):
                pairs.setdefault(pair.id, pair)
    return Proposed(db_id, tuple(pairs.values()), len(known) + len(excluded), len(excluded))


def _made(pair: QueryPair, sql: str) -> list[str]:
    """The queries of a pair that are not the reference itself."""
    return [text for text in (pair.reference, pair.prediction) if text != sql]


def _of(
    db_id: str, sql: str, others: Sequence[str], schema: Schema, seed: int
) -> Iterator[QueryPair]:
    random = Random(f"pairs/{seed}/{db_id}/{sql}")
    for variant, origin in _variants(sql, others, schema, seed, random):
        reference, kinds = sql, variant.kinds
        if random.random() < _RESTATED:
            restated = _again(sql, schema, random)
            if restated:
                reference = restated[0].sql
                kinds = (*kinds, *(f"reference:{kind}" for kind in restated[0].kinds))
        if variant.sql != reference:
            yield QueryPair(db_id, reference, variant.sql, origin, kinds)


def _variants(
    sql: str, others: Sequence[str], schema: Schema, seed: int, random: Random
) -> Iterator[tuple[Variant, str]]:
    for variant in rewrites(sql, schema, seed=seed, most=_REWRITES, dialect=schema.dialect):
        yield variant, REWRITE
    for variant in mutations(sql, schema, seed=seed, most=_MUTATIONS, dialect=schema.dialect):
        yield _disguised(variant, schema, random), MUTATION
    other = _similar(sql, others, schema, seed) if random.random() < _OTHERS else None
    if other is not None:
        yield _disguised(Variant(other, ("other_query",)), schema, random), OTHER


def _disguised(variant: Variant, schema: Schema, random: Random) -> Variant:
    if random.random() >= _DISGUISED:
        return variant
    found = _again(variant.sql, schema, random)
    return Variant(found[0].sql, (*variant.kinds, *found[0].kinds)) if found else variant


def _again(sql: str, schema: Schema, random: Random) -> list[Variant]:
    """A query rewritten as often as a rewrite of a reference is; none where it takes none."""
    seed = random.randrange(1 << 30)
    return rewrites(sql, schema, seed=seed, most=1, dialect=schema.dialect)


def _similar(sql: str, others: Sequence[str], schema: Schema, seed: int) -> str | None:
    """The other query with most words in common, on the same tables if possible."""
    words = set(sql.casefold().split())
    tables = tables_of(sql, schema.dialect, schema)

    def distance(other: str) -> tuple[bool, int, bytes]:
        common = len(words & set(other.casefold().split()))
        elsewhere = tables_of(other, schema.dialect, schema) != tables
        return elsewhere, -common, place(seed, sql, other)

    return min((other for other in others if other != sql), key=distance, default=None)
