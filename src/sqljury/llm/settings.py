"""Settings for calls of chat models."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """Where answers are stored, how fast and how often models are called, and for how much
    money."""

    ledger: str | None = None
    """The ledger's file; None keeps answers only while the client lives."""
    replay: bool = False
    """Only read the ledger, never call: a request without a stored answer is an error."""
    concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_cost: float | None = None
    """The most US dollars that one client may spend."""
    timeout: float = 120.0
    """Seconds for one call."""
    attempts: int = 3
    """How often a question is asked if its answers cannot be used."""
    retries: int = 5
    """How often a failed call is repeated."""
    backoff: float = 1.0
    """Seconds before the first retry; doubled for each further one."""
    prices: str | None = None
    """A price table that replaces prices in the package."""

    def __post_init__(self) -> None:
        zero = ("max_cost", "retries", "backoff")
        limits = ("requests_per_minute", "tokens_per_minute")
        for name in ("concurrency", "attempts", "timeout", *limits, *zero):
            value = getattr(self, name)
            if value is not None and not (value >= 0 if name in zero else value > 0):
                raise InputError("SJ915", f"{name} = {value} is not possible.")
        if self.replay and self.ledger is None:
            raise InputError("SJ915", "a replay needs a ledger.", hint="Name it: --replay LEDGER.")
