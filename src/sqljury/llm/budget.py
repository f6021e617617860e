"""A sum of money that is never exceeded, however many calls are under way."""

from __future__ import annotations

import threading

from sqljury.errors import InfrastructureError


class BudgetReachedError(InfrastructureError):
    """The next call could cost more than is left. All answers are kept; the run resumes."""


class Budget:
    """What may be spent: each call reserves the most that it can cost before it begins."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._spent = 0.0
        self._reserved = 0.0
        self._changed = threading.Condition()

    def reserve(self, amount: float) -> None:
        """Set aside; waits for calls under way if what they leave over may be enough.

        Raises:
            BudgetReachedError: it is more than is left.
        """
        with self._changed:
            while self._reserved and self._spent + self._reserved + amount > self._most:
                self._changed.wait()
            if self._spent + amount > self._most:
                raise BudgetReachedError(
                    "SJ910",
                    f"${self._spent:.4f} of ${self._most:g} are spent, and the next call can "
                    f"cost up to ${amount:.4f}.",
                    hint="Raise --max-cost, or lower the model option max_tokens, and run the same "
                    "command again: it goes on where it stopped.",
                )
            self._reserved += amount

    def try_reserve(self, amount: float) -> bool:
        """Set aside if it is there, and say so; never waits."""
        with self._changed:
            fits = self._spent + self._reserved + amount <= self._most
            self._reserved += amount if fits else 0.0
            return fits

    def settle(self, reserved: float, spent: float) -> None:
        """Turn what was set aside into what was spent."""
        with self._changed:
            self._reserved = max(0.0, self._reserved - reserved)
            self._spent += spent
            # Rounding must not leave a reservation of nobody, for which all would wait.
            if self._reserved < 1e-12:
                self._reserved = 0.0
            self._changed.notify_all()
