"""What a query's text shows about the data that its result depends on, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Constant = int | float | str | None
ColumnName = tuple[str, str]
"""The table and the column, in the schema's spelling."""


@dataclass(frozen=True, slots=True)
class Place:
    """A column of one occurrence of a table; ``slot`` is the occurrence's number in a pattern."""

    slot: int
    column: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition on one column.

    Args:
        operator: ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``like``, ``glob``,
            ``null``, ``not null``, or ``hint``: the values matter, in an unknown way.
        hard: True if a row that fails it is dropped; False below OR, NOT, CASE and the like.
    """

    place: Place
    operator: str
    values: tuple[Constant, ...] = ()
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """Two columns that are compared for equality; ``hard`` as in :class:`Atom`."""

    left: Place
    right: Place
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Pattern:
    """The tables and conditions of a query and its subqueries, which rows together must pass.

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
    """How a query uses one column."""

    constants: tuple[Constant, ...] = ()
    likes: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    numeric: bool = False
    """True if it is added, averaged or cast to a number."""
    dated: bool = False
    """True if it is an argument of a date function."""
    formats: tuple[str, ...] = ()
    """The formats for ``strftime``, such as ``%Y-%m``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProfile:
    """What is needed to generate data on which a query's (or two queries') conditions matter.

    Args:
        tables: the tables used, in the schema's order.
        columns: the use of each column.
        patterns: a pattern for each query.
        pools: pairs of columns that should share values: compared, united or joined somewhere.
        counts: the numbers with which counts are compared.
        limits: the sums of LIMIT and OFFSET.
        unread: parts of the text that name no table of the schema.
        random: True if a function returns another value each time.
        any_rows: True if the result is not determined: a LIMIT without an order, a random function,
            or a subquery used as a value that may return several rows.
        cuts_ties: True for a LIMIT after ORDER BY: with ties, several results are right.
        fragile: True if the result can depend on the order in which rows are read.
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
