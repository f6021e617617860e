"""Edge-case values: values that a column may hold but rarely does.

Negative numbers, fractions in NUMERIC columns, '01' together with '1', texts that differ in case
or in a blank at the end, texts mixed with numbers if no type is declared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from sqljury.databases.generated.values import Affinity, ValueKind, affinity_of, as_number, unique
from sqljury.value_profile import Constant

# Neighbours in these lists are easily confused with each other.
_WHOLE: tuple[Constant, ...] = (-2, -1, 0, 1, 2)
_FRACTIONS: tuple[Constant, ...] = (-1.5, -0.5, 0.5, 1.5, 2.25)
_SPELLED: tuple[Constant, ...] = ("1", "01", "1.0", "1a", "10", "2", "-1")
_TEXTS: tuple[Constant, ...] = ("a", "A", "a ", "ab", "aB", "B")
# Texts that expressions which look alike often treat differently.
_TRAP_TEXTS: tuple[Constant, ...] = ("b", "", " ", "1", "01", "1.0", "0")
_TRAP_FRACTIONS: tuple[Constant, ...] = (-0.0, 1.0, 0.1)
_TRAPS_OF_ALL: tuple[Constant, ...] = (1.0, "1.0", "", 0, "a ")
_EXTREMES: tuple[Constant, ...] = (2**63 - 1, -(2**63), 2**53 + 1, 2**53)
_MIXED: tuple[Constant, ...] = (2, "2", 1, "1", "01", -1, 1.5, "a", "A", "10", 10)


class Traps(NamedTuple):
    """Which values that break proofs are put in a database.

    Args:
        extremes: integers at the ends of 64 bits, where sums overflow.
        untyped: values of any type in one column, as SQLite allows.
    """

    extremes: bool = False
    untyped: bool = False


class Holds(Enum):
    """Classes of values that a column may hold; a column without a type may hold all of them."""

    WHOLE = "whole"
    FRACTION = "fraction"
    TEXT = "text"


_EVERYTHING = frozenset(Holds)
_WHOLE_ONLY = frozenset((Holds.WHOLE,))
_NUMBERS = frozenset((Holds.WHOLE, Holds.FRACTION))
_TEXT_ONLY = frozenset((Holds.TEXT,))


@lru_cache(maxsize=4096)
def holds_of(declared: str, kind: ValueKind, dialect: str) -> frozenset[Holds]:
    """The classes of values that a declared type may hold; empty for dates and truth values.

    >>> sorted(each.value for each in holds_of("NUMERIC", ValueKind.INT, "postgres"))
    ['fraction', 'whole']
    """
    if kind is ValueKind.BOOL and dialect == "mysql":
        return _WHOLE_ONLY  # BOOLEAN is TINYINT(1), with the range of TINYINT
    if kind in (ValueKind.DATE, ValueKind.BOOL):
        return frozenset()
    affinity = affinity_of(declared)
    if not declared.strip():
        return _EVERYTHING if dialect == "sqlite" else frozenset()
    if affinity in (Affinity.TEXT, Affinity.NONE):
        return _TEXT_ONLY
    if affinity is Affinity.REAL or _has_fractions(declared.upper(), dialect):
        return _NUMBERS
    return _WHOLE_ONLY


_DECIMAL = re.compile(r"(DEC|NUMERIC|NUMBER)[A-Z ]*(\(\s*\d+\s*(?:,\s*(\d+)\s*)?\))?")
_WHOLE_BY_DEFAULT = ("mysql", "tsql")
"""Dialects in which DECIMAL means DECIMAL(10, 0)."""


def _has_fractions(declared: str, dialect: str) -> bool:
    found = _DECIMAL.match(declared)
    if found is None:
        return False
    if found[2] is None:
        return dialect not in _WHOLE_BY_DEFAULT
    return found[3] is not None and int(found[3]) > 0


def edge_values(
    kind: ValueKind,
    holds: frozenset[Holds],
    constants: Sequence[Constant],
    traps: Traps | None = None,
) -> list[Constant]:
    """Edge-case values near the constants of a query, those first; empty if none fit.

    Args:
        traps: adds values for a search for what breaks a proof.

    >>> edge_values(ValueKind.TEXT, frozenset((Holds.TEXT,)), ["Ab"])[:4]
    ['Ab', 'aB', 'Ab ', 'AB']
    """
    if traps is not None and traps.untyped:
        holds = _EVERYTHING
    if holds == _EVERYTHING:
        more = () if traps is None else _TRAPS_OF_ALL
        texts = (v for c in constants if c is not None for v in (c, str(c)))
        return unique([*texts, *_MIXED, *more])
    found: list[Constant] = []
    numbers = [n for c in constants if (n := as_number(c)) is not None]
    if Holds.WHOLE in holds:
        found += [n for c in numbers if isinstance(c, int) for n in (c, -c)]
        found += _WHOLE
    if Holds.FRACTION in holds:
        found += [n for c in numbers for n in (c, c + 0.5)]
        found += _FRACTIONS
    if Holds.TEXT in holds:
        found += _texts(kind, constants)
    if traps is not None:
        found += _EXTREMES if traps.extremes and Holds.WHOLE in holds else ()
        found += _TRAP_FRACTIONS if Holds.FRACTION in holds else ()
        found += _TRAP_TEXTS if Holds.TEXT in holds else ()
    return unique(found)


def _texts(kind: ValueKind, constants: Sequence[Constant]) -> list[Constant]:
    texts: list[Constant] = []
    for text in (c if isinstance(c, str) else str(c) for c in constants if c is not None):
        number = isinstance(as_number(text), int)
        texts += [text, f"0{text}"] if number else [text, text.swapcase(), f"{text} ", text.upper()]
    return [*texts, *(_SPELLED if kind in (ValueKind.INT, ValueKind.REAL) else _TEXTS)]
