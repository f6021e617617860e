"""What questions cost: prices with dates, an estimate, and a budget that is never exceeded."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from sqljury.errors import InfrastructureError, InputError
from sqljury.llm.chat import Json, Model, Reply, Request, one_line
from sqljury.llm.providers import provider

_MILLION = 1_000_000
BATCH_DISCOUNT = 0.5
"""What a batch costs of the price of single calls."""

_DATE = re.compile(r"-(?:(?:latest|preview|20\d\d-?\d\d-?\d\d|\d\d-\d\d)(?:-|$))+$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. What is thought is paid for as what is written.

    ``max_output`` is the most that one answer can have where a request sets no limit; 0 where
    it is not known. ``as_of`` says when somebody last looked.
    """

    input: float
    output: float
    max_output: int = 0
    as_of: str = ""

    def of(self, reply: Reply, via: str = "call") -> float:
        """What a reply cost. Discounts for cached prompts are not counted."""
        whole = self.input * reply.prompt_tokens + self.output * reply.completion_tokens
        return whole * (BATCH_DISCOUNT if via == "batch" else 1.0) / _MILLION

    def likely(self, request: Request, output: int) -> float:
        """What a request will cost with an answer of so many tokens."""
        return (self.input * likely_tokens(request) + self.output * output) / _MILLION

    def most(self, request: Request) -> float | None:
        """The most that a request can cost; None where its answer has no known end."""
        if not self.output:
            return self.input * most_tokens(request) / _MILLION
        output = int(request.model.option("max_tokens") or self.max_output) * request.choices
        if not output:
            return None
        return (self.input * most_tokens(request) + self.output * output) / _MILLION


_FREE = Price(0.0, 0.0)


class Prices:
    """The prices that ship with the package, with those of a file over them.

    The file is JSON: ``{"openai:o3": {"input": 2.0, "output": 8.0, "max_output": 100000}}``.

    Raises:
        InputError: the file is not there or not of this form.
    """

    def __init__(self, path: str | None = None) -> None:
        own = {} if path is None else _table(_read(path), path)
        self._table: Mapping[str, Price] = {**_shipped(), **own}

    def of(self, model: Model) -> Price | None:
        """The price of a model, also under its undated name; None where it is not known.

        Models on the user's own machines cost nothing unless the user's table says so.
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
"""What chat formats put around a message."""


def _bytes(request: Request) -> int:
    schema = "" if request.schema is None else one_line(request.schema)
    texts = [schema, *(message.content for message in request.messages)]
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def likely_tokens(request: Request) -> int:
    """The rule of thumb: four bytes of UTF-8 are a token, each message has four more."""
    return -(-_bytes(request) // _BYTES_PER_TOKEN) + _PER_MESSAGE * len(request.messages)


def most_tokens(request: Request) -> int:
    """What it cannot exceed: no token is shorter than a byte."""
    return _bytes(request) + 16 * (len(request.messages) + 1)


_ANSWER = 400
_THOUGHTFUL_ANSWER = 2_500
_PROMPT = 3_000
_THINKS = re.compile(r"(^|/)(o\d|gpt-5)|reason|think|(^|[-/])r1|gemini-2\.5|gemini-[3-9]", re.I)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and US dollars; ``money`` is None where a price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None


def estimate(requests: Iterable[Request], prices: Prices | None = None) -> Estimate:
    """What requests will cost, by a rule of thumb.

    Four bytes of a prompt are a token. An answer has 400 tokens, 2,500 from a model that reasons
    (by its name), but never more than the option ``max_tokens``.
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
    """US dollars for one question of 3,000 tokens by the same rule; None without a price."""
    price = (prices or Prices()).of(model)
    if price is None:
        return None
    return (price.input * _PROMPT + price.output * _output(model)) / _MILLION


def _output(model: Model) -> int:
    likely = _THOUGHTFUL_ANSWER if _THINKS.search(model.name) else _ANSWER
    limit = model.option("max_tokens")
    return likely if limit is None else min(likely, int(limit))


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
