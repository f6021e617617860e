"""Texts that are made to hang, crash or fill the memory: every function ends soon."""

from __future__ import annotations

import time

import pytest

from sqljury.queries import (
    any_order,
    clauses_of,
    features,
    keyed_for_ties,
    normalise_text,
    remove_distinct,
    top_level_order,
    without_limit,
)
from sqljury.queries.tokens import parse

N = 50_000

TEXTS = {
    "brackets": "SELECT DISTINCT " + "(" * N + "1" + ")" * N + " ORDER BY 1 LIMIT 1",
    "only brackets": "(" * N + "ORDER BY DISTINCT LIMIT",
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * 5_000 + "t" + ")" * 5_000 + " ORDER BY 1",
    "open subqueries": "(SELECT" * 28_000,
    "types": "SELECT CAST(1 AS " + "array<" * N + "int" + ">" * N + ") ORDER BY 1",
    "negations": "SELECT " + "NOT " * N + "1 ORDER BY 1",
    "minuses": "SELECT " + "- " * N + "1 ORDER BY 1",
    "cases": "SELECT " + "CASE WHEN 1 THEN " * 3_000 + "1" + " END" * 3_000 + " ORDER BY 1",
    "sum": "SELECT 1" + "+1" * N + " ORDER BY 1",
    "ors": "SELECT 1 WHERE a = 1" + " OR a = 1" * 10_000 + " ORDER BY 1",
    "unions": "SELECT 1" + " UNION SELECT 1" * 3_000 + " ORDER BY 1",
    "open bracket names": "DISTINCT ORDER BY LIMIT " + "[" * N,
    "open comments": "DISTINCT ORDER BY LIMIT " + "/*" * N,
    "quotes": "DISTINCT ORDER BY LIMIT " + "'" * (2 * N + 1),
    "nul": "SELECT \0 ORDER BY \ud800 LIMIT \0",
}


def everything(sql: str) -> None:
    features(sql)
    normalise_text(sql)
    remove_distinct(sql)
    any_order(sql)
    top_level_order(sql)
    keyed_for_ties(sql)
    without_limit(sql)
    parse(sql, "sqlite")
    clauses_of(sql, "sqlite")


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_bombs(name: str) -> None:
    # What hangs takes minutes here; the bound tells that from a busy machine, and no more.
    started = time.process_time()
    everything(TEXTS[name])
    assert time.process_time() - started < 60


# What sqlglot itself fails on: TypeError, and a warning on the terminal.
BROKEN = [("SELECT a ? ,", "postgres"), ("SET vote_id , FROM t", "sqlite")]


@pytest.mark.parametrize(("sql", "dialect"), BROKEN)
def test_failures_of_the_parser_are_silent(
    capfd: pytest.CaptureFixture[str], sql: str, dialect: str
) -> None:
    assert clauses_of(sql, dialect) is None
    assert capfd.readouterr() == ("", "")


def test_ten_megabytes() -> None:
    text = "SELECT DISTINCT 'x' FROM t ORDER BY a LIMIT 1 " + "a, [" * 2_500_000
    started = time.process_time()
    everything(text)
    assert time.process_time() - started < 3
    assert features(text) == ()
    assert keyed_for_ties(text) is None
    assert "DISTINCT" not in remove_distinct(text)


def test_long_chains_are_read() -> None:
    """A query of the length that programs write is no bomb."""
    ors = "SELECT a FROM t WHERE a = 1" + " OR a = 1" * 1_500
    found = clauses_of(ors, "sqlite")
    assert found is not None
    assert len(found.where.parts) == 1_501
    assert keyed_for_ties(ors + " ORDER BY b") is not None
