"""Applies one function to many jobs, in isolated processes."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeVar, cast, get_type_hints

from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.isolation.folders import TemporaryFolder
from sqljury.isolation.messages import (
    SentError,
    from_plain,
    receive,
    receive_bytes,
    send,
    send_bytes,
    to_plain,
)
from sqljury.isolation.sandbox import Sandbox
from sqljury.isolation.start import end_with_parent, private_streams, start_isolated

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Answer:
    """The outcome of a job."""

    value: Any = None
    failure: SentError | None = None
    trace: str = ""
    """The traceback of a defect; else empty."""


def mapped(
    function: Callable[[J], R],
    jobs: Sequence[J],
    workers: int,
    *,
    sandbox: Sandbox | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[R]:
    """The results in the order of the jobs; with one worker, or one job, no process is started.

    Args:
        function: a function at module level, whose result has a declared type made of plain values.
        sandbox: what a process may do; None: the same as this process.
        environment: its environment variables; None: those of this process.

    Raises:
        SqljuryError: raised by the function.
        InfrastructureError: SJ406: a process died.
    """
    if workers == 1 or len(jobs) < 2:
        yield from map(function, jobs)
        return
    kind = get_type_hints(function)["return"]
    scratch = TemporaryFolder()
    variables = {**(environment or os.environ), "TMPDIR": str(scratch.path)}
    if sandbox is not None and sandbox.writes is not None:
        sandbox = replace(sandbox, writes=(*sandbox.writes, str(scratch.path)))
    started: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    processes = []
    for _ in range(min(workers, len(jobs))):
        process = start_isolated(__name__, environment=variables)
        processes.append(process)
        started.put(process)
        _tell(process, (function.__module__, function.__qualname__, sandbox))

    def done(job: J) -> R:
        process = started.get()
        try:
            return cast("R", from_plain(kind, _asked(process, job)))
        finally:
            started.put(process)

    threads = ThreadPoolExecutor(len(processes))
    try:
        yield from threads.map(done, jobs)
        threads.shutdown()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
            process.wait()
        scratch.close()


def _asked(process: subprocess.Popen[bytes], job: object) -> Any:
    assert process.stdout is not None
    try:
        _tell(process, job)
        answer: _Answer = receive(process.stdout, _Answer)
    except (EOFError, OSError, ValueError) as error:
        code = process.wait()
        raise InfrastructureError("SJ406", f"a worker died (exit code {code}).") from error
    if answer.failure is not None:
        raise answer.failure.error()
    if answer.trace:
        raise RuntimeError(f"in a worker:\n{answer.trace}")
    return answer.value


def _tell(process: subprocess.Popen[bytes], message: object) -> None:
    """Sends a message as a pickle: a process trusts its parent."""
    assert process.stdin is not None
    send_bytes(process.stdin, pickle.dumps(message))


def main() -> None:
    """Runs jobs until standard input ends."""
    requests, replies = private_streams()
    module, name, sandbox = pickle.loads(receive_bytes(requests))
    if sandbox is not None:
        sandbox.enter()
    end_with_parent()
    function = getattr(import_module(module), name)
    while True:
        try:
            job = pickle.loads(receive_bytes(requests))
        except EOFError:
            return
        send(replies, _done(function, job))


def _done(function: Callable[[Any], Any], job: Any) -> _Answer:
    try:
        return _Answer(to_plain(function(job)))
    except SqljuryError as error:
        return _Answer(failure=SentError.of(error))
    except Exception:
        return _Answer(trace=traceback.format_exc())
