"""Random queries on random small databases: the text, its tree and its canonical tree have the same
rows. The databases respect what the canonical tree assumes, and nothing else."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from random_queries import random_query, random_schema
from shrink import shrink

from checks.soundness import FAULTS, Finding, Stage, check_on_random, fault_on, read
from sqljury.schema import Schema
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption

# Where everything may be assumed most rules apply; where nothing may be, those that need an
# assumption must see that.
_ASSUMING = (ALL_ASSUMPTIONS, ALL_ASSUMPTIONS, ALL_ASSUMPTIONS, frozenset[Assumption]())


def _explore(dialect: str, seeds: range, databases: int) -> Counter[Stage]:
    """How many queries came how far; a fault is a failure that shows a small case of it."""
    seen: Counter[Stage] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        schema = random_schema(rng, dialect)
        query = read(random_query(schema, rng), schema, rng.choice(_ASSUMING))
        if isinstance(query, Finding):
            seen[query.stage] += 1
            continue
        for found in check_on_random(query, range(seed, seed + databases)):
            seen[found.stage] += 1
            assert found.stage not in FAULTS, _explained(query.sql, schema, found)
    return seen


def _explained(sql: str, schema: Schema, found: Finding) -> str:
    def is_faulty(text: str, rows: dict[str, list[tuple[object, ...]]]) -> bool:
        again = fault_on(text, schema, rows)
        return again is not None and again.stage is found.stage

    assert found.rows is not None
    if is_faulty(sql, found.rows):
        sql, rows = shrink(sql, schema.dialect, found.rows, is_faulty)
        found = fault_on(sql, schema, rows) or found
    return f"{found.stage}: {sql}\n  {found.why}\n  {found.text}\n  {found.rows}\n  {found.rules}"


@pytest.mark.parametrize("block", range(4))
def test_sqlite(block: int) -> None:
    seen = _explore("sqlite", range(block * 80, (block + 1) * 80), databases=3)
    assert seen[Stage.SAME] > 0.9 * seen.total(), seen


@pytest.mark.slow
def test_duckdb() -> None:
    seen = _explore("duckdb", range(50), databases=2)
    assert seen[Stage.SAME] > 0.9 * seen.total(), seen


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
def test_sqlite_for_long(block: int) -> None:
    _explore("sqlite", range(10_000 + block * 2_000, 10_000 + (block + 1) * 2_000), databases=8)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(4))
def test_duckdb_for_long(block: int) -> None:
    _explore("duckdb", range(50_000 + block * 500, 50_000 + (block + 1) * 500), databases=4)
