"""Verdicts on random pairs over random scripts, held against databases that the engine accepts."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace

from declared_schemas import (
    DeclaredCopies,
    declared_schema,
    random_copies,
    random_script,
)
from mutations import mutated
from random_queries import kind_of, random_query

from checks.same_rows import differ, observe
from checks.small_databases import Rows
from checks.soundness import is_tied
from sqljury.equivalence.canonical import equality
from sqljury.equivalence.proof import ordered, prove_equal, unordered
from sqljury.judges.pair import PairAnswer, Witness
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import DECLARED_ASSUMPTIONS, Assumption
from sqljury.trees.nodes import Relation, Unreadable
from sqljury.uses.queries import compare_queries

_AT_MOST = DECLARED_ASSUMPTIONS | {Assumption.NO_OVERFLOW}
_CONTRADICTS = {"foreign_keys_violated": Assumption.FOREIGN_KEY}
_NONE = type(None)
_HELD = {
    "integer": (int, _NONE),
    "real": (float, _NONE),
    "text": (str, _NONE),
    "date": (str, _NONE),
}
_SECONDS = 0.3
"""Of the processor for a proof, and for a search: few of those that are found take longer."""

_Trees = tuple[Relation, Relation]


def explore(seeds: range, databases: int) -> Counter[str]:
    """How many pairs were proved, refuted and neither; fails on a verdict that is wrong.

    A proof is wrong if a database that the engine accepts gives other rows, or if the search
    finds one that the proof does not exclude by what it assumes; a refutation is wrong if the
    prover proves the pair, or if its witness, put into the tables as they are declared, gives the
    same rows although nothing is left to chance.
    """
    seen: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        script = random_script(rng)
        schema = declared_schema(script)
        left = random_query(schema, rng, depth=rng.choice((1, 1, 2)))
        right = mutated(left, "sqlite", rng)
        if right is not None:
            seen[_verdict(seed, script, schema, (left, right), databases)] += 1
    return seen


def _verdict(seed: int, script: str, schema: Schema, pair: tuple[str, str], databases: int) -> str:
    left, right = (build_tree(sql, schema, "sqlite") for sql in pair)
    if isinstance(left, Unreadable) or isinstance(right, Unreadable):
        return "unreadable"
    assumed = _assumed(left, right, schema)
    found = compare_queries(
        *pair, schema=schema, prove=False, second_opinion=False, seconds=_SECONDS
    )
    told = f"{seed}\n{script}\n{pair[0]}\n{pair[1]}\n{assumed}\n{found}"
    if assumed is None:
        refuted = found.witness if found.verdict == "refuted" else None
        if refuted is not None and not _is_of_chance(found, refuted):
            with closing(_of_witness(refuted, schema, script)) as copies:
                assert _difference(copies, pair, (left, right)) != "", told
        return found.verdict
    if Assumption.NO_TIES in assumed:
        return "proved"
    assert not _is_contradicted(assumed, found, schema, script), told
    for number in range(databases):
        with closing(random_copies(schema, script, seed + number)) as copies:
            why = _difference(copies, pair, (left, right))
            assert not why, f"{told}\n{why}\n{copies.rows}"
    return "proved"


def _assumed(left: Relation, right: Relation, schema: Schema) -> frozenset[Assumption] | None:
    """What a proof takes for granted, or None where there is none."""
    if not ordered(left):
        right = unordered(right)
    same = equality(left, right, schema, "sqlite", assuming=_AT_MOST)
    if same is not None:
        return same.assumptions
    return prove_equal(left, right, schema, "sqlite", assuming=_AT_MOST, seconds=_SECONDS)


def _is_contradicted(
    assumed: frozenset[Assumption], found: PairAnswer, schema: Schema, script: str
) -> bool:
    """Whether a search found other rows on a database that keeps what a proof assumes."""
    if found.verdict != "refuted" or _CONTRADICTS.get(found.profile or "") in assumed:
        return False
    assert found.witness is not None
    if Assumption.TYPES not in assumed:
        return True
    with closing(_of_witness(found.witness, schema, script)) as copies:
        return _keeps_types(schema, copies.rows)


def _keeps_types(schema: Schema, rows: Rows) -> bool:
    return all(
        isinstance(value, _HELD[kind_of(column)])
        for table in schema.tables
        for row in rows.get(table.name, ())
        for column, value in zip(table.columns, row, strict=True)
    )


def _is_of_chance(found: PairAnswer, witness: Witness) -> bool:
    """Whether a query leaves to chance which rows it gives, or in which order, and the engine need
    not show it."""
    bags = [Counter(map(repr, table.rows)) for table in (witness.left, witness.right)]
    return "left to chance" in found.reason or bags[0] == bags[1]


def _of_witness(witness: Witness, schema: Schema, script: str) -> DeclaredCopies:
    """The rows of a witness in the tables as the script declares them."""
    rows: Rows = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(witness.sql)
        made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in made:
            rows[name] = connection.execute(f"SELECT * FROM {name}").fetchall()
    return DeclaredCopies(schema, script, rows)


def _difference(copies: DeclaredCopies, pair: tuple[str, str], trees: _Trees) -> str | None:
    """How the rows differ; empty where they do not, None where they are not determined.

    The order of the left query binds, and no other.
    """
    one, other = (observe(sql, copies) for sql in pair)
    if one.rows is None or other.rows is None:
        return None
    why = differ(one, replace(other, groups=(Counter(other.rows),))) or ""
    return None if why and any(is_tied(tree, copies.engines[0]) for tree in trees) else why
