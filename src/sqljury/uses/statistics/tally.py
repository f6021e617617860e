"""A running mean and variance that no order of arrival can change."""

from __future__ import annotations

_BITS = 1074
"""Every finite float is an integer multiple of 2**-1074."""


class Tally:
    """Count, sum and sum of squares of scores, kept exactly as integers.

    Float sums depend on the order in which workers finish; these do not, and memory stays
    flat however many scores come.

    >>> tally = Tally()
    >>> for score in (0.1, 0.2, 0.3):
    ...     tally.add(score)
    >>> tally.mean
    0.2
    """

    __slots__ = ("_ones", "_parts", "_squares", "n")

    def __init__(self) -> None:
        self.n = 0
        self._ones = 0
        """Most scores are 0 or 1: counting those is exact without long integers."""
        self._parts = 0
        self._squares = 0

    def add(self, value: float) -> None:
        """Count one finite value."""
        self.n += 1
        if not value:
            return
        if value == 1:
            self._ones += 1
            return
        numerator, denominator = value.as_integer_ratio()
        scaled = numerator << (_BITS + 1 - denominator.bit_length())
        self._parts += scaled
        self._squares += scaled * scaled

    @property
    def _sum(self) -> int:
        return self._parts + (self._ones << _BITS)

    @property
    def sum(self) -> float:
        """The sum, correctly rounded."""
        return self._sum / (1 << _BITS)

    @property
    def mean(self) -> float | None:
        """The mean, correctly rounded; None for n = 0."""
        return self.mean_over(self.n)

    def mean_over(self, n: int) -> float | None:
        """The sum divided by another count: the rest are zeros."""
        return self._sum / (n << _BITS) if n else None

    @property
    def variance(self) -> float | None:
        """The sample variance (divisor n - 1), correctly rounded; None for n < 2."""
        if self.n < 2:
            return None
        squares = self._squares + (self._ones << 2 * _BITS)
        spread = self.n * squares - self._sum * self._sum
        return spread / (self.n * (self.n - 1) << 2 * _BITS)
