"""What the parent and its workers say to each other over pipes.

A worker believes its parent, who sends pickles. It runs untrusted SQL itself, so what it says is
data: JSON, of which every value must have the type declared here.
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
the thread whose time that is (0: of the process), execution token, and the number of the case that
it is executed for."""

WATCH_CASE = struct.Struct("<qqd")
"""After :data:`WATCH`: the number of the case it is at (0: none yet), the place of the judge from 1
on (0: one that may take any time), and the processor time at the judge's start, to which the time
of statements since then is added."""

WATCH_BEAT = struct.Struct("<d")
"""At the end: when the worker was last alive, on its own monotonic clock (0: not yet)."""

SEVERAL = -1
"""In place of a case's number: it is at several, judged together."""

WATCH_SIZE = WATCH.size + WATCH_CASE.size + WATCH_BEAT.size


@dataclass(frozen=True, slots=True)
class Setup:
    """What every worker of a run is told once."""

    judges: tuple[str, ...]
    """Specs that :func:`make_judge` understands."""
    settings: RunSettings
    """Those of the run; without a chat model where no judge asks one."""
    sandbox: Sandbox | None
    """What a worker may do beside judging; None: what its parent may."""
    threads: int = 1
    """Cases that one worker is at, at once: judges that wait for answers."""
    batch_size: int = 1
    """Cases that judges gain from seeing together; from 2 on those of a question are not parted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases to judge."""

    items: tuple[WorkItem, ...]
    known: dict[bytes, Execution]
    """Executions that had to be ended from outside: not to be tried again."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Cases that are judged, by number, and the verdicts on them."""

    cases: tuple[int, ...]
    verdicts: tuple[VerdictRow, ...]
    databases: tuple[str, ...]
    """That these cases are about."""
    missing: tuple[Request, ...] = ()
    """What cases without a verdict wait for."""
    spent: Spent | None = None
    """On models, since the last report."""


def tell(stream: IO[bytes], message: Setup | Batch | None) -> None:
    """Tell a worker; None: there will be no more."""
    send_bytes(stream, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


def heard(stream: IO[bytes]) -> Progress | SentError:
    """What a worker says next.

    Raises:
        EOFError: it is gone.
        ValueError: it says nothing that a worker would.
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
    """A :class:`Progress` as it comes: what it says of models is read where there are any."""

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
