"""Temporary folders; those of killed processes are removed later.

A killed process cannot clean up; the next process does it. Each folder has a file that its owner
keeps locked; the lock ends with the owner, however it ends.
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
    """A new folder that lasts as long as this object, or this process."""

    def __init__(self) -> None:
        _sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _locked_file(self.path)

    def close(self) -> None:
        """Removes it with its contents."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # __init__ failed
            self.close()


def _locked_file(folder: Path) -> int | None:
    """Creates a file that is locked before it gets the name by which others find it; returns its
    handle, or None on Windows."""
    if fcntl is None:
        return None
    unnamed = folder / f"{_LOCK}-new"
    handle = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    unnamed.rename(folder / _LOCK)
    return handle


def _sweep(place: Path) -> None:
    """Removes the folders of our processes that were killed."""
    if fcntl is None:
        return
    for folder in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # of another user, in use, or already removed
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
