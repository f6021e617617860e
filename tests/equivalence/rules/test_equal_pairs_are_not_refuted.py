"""Pairs that the rules make equal: no generated database that keeps what they assume differs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fixture_files import FOLDER, Pair, read_pairs, schema_of

from sqljury.databases.generated import DataProfile
from sqljury.trees.context import Assumption
from sqljury.uses.queries import compare_queries

# Generated databases keep declared types, and small numbers. Ties and empty tables occur in all.
_NOT_KEPT = {Assumption.NOT_EMPTY, Assumption.NO_TIES}
_BROKEN_BY = {
    Assumption.PRIMARY_KEY: DataProfile.KEYS_VIOLATED,
    Assumption.FOREIGN_KEY: DataProfile.FOREIGN_KEYS_VIOLATED,
    Assumption.NOT_NULL: DataProfile.NULLS,
}
_PAIRS = [
    pair
    for path in sorted(FOLDER.glob("*.sql"))
    if path.name != "schemas.sql"
    for pair in read_pairs(path)
    if pair.equal and "sqlite" in pair.dialects and not _NOT_KEPT & pair.assuming
]


@pytest.mark.parametrize("pair", _PAIRS, ids=lambda pair: pair.name)
def test_not_refuted(pair: Pair) -> None:
    _check(pair, 0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
def test_not_refuted_by_any_seed(seed: int) -> None:
    for pair in _PAIRS:
        _check(pair, seed)


def _check(pair: Pair, seed: int) -> None:
    broken = {_BROKEN_BY.get(each) for each in pair.assuming}
    profiles = "+".join(kind for kind in DataProfile if kind not in broken)
    schema = schema_of(pair.tables, "sqlite")
    if Assumption.PRIMARY_KEY in pair.assuming:
        # Where SQLite lets a primary key hold NULLs, databases with some are made, too.
        held = tuple(replace(table, nullable_key=False) for table in schema.tables)
        schema = replace(schema, tables=held)
    for left, right in (pair.texts, pair.texts[::-1]):
        found = compare_queries(
            left,
            right,
            schema=schema,
            profiles=profiles,
            seed=seed,
            prove=False,
            second_opinion=False,
        )
        assert found.verdict != "refuted", (left, right, found.reason, found.witness)
