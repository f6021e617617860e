"""Landlock and seccomp: Linux (from kernel 5.13) refuses a process all files except given ones, and
system calls that it does not need.

No maintained package wraps Landlock (`landlock` on PyPI is a development release), so its three
system calls are made here with ctypes. See the kernel's Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass

# The same numbers on every architecture.
_CREATE, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_ONLY = 1
_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_CHANGES_FOLDER = 0x1FF << 4  # remove and make: files, folders, sockets, devices, links
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_READS = _READ_FILE | _READ_DIR
_ABOUT_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_TCP = 0b11  # bind, connect
_ABSTRACT_SOCKETS, _SIGNALS = 0b01, 0b10  # to processes outside


def landlock_version() -> int:
    """The version of the kernel's Landlock interface (its ABI); 0 if there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(_CREATE, None, 0, _VERSION_ONLY))


def restrict_files(
    reads: Iterable[str] | None, writes: Iterable[str] | None, *, network: bool
) -> None:
    """From now on this thread, and all that it starts, can use only these files.

    Args:
        reads: files and folders that may be read; None: all.
        writes: files and folders that may be written (and read); None: all.
        network: True if TCP may be used.

    Raises:
        OSError: the kernel refuses.
    """
    version = landlock_version()
    changes = _WRITE_FILE | _CHANGES_FOLDER
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE)):
        changes |= right if version >= since else 0
    handled = (0 if reads is None else _READS) | (0 if writes is None else changes)
    tcp = 0 if network or version < 4 else _TCP
    scopes = _SIGNALS | (0 if network else _ABSTRACT_SOCKETS)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("=QQQ", handled, tcp, scopes)[:size]
    ruleset = _checked(_call(_CREATE, attributes, size, 0))
    try:
        for path in reads or ():
            _allow(ruleset, path, _READS & handled)
        for path in writes or ():
            _allow(ruleset, path, (_READS | changes) & handled)
        _checked(_call(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # a missing file needs no permission
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


# ------------------------------------------------------------
# seccomp: Linux refuses a process the system calls that it does not need.
#
# The list has the refused calls, not the allowed ones: later libraries use new calls, and files are
# protected by Landlock. `pyseccomp` would need the C library libseccomp on every machine; a filter
# is only about two hundred instructions.

_SET_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _ALL_THREADS = 1, 1
_GET_ACTION = 2
_DROP_BOUND = 24
_CAPABILITIES_OF_TODAY = 0x20080522
_OPEN_ANY_FILE = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_CLONE_THREAD = 0x00010000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

# Offsets into the data that a filter reads.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

# Instructions of the filter.
_LOAD, _IF_EQUAL, _IF_NOT_BELOW, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW = 0x7FFF0000
_ERROR = 0x00050000
_INSTRUCTION = 8
"""Bytes of one instruction."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """The system call numbers of one architecture."""

    audit: int
    seccomp: int
    clone: int
    ioctl: int
    prlimit: int
    programs: tuple[int, ...]
    """fork, vfork, execve, execveat."""
    network: tuple[int, ...]
    """socket, socketpair, connect, bind, and io_uring, which can replace all of them."""
    scheduling: tuple[int, ...]
    """sched_setparam, -scheduler, -affinity, -attr: their first argument is a process id."""
    signals: tuple[int, ...]
    """Calls whose first argument is the process that gets a signal."""
    owners: tuple[int, ...]
    """Owner, mode, times, extended attributes of files: Landlock does not cover these."""
    never: tuple[int, ...]
    """Always refused: other processes' memory, mounts, modules, clocks, namespaces, keys, tracing,
    BPF, messages between processes (System V and POSIX), priorities."""


# The same on both: clone3 is 435.
_CLONE3 = 435
_NEW = (424, *range(428, 434), 438, 440, 442)
_URING = 425

_MACHINES = {
    "x86_64": _Machine(
        audit=0xC000003E,
        seccomp=317,
        clone=56,
        ioctl=16,
        prlimit=302,
        programs=(57, 58, 59, 322),
        network=(41, 42, 49, 53, _URING),
        scheduling=(142, 144, 203, 314),
        signals=(62, 129, 200, 234, 297),
        owners=(90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280),
        never=(
            *(101, 103, 135, 153, 154, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171),
            *(172, 173, 175, 176, 179, 227, 246, 248, 249, 250, 272, 298, 300, 304, 305, 308),
            *(310, 311, 312, 313, 320, 321, 323, *_NEW),
            *(29, 30, 31, *range(64, 72), 220, *range(240, 246), 141, 251, 256, 279),
        ),
    ),
    "aarch64": _Machine(
        audit=0xC00000B7,
        seccomp=277,
        clone=220,
        ioctl=29,
        prlimit=261,
        programs=(221, 281),
        network=(198, 199, 200, 203, _URING),
        scheduling=(118, 119, 122, 274),
        signals=(129, 130, 131, 138, 240),
        owners=(5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88),
        never=(
            *(39, 40, 41, 51, 60, 89, 92, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170),
            *(171, 217, 218, 219, 224, 225, 241, 262, 265, 266, 268, 270, 271, 272, 273, 280),
            *(282, 294, *_NEW, *range(180, 198), 140, 30, 238, 239),
        ),
    ),
}


def has_seccomp() -> bool:
    """True if the kernel can filter system calls, and we know this architecture's numbers."""
    machine = _machine()
    if machine is None:
        return False
    action = ctypes.c_uint32(_ERROR)
    asked = ctypes.CDLL(None, use_errno=True).syscall(
        ctypes.c_long(machine.seccomp), ctypes.c_long(_GET_ACTION), 0, ctypes.byref(action)
    )
    return bool(asked == 0)


def restrict_calls(*, network: bool, programs: bool) -> None:
    """From now on this process, with all its threads, is refused most calls that it does not need.

    Args:
        network: True if it may open connections.
        programs: True if it may start other programs.

    Raises:
        OSError: the kernel refuses.
    """
    machine = _machine()
    assert machine is not None, "has_seccomp was asked"
    forbid_privileges()
    code = _filter(machine, os.getpid(), network=network, programs=programs)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // _INSTRUCTION, ctypes.addressof(buffer))
    result = ctypes.CDLL(None, use_errno=True).syscall(
        ctypes.c_long(machine.seccomp),
        ctypes.c_long(_SET_FILTER),
        ctypes.c_long(_ALL_THREADS),
        ctypes.c_char_p(program),
    )
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def drop_capabilities() -> None:
    """From now on root may open any file, as far as it could before, and do nothing else that other
    users may not.

    Raises:
        OSError: the kernel refuses.
    """
    library = ctypes.CDLL(None, use_errno=True)
    header = struct.pack("Ii", _CAPABILITIES_OF_TODAY, 0)
    # Effective, permitted, inheritable; then the same for capabilities from 32 on.
    data = struct.pack("6I", _OPEN_ANY_FILE, _OPEN_ANY_FILE, 0, 0, 0, 0)
    for number in range(64):
        if not 1 << number & _OPEN_ANY_FILE:
            library.prctl(_DROP_BOUND, number, 0, 0, 0)
    if library.capset(header, data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"capset: {os.strerror(number)}")


def forbid_privileges() -> None:
    """From now on no program that this process starts can gain rights; seccomp filters require
    this."""
    ctypes.CDLL(None, use_errno=True).prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _machine() -> _Machine | None:
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return None
    return _MACHINES.get(os.uname().machine)


def _filter(machine: _Machine, own: int, *, network: bool, programs: bool) -> bytes:
    refused = [*machine.never]
    refused += [] if network else machine.network
    refused += [] if programs else [*machine.programs, *machine.owners]
    no = _ERROR | errno.EPERM
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, no),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_NOT_BELOW, 0, 1, 0x40000000),  # the second numbering (x32) of x86-64
        (_RETURN, 0, 0, no),
    ]
    for number in refused:
        code += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, no)]
    if not programs:
        # Allow threads, not processes; clone3 hides its flags, and after ENOSYS the C library uses
        # clone.
        code += [(_IF_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
        code += [
            (_IF_EQUAL, 0, 4, machine.clone),
            (_LOAD, 0, 0, _ARGUMENTS),
            (_IF_ANY_BIT, 1, 0, _CLONE_THREAD),
            (_RETURN, 0, 0, no),
            (_RETURN, 0, 0, _ALLOW),
        ]
        for number in machine.signals:
            code += _first_argument(number, (own,))
        for number in machine.scheduling:
            code += _first_argument(number, (0, own))
        code += _first_argument(machine.prlimit, (0, own))
    # A terminal treats text that is pushed into it as typed by its user.
    code += [
        (_IF_EQUAL, 0, 5, machine.ioctl),
        (_LOAD, 0, 0, _ARGUMENTS + 8),
        (_IF_EQUAL, 1, 0, _TIOCSTI),
        (_IF_EQUAL, 0, 1, _TIOCLINUX),
        (_RETURN, 0, 0, no),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *one) for one in code)


def _first_argument(number: int, allowed: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """The instructions that allow a call only with these first arguments."""
    steps = [(_IF_EQUAL, 0, 3 + len(allowed), number), (_LOAD, 0, 0, _ARGUMENTS)]
    for left, value in enumerate(reversed(allowed)):
        steps.insert(2, (_IF_EQUAL, left + 1, 0, value))
    return [*steps, (_RETURN, 0, 0, _ERROR | errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
