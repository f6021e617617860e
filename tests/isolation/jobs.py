"""What processes of tests do."""

from __future__ import annotations

from sqljury.errors import InputError


def divided(by: int) -> float:
    """Eight by a number; each way to fail has one."""
    if by < 0:
        raise InputError("SJ301", "less than nothing")
    return 8 / by
