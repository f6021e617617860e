"""The client for all judges of a run: it looks in the ledger, then applies limits, then calls the
model."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from sqljury.closing import Closing
from sqljury.errors import InfrastructureError, InputError
from sqljury.llm.chat import Answer, Json, Reply, Request
from sqljury.llm.costs import (
    BATCH_DISCOUNT,
    Budget,
    Estimate,
    Price,
    Prices,
    estimate,
    likely_tokens,
)
from sqljury.llm.ledger import Entry, Ledger
from sqljury.llm.limits import Bucket, CallFailedError, Clock, Pause, Sleep, backoff
from sqljury.llm.objects import asked_again, check_schema, placeholder, understood
from sqljury.llm.providers import ManyAnswers, provider
from sqljury.llm.settings import ClientSettings
from sqljury.secrets import redacted

_LOG = logging.getLogger(__name__)

LONGEST_WAIT = 600.0
"""If a server asks to wait more than this many seconds, the run is stopped."""
_FAILURES_IN_A_ROW = 8
"""The run is stopped after this many questions failed one after the other."""
_TRIES_AT_NOBODY = 3
"""Attempts to connect to a server that never answered; one that is restarted has answered
before."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What this client spent itself; answers from the ledger are free."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    unpriced: int = 0
    """How many of these calls have no known price."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.money + other.money,
            self.unpriced + other.unpriced,
        )

    def since(self, earlier: Spent) -> Spent:
        """What was spent after that earlier state."""
        return Spent(
            self.calls - earlier.calls,
            self.tokens - earlier.tokens,
            self.money - earlier.money,
            self.unpriced - earlier.unpriced,
        )


@dataclass(frozen=True, slots=True)
class _LedgerAnswer:
    """An answer as it is in the ledger."""

    entry: Entry
    reply: Reply
    fresh: bool


class Client(Closing):
    """Calls chat models for the judges of one process; any thread may call any method.

    >>> from sqljury.llm import Client, ClientSettings, Message, Request, parse_model
    >>> client = Client(ClientSettings(ledger="answers.sqlite"))  # doctest: +SKIP
    >>> question = (Message("user", "Is 7 prime? Answer yes or no."),)
    >>> request = Request(parse_model("ollama:qwen3:4b"), question)
    >>> client.ask(request, case="1").text  # doctest: +SKIP
    'yes'

    Args:
        clock, sleep: for tests.
    """

    def __init__(
        self,
        settings: ClientSettings,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._settings = settings
        self._ledger = Ledger(settings.ledger, read_only=settings.replay)
        self._prices = Prices(settings.prices)
        self._budget = None if settings.max_cost is None else Budget(settings.max_cost)
        self._pause = Pause(clock, sleep)
        self._sleep = sleep
        rates = (settings.requests_per_minute, settings.tokens_per_minute)
        self._requests, self._tokens = (
            None if rate is None else Bucket(rate, clock, sleep) for rate in rates
        )
        self._slots = threading.BoundedSemaphore(settings.concurrency)
        self._under_way = _OneAtATime()
        self._lock = threading.Lock()
        self._failures = 0
        self._said = ""
        self._useless = 0
        self.spent = Spent()

    def count_too(self, spent: Callable[[], float]) -> None:
        """Counts what was spent on other things, in US dollars, towards ``max_cost``."""
        if self._budget is not None:
            self._budget.elsewhere = spent

    def ask(self, request: Request, *, case: str) -> Answer:
        """The answer to a request, from the ledger if it is there, else from the model.

        Args:
            case: the name of the case, for error messages.

        Raises:
            InputError: the model does not support the request; on replay, the ledger has no answer.
            BudgetReachedError: the budget is spent.
            InfrastructureError: the endpoint refuses the login, or fails persistently.
        """
        check(request)
        cost = _Cost()
        current = request
        while True:
            try:
                found = self._find(current, case)
            except CallFailedError as error:
                return cost.answer(None, "", f"no answer: {error}")
            cost.add(found, self._prices.of(request.model))
            reply = found.reply
            value, problem = understood(reply, request.schema, cut=request.logprobs > 0)
            if value is not None:
                self._useless = 0
                return cost.answer(value, reply.text, "", reply.logprobs)
            if reply.finish == "rejected":
                return cost.answer(None, reply.text, problem)
            if cost.calls >= self._settings.attempts:
                if found.fresh:
                    self._give_up_useless(problem, request)
                return cost.answer(None, reply.text, problem)
            current = asked_again(current, request, reply, problem)

    def sample(self, request: Request, *, case: str) -> tuple[Reply, ...]:
        """All replies of one call, unchanged: a reply that cannot be used is not requested again.

        A call that fails gives replies whose ``finish`` is ``failed``, and ``refusal`` says why.

        Raises:
            InputError, BudgetReachedError, InfrastructureError: as :meth:`ask`.
        """
        check(request)
        try:
            raw = self._find(request, case).entry.raw
        except CallFailedError as error:
            return (Reply("", "failed", refusal=str(error)),) * request.choices
        return tuple(read_all(request, raw))

    def close(self) -> None:
        """Closes the ledger."""
        self._ledger.close()

    # ------------------------------------------------------------ one request

    def _find(self, request: Request, case: str) -> _LedgerAnswer:
        key = request.key()
        with self._under_way.only(key):
            entry = self._ledger.get(key)
            if entry is not None and (entry.via != "rejected" or self._settings.replay):
                return _LedgerAnswer(entry, read(request, entry.raw), fresh=False)
            return self._missing(request, key, case)

    def _missing(self, request: Request, key: str, case: str) -> _LedgerAnswer:
        if not self._settings.replay:
            return self._call(request, key)
        raise InputError(
            "SJ904",
            f"the ledger has no answer of {request.model} for this ({key[:12]}).",
            where=case,
            hint="Prompts, options and data must be those of the recorded run; without --replay "
            "the model is asked for what is missing.",
        )

    def _call(self, request: Request, key: str) -> _LedgerAnswer:
        for turn in range(self._settings.retries + 1):
            try:
                return self._call_once(request)
            except CallFailedError as error:
                if not error.again or turn == self._settings.retries:
                    self._give_up(error, request)
                    raise
                if error.absent and turn + 1 >= _TRIES_AT_NOBODY and not self.spent.calls:
                    raise InfrastructureError(
                        "SJ909",
                        f"nobody answers for {request.model}: {error}",
                        hint="Is the server running, and is its address (base_url) right?",
                    ) from error
                # Log the cause once; without this a failing server looks like a slow one.
                with self._lock:
                    is_new, self._said = str(error) != self._said, str(error)
                if is_new:
                    _LOG.warning("%s failed, asked again: %s", request.model, redacted(str(error)))
                self._wait_after(error, turn, key)
        raise AssertionError("unreachable")

    def _call_once(self, request: Request) -> _LedgerAnswer:
        price = self._prices.of(request.model)
        most = self._reserve(request, price)
        spent = most
        try:
            raw, seconds = self._exchange(request)
            reply = read(request, raw)
            spent = price.of(reply) if price else 0.0
            tokens = reply.prompt_tokens + reply.completion_tokens
            with self._lock:
                self._failures = 0
                self.spent += Spent(1, tokens, spent, unpriced=int(price is None))
            if self._tokens is not None:
                self._tokens.correct(reply.completion_tokens)
            return self._kept(request, raw, reply, seconds)
        except CallFailedError as error:
            spent = most if error.charged else 0.0
            raise
        finally:
            if self._budget is not None:
                self._budget.settle(most, spent)

    def _reserve(self, request: Request, price: Price | None) -> float:
        if self._budget is None:
            return 0.0
        most = most_money(request, price)
        self._budget.reserve(most)
        return most

    def _exchange(self, request: Request) -> tuple[Json, float]:
        if self._requests is not None:
            self._requests.take(1)
        if self._tokens is not None:
            self._tokens.take(likely_tokens(request))
        with self._slots:
            self._pause.wait()
            start = time.perf_counter()
            raw = provider(request.model.provider).call(request, self._settings.timeout)
            return raw, time.perf_counter() - start

    def _kept(self, request: Request, raw: Json, reply: Reply, seconds: float) -> _LedgerAnswer:
        entry = self._ledger.put(
            Entry(
                request=request.canonical(),
                raw=raw,
                at=now(),
                seconds=round(seconds, 3),
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                via="rejected" if reply.finish == "rejected" else "call",
            )
        )
        if entry.via == "rejected":  # a reason of now is of more use than an earlier one
            return _LedgerAnswer(replace(entry, raw=raw), reply, fresh=True)
        # If another process stored its answer first, that one is used.
        return _LedgerAnswer(entry, read(request, entry.raw), fresh=True)

    # ------------------------------------------------------------ failures

    def _give_up(self, error: CallFailedError, request: Request) -> None:
        """Raises if other questions would fail too: an error that is fatal, or too many in a
        row."""
        with self._lock:
            self._failures += 1
            in_a_row = self._failures
        if error.is_fatal:
            raise InfrastructureError(
                "SJ908",
                f"{request.model} refused the call: {error}",
                hint="Check the key, the model's name and the account.",
            ) from error
        if in_a_row >= _FAILURES_IN_A_ROW:
            raise InfrastructureError(
                "SJ909",
                f"{in_a_row} questions in a row failed at {request.model}; the last: {error}",
                hint="All answers are kept: run the same command again when it is back.",
            ) from error

    def _give_up_useless(self, problem: str, request: Request) -> None:
        """Raises if a model gives no usable answer to many questions in a row."""
        with self._lock:
            self._useless += 1
            in_a_row = self._useless
        if in_a_row >= _FAILURES_IN_A_ROW:
            raise InfrastructureError(
                "SJ916",
                f"{in_a_row} questions in a row brought no usable answer of {request.model}; "
                f"the last: {problem}",
                hint="Look at the answers with `sqljury report RUN --case ID`, or ask a model that "
                "can do this; the same command asks again.",
            )

    def _wait_after(self, error: CallFailedError, turn: int, key: str) -> None:
        if error.wait and error.wait > LONGEST_WAIT:
            raise InfrastructureError(
                "SJ909",
                f"the endpoint asks to wait {error.wait:.0f} s: {error}",
                hint="All answers are kept: run the same command again then.",
            ) from error
        if error.wait:
            self._pause.ask(error.wait)  # all callers
            self._pause.wait()
        else:
            self._sleep(backoff(self._settings.backoff, turn, key))


def check(request: Request) -> None:
    """Raises InputError if the model does not support what a request needs."""
    can = provider(request.model.provider).capabilities(request.model.name)
    if request.logprobs > can.logprobs:
        most = f"at most {can.logprobs}" if can.logprobs else "no"
        raise InputError("SJ903", f"{request.model} offers {most} logprobs.")
    if request.choices > 1 and not can.choices:
        raise InputError("SJ903", f"{request.model} gives one answer a call.", hint="Ask for 1.")
    if request.schema is not None:
        check_schema(request.schema)


def now() -> str:
    """The current time in UTC, in the form used in ledgers."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def most_money(request: Request, price: Price | None) -> float:
    """The most that a request can cost; raises InputError if it has no known limit."""
    most = price.most(request) if price is not None else None
    if most is None:
        lacking = "price" if price is None else "longest answer"
        raise InputError(
            "SJ911",
            f"with --max-cost the {lacking} of {request.model} must be known.",
            hint=f'Name a price table: {{"{request.model}": {{"input": 1.0, "output": 2.0, '
            '"max_output": 8192}}, in dollars per million tokens.',
        )
    return most


