"""What a token costs: a table with dates, and the user's own beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from sqljury.errors import InputError
from sqljury.llm.chat import Json, Model, Reply, Request
from sqljury.llm.providers import provider
from sqljury.llm.tokens import likely_tokens, most_tokens

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
