"""Messages between the parent and its workers, over pipes.

A worker trusts its parent, which sends pickles. The worker runs untrusted SQL, so the parent does
not trust it: its messages are JSON, and every value must have the type declared here.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from sqljury.execution import Execution
from sqljury.isolation import Sandbox, SentError, from_plain, receive, send_bytes
from sqljury.runs.settings import RunSettings
from sqljury.runs.store import VerdictRow, WorkItem

if TYPE_CHECKING:
    from sqljury.llm import Request, Spent

WATCH = struct.Struct("<ddq16sq")
"""What a worker is executing: monotonic start in seconds (0: nothing), processor time at the start,
the thread whose time that is (0: the process), execution token, and the number of the case."""

WATCH_CASE = struct.Struct("<qqd")
"""After :data:`WATCH`: the number of the case that is judged (0: none yet), the position of the
judge, counted from 1 (0: one without a time limit), and the processor time at the judge's start
plus the time of its statements since then."""

WATCH_BEAT = struct.Struct("<d")
"""Last part: when the worker was last alive, on its own monotonic clock (0: not yet)."""

SEVERAL = -1
"""Instead of a case's number: several cases are judged together."""

WATCH_SIZE = WATCH.size + WATCH_CASE.size + WATCH_BEAT.size


@dataclass(frozen=True, slots=True)
class Setup:
    """What every worker of a run receives once."""

    judges: tuple[str, ...]
    """The judges' names, as :func:`make_judge` reads them."""
    settings: RunSettings
    """The settings of the run; without a chat model if no judge asks one."""
    sandbox: Sandbox | None
    """What a worker may do besides judging; None: the same as its parent."""
    threads: int = 1
    """How many cases one worker judges at once: several if its judges wait for chat models."""
    batch_size: int = 1
    """How many cases judges take together; if more than 1, a question's cases stay in one batch."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first message to a worker."""

    setup: Setup
    watch: str
    """The file that it tells its work through: :data:`WATCH` and what follows."""
    environment: dict[str, str]
    """Its environment variables; it may have been started without some of them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases to judge."""

    items: tuple[WorkItem, ...]
    known: dict[bytes, Execution]
    """Executions that had to be ended from outside: the worker does not run them again."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Judged cases, by number, and their verdicts."""

    cases: tuple[int, ...]
    verdicts: tuple[VerdictRow, ...]
    databases: tuple[str, ...]
    """The databases of these cases."""
    missing: tuple[Request, ...] = ()
    """Requests whose answers are missing for cases without a verdict."""
    spent: Spent | None = None
    """What was spent on models since the last report; None if nothing was."""


def tell(stream: IO[bytes], message: Beginning | Batch | None) -> None:
    """Sends a message to a worker; None means that no more will come."""
    send_bytes(stream, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


def heard(stream: IO[bytes]) -> Progress | SentError:
    """Receives the next message of a worker.

    Raises:
        EOFError: the worker has ended.
        ValueError: the message is not one that a worker sends.
    """
    found: _Report | SentError = receive(stream, _Report | SentError)
    if isinstance(found, SentError):
        return found
    return Progress(
        found.cases,
        found.verdicts,
        found.databases,
        *_about_models(found.missing, found.spent),
    )


@dataclass(frozen=True, slots=True)
class _Report:
    """A :class:`Progress` as it is sent: its part about models is decoded only if there is one."""

    cases: tuple[int, ...]
    verdicts: tuple[VerdictRow, ...]
    databases: tuple[str, ...]
    missing: tuple[Any, ...]
    spent: Any


def _about_models(missing: tuple[Any, ...], spent: Any) -> tuple[tuple[Request, ...], Spent | None]:
    if not missing and spent is None:
        return (), None
    from sqljury.llm import Request, Spent

    requests: tuple[Request, ...] = from_plain(tuple[Request, ...], list(missing))
    found: Spent | None = from_plain(Spent | None, spent)
    return requests, found
