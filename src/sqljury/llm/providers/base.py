"""What a provider of chat models is, and how it is found by name."""

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
    """What a model can be asked to do. Anything else is an error, never ignored."""

    json_schema: bool = False
    """The endpoint itself makes answers valid; without it the schema is put in words."""
    logprobs: int = 0
    """How many alternatives of a token it reports."""
    seed: bool = False
    temperature: bool = False
    effort: bool = False
    batch: bool = False
    choices: bool = False
    """One call can bring several answers."""
    base_url: bool = True


def by_schema(request: Request, can: Capabilities) -> bool:
    """Whether the endpoint is given the schema; otherwise it is put in words."""
    wanted = request.schema is not None and request.model.option("json_schema") != "false"
    return wanted and can.json_schema


class Provider(Protocol):
    """A place where chat models answer. One object serves all threads."""

    name: ClassVar[str]
    priced_as: ClassVar[str]
    """The provider under whose name its prices stand."""
    free: ClassVar[bool]
    """The user's own machine."""

    def capabilities(self, model: str) -> Capabilities:
        """What a model can do, by its name."""

    def call(self, request: Request, timeout: float) -> Json:
        """Ask once, and give back the raw answer as JSON.

        Raises:
            CallFailedError: no answer.
            SqljuryError: no key, no package.
        """

    def read(self, raw: Json) -> Reply:
        """The parts of a raw answer; of the first where it holds several.

        Raises:
            CallFailedError: it does not have the parts.
        """


@runtime_checkable
class ManyAnswers(Protocol):
    """A provider whose calls can bring several answers."""

    def read_all(self, raw: Json) -> list[Reply]:
        """All answers in a raw one; the tokens of the call stand with the first.

        Raises:
            CallFailedError: it does not have the parts.
        """


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that also takes many requests at once.

    All methods raise CallFailedError where it cannot be reached or does not agree.
    """

    def submit(self, requests: Mapping[str, Request], mark: str) -> str:
        """Hand in requests of one model by key; the batch's id."""

    def find(self, model: Model, mark: str) -> str | None:
        """The id of the batch that was handed in with this mark, if it was taken."""

    def fetch(self, model: Model, batch: str) -> BatchNews:
        """What there is to know of a batch; its model says where it is."""


@dataclass(frozen=True, slots=True)
class BatchNews:
    """What a provider says of a batch."""

    state: str
    """``open`` while under way, then ``completed``, ``expired``, ``failed`` or ``cancelled``."""
    done: int = 0
    """Requests that are through, while it is under way."""
    raws: Mapping[str, Json] = field(default_factory=dict)
    """The raw answers, by key."""
    failures: Mapping[str, CallFailedError] = field(default_factory=dict)
    """Why requests have no answer, by key."""
    error: str = ""
    """Why it failed as a whole."""


PROVIDERS: Final[Registry[type[Provider]]] = Registry(
    "sqljury.llm.providers",
    group="sqljury.providers",
    modules=dict.fromkeys(("azure", "deepseek", "gemini", "llamacpp", "ollama", "vllm"), "openai"),
)
"""Providers by name. Those that speak OpenAI's format are in its module, others in one of their
name."""

P = TypeVar("P", bound=type[Provider])


def register(cls: P) -> P:
    """Class decorator: make a provider known by its ``name``."""
    PROVIDERS.add(cls.name, cls)
    return cls


def known_providers() -> tuple[str, ...]:
    """The names of all providers."""
    return PROVIDERS.names()


@cache
def provider(name: str) -> Provider:
    """The provider of a name that is known."""
    found = PROVIDERS.get(name)
    assert found is not None, "models are made of known providers only"
    return found()
