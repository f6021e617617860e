"""What the parent and its workers say to each other: length-prefixed pickles over pipes."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from sqljury.errors import SqljuryError
from sqljury.execution import Execution, Limits
from sqljury.runs.store import VerdictRow, WorkItem

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings, Request, Spent

_LENGTH = struct.Struct("<Q")
WATCH = struct.Struct("<d16s")
"""What a worker is executing: monotonic start in seconds (0: nothing), execution token."""

WATCH_CASE = struct.Struct("<q")
"""After :data:`WATCH`: the number of the case it is at (0: none yet)."""

WATCH_SIZE = WATCH.size + WATCH_CASE.size


@dataclass(frozen=True, slots=True)
class Setup:
    """What every worker of a run is told once."""

    databases: str | None
    descriptions: str | None
    schemas: str | None
    """A file of schemas, for judges that need no more than that."""
    suites: str | None
    """A folder of test suites."""
    judges: tuple[str, ...]
    """Specs that :func:`make_judge` understands."""
    limits: Limits
    python_path: tuple[str, ...]
    llm: ClientSettings | None = None
    """How chat models are asked, for judges that need one."""
    dry_run: bool = False
    """Ask no model; say instead what asking would take, as measures of the verdicts."""
    batch: bool = False
    """Ask no model; cases that wait for an answer get no verdict, and their questions are told."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """Why questions have no answer and will get none, by the key of their request."""
    threads: int = 1
    """Cases that one worker is at, at once: judges that wait for answers."""


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
    missing: tuple[Request, ...] = ()
    """What cases without a verdict wait for."""
    spent: Spent | None = None
    """On models, since the last report."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The worker cannot work at all: a judge or the databases cannot be had."""

    error: SqljuryError


def send(stream: IO[bytes], message: object) -> None:
    """Write one message."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one message.

    Raises:
        EOFError: the other side is gone.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)
