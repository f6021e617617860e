"""Rows: profiles keep what they promise, everything is determined by the seed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from shops import ODD, QUERIES, SHOP, material

from sqljury.databases.generated import (
    DataProfile,
    Plan,
    ScratchDatabase,
    broken_rules,
    further_plans,
    make_rows,
    plans_for,
    script,
)
from sqljury.execution import Limits

CASES = [(name, seed) for name in QUERIES for seed in (0, 1)]
LIMITS = Limits()
HERE = Path(__file__).parent


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_profiles_keep_their_promises(name: str, seed: int) -> None:
    made = material(*QUERIES[name])
    used: set[DataProfile] = set()
    for plan in plans_for(made, seed=seed):
        broken = broken_rules(made, make_rows(made, plan))
        allowed = {DataProfile.CLEAN, plan.profile}
        if plan.profile is DataProfile.KEYS_VIOLATED:
            allowed.add(DataProfile.DUPLICATES)
        assert broken <= allowed, plan
        used |= broken
    rooms = {plan.profile for plan in plans_for(made)}
    assert used | {DataProfile.CLEAN} >= rooms - {DataProfile.DUPLICATES}


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_edge_values_are_clean(name: str, seed: int) -> None:
    made = material(*QUERIES[name])
    for plan in further_plans(made, [DataProfile.EDGE_VALUES], seed=seed):
        assert not broken_rules(made, make_rows(made, plan)), plan


@pytest.mark.parametrize("name", list(QUERIES))
def test_sqlite_agrees_that_keys_hold(name: str) -> None:
    made = material(*QUERIES[name])
    kinds = [DataProfile.CLEAN, DataProfile.NULLS, DataProfile.DUPLICATES]
    for plan in (*plans_for(made, kinds), *further_plans(made, [*kinds, DataProfile.EDGE_VALUES])):
        connection = sqlite3.connect(":memory:")
        connection.executescript(script(made, make_rows(made, plan)))
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.close()


@pytest.mark.parametrize("name", list(QUERIES))
def test_the_query_shows_something(name: str) -> None:
    schema, sql = QUERIES[name]
    made = material(schema, sql)
    scratch = ScratchDatabase(made.tables)
    shown = 0
    for plan in plans_for(made, [DataProfile.CLEAN]):
        scratch.fill(make_rows(made, plan))
        run = scratch.execute(sql, LIMITS)
        assert run.table is not None, run.message
        shown += bool(run.table.rows)
    assert shown >= 3


def test_only_tables_in_use_get_rows() -> None:
    made = material(SHOP, "SELECT name FROM customer")
    assert list(make_rows(made, Plan(DataProfile.CLEAN, 0, tuples=3))) == ["customer"]


def test_columns_that_nobody_reads_are_plain() -> None:
    made = material(SHOP, "SELECT name FROM customer")
    rows = make_rows(made, Plan(DataProfile.CLEAN, 0, tuples=8))["customer"]
    assert {(town, since) for _, _, town, since in rows} == {("a", "2000-01-15")}


def test_constants_and_their_neighbours_occur() -> None:
    made = material(SHOP, "SELECT 1 FROM sale WHERE n = 7", "SELECT 1 FROM sale WHERE n >= 7")
    seen = {
        row[2]
        for plan in plans_for(made, [DataProfile.CLEAN])
        for row in make_rows(made, plan)["sale"]
    }
    assert {6, 7, 8} <= seen


def test_groups_are_as_large_as_a_count_asks_for() -> None:
    sql = "SELECT town FROM customer GROUP BY town HAVING count(*) > 10"
    made = material(SHOP, sql)
    scratch = ScratchDatabase(made.tables)
    sizes: set[int] = set()
    for plan in plans_for(made, [DataProfile.CLEAN]):
        scratch.fill(make_rows(made, plan))
        run = scratch.execute("SELECT count(*) FROM customer GROUP BY town", LIMITS)
        assert run.table is not None
        sizes |= {n for (n,) in run.table.rows}
    assert {10, 11} <= sizes


def test_a_limit_is_exceeded() -> None:
    made = material(SHOP, "SELECT name FROM customer ORDER BY name LIMIT 12")
    plans = plans_for(made, [DataProfile.CLEAN])
    assert max(len(make_rows(made, plan)["customer"]) for plan in plans) > 12


def test_a_profile_without_room_has_no_databases() -> None:
    made = material(ODD, "SELECT id FROM node")
    kinds = {plan.profile for plan in plans_for(made)}
    assert kinds == {
        DataProfile.CLEAN,
        DataProfile.FOREIGN_KEYS_VIOLATED,
        DataProfile.KEYS_VIOLATED,
    }


def test_another_seed_gives_other_rows() -> None:
    made = material(*QUERIES["join"])
    first, other = (make_rows(made, plans_for(made, seed=seed)[3]) for seed in (0, 1))
    assert first != other


def test_rows_are_bounded_whatever_a_query_asks_for() -> None:
    joins = " ".join(f"JOIN sale s{i} ON s{i}.n = s.n" for i in range(30))
    sql = f"SELECT count(*) FROM sale s {joins} GROUP BY s.sku HAVING count(*) > 120 LIMIT 125"
    made = material(SHOP, sql)
    for plan in plans_for(made):
        assert sum(map(len, make_rows(made, plan).values())) <= 500
