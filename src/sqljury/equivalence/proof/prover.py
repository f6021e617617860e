"""Equality of two trees as bags or sets of rows, with z3 for what their expressions compute.

Two blocks have the same bag of rows if their inputs can be paired so that z3 proves the conditions
equivalent, and the outputs equal where the conditions are true. For sets, a block is contained in
another if the other's inputs can be mapped to its own so that the other's conditions follow. All
other relations are compared operator by operator.

Source: Zhou et al. 2022 (SPES), sections 4 and 5; Chandra and Merlin 1977 (containment mappings).
"""

from __future__ import annotations

import z3

from sqljury.equivalence.proof.blocks import TooLargeError
from sqljury.equivalence.proof.operators import by_operator, in_order
from sqljury.equivalence.proof.pairing import same_blocks
from sqljury.equivalence.proof.rows import asked_in, links, opened_blocks, within
from sqljury.equivalence.proof.session import Columns, OutOfBudgetError, Session, Solver
from sqljury.equivalence.proof.values import Frames, Terms, Value, same
from sqljury.trees.context import Context
from sqljury.trees.nodes import Limit, Relation
from sqljury.trees.properties import properties
from sqljury.trees.walk import is_correlated, relations, width

_MOST_DEPTH = 12


class BudgetedProver:
    """Proofs about one pair of queries, with a common budget.

    The algorithms are functions of other modules. They call each other through this class, which
    bounds the depth of the recursion and caches results.
    """

    def __init__(self, context: Context, seconds: float) -> None:
        self.context = context
        self.terms = Terms(context)
        self.solver = Solver(seconds)
        self.known: dict[object, object] = {}
        self.depth = 0

    def bags(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """True if it is proved that two relations have the same rows, each as often.

        Args:
            loose: True if 1 and 1.0 count as the same value.
        """
        if left == right and around[0] == around[1]:
            return True
        if is_correlated(left) or is_correlated(right):
            return self._bags(left, right, session, around, loose)
        key = ("bags", left, right, loose)
        if key not in self.known:
            self.known[key] = self._bags(left, right, Session(), ((), ()), loose)
        return bool(self.known[key])

    def _bags(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool,
    ) -> bool:
        if self.depth > _MOST_DEPTH:
            return False
        self.depth += 1
        try:
            return same_blocks(self, left, right, session, around, loose) or (
                self.no_duplicates(left)
                and self.no_duplicates(right)
                and self.sets(left, right, session, around, loose=loose)
            )
        finally:
            self.depth -= 1

    def same_value(self, a: Value, b: Value, session: Session, loose: bool = False) -> bool:
        """True if the session's facts imply that two values are the same."""
        if a.ids == b.ids and (loose or a.kind == b.kind):
            return True
        kinds = {a.kind, b.kind} - {"null"}
        if not loose and (len(kinds) > 1 or "" in kinds):
            return self.follows(session, z3.And(a.null, b.null))
        return self.follows(session, same(a, b))

    def no_duplicates(self, relation: Relation) -> bool:
        """True if no row of a relation can occur twice."""
        return properties(relation, self.context).unique(range(width(relation)))

    def sets(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """True if it is proved that two relations have the same set of rows."""
        if width(left) != width(right):
            return False
        if any(isinstance(r, Limit) for whole in (left, right) for r in relations(whole)):
            return False
        ones, others = opened_blocks(self, left, around[0]), opened_blocks(self, right, around[1])
        back = (around[1], around[0])
        return within(self, ones, others, session, around, loose) and within(
            self, others, ones, session, back, loose
        )

    def columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """The equal columns of two relations with the same rows; None if that is not proved."""
        if type(left) is not type(right):
            return None
        same_around = around[0] == around[1] or not (is_correlated(left) or is_correlated(right))
        if left == right and same_around:
            return tuple(range(width(left)))
        if not same_around:
            return self._columns(left, right, session, around)
        key = ("columns", left, right)
        if key not in self.known:
            self.known[key] = self._columns(left, right, Session(), around)
        return self.known[key]  # type: ignore[return-value]

    def _columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        if self.depth > _MOST_DEPTH:
            return None
        self.depth += 1
        try:
            return by_operator(self, left, right, session, around)
        finally:
            self.depth -= 1

    def follows(self, session: Session, goal: z3.BoolRef) -> bool:
        """True if a goal follows from the session's facts and the relations between subqueries."""
        facts = session.all_facts() + self.terms.known_texts()
        if self.solver.follows(facts, goal):
            return True
        asked = asked_in(self, [*facts, goal])
        if not asked or self.depth > _MOST_DEPTH:
            return False
        found = links(self, asked, session)
        return bool(found) and self.solver.follows(facts + found, goal)


__all__ = ["BudgetedProver", "OutOfBudgetError", "Session", "TooLargeError", "in_order"]
