"""The types of checks and findings, and the registry of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.faults.query import Sees as Sees  # re-exported for files that declare checks
from sqljury.registry import Registry

if TYPE_CHECKING:
    from sqljury.faults.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault of one query.

    Args:
        reason: what is wrong, in a sentence about this query.
        part: the part of the SQL that has the fault, as written; empty if there is no such part.
        evidence: rows or values that show the fault, as JSON.
        proposal: the SQL without the fault; None if the correction is not mechanical.
    """

    reason: str
    part: str = ""
    evidence: Mapping[str, Json] = field(default_factory=dict)
    proposal: str | None = None


Find = Callable[["Query"], Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A kind of fault that a query can have, and the function that looks for it.

    Args:
        code: ``AU101``; stable.
        name: the function's name.
        title: the kind of fault, in a sentence.
        sees: what the function needs; the check is skipped for a query that lacks it.
        read: how many of its findings people confirmed as faults, and how many they read.
        weak: True if people confirmed fewer than half of its findings; they are then listed as
            hints and do not make a query wrong.
        find: yields the faults of a query.
    """

    code: str
    name: str
    title: str
    sees: Sees
    weak: bool
    read: tuple[int, int]
    find: Find

    @property
    def likely(self) -> float:
        """How likely a finding of this check is a fault, in [0, 1].

        The share of the findings that people confirmed, with one more of each kind added
        (Laplace); 0.5 if nobody has read any."""
        right, read = self.read
        return (right + 1) / (read + 2)


CHECKS: Final[Registry[Check]] = Registry("sqljury.faults.checks", group="sqljury.checks")
"""Checks by code."""


def check(
    code: str, *, sees: Sees = Sees.TEXT, weak: bool = False, read: tuple[int, int] = (0, 0)
) -> Callable[[Find], Check]:
    """Decorator: makes a check from a function and adds it to the registry.

    The title of the check is the first line of the function's docstring."""

    def register(find: Find) -> Check:
        title = (find.__doc__ or "").strip().partition("\n")[0]
        name = find.__name__
        made = Check(code=code, name=name, title=title, sees=sees, weak=weak, read=read, find=find)
        CHECKS.add(code, made)
        return made

    return register


def all_checks() -> tuple[Check, ...]:
    """All checks, by code: our own and those of installed packages (entry points of the group
    ``sqljury.checks``)."""
    return tuple(CHECKS.all().values())


def chosen_checks(text: str, more: Sequence[Check] = ()) -> tuple[Check, ...]:
    """The checks whose codes begin with one of the parts of ``text``, which are joined by ``+``;
    all for an empty text.

    Args:
        more: further checks to choose from, such as those that need more than one query.

    Raises:
        InputError: SJ345: there is no such check.
    """
    known = (*all_checks(), *more)
    wanted = [part.strip().upper() for part in text.split("+") if part.strip()]
    for part in wanted:
        if not any(one.code.startswith(part) for one in known):
            hint = f"Known: {', '.join(one.code for one in known)}."
            raise InputError("SJ345", f"there is no check {part!r}.", hint=hint)
    return tuple(one for one in known if not wanted or one.code.startswith(tuple(wanted)))