def read(request: Request, raw: Json) -> Reply:
    """The reply to a request; its tokens are estimated if the server does not count them."""
    if "rejected" in raw:
        return Reply("", "rejected", refusal=str(raw["rejected"]["message"]), raw=raw)
    reply = provider(request.model.provider).read(raw)
    if reply.prompt_tokens or reply.completion_tokens:
        return reply
    # Some servers count no tokens; limits and budgets must still work.
    written = -(-len(reply.text.encode("utf-8", "replace")) // 4)
    return replace(reply, prompt_tokens=likely_tokens(request), completion_tokens=written)


def read_all(request: Request, raw: Json) -> list[Reply]:
    """All replies to a request; the first one has the tokens of the whole call."""
    answering = provider(request.model.provider)
    if request.choices == 1 or "rejected" in raw or not isinstance(answering, ManyAnswers):
        return [read(request, raw)] * request.choices
    return [read(request, raw), *answering.read_all(raw)[1:]]


class _OneAtATime:
    """Lets only one thread make a request; a second with an equal request waits and reads the
    ledger."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def only(self, key: str) -> Iterator[None]:
        """Inside the block no other thread works on this key."""
        with self._lock:
            lock, waiting = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._held.pop(key)
                if waiting > 1:
                    self._held[key] = (lock, waiting - 1)


@dataclass
class _Cost:
    """The cost of an answer, over all attempts."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0
    replayed: int = 0
    unpriced: int = 0

    def add(self, found: _LedgerAnswer, price: Price | None) -> None:
        """Adds the cost of one reply."""
        self.calls += 1
        self.tokens += found.reply.prompt_tokens + found.reply.completion_tokens
        self.money += price.of(found.reply, found.entry.via) if price else 0.0
        self.unpriced += price is None
        self.seconds += found.entry.seconds
        self.replayed += not found.fresh

    def answer(
        self, value: Mapping[str, Json] | None, text: str, problem: str, logprobs: Json = None
    ) -> Answer:
        """The answer with its cost."""
        if problem and self.calls > 1:
            problem = f"{problem} (asked {self.calls} times)"
        return Answer(
            value=value,
            text=text,
            problem=problem,
            calls=self.calls,
            tokens=self.tokens,
            money=self.money,
            seconds=self.seconds,
            replayed=self.replayed,
            logprobs=logprobs,
            unpriced=self.unpriced,
        )


# ------------------------------------------------------------
# A client that calls no model: it collects the requests, for dry runs and for batches.

_NOT_GIVEN_UP: Mapping[str, str] = {}


class Rehearsal(Client):
    """Answers from the ledger, and collects the requests that it cannot answer.

    Args:
        optimistic: answer a missing request with yes in every place, so that the questions which
            follow from it are collected too; otherwise there is no answer.
        batch: missing requests will be submitted in batches: those already in one cost nothing
            more, the others half.
        given_up: why requests will have no answer, by key; they are not collected.
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
        """The answer from the ledger, else a placeholder."""
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
        """The collected requests, each once, sorted by key."""
        return [request for _, request in sorted(self._noted.items())]

    def forget(self) -> None:
        """Clears the collected requests."""
        self._noted.clear()

    def estimate(self) -> Estimate:
        """The estimated cost of the collected requests."""
        if not self._batch:
            return estimate(self.missing, self._price_table)
        new = [one for one in self.missing if not self._ledger.is_submitted(one.key())]
        found = estimate(new, self._price_table)
        return found if found.money is None else replace(found, money=found.money * BATCH_DISCOUNT)


class _UnaskedError(Exception):
    """The ledger has no answer to the request."""
