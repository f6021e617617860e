"""Why a worker died, and who is to blame for it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from sqljury.execution import Execution, Status

_CRASHES = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}
)
MOST_DEATHS = 2
"""As often is a case judged alone before it is given up."""


@dataclass(frozen=True, slots=True)
class Death:
    """The end of a worker that had one case and no other.

    Args:
        code: what the process ended with.
        token: the statement it ran, or None.
        over_limit: we ended it, as it held more memory than the limits allow.
        memory_kills: how often the system killed a process for want of memory while it lived;
            None where the system does not tell.
    """

    code: int
    token: bytes | None
    over_limit: bool = False
    memory_kills: int | None = None

    @property
    def text(self) -> str:
        """How the process ended, in words."""
        if self.code >= 0:
            return f"exit code {self.code}"
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def blamed(deaths: Sequence[Death], memory: int) -> Execution | None:
    """What became of the statement that a worker died with, alone, again; None: it is not proven
    to be the statement's doing.

    Args:
        deaths: of workers that had this case only.
        memory: bytes that a statement may take.
    """
    last = deaths[-1]
    if last.token is None or any(death.token != last.token for death in deaths):
        return None
    if last.over_limit:
        return Execution(Status.OUT_OF_MEMORY, None, f"needs more than {memory} bytes of memory")
    if -last.code in _CRASHES:
        return Execution(Status.ERROR, None, f"the engine crashed ({last.text})")
    if last.code != -signal.SIGKILL:
        return None
    # Somebody else killed it. Where the system counts what it kills for memory, that tells;
    # where it does not, nothing but memory kills one statement each time.
    counted = last.memory_kills
    if counted or (counted is None and len(deaths) >= MOST_DEATHS):
        return Execution(Status.OUT_OF_MEMORY, None, "the system killed the worker (memory)")
    return None
