"""Folders under the system's folder of temporary files, of which none stays for ever.

A process that is killed cannot clean up; the next one does. Each folder holds a file that its
owner keeps locked: the lock ends with the owner, whatever ends the owner.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: folders of killed processes stay
    fcntl = None  # type: ignore[assignment]

_PREFIX = "sqljury-"
_LOCK = ".owner"


class TemporaryFolder:
    """A new folder for as long as this object, or this process, lives."""

    def __init__(self) -> None:
        _sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _locked_file(self.path)

    def close(self) -> None:
        """Remove it, with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it never came to be
            self.close()


def _locked_file(folder: Path) -> int | None:
    """Locked before it has its name, by which others find it."""
    if fcntl is None:
        return None
    unnamed = folder / f"{_LOCK}-new"
    handle = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    unnamed.rename(folder / _LOCK)
    return handle


def _sweep(place: Path) -> None:
    """Remove the folders of processes of ours that were killed."""
    if fcntl is None:
        return
    for folder in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another's, in use, or gone by now
            _remove_abandoned(folder)


def _remove_abandoned(folder: Path) -> None:
    if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
        return
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
