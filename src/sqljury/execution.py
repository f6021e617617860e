"""The result of running a query: a table of rows, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqljury.settings import MIB as MIB
from sqljury.settings import Limits as Limits


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows as the driver returned them, each a tuple; columns of the same name are all kept.

    Cells are None, bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta,
    or (from engines that have them) list and dict.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)


class Status(StrEnum):
    """How an execution ended."""

    OK = "ok"
    ERROR = "error"
    """The engine says the statement is wrong: syntax, unknown column, division by zero."""
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    """More rows or bytes than the limits allow."""
    OUT_OF_MEMORY = "out_of_memory"
    REFUSED = "refused"
    """Not a single read-only statement: it was not run, or the engine stopped it."""
    UNREAD = "unread"
    """The check that comes before a run cannot read the statement, so it was not run: it may be
    right."""
    UNAVAILABLE = "unavailable"
    """The server or driver failed, not the query; a resumed run tries again."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What a warehouse charges for one statement, by the prices in its URL."""

    bytes: int = 0
    """Bytes billed, where bytes are the measure."""
    credits: float = 0.0
    """Credits, where they are the measure."""
    money: float | None = None
    """In US dollars; None if no price is known."""


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of one statement on one database; ``table`` is None unless status is OK."""

    status: Status
    table: ResultTable | None = None
    message: str = ""
    seconds: float = 0.0
    bill: Bill | None = None
    """What it cost; None for engines that bill nothing, and for results that were paid before."""

    @property
    def ok(self) -> bool:
        """True if the statement ran and returned a table."""
        return self.status is Status.OK
