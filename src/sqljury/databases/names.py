"""Names that a statement must not contain: functions and tables that reach beyond its question.

Every engine has its own list, most of it made from the engine's own catalog. Names are looked
for in the whole text, in strings too, so that no quoting can hide one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

WORD: Final = re.compile(r"[^\W\d]\w*")

GAP: Final = r"(?:\s|--[^\n\r]*|\#[^\n\r]*|/\*.*?\*/)*"
"""What may stand between two tokens; with ``re.DOTALL``."""


def words_of(text: str) -> frozenset[str]:
    """Every name in the text, in lower case."""
    return frozenset(WORD.findall(text.lower()))


@dataclass(frozen=True)
class ForbiddenNames:
    """Names that are refused, in lower case.

    Args:
        words: refused wherever they stand.
        calls: refused before an opening parenthesis only: ordinary words, good names of columns.
        beginnings: of names that are refused even where the engine does not have them, since
            an extension or a newer version does.
    """

    words: frozenset[str]
    calls: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def found_in(self, sql: str, present: frozenset[str]) -> str:
        """The name that is refused, or nothing.

        Args:
            present: :func:`words_of` the statement.
        """
        if found := self.words & present:
            return min(found)
        if self.beginnings:
            for name in present:
                if name.startswith(self.beginnings):
                    return name
        for name in sorted(self.calls & present):
            if re.search(rf'\b{name}["`]?{GAP}\(', sql, re.IGNORECASE | re.DOTALL):
                return name
        return ""


@dataclass(frozen=True)
class OddNames:
    """Names given by the owner of a database: any characters, and only meant outside strings.

    Args:
        names: in lower case, as they are.
    """

    names: frozenset[str]

    def found_in(self, bare: str) -> str:
        """The name that is refused, or nothing.

        Args:
            bare: the statement without its strings and comments.
        """
        lowered = bare.lower()
        present = frozenset(WORD.findall(lowered))
        plain = {name for name in self.names if WORD.fullmatch(name)}
        quoted = {name for name in self.names - plain if name.replace('"', '""') in lowered}
        return min((plain & present) | quoted, default="")


def allowing(names: str) -> frozenset[str]:
    """A list of names in a text."""
    return frozenset(re.findall(r"\w+", names))


def lowered(names: Iterable[str]) -> frozenset[str]:
    """As they are compared."""
    return frozenset(name.lower() for name in names)
