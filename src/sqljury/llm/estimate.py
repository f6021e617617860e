"""What questions will cost, before any of them is put."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqljury.llm.chat import Model, Request
from sqljury.llm.prices import Prices
from sqljury.llm.tokens import likely_tokens

_ANSWER = 400
_THOUGHTFUL_ANSWER = 2_500
_PROMPT = 3_000
_MILLION = 1_000_000
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
