"""What expressions become, and that their values stay, for every row of a grid in real engines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from truth_tables import TABLE, refuted, scope, spelled

from sqljury.equivalence.rules.base import Simplified
from sqljury.equivalence.simplify import simplify, simplify_condition
from sqljury.schema import Schema
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption
from sqljury.trees.from_sql import build_tree
from sqljury.trees.nodes import Expression, Filter, Project

WITHOUT_TYPES = ALL_ASSUMPTIONS - {Assumption.TYPES}


def value(text: str, dialect: str) -> Expression:
    """An expression over the table's columns as a value."""
    tree = build_tree(f"SELECT {text} FROM t", Schema(dialect=dialect, tables=(TABLE,)), dialect)
    assert isinstance(tree, Project), tree
    return tree.expressions[0]


def condition(text: str, dialect: str) -> Expression:
    """An expression over the table's columns as a condition."""
    sql = f"SELECT i FROM t WHERE {text}"
    tree = build_tree(sql, Schema(dialect=dialect, tables=(TABLE,)), dialect)
    assert isinstance(tree, Project), tree
    assert isinstance(tree.input, Filter), tree
    return tree.input.condition


@dataclass(frozen=True)
class Pair:
    """Two expressions in one dialect, and whether they become the same."""

    what: Literal["condition", "value"]
    dialect: str
    texts: tuple[str, str]
    equal: bool


_LINE = re.compile(r"(condition|value) +(both|sqlite|duckdb) +(.+) (===|=/=) (.+)")


def pairs(*, equal: bool) -> list[Pair]:
    """The pairs of expressions.txt, once for each dialect."""
    text = (Path(__file__).parent / "expressions.txt").read_text(encoding="utf-8")
    rows = [_LINE.fullmatch(line) for line in text.splitlines() if line[:2] not in ("", "--")]
    found = [
        Pair(row[1], dialect, (row[3], row[5]), row[4] == "===")  # type: ignore[arg-type]
        for row in rows
        if row is not None
        for dialect in (("sqlite", "duckdb") if row[2] == "both" else (row[2],))
    ]
    assert None not in rows
    return [pair for pair in found if pair.equal is equal]


def trees_and_simple(pair: Pair) -> tuple[list[Expression], list[Simplified]]:
    """Both expressions as they are read, and simplified."""
    read, simplified = (
        (condition, simplify_condition) if pair.what == "condition" else (value, simplify)
    )
    trees = [read(text, pair.dialect) for text in pair.texts]
    return trees, [simplified(tree, scope(pair.dialect)) for tree in trees]


@pytest.mark.parametrize("pair", pairs(equal=True), ids=str)
def test_become_equal(pair: Pair) -> None:
    trees, found = trees_and_simple(pair)
    assert found[0].expression == found[1].expression, [
        spelled(simple.expression, pair.dialect) for simple in found
    ]
    for tree, simple in zip(trees, found, strict=True):
        assert refuted(tree, simple, pair.dialect, pair.what == "condition") is None


@pytest.mark.parametrize("pair", pairs(equal=False), ids=str)
def test_stay_apart(pair: Pair) -> None:
    trees, found = trees_and_simple(pair)
    assert found[0].expression != found[1].expression
    assert refuted(trees[0], found[1], pair.dialect, pair.what == "condition") is not None


# What SQLite's columns hold is not what they declare: only under Assumption.TYPES are these equal.
BY_TYPES = [
    ("i > 2", "i >= 3"),
    ("i > 1 AND i < 3", "i = 2"),
    ("i IN (1, 2, 3)", "i BETWEEN 1 AND 3"),
    ("i", "i <> 0"),
    ("b <> 0", "b = 1"),
    ("s LIKE '2010'", "s = '2010'"),
]


@pytest.mark.parametrize(("one", "other"), BY_TYPES)
def test_types_are_assumed(one: str, other: str) -> None:
    assuming = [simplify_condition(condition(t, "sqlite"), scope("sqlite")) for t in (one, other)]
    assert Assumption.TYPES in assuming[0].assumed | assuming[1].assumed
    plain = scope("sqlite", WITHOUT_TYPES)
    without = [simplify_condition(condition(t, "sqlite"), plain) for t in (one, other)]
    assert without[0].expression != without[1].expression
    assert not without[0].assumed | without[1].assumed


def test_nothing_is_assumed_without_need() -> None:
    for text in ("i IN (1, 3)", "i = 1 OR i = 3", "i >= 3", "s = 'a' AND i = 1"):
        assert not simplify_condition(condition(text, "sqlite"), scope("sqlite")).assumed
