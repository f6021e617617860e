"""What is said of pairs of which it is known that they are equal, or that they are not."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from random_queries import random_query, random_schema

from checks.real_databases import RealCopies
from checks.same_rows import differ, observe
from sqljury.case import Case
from sqljury.databases import read_schemas
from sqljury.databases.generated import DataProfile
from sqljury.equivalence.canonical import canonical
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.pair import PairAnswer, compare_pair
from sqljury.judges.proving import Proofs
from sqljury.schema import Schema
from sqljury.tables import make_policy
from sqljury.trees import build_tree
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Unreadable
from sqljury.trees.render import Unrenderable, render
from sqljury.variants import mutations, neighbours, rewrites

Query = tuple[str, Schema, str]
"""A text, its schema, the name of its database."""
STRICT = make_policy("strict", column_order="any")
ALWAYS = frozenset((Assumption.TYPES, Assumption.NO_OVERFLOW))
"""What holds in all generated databases."""
_NEEDS_ROWS = frozenset(("first_of_order", "average", "equality_to_in"))
"""Rewrites that are wrong where there are no rows, or where several tie."""
_CONTRADICTED = {
    Assumption.PRIMARY_KEY: DataProfile.KEYS_VIOLATED,
    Assumption.FOREIGN_KEY: DataProfile.FOREIGN_KEYS_VIOLATED,
    Assumption.NOT_NULL: DataProfile.NULLS,
}


def references(data: Path, seed: int = 3) -> list[Query]:
    """Spider's references of training and dev with their schemas, in random order."""
    schemas = read_schemas(data / "spider" / "tables.json")
    texts = gzip.decompress((data / "spider" / "train_gold.sql.gz").read_bytes()).decode()
    texts += (data / "spider" / "dev_gold.sql").read_text()
    found = {}
    for line in texts.splitlines():
        sql, _, db_id = line.rstrip().rpartition("\t")
        schema = schemas.get(db_id)
        if schema is not None:
            found[sql, db_id] = (sql, schema, db_id)
    queries = list(found.values())
    random.Random(seed).shuffle(queries)
    return queries


def random_references(seeds: Iterable[int]) -> Iterator[Query]:
    """Random queries over random schemas."""
    for seed in seeds:
        rng = random.Random(seed)
        schema = random_schema(rng, "sqlite")
        yield random_query(schema, rng), schema, str(seed)


# ---------------------------------------------------------------- pairs that are equal


def never_refuted(queries: Iterable[Query], *, seed: int = 0, most: int = 3) -> Counter[str]:
    """How many equal pairs were compared, by their kind; fails on one that is refuted."""
    seen: Counter[str] = Counter()
    for sql, schema, _ in queries:
        for kind, other, profiles in _equals(sql, schema, seed, most):
            for left, right in ((sql, other), (other, sql)):
                found = _compared(left, right, schema, profiles, seed)
                if found.verdict == "refuted":
                    # What is a fault of SQLite's own (of its FULL JOIN, say) DuckDB does not see.
                    found = _compared(left, right, schema, profiles, seed, second_opinion=True)
                    told = f"{kind}\n{left}\n{right}\n{found.witness}"
                    assert found.witness is not None, told
                    assert "same rows" in found.witness.doubt, told
                seen[found.verdict] += 1
            seen[kind] += 1
    return seen


def _equals(
    sql: str, schema: Schema, seed: int, most: int
) -> Iterator[tuple[str, str, list[DataProfile]]]:
    """What is equal to a query, and the data on which that is known."""
    yield from _canonical_texts(sql, schema)
    for variant in rewrites(sql, schema, seed=seed, most=most):
        if not _NEEDS_ROWS & set(variant.kinds):
            yield "rewritten", variant.sql, [DataProfile.CLEAN]


def _canonical_texts(sql: str, schema: Schema) -> Iterator[tuple[str, str, list[DataProfile]]]:
    tree = build_tree(sql, schema, "sqlite")
    if isinstance(tree, Unreadable):
        return
    for allowed in (ALWAYS, ALWAYS | set(_CONTRADICTED)):
        found = canonical(tree, Context(schema, "sqlite", allowed))
        text = render(found.relation, "sqlite")
        if not isinstance(text, Unrenderable):
            broken = {_CONTRADICTED.get(each) for each in found.assumptions}
            yield "canonical", text, [kind for kind in DataProfile if kind not in broken]


def _compared(
    left: str,
    right: str,
    schema: Schema,
    profiles: list[DataProfile],
    seed: int,
    *,
    second_opinion: bool = False,
) -> PairAnswer:
    return compare_pair(
        left,
        right,
        schema,
        DatabaseEvidence(Case(id="pair"), None, ExecutionCache(), Limits()),
        policy=STRICT,
        profiles=profiles,
        seed=seed,
        second_opinion=second_opinion,
    )


# ---------------------------------------------------------------- pairs that are not


def never_proved(queries: Iterable[Query], databases: Path, *, most: int = 6) -> Counter[str]:
    """How many pairs that differ on a real database were looked at; fails on one that is proved
    by what that database keeps."""
    seen: Counter[str] = Counter()
    opened: dict[str, RealCopies] = {}
    for sql, _, db_id in queries:
        path = databases / db_id / f"{db_id}.sqlite"
        if not path.exists():
            continue
        if db_id not in opened:
            opened[db_id] = RealCopies(path)
        copies = opened[db_id]
        for other in _mutants(sql, copies.schema, most):
            seen[_said(sql, other, copies)] += 1
    for copies in opened.values():
        copies.close()
    return seen


def _mutants(sql: str, schema: Schema, most: int) -> list[str]:
    made = [found.sql for found in mutations(sql, schema, most=most)]
    made += neighbours(sql, schema, most=most)
    return list(dict.fromkeys(made))


def _said(sql: str, other: str, copies: RealCopies) -> str:
    one, two = observe(sql, copies), observe(other, copies)
    if one.rows is None or two.rows is None:
        return "fails, or left to chance"
    if differ(one, two) is None:
        return "no difference seen"
    assuming = copies.held | {Assumption.NO_OVERFLOW}
    policy = make_policy("strict")
    proofs = Proofs(sql, other, copies.schema, policy, (), assuming)
    found = proofs.prove() or proofs.identity()
    assert found is None, f"proved assuming {found}\n{sql}\n{other}\n{differ(one, two)}"
    return "different"
