"""Batches: many requests submitted at once, at half the price, answered within a day."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from sqljury.closing import Closing
from sqljury.errors import InfrastructureError, InputError, SqljuryError
from sqljury.llm.chat import Json, Message, Model, Request, one_line
from sqljury.llm.client import LONGEST_WAIT, Spent, check, most_money, now, read
from sqljury.llm.costs import BATCH_DISCOUNT, Budget, Prices
from sqljury.llm.ledger import Entry, Ledger
from sqljury.llm.limits import CallFailedError, Sleep, backoff
from sqljury.llm.providers import BatchNews, BatchProvider, provider
from sqljury.llm.settings import ClientSettings

# OpenAI accepts 50,000 requests and 200 MB per batch.
_MOST_REQUESTS = 10_000
_MOST_BYTES = 100_000_000
_MOST_TRIES = 3
"""After this many batches failed at a request, it is given up."""
_LONGEST_PAUSE = 60.0

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Collected:
    """The result of one check of the batches."""

    answers: int
    """The number of answers that came into the ledger in this check."""
    unanswered: int
    """Requests in batches that ended without answering them; they can be submitted again."""
    open: int
    """The number of batches that are not finished."""
    waiting: int = 0
    """The number of requests in them."""
    done: int = 0
    """How many of these the provider has finished."""
    error: str = ""
    """Why a batch failed as a whole, or was cancelled; empty if none did."""


class Batches(Closing):
    """The batches of a ledger. Their ids are stored in the ledger, so a new process continues where
    another stopped.

    Args:
        sleep: for tests.

    Attributes:
        spent: what the answers cost that were collected so far.

    Raises:
        InputError: the settings have no ledger that can be written.
    """

    def __init__(self, settings: ClientSettings, *, sleep: Sleep = time.sleep) -> None:
        if settings.ledger is None or settings.replay:
            raise InputError("SJ914", "batches need a ledger that can be written.")
        self._ledger = Ledger(settings.ledger)
        self._ledger.prepare_batches()
        self._settings = settings
        self._sleep = sleep
        self._prices = Prices(settings.prices)
        self._budget = None if settings.max_cost is None else Budget(settings.max_cost)
        self._reserved: dict[str, float] = {}
        self.spent = Spent()

    # ------------------------------------------------------------ handing in

    def submit(self, requests: Iterable[Request]) -> int:
        """Submits the requests that have no answer in the ledger and are in no batch; returns their
        number.

        If they could cost more than is left of ``max_cost``, only the first ones are submitted;
        call it again after these are collected.

        Raises:
            InputError: the provider does not support batches.
            BudgetReachedError: not even one request is certain to cost at most ``max_cost``.
            InfrastructureError: the provider refuses the batch.
        """
        missing = {request.key(): request for request in requests}
        missing = {key: one for key, one in sorted(missing.items()) if self.lacks(one)}
        by_model: dict[Model, dict[str, Request]] = {}
        for key, request in missing.items():
            check_batches(request.model)
            check(request)
            if not self._is_affordable(key, request):
                break
            by_model.setdefault(request.model, {})[key] = request
        for model, group in by_model.items():
            for part in _parts(group):
                self._hand_in(model, part)
        return sum(map(len, by_model.values()))

    def lacks(self, request: Request) -> bool:
        """True if a request has no answer in the ledger and is in no unfinished batch."""
        key = request.key()
        return self._ledger.get(key) is None and not self._ledger.is_submitted(key)

    def under_way(self) -> tuple[int, int]:
        """The number of unfinished batches, and of requests in them."""
        counts = [waiting for *_, state, waiting in self._ledger.batches() if state == "open"]
        return len(counts), sum(counts)

    def _is_affordable(self, key: str, request: Request) -> bool:
        if self._budget is None:
            return True
        most = most_money(request, self._prices.of(request.model)) * BATCH_DISCOUNT
        if not self._budget.try_reserve(most):
            if self._reserved:
                return False
            self._budget.reserve(most)  # raises with the reason
        self._reserved[key] = most
        return True

    def _hand_in(self, model: Model, part: Mapping[str, Request]) -> None:
        # Stored before sending: if this process is killed meanwhile, the next one finds the batch.
        mark = uuid.uuid4().hex
        texts = [request.canonical() for request in part.values()]
        self._ledger.add_batch(mark, _model_text(model), texts, now(), state="submitting")
        takes = check_batches(model)
        tried = False

        def taken() -> str:
            nonlocal tried
            # If the server's answer was lost, the server may have accepted the batch all the same.
            found = takes.find(model, mark) if tried else None
            tried = True
            return found or takes.submit(part, mark)

        try:
            batch = self._reached(model, taken)
        except SqljuryError as error:
            if _is_sure(error.__cause__):
                self._ledger.close_batch(mark, "refused")
            raise
        self._ledger.name_batch(mark, batch)

    # ------------------------------------------------------------ collecting

    def collect(self) -> Collected:
        """Brings the answers of finished batches into the ledger."""
        self._find_lost()
        found = Collected(0, 0, 0)
        for batch, text in self._ledger.open_batches():
            model = _model_of(text)
            takes = check_batches(model)
            news = self._reached(model, lambda: takes.fetch(model, batch))  # noqa: B023
            asked = self._ledger.batch_requests(batch)
            if news.state == "open":
                found = replace(
                    found,
                    open=found.open + 1,
                    waiting=found.waiting + len(asked),
                    done=found.done + min(news.done, len(asked)),
                )
                continue
            answers, error = self._close(batch, model, news, asked)
            found = replace(
                found,
                answers=found.answers + answers,
                unanswered=found.unanswered + len(asked) - answers,
                error=found.error or error,
            )
        return found

    def _find_lost(self) -> None:
        """Finds out what became of batches whose submission was interrupted."""
        for mark, text in self._ledger.open_batches("submitting"):
            model = _model_of(text)
            takes = check_batches(model)
            batch = self._reached(model, lambda: takes.find(model, mark))  # noqa: B023
            if batch is None:
                self._ledger.close_batch(mark, "never taken")
            else:
                self._ledger.name_batch(mark, batch)

    def _close(
        self, batch: str, model: Model, news: BatchNews, asked: Mapping[str, str]
    ) -> tuple[int, str]:
        """Stores the results of a batch; returns the number of answers, and why it failed as a
        whole."""
        error = f"the batch {batch} {news.error}" if news.error else ""
        answers = 0
        for key, canonical in asked.items():
            failed = news.failures.get(key)
            if key in news.raws:
                failed = self._keep(_request_of(canonical, model), canonical, news.raws[key])
            answers += failed is None and key in news.raws
            if failed is not None and failed.is_fatal:
                error = error or f"the batch {batch} of {model} was not let in: {failed}"
            elif failed is not None or (not news.error and key not in news.raws):
                self._note(
                    key, failed or CallFailedError("the batch has no line on it", again=True)
                )
            if self._budget is not None:
                self._budget.settle(self._reserved.pop(key, 0.0), 0.0)
        self._ledger.close_batch(batch, news.state)
        return answers, error

    def _keep(self, request: Request, canonical: str, raw: Json) -> CallFailedError | None:
        try:
            reply = read(request, raw)
        except CallFailedError as error:
            return error
        tokens = (reply.prompt_tokens, reply.completion_tokens)
        via = "rejected" if reply.finish == "rejected" else "batch"
        self._ledger.put(Entry(canonical, raw, now(), 0.0, *tokens, via=via))
        price = self._prices.of(request.model)
        money = price.of(reply, via) if price else 0.0
        self.spent += Spent(1, sum(tokens), money, unpriced=int(price is None))
        key = request.key()
        if self._budget is not None and key in self._reserved:
            self._budget.settle(self._reserved.pop(key), money)
        return None

    def _note(self, key: str, failed: CallFailedError) -> None:
        self._ledger.add_failure(key, 1 if failed.again else _MOST_TRIES, str(failed))

    def wait(
        self,
        *,
        every: float = _LONGEST_PAUSE,
        on_look: Callable[[Collected], None] = lambda _: None,
    ) -> Collected:
        """Checks repeatedly until no batch is unfinished.

        Args:
            every: most seconds between two checks; the first ones are closer together.
            on_look: called with the result of each check.
        """
        total = self.collect()
        on_look(total)
        pauses = _pauses(every)
        while total.open:
            self._sleep(next(pauses))
            new = self.collect()
            on_look(new)
            total = replace(
                new,
                answers=total.answers + new.answers,
                unanswered=total.unanswered + new.unanswered,
                error=total.error or new.error,
            )
        return total

    # ------------------------------------------------------------ what failed

    def given_up(self) -> dict[str, str]:
        """Why requests that failed in several batches have no answer, by key."""
        return self._ledger.failures(_MOST_TRIES)

    def forget_failures(self) -> None:
        """Allows requests that were given up to be submitted again."""
        self._ledger.forget_failures()

    # ------------------------------------------------------------

    def _reached(self, model: Model, call: Callable[[], R]) -> R:
        """Calls a provider, with the same retries as for single calls."""
        turn = 0
        while True:
            try:
                return call()
            except CallFailedError as error:
                wait = error.wait or backoff(self._settings.backoff, turn, str(model))
                again = error.again and turn < self._settings.retries and wait <= LONGEST_WAIT
                if not again:
                    raise InfrastructureError(
                        "SJ914",
                        f"the batches of {model} cannot be used: {error}",
                        hint="Nothing is lost: run the same command again.",
                    ) from error
            turn += 1
            self._sleep(wait)

    def close(self) -> None:
        """Closes the ledger."""
        self._ledger.close()


def check_batches(model: Model) -> BatchProvider:
    """The provider of a model, if it supports batches.

    Raises:
        InputError: it does not.
    """
    found = provider(model.provider)
    if not found.capabilities(model.name).batch or not isinstance(found, BatchProvider):
        raise InputError(
            "SJ903", f"{model} does not offer batches.", hint="Leave --batch out to ask it now."
        )
    return found


def _is_sure(failed: BaseException | None) -> bool:
    """True if the failure shows that the provider did not accept the batch."""
    return not isinstance(failed, CallFailedError) or not (failed.again or failed.charged)


def _parts(group: Mapping[str, Request]) -> Iterator[dict[str, Request]]:
    """The requests split into batches of allowed size."""
    part: dict[str, Request] = {}
    size = 0
    for key, request in group.items():
        length = len(request.canonical())
        if part and (len(part) == _MOST_REQUESTS or size + length > _MOST_BYTES):
            yield part
            part, size = {}, 0
        part[key] = request
        size += length
    if part:
        yield part


def _pauses(longest: float) -> Iterator[float]:
    """Seconds between checks: 1 at first, each pause half as long again."""
    pause = 1.0
    while True:
        yield min(longest, pause)
        pause = min(longest, pause * 1.5)


def _model_text(model: Model) -> str:
    return one_line([model.provider, model.name, list(model.options)])


def _model_of(text: str) -> Model:
    name, model, options = json.loads(text)
    return Model(name, model, tuple((key, value) for key, value in options))


def _request_of(canonical: str, model: Model) -> Request:
    fields: Mapping[str, Json] = json.loads(canonical)
    messages = tuple(Message(role, content) for role, content in fields["messages"])
    return Request(
        model,
        messages,
        fields["schema"],
        fields["logprobs"],
        fields["attempt"],
        fields["again"],
    )
