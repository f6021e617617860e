"""Generated databases on real queries: none is told apart from itself, however it is written."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases, read_schemas
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.equivalence import data_profiles
from sqljury.judges.pair import PairAnswer, compare_pair
from sqljury.schema import Schema
from sqljury.sql import parse
from sqljury.tables import make_policy

pytestmark = pytest.mark.data

ALL = data_profiles("clean+nulls+duplicates+foreign_keys_violated+keys_violated")
COUNTED = data_profiles("clean+duplicates+foreign_keys_violated")


def _compare(
    left: str, right: str, schema: Schema, profiles=ALL, columns: str = "given"
) -> PairAnswer:
    evidence = DatabaseEvidence(Case(id="1"), None, ExecutionCache(), Limits())
    return compare_pair(
        left,
        right,
        schema,
        evidence,
        policy=make_policy("strict", column_order=columns),
        profiles=profiles,
    )


def _golds(data_dir: Path, many: int) -> list[tuple[str, str]]:
    text = gzip.decompress((data_dir / "spider" / "train_gold.sql.gz").read_bytes()).decode()
    lines = [line.split("\t") for line in text.splitlines()]
    random.Random(11).shuffle(lines)
    return [(sql, db_id) for sql, db_id in lines[:many]]


def _check_rewrites(data_dir: Path, many: int) -> None:
    schemas = read_schemas(data_dir / "spider" / "tables.json")
    compared = 0
    for sql, db_id in _golds(data_dir, many):
        schema, tree = schemas.get(db_id), parse(sql, "sqlite")
        if schema is None or tree is None:
            continue
        for left, right in (
            (sql, tree.sql("sqlite")),
            (f"SELECT * FROM ({sql.rstrip('; ')})", sql),
        ):
            found = _compare(left, right, schema)
            assert found.verdict != "refuted", (db_id, left, right, found.witness)
            compared += found.verdict == "no_counterexample"
    assert compared > 1.8 * many * 0.9


def test_no_query_differs_from_itself(data_dir: Path) -> None:
    _check_rewrites(data_dir, 60)


@pytest.mark.soak
def test_no_query_of_many_differs_from_itself(data_dir: Path) -> None:
    _check_rewrites(data_dir, 2000)


@pytest.mark.slow
def test_candidates_that_fail_their_suite_are_refuted_without_a_database(data_dir: Path) -> None:
    """Spider dev: right on one database, wrong on a distilled suite of databases."""
    databases = open_databases(data_dir / "spider" / "databases")
    schemas: dict[str, Schema] = {}
    refuted = total = 0
    pool = data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz"
    for line in gzip.decompress(pool.read_bytes()).decode().splitlines():
        question = json.loads(line)
        for candidate in question["candidates"] if question["has_db"] else ():
            if not candidate["ex_colperm"] or candidate["ts_colperm"]:
                continue
            if question["db_id"] not in schemas:
                database = databases.open(question["db_id"])
                assert database is not None
                schemas[question["db_id"]] = database.schema()
            schema = schemas[question["db_id"]]
            found = _compare(question["gold_sql"], candidate["sql"], schema, COUNTED, "any")
            total += 1
            refuted += found.verdict == "refuted"
    assert total == 1049
    assert refuted >= 0.95 * total
