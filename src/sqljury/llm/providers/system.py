"""A system under test behind the client: its answers are recorded and replayed as a model's are."""

from __future__ import annotations

import json
import time
from typing import ClassVar

from sqljury.declining import NOT_ANSWERABLE
from sqljury.errors import InputError
from sqljury.llm.chat import Json, Reply, Request
from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.systems import SystemFailedError, parse_system, read_answer
from sqljury.secrets import redacted, redacted_json


@register
class SystemUnderTest:
    """``system:SPEC``; the message is the question as JSON, the attempt is the sample's number.

    A failure is recorded, too. A replay returns it, and every other command asks again.
    """

    name: ClassVar[str] = "system"
    priced_as: ClassVar[str] = "system"
    free: ClassVar[bool] = True

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """None: a system has no options of ours."""
        return Capabilities(base_url=False)

    def call(self, request: Request, timeout: float) -> Json:
        """Its answer and the seconds it took; or how it failed."""
        model, messages = request.model, request.messages
        if len(messages) != 1 or not messages[0].content.startswith('{"question"'):
            raise InputError(
                "SJ917", f"{model} is not a chat model.", hint="Name it with --system."
            )
        asked = json.loads(messages[0].content)
        asked |= {"database": model.option("database"), "sample": request.attempt}
        start = time.perf_counter()
        try:
            found = read_answer(parse_system(model.name).ask(asked, timeout))
        except SystemFailedError as error:
            return {"failed": redacted(str(error))}
        seconds = round(time.perf_counter() - start, 3)
        return {**redacted_json(found), "seconds": seconds}

    def read(self, raw: Json) -> Reply:
        """The parts of a recorded answer."""
        if "failed" in raw:
            return Reply("", "rejected", refusal=raw["failed"], raw=raw)
        text = NOT_ANSWERABLE if raw.get("abstained") else raw["text"]
        return Reply(text, completion_tokens=int(raw.get("tokens") or 0), raw=raw)
