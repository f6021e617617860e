"""Every pair of every ``*.sql`` here: equal ones become one tree and return the same rows; near
misses stay apart, and some database shows why. README.md explains the files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

import pytest
from fixture_files import FOLDER, Pair, read_pairs, schema_of, statements

from checks.same_rows import Copies, Observed, differ, observe
from checks.small_databases import Engine, Pool, Rows, pool_of, quoted, random_rows, respecting
from sqljury.equivalence import simplify
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, RELATION
from sqljury.equivalence.rules.registry import RuleIndex, all_rules, rules_of
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption, Context

canonical = pytest.importorskip("sqljury.equivalence.canonical")

_FILES = sorted(path for path in FOLDER.glob("*.sql") if path.name != "schemas.sql")
_PAIRS = [pair for path in _FILES for pair in read_pairs(path)]
_CASES = [
    pytest.param(pair, dialect, id=f"{pair.name}-{dialect}")
    for pair in _PAIRS
    for dialect in pair.dialects
]
_DATABASES = {"sqlite": 20, "duckdb": 3}
_DATABASES_FOR_WITNESS = {"sqlite": 300, "duckdb": 40}


@pytest.mark.parametrize(("pair", "dialect"), _CASES)
def test_trees(pair: Pair, dialect: str) -> None:
    one, other = (_canonical(text, pair, dialect) for text in pair.texts)
    if pair.equal:
        assert one.relation == other.relation
        assert one.assumptions | other.assumptions <= pair.assuming
        assert not pair.rule or pair.rule in {*one.rules, *other.rules}
    else:
        assert one.relation != other.relation


@pytest.mark.parametrize(("pair", "dialect"), _CASES)
def test_rows(pair: Pair, dialect: str) -> None:
    if pair.equal:
        compared, difference = _search(pair, dialect, _DATABASES[dialect])
        assert difference is None
        assert compared, "the rows are determined on no database"
    else:
        _, difference = _search(pair, dialect, _DATABASES_FOR_WITNESS[dialect])
        assert difference is not None, "no database shows a difference: a witness is needed"


@pytest.mark.parametrize("pair", [pair for pair in _PAIRS if pair.witness], ids=lambda p: p.name)
def test_witness(pair: Pair) -> None:
    schema = schema_of(pair.tables, pair.dialects[0])
    rows = _witness(pair, schema)
    assert respecting(rows, schema, pair.assuming) == rows, "the witness breaks an assumption"


@pytest.mark.parametrize(("pair", "dialect"), _CASES)
def test_what_a_rule_needs_hides_nothing(
    pair: Pair, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = Context(schema_of(pair.tables, dialect), dialect, pair.assuming)
    trees = [build_tree(text, context.schema, dialect) for text in pair.texts]
    found = [canonical._canonical(tree, context) for tree in trees]
    for module, index, kinds in (
        (canonical, "_OF_RELATIONS", (RELATION,)),
        (simplify, "_OF_VALUES", (EXPRESSION,)),
        (simplify, "_OF_CONDITIONS", (EXPRESSION, CONDITION)),
    ):
        tried = [replace(rule, needs=frozenset()) for kind in kinds for rule in rules_of(kind)]
        monkeypatch.setattr(module, index, RuleIndex(tried))
    monkeypatch.setattr(simplify, "_known", {})
    assert [canonical._canonical(tree, context) for tree in trees] == found


@pytest.mark.parametrize(("pair", "dialect"), _CASES)
def test_what_might_be_assumed_and_is_not_changes_nothing(pair: Pair, dialect: str) -> None:
    for text in pair.texts:
        for allowed in (pair.assuming, ALL_ASSUMPTIONS):
            found = _under(allowed, text, pair.tables, dialect)
            assert _under(found.assumptions, text, pair.tables, dialect) == found


@lru_cache(maxsize=8)  # often two of the four are the same
def _under(allowed: frozenset[Assumption], text: str, tables: str, dialect: str):  # type: ignore[no-untyped-def]
    schema = schema_of(tables, dialect)
    tree = build_tree(text, schema, dialect)
    return canonical._canonical(tree, Context(schema, dialect, allowed))


def _canonical(text: str, pair: Pair, dialect: str):  # type: ignore[no-untyped-def]
    schema = schema_of(pair.tables, dialect)
    found = canonical.canonical_query(text, schema, dialect, pair.assuming)
    assert isinstance(found, canonical.Canonical), f"{text}: {found}"
    allowed = (rule.assumes for rule in all_rules() if rule.name in found.rules)
    assert found.assumptions <= frozenset[Assumption]().union(*allowed), "a rule assumes in secret"
    return found


def _search(pair: Pair, dialect: str, databases: int) -> tuple[int, str | None]:
    """How many databases were compared, and the first difference."""
    if pair.witness:
        schema = schema_of(pair.tables, dialect)
        candidates = iter([Copies(schema, _witness(pair, schema))])
    else:
        pool = pool_of(*(text for other in _of_file(pair.file) for text in other.texts))
        candidates = (
            _database(pair.tables, dialect, pair.assuming, pool, seed) for seed in range(databases)
        )
    compared = 0
    for copies in candidates:
        one, other = (_observe(text, pair, copies) for text in pair.texts)
        if one.rows is None or other.rows is None:
            continue
        compared += 1
        difference = differ(one, other)
        if difference is not None:
            return compared, f"{difference} on {copies.rows}"
    return compared, None


def _observe(text: str, pair: Pair, copies: Copies) -> Observed:
    seen = observe(text, copies)
    assert "rror" not in seen.why, f"{pair.name}: {text}: {seen.why}"
    return seen


@cache
def _of_file(name: str) -> tuple[Pair, ...]:
    return tuple(pair for pair in _PAIRS if pair.file == name)


@cache
def _database(
    tables: str, dialect: str, assuming: frozenset[Assumption], pool: Pool, seed: int
) -> Copies:
    schema = schema_of(tables, dialect)
    return Copies(schema, random_rows(schema, assuming, pool, seed))


def _witness(pair: Pair, schema: Schema) -> Rows:
    """The rows of the witness as SQLite keeps them."""
    engine = Engine(replace(schema, dialect="sqlite"), {})
    for statement in statements(pair.witness):
        assert engine.run(statement) == [], f"{pair.name}: {engine.run(statement)}"
    tables = {
        table.name: engine.run(f"SELECT * FROM {quoted(table.name)}") for table in schema.tables
    }
    return {name: rows for name, rows in tables.items() if not isinstance(rows, str)}
