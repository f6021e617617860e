"""Anthropic's Claude, through its own SDK."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, ClassVar

from sqljury.errors import InputError, MissingExtraError
from sqljury.llm.chat import Json, Reply, Request
from sqljury.llm.objects import with_schema_in_words
from sqljury.llm.providers.base import Capabilities, by_schema, register
from sqljury.llm.providers.transport import exchange, unredirected, well_formed
from sqljury.secrets import learn

_MAX_TOKENS = 8192
"""The API requires a limit; this one is used if a request sets none."""

_OLDEST = re.compile(r"claude-(3|2|instant)|claude-(opus|sonnet)-4(-0|-20\d{6}|$)")
# From Opus 4.7 on, the caller cannot set sampling options.
_SAMPLED = re.compile(r"claude-(3|2|instant)|claude-(opus|sonnet|haiku)-4(-[0-6])?(-20\d{6}|$)")
_EFFORT = re.compile(r"claude-opus-4-5|claude-[a-z]+-(4-[6-9]|[5-9])")
_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_FINISH |= {"model_context_window_exceeded": "length", "refusal": "content_filter"}


@register
class Anthropic:
    """Claude (``ANTHROPIC_API_KEY``)."""

    name: ClassVar[str] = "anthropic"
    priced_as: ClassVar[str] = "anthropic"
    free: ClassVar[bool] = False

    def capabilities(self, model: str) -> Capabilities:
        """Older models do not support schemas, newer ones no temperature."""
        return Capabilities(
            json_schema=not _OLDEST.match(model),
            temperature=bool(_SAMPLED.match(model)),
            effort=bool(_EFFORT.match(model)),
        )

    def call(self, request: Request, timeout: float) -> Json:
        """Makes one call of the messages API."""
        messages = _client(request.model.option("base_url")).messages.with_streaming_response
        body = self.body(request)
        return exchange(
            lambda: messages.create(
                model=body.pop("model"),
                max_tokens=body.pop("max_tokens"),
                messages=body.pop("messages"),
                # As extra body, because SDKs drop parameters that older models still accept.
                extra_body=body,
                timeout=timeout,
            ),
            _sdk(),
            timeout,
        )

    def read(self, raw: Json) -> Reply:
        """The reply, with the text blocks joined."""
        with well_formed():
            blocks = [block["text"] for block in raw["content"] if block["type"] == "text"]
            text = "".join(blocks)
            finish = str(raw["stop_reason"])
            usage = raw["usage"]
            cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
            prompt = sum(int(usage.get(name) or 0) for name in ("input_tokens", *cached))
            completion = int(usage["output_tokens"])
        return Reply(
            text=text,
            finish=_FINISH.get(finish, finish),
            prompt_tokens=prompt,
            completion_tokens=completion,
            model=str(raw.get("model") or ""),
            raw=raw,
        )

    def body(self, request: Request) -> dict[str, Json]:
        """The request as it is sent."""
        model = request.model
        enforced = by_schema(request, self.capabilities(model.name))
        messages = request.messages if enforced else with_schema_in_words(request)
        output: dict[str, Json] = {}
        if enforced:
            output["format"] = {"type": "json_schema", "schema": request.schema}
        if effort := model.option("effort"):
            output["effort"] = effort
        body: dict[str, Json] = {
            "model": model.name,
            "max_tokens": int(model.option("max_tokens") or _MAX_TOKENS),
            "messages": [
                {"role": one.role, "content": one.content}
                for one in messages
                if one.role != "system"
            ],
        }
        system = "\n\n".join(one.content for one in messages if one.role == "system")
        sampling = {key: model.option(key) for key in ("temperature", "top_p")}
        return (
            body
            | ({"system": system} if system else {})
            | ({"output_config": output} if output else {})
            | {key: float(value) for key, value in sampling.items() if value is not None}
        )


def _sdk() -> Any:
    try:
        import anthropic
    except ImportError as error:
        raise MissingExtraError("anthropic", "anthropic", "asking Claude") from error
    return anthropic


def _client(address: str | None) -> Any:
    key = os.environ.get("ANTHROPIC_API_KEY")
    if not key:
        raise InputError(
            "SJ907",
            "anthropic needs a key.",
            hint="Set the environment variable ANTHROPIC_API_KEY.",
        )
    learn(key)
    return _client_at(address, key)


@lru_cache(maxsize=16)
def _client_at(address: str | None, key: str) -> Any:
    # No retries in the SDK: our client counts and spaces them.
    return _sdk().Anthropic(
        api_key=key, base_url=address, max_retries=0, http_client=unredirected(_sdk())
    )
