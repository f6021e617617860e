"""How chat models are asked, in one value that every worker gets."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """Where answers are kept, how fast and how often is asked, and for how much money."""

    ledger: str | None = None
    """The ledger's file; None keeps answers for as long as the client lives."""
    replay: bool = False
    """Read the ledger and never ask: a question that it does not hold is an error."""
    concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_cost: float | None = None
    """US dollars that one client may spend."""
    timeout: float = 120.0
    """Seconds for one call."""
    attempts: int = 3
    """How often a question is asked whose answers cannot be used."""
    retries: int = 5
    """How often a call that fails is tried again."""
    backoff: float = 1.0
    """Seconds before the first retry; doubled for each further one."""
    prices: str | None = None
    """A price table over the one that ships."""

    def __post_init__(self) -> None:
        above_zero = {
            "concurrency": self.concurrency,
            "attempts": self.attempts,
            "timeout": self.timeout,
            "requests_per_minute": self.requests_per_minute,
            "tokens_per_minute": self.tokens_per_minute,
        }
        from_zero = {
            "max_cost": self.max_cost,
            "retries": self.retries,
            "backoff": self.backoff,
        }
        bad = [name for name, value in above_zero.items() if value is not None and not value > 0]
        bad += [name for name, value in from_zero.items() if value is not None and not value >= 0]
        if bad:
            raise InputError("SJ915", f"{bad[0]} = {getattr(self, bad[0])} is not possible.")
        if self.replay and self.ledger is None:
            raise InputError("SJ915", "a replay needs a ledger.", hint="Name it: --replay LEDGER.")
