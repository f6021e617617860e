"""The penalty c of the reliability score: a number, or N for the number of questions."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from sqljury.errors import InputError


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a wrong answer costs, in right answers. ``value`` is None for N.

    >>> [penalty.of(527) for penalty in DEFAULT_PENALTIES]
    [0.0, 10.0, 527.0]
    """

    value: float | None

    @property
    def name(self) -> str:
        """``0``, ``10``, ``N``."""
        return "N" if self.value is None else f"{self.value:g}"

    def of(self, n: int) -> float:
        """The penalty where ``n`` questions are evaluated."""
        return float(n) if self.value is None else self.value


DEFAULT_PENALTIES = (Penalty(0.0), Penalty(10.0), Penalty(None))
"""The three of the paper (section 4.4)."""


def parse_penalty(text: str) -> Penalty:
    """From ``0``, ``2.5``, ``N``.

    Raises:
        InputError: SJ540: neither a number from 0 on nor N.
    """
    if text.strip().upper() == "N":
        return Penalty(None)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0 or not isfinite(value):
        raise InputError(
            "SJ540", f"{text!r} is no penalty.", hint="Write a number from 0 on, or N."
        )
    # -0.0 would be printed as such.
    return Penalty(abs(value))
