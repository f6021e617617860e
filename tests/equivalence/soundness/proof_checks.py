"""Proofs about random pairs of queries, held against random databases."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from mutations import mutated
from random_queries import random_query, random_schema

from checks.same_rows import Copies, differ, observe
from checks.small_databases import Rows, pool_of, random_rows
from checks.soundness import is_tied
from sqljury.equivalence.canonical import equality
from sqljury.equivalence.proof import ordered, prove_equal
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption, Context
from sqljury.trees.nodes import Relation, Unreadable
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import width

_ASSUMING = (
    ALL_ASSUMPTIONS,
    ALL_ASSUMPTIONS - {Assumption.NOT_NULL, Assumption.NO_TIES, Assumption.NOT_EMPTY},
    frozenset((Assumption.TYPES, Assumption.NO_OVERFLOW)),
    frozenset[Assumption](),
)


@dataclass(frozen=True)
class Proved:
    """A pair that was proved, and the rows on which it differs, if any were found."""

    left: str
    right: str
    assumed: frozenset[Assumption]
    by_z3: bool
    why: str | None = None
    rows: Rows | None = None


def random_pair(seed: int, dialect: str) -> tuple[Schema, str, str, random.Random] | None:
    """A schema, a random query, the same with small changes."""
    rng = random.Random(seed)
    schema = random_schema(rng, dialect)
    left = random_query(schema, rng)
    right = mutated(left, dialect, rng)
    return None if right is None else (schema, left, right, rng)


def proof_of(seed: int, dialect: str, databases: int, *, faithful: bool = False) -> Proved | str:
    """A proof with what databases say of it, or why there is none."""
    made = random_pair(seed, dialect)
    if made is None:
        return "no change"
    schema, left, right, rng = made
    trees = [build_tree(sql, schema, dialect) for sql in (left, right)]
    one, other = trees
    if isinstance(one, Unreadable) or isinstance(other, Unreadable):
        return "unreadable"
    assuming = rng.choice(_ASSUMING)
    if faithful:
        found = _of_faithful(one, other, Context(schema, dialect, assuming))
    else:
        found = prove_equal(one, other, schema, dialect, assuming=assuming)
    if found is None:
        return "no proof"
    identical = equality(one, other, schema, dialect, assuming=assuming) is not None
    proved = Proved(left, right, found, not identical)
    return _held_against(proved, (one, other), schema, range(seed, seed + databases))


def _of_faithful(one: Relation, other: Relation, context: Context) -> frozenset[Assumption] | None:
    """A proof about trees as they are written, where z3 has more to do."""
    from sqljury.equivalence.proof.prover import (
        BudgetedProver,
        OutOfBudgetError,
        Session,
        TooLargeError,
    )

    if ordered(one) or ordered(other) or has_volatile(one) or has_volatile(other):
        return None
    if width(one) != width(other):
        return None
    try:
        proved = BudgetedProver(context, 2.0).bags(one, other, Session(), loose=True)
    except (OutOfBudgetError, TooLargeError):
        return None
    return context.assuming if proved else None


def _held_against(
    proved: Proved, trees: tuple[Relation, Relation], schema: Schema, seeds: range
) -> Proved:
    pool = pool_of(proved.left, proved.right)
    for seed in seeds:
        rows = random_rows(schema, proved.assumed, pool, seed)
        copies = Copies(schema, rows)
        try:
            one, other = observe(proved.left, copies), observe(proved.right, copies)
            if one.rows is None or other.rows is None:
                continue
            why = differ(one, other)
            if why is not None and not any(is_tied(t, copies.engines[0]) for t in trees):
                return Proved(proved.left, proved.right, proved.assumed, proved.by_z3, why, rows)
        finally:
            copies.close()
    return proved


def explore(dialect: str, seeds: range, databases: int, *, faithful: bool = False) -> Counter[str]:
    """How many pairs were proved and how; fails on a proof that a database contradicts."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        found = proof_of(seed, dialect, databases, faithful=faithful)
        if isinstance(found, str):
            seen[found] += 1
            continue
        assert found.why is None, (
            f"{seed}\n{found.left}\n{found.right}\n{sorted(found.assumed)}\n{found.why}\n{found.rows}"
        )
        seen["z3" if found.by_z3 else "identity"] += 1
    return seen
