"""A client that asks nobody: it notes what would be asked, for dry runs and for batches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from sqljury.llm.chat import Answer, Request
from sqljury.llm.client import Client
from sqljury.llm.estimate import Estimate, estimate
from sqljury.llm.prices import Prices
from sqljury.llm.settings import ClientSettings
from sqljury.llm.shapes import placeholder


class Rehearsal(Client):
    """Answers from the ledger what it holds, and notes the rest.

    Args:
        optimistic: what is missing is answered by yes in every place, so that the questions
            which follow from it are noted too; otherwise there is no answer.
    """

    def __init__(self, settings: ClientSettings, *, optimistic: bool = True) -> None:
        known = settings.ledger is not None and Path(settings.ledger).exists()
        ledger = settings.ledger if known else None
        super().__init__(replace(settings, ledger=ledger, replay=known, max_cost=None))
        self._optimistic = optimistic
        self._noted: dict[str, Request] = {}
        self._price_table = Prices(settings.prices)

    def ask(self, request: Request, *, case: str) -> Answer:
        """The answer as far as it is known."""
        try:
            return super().ask(request, case=case)
        except _UnaskedError:
            value = placeholder(request.schema or {}) if self._optimistic else None
            problem = "" if self._optimistic else "not asked yet"
            return Answer(value, "", problem, calls=0, tokens=0, money=0.0, seconds=0.0)

    def _missing(self, request: Request, key: str, case: str) -> NoReturn:  # noqa: ARG002
        self._noted[key] = request
        raise _UnaskedError

    @property
    def missing(self) -> list[Request]:
        """What the ledger does not hold, each once, by key."""
        return [request for _, request in sorted(self._noted.items())]

    def estimate(self) -> Estimate:
        """What asking it will cost."""
        return estimate(self.missing, self._price_table)


class _UnaskedError(Exception):
    """The ledger does not hold it."""
