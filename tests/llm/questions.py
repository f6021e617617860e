"""Requests that the tests of the client put."""

from __future__ import annotations

import threading
from typing import Any

from chat_server import ChatServer

from sqljury.llm import Client, ClientSettings, Message, Model, Request, parse_model

VERDICT = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "boolean"}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
YES = {"reason": "it does", "verdict": True}
NO = {"reason": "it does not", "verdict": False}


def at(server: ChatServer, name: str = "gpt-4.1", **options: str) -> Model:
    """A model on that server."""
    return parse_model(f"openai:{name}", {"base_url": server.url, **options})


def question(model: Model, text: str = "Is it right?", **fields: Any) -> Request:
    """A question that wants a verdict."""
    messages = (Message("system", "You judge."), Message("user", text))
    return Request(**{"model": model, "messages": messages, "schema": VERDICT, **fields})


def client(**settings: Any) -> Client:
    """A client that waits milliseconds where a real one waits seconds."""
    return Client(ClientSettings(**{"backoff": 0.002, "timeout": 60.0, **settings}))


class FakeTime:
    """A clock that moves when somebody sleeps; threads share it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds
