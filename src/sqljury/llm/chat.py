"""The nouns of a conversation with a chat model; no logic but their canonical text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Any
"""A value that came from JSON."""

PLACE_OPTIONS = frozenset({"base_url"})
"""Options that say where a model is, not what it is asked."""


@dataclass(frozen=True, slots=True)
class Model:
    """What answers: ``provider:name`` with its options. Made by :func:`parse_model`."""

    provider: str
    name: str
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str | None:
        """The text of an option, or None where it was not given."""
        return dict(self.options).get(name)

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a model.

    Args:
        schema: the JSON schema of the object that the answer must be; without it any text is
            an answer, found under the key ``text``.
        logprobs: how many alternatives of each token to report.
        attempt: tells apart samples of the same question.
        again: how often this question was asked again because its answer could not be used.
        choices: how many answers one call is to bring, for :meth:`Client.sample`.
    """

    model: Model
    messages: tuple[Message, ...]
    schema: Mapping[str, Json] | None = None
    logprobs: int = 0
    attempt: int = 0
    again: int = 0
    choices: int = 1

    def canonical(self) -> str:
        """All that can change the answer, as one line of JSON.

        The address of the server is left out: a ledger is valid wherever the model runs. The
        schema keeps its order, for models write their keys in it.
        """
        options = {k: v for k, v in sorted(self.model.options) if k not in PLACE_OPTIONS}
        # Not in requests for one answer: ledgers from before there were several stay valid.
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
        """The sha256 of :meth:`canonical`: what a ledger knows the answer by."""
        return key_of(self.canonical())


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, whatever its provider calls the parts.

    ``finish`` is ``stop``, ``length`` (cut), ``content_filter``, ``rejected`` (the endpoint will
    not take this text) or the provider's own word. ``completion_tokens`` are all that are paid
    for; ``reasoning_tokens`` are those of them that nobody sees.
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
    """What a judge gets.

    Calls, tokens, money and seconds are what finding the answer cost when it was found, so that
    a replay reports the same; ``replayed`` of the calls were read from the ledger this time.
    """

    value: Mapping[str, Json] | None
    """The object, valid under the schema of the request; None where it cannot be had."""
    text: str
    """What the model said last."""
    problem: str
    """Why there is no value; empty where there is one."""
    calls: int
    tokens: int
    money: float
    """In US dollars; 0 where the price is not known."""
    seconds: float
    replayed: int = 0
    logprobs: Json = None
    unpriced: int = 0
    """Calls whose price is not known."""


def one_line(value: Json) -> str:
    """JSON that is the same for the same value: no spaces, ASCII, keys as they are."""
    return json.dumps(value, separators=(",", ":"))


def key_of(canonical: str) -> str:
    """The key of a canonical request."""
    return hashlib.sha256(canonical.encode()).hexdigest()
