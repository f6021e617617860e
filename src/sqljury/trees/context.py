"""What is known of the database that a tree reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqljury.schema import Schema


class Assumption(StrEnum):
    """What must hold of the data, beyond the declared types, for two queries to be equal."""

    PRIMARY_KEY = "primary key"
    """Declared primary and unique keys are unique; primary keys hold no NULL."""
    FOREIGN_KEY = "foreign key"
    """Every value of a declared foreign key that is not NULL has its row."""
    NOT_NULL = "not null"
    """A column that may hold NULL by its declaration holds none."""
    NO_TIES = "no ties"
    """Nothing is left to chance: no two rows tie in what an ORDER BY with a LIMIT, or a window that
    numbers rows, sorts by (without an ORDER BY all rows tie), and a bare column, or the text that
    stands for several that are equal, has one value in each group."""
    TYPES = "types"
    """Columns hold values of their declared types only, whole numbers no larger than a float holds
    exactly (2**53); SQLite does not enforce it."""
    NOT_EMPTY = "not empty"
    """Every table holds a row: of no rows ``MAX`` gives a NULL, and ``LIMIT 1`` nothing."""
    NO_OVERFLOW = "no overflow"
    """Sums, differences and products of integers are integers that fit into 64 bits."""
    CHECK = "check"
    """Rows pass the declared CHECKs (MySQL before 8.0.16 does not look at them), generated columns
    are what they are computed from, small integers fit their types, UNSIGNED and ENUM columns hold
    what they may."""


ALL_ASSUMPTIONS = frozenset(Assumption)

DECLARED_ASSUMPTIONS = frozenset(
    (Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY, Assumption.TYPES, Assumption.CHECK)
)
"""What the schema itself declares, whether or not the engine enforces it."""


@dataclass(frozen=True, slots=True)
class Context:
    """The schema, sqlglot's name of the dialect, and what may be assumed."""

    schema: Schema
    dialect: str
    assuming: frozenset[Assumption] = ALL_ASSUMPTIONS
    converts: bool = True
    """Whether a comparison may convert its operands first (SQLite's affinities); False of trees in
    which :mod:`sqljury.trees.explicit_collation` wrote the conversions out."""

    def may(self, assumption: Assumption) -> bool:
        """Whether rules may rely on this."""
        return assumption in self.assuming
