"""Starts our own processes so that they import our modules only.

With ``python -m`` or ``python -c``, Python looks for modules in the current folder first: a
``heapq.py`` in a downloaded benchmark would be run. So processes start with ``-I``, which ignores
that folder and Python's variables, and get the module path from us.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import IO, NoReturn

from sqljury.errors import InfrastructureError
from sqljury.isolation.sandbox import without_secrets

_ROOT = str(Path(__file__).resolve().parents[2])
"""The folder that contains the package."""

_PARENT_SECONDS = 0.5
_SET_PARENT_DEATH_SIGNAL = 1

# The standard library stays first: nothing on the path can replace its modules, such as `json`.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, whatever it does
import gc, importlib, json, os, sys
library = os.path.dirname(os.__file__)
own = [p for p in sys.path if p == library or p.startswith(library + os.sep + "lib-dyn")]
module, given = sys.argv[1], json.loads(sys.argv[2])
sys.path[:] = own + [p for p in given if p not in own]
del sys.argv[1:3]
importlib.import_module("sqljury.isolation.start").go_on_without_parent()
gc.disable()  # what is imported stays: looking through it again and again takes time
main = importlib.import_module(module).main
gc.freeze()
gc.enable()
main()
"""


def module_path() -> list[str]:
    """The folders in which modules are searched, without the current folder, and with the script's
    own folder last.

    >>> import os
    >>> os.getcwd() in module_path()
    False
    """
    here = _current_folder()
    script = _script_folder()
    kept = [p for p in sys.path if Path(p).is_absolute() and (p != here or _is_root(p))]
    last = [p for p in kept if p == script and not _is_root(p)]
    root = [] if any(map(_is_root, kept)) else [_ROOT]
    return [*root, *(p for p in kept if p not in last), *dict.fromkeys(last)]


def _current_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return ""


def _is_root(path: str) -> bool:
    return os.path.realpath(path) == _ROOT


def _script_folder() -> str | None:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return None if file is None else str(Path(file).resolve().parent)


def start_isolated(
    module: str,
    *arguments: str,
    environment: Mapping[str, str],
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Starts a process that runs ``main()`` of one of our modules; it communicates over pipes.

    Raises:
        InfrastructureError: SJ405: the process cannot be started.
    """
    command = [sys.executable, "-I", "-c", _BOOT, module, json.dumps(module_path()), *arguments]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=stdout,
            env=dict(environment),
        )
    except OSError as error:
        raise InfrastructureError("SJ405", f"cannot start a worker: {error}.") from error


_AHEAD: dict[tuple[str, str], list[subprocess.Popen[bytes]]] = {}
"""Processes that wait for their first message, by the module that they run and their folder."""


def start_ahead(module: str, count: int) -> None:
    """Starts processes that :func:`started_ahead` returns later, so that they import meanwhile.

    Their first message must bring the environment variables: they have only the plain ones. Those
    that nobody took are ended by the next call, or at the end.
    """
    if not _AHEAD:
        atexit.register(_end_ahead)
    _end_ahead()
    environment = without_secrets(os.environ)
    _AHEAD[module, _current_folder()] = [
        start_isolated(module, environment=environment) for _ in range(count)
    ]


def started_ahead(module: str) -> subprocess.Popen[bytes] | None:
    """A process that :func:`start_ahead` started in this folder; None if there is none left."""
    waiting = _AHEAD.get((module, _current_folder()))
    return waiting.pop(0) if waiting else None


def _end_ahead() -> None:
    for process in (process for waiting in _AHEAD.values() for process in waiting):
        process.kill()
        process.wait()
    for waiting in _AHEAD.values():
        waiting.clear()


def private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Our ends of the pipes, hidden from code that prints or reads standard input."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return requests, replies


def leave_at_once() -> NoReturn:
    """Ends this process at once; it must have closed what it had open.

    A normal exit would first free every object, such as each cell of cached results, and whoever
    waits for the process would wait for that.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def go_on_without_parent() -> None:
    """Makes the kernel continue this process if it is stopped when its parent ends, so that it can
    end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGCONT, 0, 0, 0)


def end_with_parent() -> None:
    """From now on this process ends when its parent is killed, also in the middle of work."""
    go_on_without_parent()  # a change of user has reset it
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_PARENT_SECONDS)
    os._exit(1)


# ------------------------------------------------------------
# Imports modules that a user wrote and named.


def import_plugin(name: str) -> ModuleType:
    """A user's module, also from the current folder; that folder cannot replace other modules.

    The current folder is searched last: its modules can be named, but replace no module of Python,
    of sqljury, or of an installed package.

    Raises:
        ImportError: there is no module of that name.
    """
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    return importlib.import_module(name)
