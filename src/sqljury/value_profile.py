"""What a query says about the data that it tells apart, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Constant = int | float | str | None
ColumnName = tuple[str, str]
"""Table and column, as the schema spells them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A column of one occurrence of a table: ``slot`` counts a pattern's occurrences."""

    slot: int
    column: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition on one column.

    Args:
        operator: ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``like``, ``glob``,
            ``null``, ``not null``, or ``hint``: the value is of use, nobody knows how.
        hard: a row is lost where it fails; otherwise it stands under OR, NOT, CASE and the like.
    """

    place: Place
    operator: str
    values: tuple[Constant, ...] = ()
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """Two columns that are compared for equality; ``hard`` as with atoms."""

    left: Place
    right: Place
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Pattern:
    """Rows that together pass the conditions of a query, subqueries included.

    Args:
        tables: the table of each slot.
        groups: the columns that rows of one group share.
        ordered: the columns that rows are ordered by.
    """

    tables: tuple[str, ...] = ()
    atoms: tuple[Atom, ...] = ()
    links: tuple[Link, ...] = ()
    groups: tuple[Place, ...] = ()
    ordered: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnUse:
    """How one column is used."""

    constants: tuple[Constant, ...] = ()
    likes: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    numeric: bool = False
    """It is added, averaged, or cast to a number."""
    dated: bool = False
    """A function of dates looks at it."""
    formats: tuple[str, ...] = ()
    """What ``strftime`` is asked for: ``%Y-%m``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProfile:
    """What is needed to make data on which a query (or one of two) shows what it does.

    Args:
        tables: the tables used, in the schema's order.
        columns: how each column that is used is used.
        patterns: one for each query.
        pools: columns whose values should meet (compared, united, or joined somewhere).
        counts: the numbers that counts are compared with.
        limits: LIMIT plus OFFSET.
        unread: parts of the text that name no table of the schema.
        random: a function that gives another value each time.
        any_rows: a LIMIT without an order, a random function, or a subquery used as a value that
            may have several rows: the answer is anybody's.
        cuts_ties: a LIMIT behind an ORDER BY, which ties make one of several right answers.
        fragile: the result can depend on the order in which rows are read.
    """

    tables: tuple[str, ...] = ()
    columns: Mapping[ColumnName, ColumnUse] = field(default_factory=dict)
    patterns: tuple[Pattern, ...] = ()
    pools: tuple[tuple[ColumnName, ColumnName], ...] = ()
    counts: tuple[int, ...] = ()
    limits: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()
    random: bool = False
    any_rows: bool = False
    cuts_ties: bool = False
    fragile: bool = False
