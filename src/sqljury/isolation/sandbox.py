"""What a process that runs untrusted SQL may still do if the SQL breaks out of its engine.

The parent sends it as one value, and the process applies it before the first statement. It is the
last of several protections: engines are read-only and limited without it.
"""

from __future__ import annotations

import contextlib
import os
import site
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqljury.isolation.kernel import (
    drop_capabilities,
    forbid_privileges,
    has_seccomp,
    landlock_version,
    restrict_calls,
    restrict_files,
)

_SYSTEM = (
    *("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/nix/store", "/gnu/store", "/System", "/Library"),
    *("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/timezone"),
    *("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"),
    *("/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/sys/vm/overcommit_memory"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup"),
)
"""System files that interpreters and numeric libraries read."""

_PLAIN_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "TZ", "TZDIR", "LANG", "LANGUAGE", "LC_", "XDG_CACHE_HOME"),
    *("LD_LIBRARY_PATH", "DYLD_", "OMP_", "OPENBLAS_", "MKL_", "NUMEXPR_", "MALLOC_", "SYSTEMROOT"),
)
"""Names, or prefixes of names, of variables that contain no secret and that a process may need."""

_FIRST_UID, _UIDS = 61_184, 4_336
"""The range of user ids that systemd gives to running services: no file belongs to any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """What a process may read, write and start.

    ``reads`` and ``writes`` are files and folders with their contents; None: any. The interpreter's
    own files can always be read.
    """

    reads: tuple[str, ...] | None
    writes: tuple[str, ...] | None
    network: bool = False
    programs: bool = False
    """True if it may start other programs, send signals to others, and change owners and modes."""
    uid: int | None = None
    """The id of the user that it becomes; None: the parent's."""

    def enter(self) -> None:
        """Confines this process to what this sandbox allows; this cannot be undone. To be called
        before the process has threads.

        What the kernel does not support is left out; :func:`missing` lists it.
        """
        if sys.platform != "win32":
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dump with our memory
        if self.uid is not None:
            os.setgroups([])
            os.setresgid(self.uid, self.uid, self.uid)
            os.setresuid(self.uid, self.uid, self.uid)
        elif runs_as_root() and sys.platform == "linux":
            drop_capabilities()
        if landlock_version():
            forbid_privileges()
            reads = None if self.reads is None else (*interpreter_files(), *self.reads)
            writes = None if self.writes is None else ("/dev/null", *self.writes)
            restrict_files(reads, writes, network=self.network)
        if has_seccomp():
            restrict_calls(network=self.network, programs=self.programs)


def missing() -> list[str]:
    """What this machine's kernel lacks for a sandbox, as texts."""
    lacks = [] if landlock_version() else ["Landlock (Linux 5.13 or later): files"]
    return lacks if has_seccomp() else [*lacks, "seccomp (Linux on x86-64 or ARM): system calls"]


def interpreter_files() -> Iterator[str]:
    """The folders of Python, its packages and the libraries that they use."""
    yield from _SYSTEM
    yield f"/proc/{os.getpid()}"
    yield from dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix))
    yield from (path for path in sys.path if Path(path).is_absolute())
    if site.ENABLE_USER_SITE and site.USER_SITE:
        yield site.USER_SITE
    yield from filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))


def without_secrets(
    variables: Mapping[str, str], *further: str, whole: Callable[[str], bool] = lambda _: False
) -> dict[str, str]:
    """The environment variables that a process needs to run at all, without keys or passwords.

    Args:
        further: names, or prefixes of names, of others that it needs.
        whole: called with any other name; True to keep the variable.
    """
    kept = (*_PLAIN_VARIABLES, *further)
    return {name: text for name, text in variables.items() if name.startswith(kept) or whole(name)}


def runs_as_root() -> bool:
    """True if this process may do everything."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def own_uid(reads: Iterable[str]) -> tuple[int | None, str]:
    """A user without rights for a process that root starts; or None and the reason why there is
    none.

    That user must be able to read what the process needs. If it cannot, the process stays root, and
    only the rest of the sandbox confines it.
    """
    if not runs_as_root():
        return None, "workers run as you do: only root can start them as another user"
    known: dict[Path, bool] = {}
    for path in _needed(reads):
        if path.exists() and not _readable_by_others(path.resolve(), known):
            return (
                None,
                f"workers stay root, who may only read: no other user may read {path.resolve()}",
            )
    return _FIRST_UID + os.getpid() % _UIDS, "root starts workers as a user without rights"


def _needed(reads: Iterable[str]) -> Iterator[Path]:
    """The interpreter, module folders, and the paths to read: folders to the depth of database
    files."""
    yield from map(Path, (sys.executable, os.__file__, __file__, *filter(None, sys.path)))
    for path in map(Path, reads):
        yield path
        if path.is_dir():
            yield from path.glob("*")
            yield from path.glob("*/*")


def _readable_by_others(path: Path, known: dict[Path, bool]) -> bool:
    """True if the path, and all folders above it (some are known), are open to everyone."""
    with contextlib.suppress(OSError):
        mode = path.stat().st_mode
        wanted = 0o5 if stat.S_ISDIR(mode) else 0o4
        return mode & wanted == wanted and _passable(path.parent, known)
    return False


def _passable(folder: Path, known: dict[Path, bool]) -> bool:
    if folder not in known:
        here = bool(folder.stat().st_mode & stat.S_IXOTH)
        known[folder] = here and (folder.parent == folder or _passable(folder.parent, known))
    return known[folder]
