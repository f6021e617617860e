"""What a proof says that it assumes is sufficient: where all of it holds, the rows never differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import fixture_files
import pair_files
import pytest

import sqljury as sj
from checks.same_rows import Copies, differ, observe
from checks.small_databases import Rows, pool_of, random_rows
from checks.soundness import is_tied
from sqljury.databases.generated.admission import Admission
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Unreadable

SEEDS = range(40)
EVERY = 4
"""Of the rules' pairs, each fourth."""


@dataclass(frozen=True)
class Proved:
    """A pair with what its proof assumes."""

    left: str
    right: str
    schema: Schema
    assumed: frozenset[Assumption]

    def databases(self) -> Iterator[Rows]:
        pool = pool_of(self.left, self.right)
        return (random_rows(self.schema, self.assumed, pool, seed) for seed in SEEDS)


def proofs(source: str) -> list[Proved]:
    """The pairs of a family, or of the rules, that are proved, in dialects that run in memory."""
    pairs = list(_of_rules() if source == "rules" else _of_family(source))
    found = []
    for left, right, schema in pairs:
        said = sj.compare_queries(left, right, schema=schema, assuming="all")
        if said.verdict == "proved":
            assumed = frozenset(Assumption(each) for each in said.assumptions)
            found.append(Proved(left, right, schema, assumed))
    return found


def _of_family(family: str) -> Iterator[tuple[str, str, Schema]]:
    for pair in pair_files.read(family):
        schema = pair.schema
        # The small databases have no collations.
        if pair.dialect in ("sqlite", "duckdb") and not _collated(schema):
            yield pair.left, pair.right, schema


def _of_rules() -> Iterator[tuple[str, str, Schema]]:
    files = (path for path in fixture_files.FOLDER.glob("*.sql") if path.name != "schemas.sql")
    pairs = [pair for path in sorted(files) for pair in fixture_files.read_pairs(path)]
    for pair in [pair for pair in pairs if pair.equal][::EVERY]:
        yield *pair.texts, fixture_files.schema_of(pair.tables, pair.dialects[0])  # type: ignore[misc]


def _collated(schema: Schema) -> bool:
    return any(column.collation for table in schema.tables for column in table.columns)


@pytest.mark.slow
@pytest.mark.parametrize("source", [*pair_files.families(), "rules"])
def test_assumptions_are_sufficient(source: str) -> None:
    for pair in proofs(source):
        assert (told := _told_apart_where_all_holds(pair)) is None, (pair, told)


def _told_apart_where_all_holds(pair: Proved) -> str | None:
    admission = Admission(pair.schema.tables, pair.schema.dialect)
    for rows in pair.databases():
        copies = Copies(pair.schema, admission.admitted(rows))
        try:
            one, other = observe(pair.left, copies), observe(pair.right, copies)
            if one.rows is None or other.rows is None:
                continue
            why = differ(one, other)
            if why is not None and not _is_tied(pair, copies):
                return f"{why} on {copies.rows}"
        finally:
            copies.close()
    return None


def _is_tied(pair: Proved, copies: Copies) -> bool:
    trees = (build_tree(sql, pair.schema, pair.schema.dialect) for sql in (pair.left, pair.right))
    return any(isinstance(t, Unreadable) or is_tied(t, copies.engines[0]) for t in trees)
