"""Texts that are made to hang, crash or fill the memory: every function ends soon."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

from sqljury.sql import (
    any_order,
    clauses_of,
    features,
    keyed_for_ties,
    normalise_text,
    remove_distinct,
    tokens,
    top_level_order,
    without_limit,
)
from sqljury.sql.tokens import parse

if TYPE_CHECKING:
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.tokens import Token


def texts(n: int) -> dict[str, str]:
    """The texts, as large as they are told to be."""
    return {
        "brackets": "SELECT DISTINCT " + "(" * n + "1" + ")" * n + " ORDER BY 1 LIMIT 1",
        "only brackets": "(" * n + "ORDER BY DISTINCT LIMIT",
        "subqueries": "SELECT * FROM "
        + "(SELECT * FROM " * (n // 10)
        + "t"
        + ")" * (n // 10)
        + " ORDER BY 1",
        "open subqueries": "(SELECT" * (n // 2),
        "types": "SELECT CAST(1 AS " + "array<" * n + "int" + ">" * n + ") ORDER BY 1",
        "negations": "SELECT " + "NOT " * n + "1 ORDER BY 1",
        "minuses": "SELECT " + "- " * n + "1 ORDER BY 1",
        "cases": "SELECT "
        + "CASE WHEN 1 THEN " * (n // 17)
        + "1"
        + " END" * (n // 17)
        + " ORDER BY 1",
        "sum": "SELECT 1" + "+1" * n + " ORDER BY 1",
        "ors": "SELECT 1 WHERE a = 1" + " OR a = 1" * (n // 5) + " ORDER BY 1",
        "unions": "SELECT 1" + " UNION SELECT 1" * (n // 17) + " ORDER BY 1",
        "open bracket names": "DISTINCT ORDER BY LIMIT " + "[" * n,
        "open comments": "DISTINCT ORDER BY LIMIT " + "/*" * n,
        "quotes": "DISTINCT ORDER BY LIMIT " + "'" * (2 * n + 1),
        "nul": "SELECT \0 ORDER BY \ud800 LIMIT \0",
    }


# The parser itself manages a thousand CASE in each other.
TEXTS = {**texts(20_000), "cases": texts(50_000)["cases"]}
_PARSED = {"unions", "nul"}
"""Long or odd, but no bombs."""


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


class Spy:
    """A dialect that counts what it is given: time would measure the machine."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tokenized = 0
        self.parsed = 0

    def tokenize(self, sql: str) -> list[Token]:
        self.tokenized += len(sql)
        return self.dialect.tokenize(sql)

    def parser(self) -> Any:
        self.parsed += 1
        return self.dialect.parser()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_bombs_never_reach_the_parser(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known, error = tokens._sqlglot("sqlite")
    spy = Spy(known)
    monkeypatch.setattr(tokens, "_sqlglot", lambda _: (spy, error))
    everything(TEXTS[name])
    assert (spy.parsed > 0) == (name in _PARSED)
    # Each of the functions reads the text once, and no function does so for each of its parts.
    assert spy.tokenized <= 10 * len(TEXTS[name])


def lines_run(sql: str) -> int:
    """How many lines of our own are run."""
    count = 0

    def on_line(_frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return on_line

    def on_call(frame: FrameType, _event: str, _: object) -> Any:
        return on_line if _OURS in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        everything(sql)
    finally:
        sys.settrace(before)
    return count


_OURS = str(Path(tokens.__file__).parent)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    smaller, larger = (lines_run(texts(n)[name]) for n in (2_000, 4_000))
    assert larger < 2.1 * smaller + 1_000


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
