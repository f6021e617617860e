"""Proofs that two queries are equal, with their assumptions, and that one condition implies one."""

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
from sqljury.trees.context import UNCHECKED_DIALECTS, Assumption, Context
from sqljury.trees.explicit_collation import exact_schema, with_collations
from sqljury.trees.nodes import FALSE, Expression, Limit, Project, Ref, Relation, Sort
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import relations, width

if TYPE_CHECKING:
    from sqljury.equivalence.proof.session import ProofSession
    from sqljury.equivalence.rules.base import Scope


# ---------------------------------------------------------------- equal
# Proof that two queries are equal, and its assumptions.


Order = Literal["left", "free"]
"""Which order of rows must agree: that of the left query (if it has one), or none."""

_LARGEST = 120
"""Trees with more relations are not compared."""
_MOST_ORDERS = 24
_MOST_FORMS = 3
"""Forms to try: canonical, with correlated subqueries, and again if these allow further ones."""


def is_available() -> bool:
    """True if z3, which the proofs need, is installed."""
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
    """The assumptions under which two trees as built provably return the same rows.

    None if no proof is found. That does not mean that they differ.

    Args:
        assuming: all assumptions that are allowed. The result leaves out those found not to be
            needed; this search may take as long again.
        order: which outermost ORDER BY must agree; rows that tie may be in any order.
        duplicates: True if the number of equal rows must agree.
        permuted: True if the columns may be in another order.
        seconds: limit in processor time; a proof rarely needs a tenth of it.
        chance: allow the assumption that there are no ties, wherever both may pick any tied row.
    """
    if dialect in UNCHECKED_DIALECTS:
        return None
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
    """One comparison of two queries under given assumptions and settings."""

    def __init__(
        self, context: Context, order: Order, duplicates: bool, permuted: bool, seconds: float
    ) -> None:
        self.context = context
        self.order = order
        self.duplicates = duplicates
        self.permuted = permuted
        self.seconds = seconds

    def proved(self, left: Relation, right: Relation) -> bool:
        """True if a proof is found for one of the forms of the two queries."""
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
        """The relation, then the same with its columns in other orders if that is allowed."""
        columns = range(width(relation))
        yield relation
        if self.permuted:
            orders = permutations(columns)
            for place, order in zip(range(_MOST_ORDERS), orders, strict=False):
                if place:
                    yield Project(relation, tuple(map(Ref, order)))

    def _same(self, prover: ProofSession, left: Relation, right: Relation) -> bool:
        """True if equal rows and order are proved; the right may have further sort keys."""
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
    """True if a query has an outermost ORDER BY."""
    match relation:
        case Sort():
            return True
        case Project() | Limit():
            return ordered(relation.input)
        case _:
            return False


def unordered(relation: Relation) -> Relation:
    """The query without its outermost ORDER BY; a Sort below a LIMIT stays."""
    match relation:
        case Sort():
            return unordered(relation.input)
        case Project():
            return Project(unordered(relation.input), relation.expressions, relation.names)
        case _:
            return relation


# ---------------------------------------------------------------- predicates
# Implications between conditions, for every possible row.


def implies(given: Expression, goal: Expression, scope: Scope, *, seconds: float = 2.0) -> bool:
    """True if it is proved that ``goal`` is true for every row for which ``given`` is true.

    A condition that is NULL is not true, as in SQL. False means that there is no proof: the
    implication may still hold. Equal conditions get the same result on every machine unless it is
    too slow for the limit.

    Args:
        given: the condition that is assumed.
        goal: the condition to prove.
        scope: the columns that both read, the outer rows, and the allowed assumptions.
        seconds: limit in processor time.

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
    """True if it is proved that no row satisfies a condition; otherwise as :func:`implies`."""
    return implies(condition, FALSE, scope, seconds=seconds)
