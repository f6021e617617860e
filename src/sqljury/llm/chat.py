"""The data of a conversation with a chat model; the only logic is their canonical text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Any
"""A value that came from JSON."""

PLACE_OPTIONS = frozenset({"base_url", "database"})
"""Options that say where a model runs, or its data are; they do not change what it is asked."""


@dataclass(frozen=True, slots=True)
class Model:
    """A chat model: ``provider:name`` with its options. Made by :func:`parse_model`."""

    provider: str
    name: str
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str | None:
        """The text of an option, or None if it was not given."""
        return dict(self.options).get(name)

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, with its role."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Args:
        schema: the JSON schema of the object that the answer must be; without it the answer is any
            text, under the key ``text``.
        logprobs: how many alternatives of each token to report.
        attempt: a number that distinguishes samples of the same question.
        again: how often the question was repeated because an answer could not be used.
        choices: how many answers one call returns, for :meth:`Client.sample`.
    """

    model: Model
    messages: tuple[Message, ...]
    schema: Mapping[str, Json] | None = None
    logprobs: int = 0
    attempt: int = 0
    again: int = 0
    choices: int = 1

    def canonical(self) -> str:
        """Everything that can change the answer, as one line of JSON.

        The server's address is left out: a ledger is valid wherever the model runs. The schema
        keeps its order, because models write their keys in that order.
        """
        options = {k: v for k, v in sorted(self.model.options) if k not in PLACE_OPTIONS}
        # Left out if it is 1, so that older ledgers stay valid.
        several = {"choices": self.choices} if self.choices > 1 else {}
        return one_line(
            {
                "model": str(self.model),
                "options": options,
                "messages": [[message.role, message.content] for message in self.messages],
                "schema": self.schema,
                "logprobs": self.logprobs,
                "attempt": self.attempt,
                "again": self.again,
                **several,
            }
        )

    def key(self) -> str:
        """The sha256 of :meth:`canonical`: the key of the answer in the ledger."""
        return key_of(self.canonical())


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model, in one form for all providers.

    ``finish`` is ``stop``, ``length`` (the text was cut), ``content_filter``, ``rejected`` (the
    endpoint does not accept this text) or the provider's own word. ``completion_tokens`` are all
    tokens that are paid for; ``reasoning_tokens`` are those of them that are not shown.
    """

    text: str
    finish: str = "stop"
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    logprobs: Json = None
    raw: Json = None
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a judge gets.

    Calls, tokens, money and seconds are the cost when the model was called, so that a replay
    reports the same; ``replayed`` is how many of the calls were read from the ledger this time.
    """

    value: Mapping[str, Json] | None
    """The object, valid under the schema of the request; None if there is none."""
    text: str
    """The model's last text."""
    problem: str
    """Why there is no value; empty if there is one."""
    calls: int
    tokens: int
    money: float
    """In US dollars; 0 if the price is not known."""
    seconds: float
    replayed: int = 0
    logprobs: Json = None
    unpriced: int = 0
    """The number of calls whose price is not known."""


def one_line(value: Json) -> str:
    """JSON text on one line that is equal for equal values: no spaces, ASCII, keys in their
    order."""
    return json.dumps(value, separators=(",", ":"))


def key_of(canonical: str) -> str:
    """The ledger's key of a request: the sha256 of its canonical text."""
    return hashlib.sha256(canonical.encode()).hexdigest()
