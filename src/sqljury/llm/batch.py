"""Many requests handed in at once, at half the price, answered within a day."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from sqljury.errors import InfrastructureError, InputError, SqljuryError
from sqljury.llm.budget import Budget
from sqljury.llm.chat import Json, Message, Model, Request, one_line
from sqljury.llm.client import check, most_money, now, read
from sqljury.llm.ledger import Entry, Ledger
from sqljury.llm.limits import Sleep
from sqljury.llm.prices import BATCH_DISCOUNT, Prices
from sqljury.llm.providers import BatchProvider, provider
from sqljury.llm.retry import CallFailedError
from sqljury.llm.settings import ClientSettings

_MOST_REQUESTS = 10_000

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Collected:
    """What a look at the batches found."""

    answers: int
    """That came into the ledger now."""
    unanswered: int
    """In batches that ended without them: to be submitted again."""
    open: int
    """Batches still under way."""


class Batches:
    """Batches of a ledger. Their ids are in the ledger: a new process goes on where one stopped.

    Raises:
        InputError: there is no ledger.
    """

    def __init__(self, settings: ClientSettings) -> None:
        if settings.ledger is None or settings.replay:
            raise InputError("SJ914", "batches need a ledger that can be written.")
        self._ledger = Ledger(settings.ledger)
        self._settings = settings

    def submit(self, requests: Iterable[Request]) -> int:
        """Hand in what the ledger does not hold and no batch is at; how many that were.

        Raises:
            InputError: the provider has no batches.
            BudgetReachedError: it could cost more than ``max_cost``; nothing was handed in.
            InfrastructureError: the provider does not take it.
        """
        missing = {request.key(): request for request in requests}
        missing = {key: one for key, one in sorted(missing.items()) if self._is_missing(key)}
        self._check_cost(missing.values())
        by_model: dict[Model, dict[str, Request]] = {}
        for key, request in missing.items():
            by_model.setdefault(request.model, {})[key] = request
        for model, group in by_model.items():
            takes = _taker(model)
            for request in group.values():
                check(request)
            keys = list(group)
            for start in range(0, len(keys), _MOST_REQUESTS):
                part = {key: group[key] for key in keys[start : start + _MOST_REQUESTS]}
                batch = _reached(takes.submit, model, part)
                texts = [request.canonical() for request in part.values()]
                self._ledger.add_batch(batch, _model_text(model), texts, now())
        return len(missing)

    def _is_missing(self, key: str) -> bool:
        return self._ledger.get(key) is None and not self._ledger.is_submitted(key)

    def _check_cost(self, requests: Iterable[Request]) -> None:
        if self._settings.max_cost is None:
            return
        prices = Prices(self._settings.prices)
        most = sum(most_money(request, prices.of(request.model)) for request in requests)
        Budget(self._settings.max_cost).reserve(most * BATCH_DISCOUNT)

    def collect(self) -> Collected:
        """Bring the answers of finished batches into the ledger."""
        answers = unanswered = still_open = 0
        for batch, text in self._ledger.open_batches():
            model = _model_of(text)
            asked = self._ledger.batch_requests(batch)
            takes = _taker(model)
            state, raws = _reached(takes.fetch, model, Request(model, ()), batch)
            if state == "open":
                still_open += 1
                continue
            known = [
                self._keep(asked[key], raw, model) for key, raw in raws.items() if key in asked
            ]
            self._ledger.close_batch(batch, state)
            answers += sum(known)
            unanswered += len(asked) - sum(known)
        return Collected(answers, unanswered, still_open)

    def _keep(self, canonical: str, raw: Json, model: Model) -> bool:
        try:
            reply = read(_request_of(canonical, model), raw)
        except CallFailedError:
            return False
        tokens = (reply.prompt_tokens, reply.completion_tokens)
        self._ledger.put(Entry(canonical, raw, now(), 0.0, *tokens, via="batch"))
        return True

    def wait(self, *, every: float = 60.0, sleep: Sleep = time.sleep) -> Collected:
        """Look again and again until no batch is open."""
        total = self.collect()
        while total.open:
            sleep(every)
            new = self.collect()
            total = Collected(
                total.answers + new.answers, total.unanswered + new.unanswered, new.open
            )
        return total

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()


def _taker(model: Model) -> BatchProvider:
    found = provider(model.provider)
    if not found.capabilities(model.name).batch or not isinstance(found, BatchProvider):
        raise InputError("SJ903", f"{model} does not offer batches.")
    return found


def _reached(call: Callable[P, R], model: Model, *values: P.args, **named: P.kwargs) -> R:
    try:
        return call(*values, **named)
    except SqljuryError:
        raise
    except Exception as error:  # an SDK's own, one of many
        raise InfrastructureError(
            "SJ914",
            f"the batches of {model} cannot be reached: {error}",
            hint="Nothing is lost: run the same command again.",
        ) from error


def _model_text(model: Model) -> str:
    return one_line([model.provider, model.name, list(model.options)])


def _model_of(text: str) -> Model:
    name, model, options = json.loads(text)
    return Model(name, model, tuple((key, value) for key, value in options))


def _request_of(canonical: str, model: Model) -> Request:
    fields: Mapping[str, Json] = json.loads(canonical)
    messages = tuple(Message(role, content) for role, content in fields["messages"])
    return Request(model, messages, fields["schema"], fields["logprobs"])
