"""What questions cost: prices with dates, an estimate, and a budget that is never exceeded."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from sqljury.errors import InfrastructureError, InputError
from sqljury.llm.chat import Json, Model, Reply, Request, one_line
from sqljury.llm.providers import provider

_MILLION = 1_000_000
BATCH_DISCOUNT = 0.5
"""The price of a batch, as a share of the price of single calls."""

_DATE = re.compile(r"-(?:(?:latest|preview|20\d\d-?\d\d-?\d\d|\d\d-\d\d)(?:-|$))+$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. Reasoning tokens cost as much as written ones.

    ``max_output`` is the longest answer possible if a request sets no limit; 0 if it is not known.
    ``as_of`` is the date when the price was checked.
    """

    input: float
    output: float
    max_output: int = 0
    as_of: str = ""

    def of(self, reply: Reply, via: str = "call") -> float:
        """The cost of a reply. Discounts for cached prompts are not counted."""
        whole = self.input * reply.prompt_tokens + self.output * reply.completion_tokens
        return whole * (BATCH_DISCOUNT if via == "batch" else 1.0) / _MILLION

    def likely(self, request: Request, output: int) -> float:
        """The cost of a request whose answer has this many tokens."""
        return (self.input * likely_tokens(request) + self.output * output) / _MILLION

    def most(self, request: Request) -> float | None:
        """The most that a request can cost; None if the length of its answer has no known limit."""
        if not self.output:
            return self.input * most_tokens(request) / _MILLION
        output = int(request.model.option("max_tokens") or self.max_output) * request.choices
        if not output:
            return None
        return (self.input * most_tokens(request) + self.output * output) / _MILLION


_FREE = Price(0.0, 0.0)


class Prices:
    """The prices in the package; those of a file replace them.

    The file is JSON: ``{"openai:o3": {"input": 2.0, "output": 8.0, "max_output": 100000}}``.

    Raises:
        InputError: the file does not exist or does not have this form.
    """

    def __init__(self, path: str | None = None) -> None:
        own = {} if path is None else _table(_read(path), path)
        self._table: Mapping[str, Price] = {**_shipped(), **own}

    def of(self, model: Model) -> Price | None:
        """The price of a model, also under its undated name; None if it is not known.

        Models on the user's own machines cost nothing, unless the user's table has a price.
        """
        answering = provider(model.provider)
        for family in (model.provider, answering.priced_as):
            for name in (model.name, _DATE.sub("", model.name)):
                if f"{family}:{name}" in self._table:
                    return self._table[f"{family}:{name}"]
        return _FREE if answering.free else None


@cache
def _shipped() -> Mapping[str, Price]:
    text = (files(__package__) / "prices.json").read_text(encoding="utf-8")
    return _table(json.loads(text), "prices.json")


def _read(path: str) -> Json:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("SJ912", f"the price table cannot be read: {error}", where=path) from error


def _table(data: Json, where: str) -> dict[str, Price]:
    if not isinstance(data, dict):
        raise InputError("SJ912", "not an object of models and prices.", where=where)
    return {name: _price(name, fields, where) for name, fields in data.items()}


def _price(name: str, fields: Json, where: str) -> Price:
    try:
        price = Price(**fields)
        good = min(price.input, price.output, price.max_output) >= 0 and ":" in name
    except TypeError:
        good = False
    if not good:
        raise InputError(
            "SJ912",
            f"{name!r} is not PROVIDER:MODEL with the numbers input, output and max_output.",
            where=where,
        )
    return price


_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 4
"""Tokens that chat formats add to each message."""


def _bytes(request: Request) -> int:
    schema = "" if request.schema is None else one_line(request.schema)
    texts = [schema, *(message.content for message in request.messages)]
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def likely_tokens(request: Request) -> int:
    """Estimated tokens: one per four bytes of UTF-8, and four more per message."""
    return -(-_bytes(request) // _BYTES_PER_TOKEN) + _PER_MESSAGE * len(request.messages)


def most_tokens(request: Request) -> int:
    """Upper limit of the tokens: no token is shorter than a byte."""
    return _bytes(request) + 16 * (len(request.messages) + 1)


_ANSWER = 400
_THOUGHTFUL_ANSWER = 2_500
_PROMPT = 3_000
_THINKS = re.compile(r"(^|/)(o\d|gpt-5)|reason|think|(^|[-/])r1|gemini-2\.5|gemini-[3-9]", re.I)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and US dollars; ``money`` is None if a price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None


def estimate(requests: Iterable[Request], prices: Prices | None = None) -> Estimate:
    """Estimates what requests will cost, by a rule of thumb.

    Four bytes of a prompt count as a token. An answer has 400 tokens, or 2,500 for a reasoning
    model (known by its name), but at most the option ``max_tokens``.
    """
    prices = prices or Prices()
    calls = prompt = completion = 0
    money: float | None = 0.0
    for request in requests:
        output = _output(request.model)
        price = prices.of(request.model)
        calls += 1
        prompt += likely_tokens(request)
        completion += output
        if price is None:
            money = None
        elif money is not None:
            money += price.likely(request, output)
    return Estimate(calls, prompt, completion, money)


def typical_price(model: Model, prices: Prices | None = None) -> float | None:
    """US dollars for one question of 3,000 tokens by the same rule; None if the price is not
    known."""
    price = (prices or Prices()).of(model)
    if price is None:
        return None
    return (price.input * _PROMPT + price.output * _output(model)) / _MILLION


def _output(model: Model) -> int:
    likely = _THOUGHTFUL_ANSWER if _THINKS.search(model.name) else _ANSWER
    limit = model.option("max_tokens")
    return likely if limit is None else min(likely, int(limit))


class BudgetReachedError(InfrastructureError):
    """The next call could cost more than is left. All answers are kept, and the run can be
    resumed."""


class Budget:
    """A spending limit: before each call, the most that it can cost is reserved."""

    def __init__(self, most: float) -> None:
        self._most = most
        self.elsewhere: Callable[[], float] = lambda: 0.0
        """Returns what was spent on other things, to which the limit applies too."""
        self._spent = 0.0
        self._reserved = 0.0
        self._changed = threading.Condition()

    def reserve(self, amount: float) -> None:
        """Reserves an amount; waits for running calls if what they leave over may be enough.

        Raises:
            BudgetReachedError: the amount is more than is left.
        """
        with self._changed:
            while (
                self._reserved
                and self._spent + self.elsewhere() + self._reserved + amount > self._most
            ):
                self._changed.wait()
            spent = self._spent + self.elsewhere()
            if spent + amount > self._most:
                raise BudgetReachedError(
                    "SJ910",
                    f"${spent:.4f} of ${self._most:g} are spent, and the next call can "
                    f"cost up to ${amount:.4f}.",
                    hint="Raise --max-cost, or lower the model option max_tokens, and run the same "
                    "command again: it goes on where it stopped.",
                )
            self._reserved += amount

    def try_reserve(self, amount: float) -> bool:
        """Reserves an amount if it is left; True if it was. Never waits."""
        with self._changed:
            spent = self._spent + self.elsewhere()
            fits = spent + self._reserved + amount <= self._most
            self._reserved += amount if fits else 0.0
            return fits

    def settle(self, reserved: float, spent: float) -> None:
        """Replaces a reservation by what was actually spent."""
        with self._changed:
            self._reserved = max(0.0, self._reserved - reserved)
            self._spent += spent
            # A rounding error must not look like a reservation, for which other calls would wait.
            if self._reserved < 1e-12:
                self._reserved = 0.0
            self._changed.notify_all()
