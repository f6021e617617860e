"""Whether two queries are equal, under which assumptions; what follows from a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import permutations
from typing import TYPE_CHECKING, Literal

from sqljury.equivalence.canonical import canonical, shows_chosen_number, with_chance
from sqljury.equivalence.proof.correlated import correlated
from sqljury.equivalence.proof.demands import demands
from sqljury.schema import Schema
from sqljury.trees.context import Assumption, Context
from sqljury.trees.explicit_collation import exact_schema, with_collations
from sqljury.trees.nodes import FALSE, Expression, Limit, Project, Ref, Relation, Sort
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import relations, width

if TYPE_CHECKING:
    from sqljury.equivalence.proof.session import ProofSession
    from sqljury.equivalence.rules.base import Scope


# ---------------------------------------------------------------- equal
# Are two queries equal, and under which assumptions?


Order = Literal["left", "free"]
"""Whose order of rows binds: that of the left query, or none."""

_LARGEST = 120
"""Relations in a tree that is looked at."""
_MOST_ORDERS = 24
_MOST_FORMS = 3
"""The canonical form, with correlated subqueries, and once more where these brought new ones."""


def is_available() -> bool:
    """Whether z3 is installed."""
    return find_spec("z3") is not None


def prove_equal(
    left: Relation,
    right: Relation,
    schema: Schema,
    dialect: str,
    *,
    assuming: frozenset[Assumption],
    order: Order = "left",
    duplicates: bool = True,
    permuted: bool = False,
    seconds: float = 2.0,
    chance: bool = True,
) -> frozenset[Assumption] | None:
    """The assumptions under which two faithful trees are proved to give the same rows, or None.

    Args:
        assuming: what may be assumed at most; the answer names what is needed of it, as far as
            that is found in the same time again.
        order: whose ORDER BY on top counts; ties may stand in any order.
        duplicates: whether it counts how often a row occurs.
        permuted: whether columns may stand in another order.
        seconds: most time; what is proved rarely needs a tenth of it.
        chance: what both leave to chance may be equal; that assumes that nothing ties.
    """
    if width(left) != width(right) or any(map(_unfit, (left, right))):
        return None
    as_given = Context(schema, dialect)
    context = Context(exact_schema(schema), dialect, assuming, converts=False)
    if not demands(context.schema):
        context = replace(context, assuming=assuming - {Assumption.CHECK})

    def proved(one: Relation, other: Relation, known: Context, seconds: float) -> bool:
        return _Question(known, order, duplicates, permuted, seconds).proved(one, other)

    def assumed(one: Relation, other: Relation) -> frozenset[Assumption] | None:
        if not proved(one, other, context, seconds):
            return None
        needed = replace(context, assuming=frozenset())
        if not proved(one, other, needed, seconds / 4):
            needed = context
            for assumption in Assumption:
                fewer = replace(needed, assuming=needed.assuming - {assumption})
                if fewer != needed and proved(one, other, fewer, seconds / 4):
                    needed = fewer
        return with_chance((one, other), needed, context.assuming, chance)

    one, other = (with_collations(tree, as_given) for tree in (left, right))
    found = None if one is None or other is None else assumed(one, other)
    if found is not None and chance and shows_chosen_number((left, right), as_given):
        found |= {Assumption.NO_TIES}
    if found is not None or not (chance or Assumption.NO_TIES in assuming):
        return found
    tied = [with_collations(tree, as_given, tied=True) for tree in (left, right)]
    if tied == [one, other] or tied[0] is None or tied[1] is None:
        return None
    found = assumed(tied[0], tied[1])
    return None if found is None else found | {Assumption.NO_TIES}


def _unfit(tree: Relation) -> bool:
    size = sum(1 for _ in zip(relations(tree), range(_LARGEST + 1), strict=False))
    return size > _LARGEST or has_volatile(tree)


class _Question:
    def __init__(
        self, context: Context, order: Order, duplicates: bool, permuted: bool, seconds: float
    ) -> None:
        self.context = context
        self.order = order
        self.duplicates = duplicates
        self.permuted = permuted
        self.seconds = seconds

    def proved(self, left: Relation, right: Relation) -> bool:
        if self.order == "free":
            left, right = unordered(left), unordered(right)
        elif not ordered(left):
            right = unordered(right)
        one, other = (canonical(tree, self.context).relation for tree in (left, right))
        for _ in range(_MOST_FORMS):
            if self._proved_canonical(one, other):
                return True
            before = one, other
            one, other = (self._as_subqueries(tree) for tree in before)
            if before == (one, other):
                return False
        return False

    def _as_subqueries(self, relation: Relation) -> Relation:
        return canonical(correlated(relation, self.context), self.context).relation

    def _proved_canonical(self, one: Relation, other: Relation) -> bool:
        from sqljury.equivalence.proof.prover import BudgetedProver, OutOfBudgetError, TooLargeError

        prover = BudgetedProver(self.context, self.seconds)
        for turned in self._turned(other):
            try:
                if one == turned or self._same(prover, one, turned):
                    return True
            except (OutOfBudgetError, TooLargeError, RecursionError):
                return False
        return False

    def _turned(self, relation: Relation) -> Iterator[Relation]:
        """The relation, then with its columns in other orders if that does not count."""
        columns = range(width(relation))
        yield relation
        if self.permuted:
            orders = permutations(columns)
            for place, order in zip(range(_MOST_ORDERS), orders, strict=False):
                if place:
                    yield Project(relation, tuple(map(Ref, order)))

    def _same(self, prover: ProofSession, left: Relation, right: Relation) -> bool:
        from sqljury.equivalence.proof.prover import Session, in_order

        one, other = in_order(left), in_order(right)
        keys, more = one[1], other[1]
        if len(more) < len(keys):
            return False
        ways = [[(k.descending, k.nulls_last) for k in some] for some in (keys, more[: len(keys)])]
        if ways[0] != ways[1]:
            return False
        shown = tuple(map(Ref, range(width(left) + len(keys))))
        first, second = one[0], Project(other[0], shown) if more else other[0]
        if prover.bags(first, second, Session(), loose=True):
            return True
        return (
            not self.duplicates and not keys and prover.sets(first, second, Session(), loose=True)
        )


def ordered(relation: Relation) -> bool:
    """Whether a query's rows come in an order that it asks for."""
    match relation:
        case Sort():
            return True
        case Project() | Limit():
            return ordered(relation.input)
        case _:
            return False


