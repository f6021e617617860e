"""Verdicts on random pairs over random scripts, held against databases that the engine accepts."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from declared_schemas import declared_copies, declared_schema, random_script
from mutations import mutated
from random_queries import random_query

from checks.same_rows import differ, observe
from checks.soundness import is_tied
from sqljury.api.queries import compare_queries
from sqljury.judges.pair import PairAnswer
from sqljury.judges.proving import Proofs
from sqljury.schema import Schema
from sqljury.tables import make_policy
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable

_POLICY = make_policy("strict")
_CONTRADICTS = {"foreign_keys_violated": "foreign key"}


def explore(seeds: range, databases: int) -> Counter[str]:
    """How many pairs were proved, refuted and neither; fails on a verdict that is wrong.

    A proof is wrong if a database that the engine accepts gives other rows, or if the search
    finds one that the proof does not exclude by what it assumes; a refutation is wrong if the
    prover proves the pair.
    """
    seen: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        script = random_script(rng)
        schema = declared_schema(script)
        left = random_query(schema, rng)
        right = mutated(left, "sqlite", rng)
        if right is not None:
            seen[_verdict(seed, script, schema, (left, right), databases)] += 1
    return seen


def _verdict(seed: int, script: str, schema: Schema, pair: tuple[str, str], databases: int) -> str:
    trees = [build_tree(sql, schema, "sqlite") for sql in pair]
    if any(isinstance(tree, Unreadable) for tree in trees):
        return "unreadable"
    assumed = Proofs(*pair, schema, _POLICY, ()).prove()
    found = compare_queries(*pair, schema=schema, prove=False, second_opinion=False)
    told = f"{seed}\n{script}\n{pair[0]}\n{pair[1]}\n{assumed}\n{found}"
    if assumed is None:
        return found.verdict
    assert not _is_contradicted(assumed, found), told
    if "no ties" not in assumed:
        for number in range(databases):
            why = _difference(script, schema, pair, trees, seed + number)
            assert why is None, f"{told}\n{why}"
    return "proved"


def _is_contradicted(assumed: list[str], found: PairAnswer) -> bool:
    if found.verdict != "refuted" or "no ties" in assumed:
        return False
    return _CONTRADICTS.get(found.profile or "") not in assumed


def _difference(
    script: str, schema: Schema, pair: tuple[str, str], trees: list[Any], seed: int
) -> str | None:
    with declared_copies(schema, script, seed) as copies:
        one, other = (observe(sql, copies) for sql in pair)
        if one.rows is None or other.rows is None:
            return None
        why = differ(one, other)
        if why is None or any(is_tied(tree, copies.engines[0]) for tree in trees):
            return None
        return f"{why}\n{copies.rows}"
