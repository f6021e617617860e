"""The schema, the dialect and the assumptions under which a tree is analysed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqljury.schema import Schema


class Assumption(StrEnum):
    """A property that the data must have for two queries to be equal."""

    PRIMARY_KEY = "primary key"
    """Declared primary and unique keys are unique; primary keys hold no NULL."""
    FOREIGN_KEY = "foreign key"
    """Every value of a declared foreign key that is not NULL refers to an existing row."""
    NOT_NULL = "not null"
    """Columns that are declared nullable hold no NULL."""
    NO_TIES = "no ties"
    """The result does not depend on the engine's choice among equal rows or values.

    No two rows tie in the keys by which an ORDER BY with a LIMIT, or a window that numbers rows,
    sorts (without an ORDER BY all rows tie). A column that is neither grouped by nor aggregated has
    one value in each group; so have texts that are equal under a collation.
    """
    TYPES = "types"
    """Columns hold only values of their declared types, which SQLite does not enforce, and integers
    no larger than a float represents exactly (2**53). Dates are days from the year 1 to 9999, not
    2020-00-00 (MySQL) or infinity."""
    NOT_EMPTY = "not empty"
    """Every table has at least one row: without rows ``MAX`` returns NULL, and ``LIMIT 1`` no
    row."""
    NO_OVERFLOW = "no overflow"
    """Sums, differences and products of integers fit into 64 bits."""
    CHECK = "check"
    """Rows satisfy the declared CHECK constraints (MySQL before 8.0.16 ignores them), generated
    columns have their computed values, integers fit their declared types, UNSIGNED and ENUM columns
    hold only allowed values."""


UNCHECKED_DIALECTS = frozenset(("bigquery", "snowflake"))
"""Dialects in which no rule rewrites and nothing is proved: no engine here shows that the rules
hold there. Queries with the same tree are the same query all the same."""
ALL_ASSUMPTIONS = frozenset(Assumption)

DECLARED_ASSUMPTIONS = frozenset(
    (Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY, Assumption.TYPES, Assumption.CHECK)
)
"""What the schema itself declares, whether or not the engine enforces it."""


@dataclass(frozen=True, slots=True)
class Context:
    """The schema, sqlglot's name of the dialect, and the assumptions that rules may make."""

    schema: Schema
    dialect: str
    assuming: frozenset[Assumption] = ALL_ASSUMPTIONS
    converts: bool = True
    """True if a comparison may convert its operands first (SQLite's affinities); False for trees in
    which :mod:`sqljury.trees.explicit_collation` made the conversions explicit."""

    def may(self, assumption: Assumption) -> bool:
        """True if rules may rely on this assumption."""
        return assumption in self.assuming
