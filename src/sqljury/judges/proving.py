"""Proofs that two queries are equal, under the assumptions that policy and profiles allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sqljury.errors import MissingExtraError
from sqljury.schema import Schema
from sqljury.sql import remove_distinct
from sqljury.tables import Policy

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile
    from sqljury.equivalence.canonical import Equality
    from sqljury.trees.context import Assumption
    from sqljury.trees.nodes import Relation


@dataclass(frozen=True)
class Proofs:
    """Proofs that two queries are equal: the cheap one by canonical trees, the dear one by z3.

    Args:
        counted: the kinds of data on which a difference counts; a proof before the search for
            counterexamples must not exclude them by its assumptions.
        assuming: the assumptions that are allowed; None for what the schema declares.
        demanded: z3 must be installed.
    """

    left: str
    right: str
    schema: Schema
    policy: Policy
    counted: Sequence[DataProfile]
    assuming: frozenset[Assumption] | None = None
    demanded: bool = False

    def __post_init__(self) -> None:
        """Raises MissingExtraError if z3 is demanded and not installed."""
        from sqljury.equivalence.proof import is_available

        if self.demanded and not is_available():
            raise MissingExtraError("z3-solver", "prove", "A proof by z3")

    def identity(self) -> list[str] | None:
        """The assumptions under which the canonical trees are equal; None if they are not.

        Assumptions that a counted profile contradicts are not made."""
        return _named(self._identity(self._beforehand))

    def prove(self) -> list[str] | None:
        """The assumptions under which the canonical trees are equal or z3 finds a proof.

        All allowed assumptions may be made. None without a proof."""
        from sqljury.equivalence.proof import is_available, prove_equal

        found = self._identity(self._at_most) if self._at_most != self._beforehand else None
        if found is None and is_available() and self._comparable and self._trees is not None:
            left, right = self._trees
            found = prove_equal(
                left,
                right,
                self.schema,
                self.schema.dialect,
                assuming=self._at_most,
                order="free" if self.policy.row_order == "free" else "left",
                duplicates=self.policy.duplicates != "set",
                permuted=self.policy.column_order == "any",
                chance=self.assuming is None,
            )
        return _named(found)

    def rules(self, assumed: Iterable[str]) -> tuple[str, ...]:
        """The rewrite rules that prove the queries equal under these assumptions; empty if they do
        not, as for a proof by z3."""
        from sqljury.trees.context import Assumption

        found = self._equality(frozenset(map(Assumption, assumed)))
        return () if found is None else found.rules

    @property
    def _comparable(self) -> bool:
        # As texts 1 and 1.0 differ, but they are equal for z3.
        return self.policy.values != "text"

    @property
    def _at_most(self) -> frozenset[Assumption]:
        from sqljury.trees.context import DECLARED_ASSUMPTIONS, Assumption

        if self.assuming is not None:
            return self.assuming
        return DECLARED_ASSUMPTIONS | {Assumption.NO_OVERFLOW}

    @property
    def _beforehand(self) -> frozenset[Assumption]:
        """The assumptions that are allowed before any database has been tried."""
        from sqljury.databases.generated import DataProfile
        from sqljury.trees.context import Assumption

        against = {
            DataProfile.KEYS_VIOLATED: Assumption.PRIMARY_KEY,
            DataProfile.FOREIGN_KEYS_VIOLATED: Assumption.FOREIGN_KEY,
            DataProfile.NULLS: Assumption.NOT_NULL,
        }
        return self._at_most - {against[kind] for kind in self.counted if kind in against}

    @cached_property
    def _trees(self) -> tuple[Relation, Relation] | None:
        from sqljury.equivalence.proof import ordered, unordered
        from sqljury.trees import build_tree
        from sqljury.trees.nodes import Unreadable
        from sqljury.trees.volatile import has_volatile

        texts = (self.left, self.right)
        if self.policy.remove_distinct:
            texts = (remove_distinct(self.left), remove_distinct(self.right))
        left, right = (build_tree(sql, self.schema, self.schema.dialect) for sql in texts)
        if isinstance(left, Unreadable) or isinstance(right, Unreadable):
            return None
        if has_volatile(left) or has_volatile(right):
            return None
        if self.policy.row_order == "free":
            return unordered(left), unordered(right)
        return left, right if ordered(left) else unordered(right)

    def _identity(self, assuming: frozenset[Assumption]) -> frozenset[Assumption] | None:
        found = self._equality(assuming)
        return None if found is None else found.assumptions

    def _equality(self, assuming: frozenset[Assumption]) -> Equality | None:
        from sqljury.equivalence.canonical import equality

        if self._trees is None:
            return None
        left, right = self._trees
        permuted = self.policy.column_order == "any"
        sides = (left, right, self.schema, self.schema.dialect)
        chance = self.assuming is None
        return equality(*sides, permuted=permuted, assuming=assuming, chance=chance)


def _named(assumed: frozenset[Assumption] | None) -> list[str] | None:
    return None if assumed is None else sorted(each.value for each in assumed)
