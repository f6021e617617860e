"""A process that has imported sqljury, from which commands and workers of tests fork.

Started as in use, each would first import everything anew. What forks has a process, a folder,
variables, outputs and a parent of its own. Tests about starting itself (isolation, signals, hash
seeds) start Python; for workers, their modules ask for the fixture ``started_anew``.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

_READY = (
    "pydantic",
    "rich.table",
    "sqlglot.optimizer.scope",
    "sqljury.uses.evaluate.evaluation",
    "sqljury.equivalence.canonical",
    "sqljury.likeness.differences",
    "sqljury.trees.from_sql",
    "sqljury.runs.worker",
    "typer._adapters",
)
"""What most commands and workers import; nothing that starts threads, which a fork would lose."""
_READY_ROOMS = ("sqljury.cli", "sqljury.reports")
"""Likewise, with all of their modules."""
_BECOME_PARENT_OF_ORPHANS = 36


class Template:
    """Our end of the connection to the process that forks."""

    def __init__(self, connection: socket.socket, process: object = None) -> None:
        self._connection = connection
        self._process = process
        self._lock = threading.Lock()

    @classmethod
    def started(cls) -> Template:
        """A new process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            number = theirs.fileno()
            command = [sys.executable, __file__, str(number)]
            return cls(ours, subprocess.Popen(command, pass_fds=[number]))

    @classmethod
    def forked(cls) -> Template:
        """This process as it is now, as a template of its own."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        if os.fork() == 0:
            ours.close()
            _serve(theirs)
        theirs.close()
        return cls(ours)

    def fork(self, kind: str, request: dict[str, Any], files: Sequence[int]) -> int:
        """The number of a new child of ours, which has these files as its standard streams."""
        asked = json.dumps([kind, request]).encode()
        with self._lock:
            _adopt(True)  # the process in between ends at once: its child becomes ours
            socket.send_fds(self._connection, [len(asked).to_bytes(8, "big")], files)
            self._connection.sendall(asked)
            answer = self._connection.recv(8)
            _adopt(False)
        assert answer, "the process that others fork from has died"
        return int.from_bytes(answer, "big")


def _adopt(yes: bool) -> None:
    ctypes.CDLL(None).prctl(_BECOME_PARENT_OF_ORPHANS, int(yes), 0, 0, 0)


@cache
def template() -> Template:
    """This test process's."""
    return Template.started()


def workers_fork(found: Callable[[], Template]) -> None:
    """Let processes that sqljury starts for work of its own fork from a template."""
    from sqljury.isolation import start

    class Forked(subprocess.Popen[bytes]):
        """A worker; but for its start, a process like others."""

        def _execute_child(self, args: Any, *more: Any) -> None:
            environment, streams = more[5], more[9:15]
            given, _, answers, errors = streams[0], streams[1], streams[3], streams[5]
            files = [given, answers, 2 if errors == -1 else errors]
            request = {"arguments": args[4:], "folder": str(Path.cwd()), "environment": environment}
            self.pid = found().fork("worker", request, files)
            self._child_created = True
            self._close_pipe_fds(*streams)

    start.subprocess = _Popen(Forked)


class _Popen:
    """The part of ``subprocess`` that starts workers."""

    def __init__(self, kind: type[subprocess.Popen[bytes]]) -> None:
        self.Popen = kind

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)


# ---------------------------------------------------------------- in the process that forks


def _serve(connection: socket.socket) -> NoReturn:
    while True:
        head, files, _, _ = socket.recv_fds(connection, 8, 3)
        if not head:
            os._exit(0)
        size = int.from_bytes(head, "big")
        kind, request = json.loads(connection.recv(size, socket.MSG_WAITALL))
        told, tell = os.pipe()
        between = os.fork()
        if between == 0:
            middle = os.getpid()
            number = os.fork()
            if number == 0:
                _begin(middle, files, **request, run=_KINDS[kind])
            os.write(tell, number.to_bytes(8, "big"))
            os._exit(0)
        number_sent = os.read(told, 8)
        os.waitpid(between, 0)
        connection.sendall(number_sent)
        for file in (told, tell, *files):
            os.close(file)


def _begin(
    between: int,
    files: Sequence[int],
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    run: Callable[[list[str], str], None],
) -> NoReturn:
    code: object = 1
    try:
        for place, file in enumerate(files):
            os.dup2(file, place)
        os.closerange(3, 100)
        while os.getppid() == between:
            time.sleep(0.0002)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        run(arguments, folder)
        code = 0
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _command(words: list[str], folder: str) -> None:
    own = Template.forked()
    workers_fork(lambda: own)
    sys.argv = words
    sys.path[0] = folder  # as `python -m` has it
    from sqljury.cli.entry import main

    main()


def _worker(arguments: list[str], _: str) -> None:
    from sqljury.isolation import start

    sys.argv = ["-c", *arguments]
    exec(start._BOOT, {})


_KINDS: dict[str, Callable[[list[str], str], None]] = {"command": _command, "worker": _worker}


def _import_all() -> None:
    import gc
    import importlib
    import pkgutil

    from sqljury.cli import app
    from sqljury.cli.commands import all_modules

    for name in _READY:
        importlib.import_module(name)
    for room in _READY_ROOMS:
        for module in pkgutil.iter_modules(importlib.import_module(room).__path__, f"{room}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    root = app.root_command(all_modules())
    app.root_command = lambda _: root
    gc.freeze()  # a collection would write to all that the children share with us


if __name__ == "__main__":
    _import_all()
    _serve(socket.socket(fileno=int(sys.argv[1])))
