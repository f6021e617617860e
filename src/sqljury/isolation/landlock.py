"""Landlock: Linux refuses a process the files that it was not given (kernel 5.13 and later).

No package that is kept wraps it (`landlock` on PyPI is a development release), so the three
system calls are made here, with ctypes. See the kernel's Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Final

# The same numbers on every architecture.
_CREATE, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_ONLY: Final = 1
_PATH_BENEATH: Final = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_CHANGES_FOLDER: Final = 0x1FF << 4  # remove and make: files, folders, sockets, devices, links
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_READS: Final = _READ_FILE | _READ_DIR
_ABOUT_FILES: Final = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_TCP: Final = 0b11  # bind, connect
_ABSTRACT_SOCKETS, _SIGNALS = 0b01, 0b10  # of processes outside


def landlock_version() -> int:
    """What the kernel's Landlock can do (its ABI); 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(_CREATE, None, 0, _VERSION_ONLY))


def restrict_files(
    reads: Iterable[str] | None, writes: Iterable[str] | None, *, network: bool
) -> None:
    """From here on this thread, and all that it starts, has these files and no others.

    Args:
        reads: files and folders that may be read; None: all.
        writes: files and folders that may be written (and read); None: all.
        network: whether TCP may be used.

    Raises:
        OSError: the kernel refuses.
    """
    version = landlock_version()
    changes = _writes(version)
    handled = (0 if reads is None else _READS) | (0 if writes is None else changes)
    ruleset = _ruleset(version, handled, network)
    try:
        for path in reads or ():
            _allow(ruleset, path, _READS & handled)
        for path in writes or ():
            _allow(ruleset, path, (_READS | changes) & handled)
        _checked(_call(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _writes(version: int) -> int:
    rights = _WRITE_FILE | _CHANGES_FOLDER
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE)):
        rights |= right if version >= since else 0
    return rights


def _ruleset(version: int, files: int, network: bool) -> int:
    tcp = 0 if network or version < 4 else _TCP
    scopes = _SIGNALS | (0 if network else _ABSTRACT_SOCKETS)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("=QQQ", files, tcp, scopes)[:size]
    return _checked(_call(_CREATE, attributes, size, 0))


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no leave
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            rights &= _ABOUT_FILES
        if rights:
            rule = struct.pack("=Qi", rights, handle)
            _checked(_call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(handle)


def _call(number: int, *arguments: int | bytes | None) -> int:
    system = ctypes.CDLL(None, use_errno=True)
    typed = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in arguments]
    return int(system.syscall(ctypes.c_long(number), *typed))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
