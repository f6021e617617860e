"""What a check is, and how checks are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.faults.query import Sees as Sees  # what a check is declared with stands here
from sqljury.registry import Registry

if TYPE_CHECKING:
    from sqljury.faults.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault: what is wrong with this query in a sentence, and what shows it.

    Args:
        reason: a sentence about this query.
        part: the guilty part of the SQL, as it is written, where it can be pointed at.
        evidence: rows or values that show the fault, as JSON.
        proposal: the SQL without the fault, where the change is mechanical.
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
        sees: what the function looks at.
        read: how many of its findings were faults when people read them, and of how many.
        weak: fewer than half of its findings were faults when people read them; such findings
            are listed as hints and do not make a query wrong.
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
        """How likely a finding of this check is a fault, in [0, 1]: the share of those that people
        read, with one of each kind added (Laplace); a half where none was read."""
        right, read = self.read
        return (right + 1) / (read + 2)


CHECKS: Final[Registry[Check]] = Registry("sqljury.faults.checks", group="sqljury.checks")
"""Checks by code."""


def check(
    code: str, *, sees: Sees = Sees.TEXT, weak: bool = False, read: tuple[int, int] = (0, 0)
) -> Callable[[Find], Check]:
    """Decorator: the function looks for one kind of fault; its docstring's first line names it."""

    def register(find: Find) -> Check:
        title = (find.__doc__ or "").strip().partition("\n")[0]
        name = find.__name__
        made = Check(code=code, name=name, title=title, sees=sees, weak=weak, read=read, find=find)
        CHECKS.add(code, made)
        return made

    return register


def all_checks() -> tuple[Check, ...]:
    """All checks by code: ours, and those of installed packages (group ``sqljury.checks``)."""
    return tuple(CHECKS.all().values())


def chosen_checks(text: str, more: Sequence[Check] = ()) -> tuple[Check, ...]:
    """The checks that codes, or beginnings of codes, joined by ``+`` name; all for an empty text.

    Args:
        more: checks that are none of a single query and can be named, too.

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
