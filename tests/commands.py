"""`sqljury …` as a user types it, without importing everything again for each command.

A server process that has imported sqljury forks for each command: the child has a process, a
folder, variables and output of its own, like a command that was started anew. Tests about starting
itself (isolation, signals, hash seeds) start Python.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

_READY = (
    "pydantic",
    "rich.table",
    "sqlglot.optimizer.scope",
    "sqljury.uses.evaluate.evaluation",
    "sqljury.equivalence.canonical",
    "sqljury.likeness.differences",
    "sqljury.trees.from_sql",
)
"""What most commands import; nothing that starts threads, which a fork would lose."""
_READY_ROOMS = ("sqljury.cli", "sqljury.reports")
"""Likewise, with all of their modules."""


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> CompletedProcess[str]:
    """Run the command to its end: exit code, and what it wrote to its two outputs."""
    folder = str(cwd or Path.cwd())
    words = ["sqljury", *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = _server().ask(words, folder, {**os.environ, **environment}, out, err)
        return CompletedProcess(words, code, _text(out), _text(err))


def _text(file: Any) -> str:
    file.seek(0)
    return file.read().decode()


@cache
def _server() -> _Server:
    return _Server()


class _Server:
    """The process that forks; it takes each command's outputs as open files through a socket."""

    def __init__(self) -> None:
        import socket

        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(other.fileno())], pass_fds=[other.fileno()]
        )
        other.close()
        atexit.register(self._end)

    def ask(
        self, words: list[str], folder: str, environment: dict[str, str], out: Any, err: Any
    ) -> int:
        """Have the command run."""
        import socket

        asked = json.dumps([words, folder, environment]).encode()
        head = len(asked).to_bytes(8, "big")
        socket.send_fds(self._socket, [head], [out.fileno(), err.fileno()])
        self._socket.sendall(asked)
        answer = self._socket.recv(8)
        assert answer, "the process that runs commands has died"
        return int.from_bytes(answer, "big", signed=True)

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


# ---------------------------------------------------------------- in the server


def _serve(descriptor: int) -> None:
    import gc
    import importlib
    import socket

    for name in (*_READY, *_modules_of_rooms()):
        importlib.import_module(name)
    gc.freeze()  # a collection would write to all that the children share with us
    with socket.socket(fileno=descriptor) as connection:
        while True:
            head, descriptors, _, _ = socket.recv_fds(connection, 8, 2)
            if not head:
                return
            asked = json.loads(_received(connection, int.from_bytes(head, "big")))
            code = _forked(connection, asked, descriptors)
            connection.sendall(code.to_bytes(8, "big", signed=True))


def _modules_of_rooms() -> Iterator[str]:
    import importlib
    import pkgutil

    for room in _READY_ROOMS:
        for module in pkgutil.iter_modules(importlib.import_module(room).__path__, f"{room}."):
            if not module.name.endswith(".__main__"):
                yield module.name


def _received(connection: Any, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        parts += connection.recv(size - len(parts))
    return bytes(parts)


def _forked(connection: Any, asked: tuple[list[str], str, dict[str, str]], outputs: Any) -> int:
    process = os.fork()
    if process == 0:
        connection.close()
        _command(*asked, *outputs)
    for descriptor in outputs:
        os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _command(words: list[str], folder: str, environment: dict[str, str], *outputs: int) -> None:
    """Become that command; never returns."""
    for descriptor, standard in zip(outputs, (1, 2), strict=True):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    sys.path[0] = folder  # as `python -m` has it
    from sqljury.cli.entry import main

    code: object = 1
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
