"""The interface of a provider of chat models, and the registry of providers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Final, Protocol, TypeVar, runtime_checkable

from sqljury.llm.chat import Json, Model, Reply, Request
from sqljury.llm.limits import CallFailedError
from sqljury.registry import Registry


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model supports. A request for anything else is an error, never ignored."""

    json_schema: bool = False
    """The endpoint enforces a JSON schema; without this, the schema is written in words."""
    logprobs: int = 0
    """How many alternatives per token it reports."""
    seed: bool = False
    temperature: bool = False
    effort: bool = False
    batch: bool = False
    choices: bool = False
    """One call can return several answers."""
    base_url: bool = True


def by_schema(request: Request, can: Capabilities) -> bool:
    """True if the schema is sent to the endpoint; otherwise it is written in words."""
    wanted = request.schema is not None and request.model.option("json_schema") != "false"
    return wanted and can.json_schema


class Provider(Protocol):
    """A service or server with chat models. One object serves all threads."""

    name: ClassVar[str]
    priced_as: ClassVar[str]
    """The name under which its prices are listed."""
    free: ClassVar[bool]
    """True if it runs on the user's own machine."""

    def capabilities(self, model: str) -> Capabilities:
        """What the model of this name supports."""

    def call(self, request: Request, timeout: float) -> Json:
        """Makes one call, and returns the raw answer as JSON.

        Raises:
            CallFailedError: there is no answer.
            SqljuryError: no key, or a package is not installed.
        """

    def read(self, raw: Json) -> Reply:
        """The parts of a raw answer; of the first one if it has several.

        Raises:
            CallFailedError: parts are missing.
        """


@runtime_checkable
class ManyAnswers(Protocol):
    """A provider whose calls can return several answers."""

    def read_all(self, raw: Json) -> list[Reply]:
        """All answers in a raw one; the first one has the tokens of the whole call.

        Raises:
            CallFailedError: parts are missing.
        """


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that also accepts many requests at once.

    All methods raise CallFailedError if it cannot be reached or refuses.
    """

    def submit(self, requests: Mapping[str, Request], mark: str) -> str:
        """Submits requests of one model, given by key; returns the batch's id."""

    def find(self, model: Model, mark: str) -> str | None:
        """The id of the batch that was submitted with this mark, or None if there is none."""

    def fetch(self, model: Model, batch: str) -> BatchNews:
        """The current state of a batch; the model's options give the server's address."""


@dataclass(frozen=True, slots=True)
class BatchNews:
    """What a provider reports about a batch."""

    state: str
    """``open`` while it is unfinished, then ``completed``, ``expired``, ``failed`` or
    ``cancelled``."""
    done: int = 0
    """While it is unfinished: the number of finished requests."""
    raws: Mapping[str, Json] = field(default_factory=dict)
    """The raw answers, by key."""
    failures: Mapping[str, CallFailedError] = field(default_factory=dict)
    """Why requests have no answer, by key."""
    error: str = ""
    """Why it failed as a whole; empty if it did not."""


PROVIDERS: Final[Registry[type[Provider]]] = Registry(
    "sqljury.llm.providers",
    group="sqljury.providers",
    modules=dict.fromkeys(("azure", "deepseek", "gemini", "llamacpp", "ollama", "vllm"), "openai"),
)
"""Providers by name. Those with OpenAI's format are in its module, each other one in the module of
its name."""

P = TypeVar("P", bound=type[Provider])


def register(cls: P) -> P:
    """Class decorator: registers a provider under its ``name``."""
    PROVIDERS.add(cls.name, cls)
    return cls


def known_providers() -> tuple[str, ...]:
    """The names of all providers."""
    return PROVIDERS.names()


@cache
def provider(name: str) -> Provider:
    """The provider of this name, which must be registered."""
    found = PROVIDERS.get(name)
    assert found is not None, "models are made of known providers only"
    return found()
