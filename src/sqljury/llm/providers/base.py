"""What a provider of chat models is, and how it is found by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from sqljury.llm.chat import Json, Reply, Request


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
    base_url: bool = True


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
        """The parts of a raw answer.

        Raises:
            CallFailedError: it does not have the parts.
        """


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that also takes many requests at once."""

    def submit(self, requests: dict[str, Request]) -> str:
        """Hand in requests by key; the batch's id."""

    def fetch(self, request: Request, batch: str) -> tuple[str, dict[str, Json]]:
        """The state of a batch (``open`` while under way) and the raw answers it has, by key.

        ``request`` is any of its requests: it says where the batch is.
        """


_PROVIDERS: dict[str, type[Provider]] = {}

P = TypeVar("P", bound=type[Provider])


def register(cls: P) -> P:
    """Class decorator: make a provider known by its ``name``."""
    _PROVIDERS[cls.name] = cls
    return cls


def known_providers() -> tuple[str, ...]:
    """The names of all providers."""
    return tuple(sorted(_PROVIDERS))


@cache
def provider(name: str) -> Provider:
    """The provider of a name that is known."""
    return _PROVIDERS[name]()