def unordered(relation: Relation) -> Relation:
    """The same rows in any order."""
    match relation:
        case Sort():
            return unordered(relation.input)
        case Project():
            return Project(unordered(relation.input), relation.expressions, relation.names)
        case _:
            return relation


# ---------------------------------------------------------------- predicates
# What follows from a condition, for every row that there may be.


def implies(given: Expression, goal: Expression, scope: Scope, *, seconds: float = 2.0) -> bool:
    """Whether a condition is true of every row of which another is true.

    NULL is as SQL has it: a condition that is unknown is not true. False also means that it is not
    known; the same conditions get the same answer on every machine that is not very slow.

    Args:
        given: a condition; where it is not true, nothing is asked.
        goal: the other condition.
        scope: the row that both see, the rows around it, what may be assumed of them.
        seconds: most processor time.

    Raises:
        ImportError: z3 is not installed (see :func:`sqljury.equivalence.proof.is_available`).

    Source: Zhou et al. 2022 (SPES), section 5.2: predicates of three values to an SMT solver.
    """
    from sqljury.equivalence.proof.blocks import TooLargeError
    from sqljury.equivalence.proof.prover import BudgetedProver
    from sqljury.equivalence.proof.session import OutOfBudgetError, Session
    from sqljury.equivalence.proof.values import Frame

    prover, session = BudgetedProver(scope.context, seconds), Session()
    frames = []
    for row in (scope.row, *scope.outer):
        made = [prover.terms.column(field) for field in row]
        session.facts += [fact for _, known in made for fact in known]
        frames.append(Frame(row, tuple(value for value, _ in made)))
    around = tuple(frames)
    try:
        session.facts.append(prover.terms.truth(given, around).true)
        return prover.follows(session, prover.terms.truth(goal, around).true)
    except (OutOfBudgetError, TooLargeError, RecursionError):
        return False


def unsatisfiable(condition: Expression, scope: Scope, *, seconds: float = 2.0) -> bool:
    """Whether no row satisfies a condition; as :func:`implies` in all else."""
    return implies(condition, FALSE, scope, seconds=seconds)
