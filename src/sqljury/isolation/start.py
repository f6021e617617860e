"""Start processes of our own that run our code and nobody else's.

Python looks for modules in the current folder first when it is started as ``python -m`` or
``python -c``: a ``heapq.py`` beside a downloaded benchmark would be run. So processes start with
``-I``, which ignores that folder and Python's own variables, and are told where modules are.
"""

from __future__ import annotations

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

_ROOT = str(Path(__file__).resolve().parents[2])
"""The folder that holds the package."""

_PARENT_SECONDS = 0.5
_SET_PARENT_DEATH_SIGNAL = 1

# The standard library stays first: what a path holds by the name of `json` is never it.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, whatever it does
import importlib, json, os, sys
library = os.path.dirname(os.__file__)
own = [p for p in sys.path if p == library or p.startswith(library + os.sep + "lib-dyn")]
module, given = sys.argv[1], json.loads(sys.argv[2])
sys.path[:] = own + [p for p in given if p not in own]
del sys.argv[1:3]
importlib.import_module("sqljury.isolation.start").go_on_without_parent()
importlib.import_module(module).main()
"""


def module_path() -> list[str]:
    """Where modules are looked for, without the current folder, and the script's own folder last.

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
    """A process that runs ``main()`` of a module of ours; it is talked to by pipes.

    Raises:
        InfrastructureError: SJ405: it cannot be started.
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


def private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Our ends of the pipes, out of reach of code that prints or reads standard input."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return requests, replies


def leave_at_once() -> NoReturn:
    """End this process, which has closed what it had open.

    The interpreter would take everything apart first, each cell of the results that were kept, and
    whoever waits for the process would wait for that.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def go_on_without_parent() -> None:
    """When the parent ends and this process is stopped, let it go on, to find that out and end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGCONT, 0, 0, 0)


def end_with_parent() -> None:
    """From here on, when the parent is killed this process ends, also in the middle of work."""
    go_on_without_parent()  # a change of user has undone it
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_PARENT_SECONDS)
    os._exit(1)


# ------------------------------------------------------------
# Import what a user wrote and asked for by name.


def import_plugin(name: str) -> ModuleType:
    """A user's module, of his own folder too, in which nothing is found that is elsewhere.

    The current folder comes last: what lies in it can be asked for by name, and stands in for no
    module of Python's, of ours, or of a package that is installed.

    Raises:
        ImportError: there is none of that name.
    """
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    return importlib.import_module(name)
