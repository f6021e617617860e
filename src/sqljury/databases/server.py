"""What databases on servers have in common: a URL with a password, a connection that breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from sqljury.databases.watchdog import awake
from sqljury.errors import InputError
from sqljury.execution import Execution, Limits, Status

PLACE: Final = "{db_id}"
CHUNK: Final = 16
"""Rows received at a time."""

_NETLOC = re.compile(
    r"(?:(?P<user>[^:@]*)(?::(?P<password>[^@]*))?@)?"
    r"(?P<host>\[[^\]]*\]|[^:@]*)(?::(?P<port>\d*))?"
)


@dataclass(frozen=True)
class ServerURL:
    """``scheme://user:password@host:port/database?option=value``, percent-decoded."""

    scheme: str
    user: str
    password: str = field(repr=False)
    host: str
    port: int | None
    database: str
    options: dict[str, str] = field(repr=False)

    @property
    def shown(self) -> str:
        """The URL for people: without the password and without options, which may hold one."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.database}"

    def quiet(self, text: object) -> str:
        """A driver's words on one line, without the password and the full stop."""
        words = " ".join(str(text).split())
        for secret in (self.password, quote(self.password, safe="")):
            words = words.replace(secret, "***") if secret else words
        return words.rstrip(".")


def parse_url(url: str) -> ServerURL:
    """The parts of a server's URL.

    Raises:
        InputError: it is none; the text is not repeated, since a password may be in it.
    """
    parts = urlsplit(url)
    match = _NETLOC.fullmatch(parts.netloc)
    # A password with an unescaped / ? # ends the host's part early, and its rest stands here.
    if match is None or parts.fragment or "@" in parts.path:
        raise InputError(
            "SJ251",
            f"not the URL of a server: {parts.scheme}://…",
            hint="Write scheme://user:password@host:port/{db_id}; in a password, / ? # @ "
            "are written %2F %3F %23 %40.",
        )
    return ServerURL(
        scheme=parts.scheme,
        user=unquote(match["user"] or ""),
        password=unquote(match["password"] or ""),
        host=unquote(match["host"].strip("[]")),
        port=int(match["port"]) if match["port"] else None,
        database=unquote(parts.path.removeprefix("/")),
        options=dict(parse_qsl(parts.query, keep_blank_values=True)),
    )


def ids_in(names: Iterable[str], template: str) -> tuple[str, ...]:
    """What stands for ``{db_id}`` in each name that fits ``spider_{db_id}``, sorted."""
    before, _, after = template.partition(PLACE)
    pattern = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)
    return tuple(sorted(match[1] for name in names if (match := pattern.fullmatch(name))))


class DeadlineRows:
    """Rows in small chunks, while there is time.

    Small, because a chunk is all that is held before it is measured. The server may have stopped
    already, and still half a million rows be on their way to us: so we look at the clock, too.

    Raises:
        TimeoutError: from ``fetchmany``, when the deadline has passed.
    """

    __slots__ = ("_deadline", "_fetchmany")

    def __init__(
        self, fetchmany: Callable[[int], Sequence[tuple[Any, ...]]], seconds: float
    ) -> None:
        self._fetchmany = fetchmany
        self._deadline = awake() + seconds

    def fetchmany(self, size: int, /) -> Sequence[tuple[Any, ...]]:
        """Up to ``size`` further rows, and at most :data:`CHUNK`."""
        if awake() > self._deadline:
            raise TimeoutError
        return self._fetchmany(min(size, CHUNK))


_AT_ONCE: Final = 0.1
"""Seconds in which a connection that is lost already is found to be."""


def with_second_attempt(
    attempt: Callable[[Limits], Execution], limits: Limits, lost: Callable[[], bool]
) -> Execution:
    """The execution, tried again in what is left of its time if the connection was lost."""
    first = attempt(limits)
    # One that was lost before, such as by the end of another statement, shows at once.
    before = first.seconds < _AT_ONCE
    rest = limits.seconds - (0.0 if before else first.seconds)
    if first.status is not Status.UNAVAILABLE or rest <= 0 or not lost():
        return first
    second = attempt(replace(limits, seconds=rest))
    if second.status is Status.TIMEOUT and not before:
        # It had less time than it may take: the lost connection is to blame.
        return replace(first, seconds=first.seconds + second.seconds)
    return second
