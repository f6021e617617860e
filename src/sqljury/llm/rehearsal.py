"""A client that asks nobody: it notes what would be asked, for dry runs and for batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from sqljury.llm.chat import Answer, Request
from sqljury.llm.client import Client
from sqljury.llm.costs import BATCH_DISCOUNT, Estimate, Prices, estimate
from sqljury.llm.limits import CallFailedError
from sqljury.llm.objects import placeholder
from sqljury.llm.settings import ClientSettings

_NOT_GIVEN_UP: Mapping[str, str] = {}


class Rehearsal(Client):
    """Answers from the ledger what it holds, and notes the rest.

    Args:
        optimistic: what is missing is answered by yes in every place, so that the questions
            which follow from it are noted too; otherwise there is no answer.
        batch: what is missing will be asked in batches: what one under way will answer costs
            nothing more, and the rest costs less.
        given_up: why questions will have no answer, by the key of their request; they are not
            noted.
    """

    def __init__(
        self,
        settings: ClientSettings,
        *,
        optimistic: bool = True,
        batch: bool = False,
        given_up: Mapping[str, str] = _NOT_GIVEN_UP,
    ) -> None:
        known = settings.ledger is not None and Path(settings.ledger).exists()
        ledger = settings.ledger if known else None
        super().__init__(replace(settings, ledger=ledger, replay=known, max_cost=None))
        self._optimistic = optimistic
        self._batch = batch
        self._given_up = given_up
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
        if key in self._given_up:
            raise CallFailedError(self._given_up[key])
        self._noted[key] = request
        raise _UnaskedError

    @property
    def missing(self) -> list[Request]:
        """What the ledger does not hold, each once, by key."""
        return [request for _, request in sorted(self._noted.items())]

    def forget(self) -> None:
        """Begin to note anew."""
        self._noted.clear()

    def estimate(self) -> Estimate:
        """What asking it will cost."""
        if not self._batch:
            return estimate(self.missing, self._price_table)
        new = [one for one in self.missing if not self._ledger.is_submitted(one.key())]
        found = estimate(new, self._price_table)
        return found if found.money is None else replace(found, money=found.money * BATCH_DISCOUNT)


class _UnaskedError(Exception):
    """The ledger does not hold it."""
