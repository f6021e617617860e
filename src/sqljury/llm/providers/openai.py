"""OpenAI, and any endpoint that speaks its chat format, through its own SDK."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from sqljury.errors import InputError, MissingExtraError
from sqljury.llm.chat import Json, Model, Reply, Request
from sqljury.llm.objects import with_schema_in_words
from sqljury.llm.providers import openai_batches
from sqljury.llm.providers.base import BatchNews, Capabilities, by_schema, register
from sqljury.llm.providers.transport import exchange, malformed, unredirected
from sqljury.secrets import learn

_REASONING = re.compile(r"(ft:)?(o\d|gpt-5|codex)(?!.*chat)")
_WITHOUT_SCHEMAS = re.compile(r"gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13|o1-(mini|preview)")
_THINKS = Capabilities(json_schema=True, seed=True, effort=True, batch=True)
_OLD = Capabilities(logprobs=20, seed=True, temperature=True, batch=True, choices=True)
_SPEAKS = replace(_OLD, json_schema=True)


@register
class OpenAI:
    """OpenAI itself, or with ``base_url`` (or ``OPENAI_BASE_URL``) any compatible endpoint."""

    name: ClassVar[str] = "openai"
    priced_as: ClassVar[str] = "openai"
    free: ClassVar[bool] = False
    address: ClassVar[str] = ""
    """Where it is if nothing else is said; empty: the SDK knows."""
    address_variable: ClassVar[str] = "OPENAI_BASE_URL"
    key_variable: ClassVar[str] = "OPENAI_API_KEY"

    def capabilities(self, model: str) -> Capabilities:
        """Reasoning models set their own temperature; the oldest know no schemas."""
        if _WITHOUT_SCHEMAS.match(model):
            return _OLD
        return _THINKS if _REASONING.match(model) else _SPEAKS

    def call(self, request: Request, timeout: float) -> Json:
        """One chat completion."""
        completions = self._client(request.model).chat.completions.with_streaming_response
        body = self.body(request)
        return exchange(lambda: completions.create(**body, timeout=timeout), _sdk(), timeout)

    def read(self, raw: Json) -> Reply:
        """The first choice, and the tokens of the whole call."""
        try:
            prompt, completion, reasoning = _usage(raw.get("usage") or {})
            return replace(
                _choice(raw["choices"][0]),
                prompt_tokens=prompt,
                completion_tokens=completion,
                model=str(raw.get("model") or ""),
                raw=raw,
                reasoning_tokens=reasoning,
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise malformed(f"{type(error).__name__}: {error}") from error

    def read_all(self, raw: Json) -> list[Reply]:
        """All choices, in the order of their index."""
        first = self.read(raw)
        try:
            further = sorted(raw["choices"][1:], key=lambda choice: int(choice["index"]))
            return [first, *map(_choice, further)]
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise malformed(f"{type(error).__name__}: {error}") from error

    def body(self, request: Request) -> dict[str, Json]:
        """The request as it goes over the wire."""
        model = request.model
        enforced = by_schema(request, self.capabilities(model.name))
        messages = request.messages if enforced else with_schema_in_words(request)
        body: dict[str, Json] = {
            "model": model.name,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
        }
        if enforced:
            shape = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        if request.choices > 1:
            body["n"] = request.choices
        return body | _options(model)

    def _client(self, model: Model) -> Any:
        given = model.option("base_url") or self._given_address()
        key = os.environ.get(self.key_variable)
        if not key and not given and not self.free:
            raise InputError(
                "SJ907",
                f"{self.name} needs a key.",
                hint=f"Set the environment variable {self.key_variable}; for an endpoint without "
                "keys set the model option base_url.",
            )
        learn(key or "")
        return _client_at(given or self.address, key or "none")

    def _given_address(self) -> str:
        return os.environ.get(self.address_variable, "")

    # ------------------------------------------------------------ batches

    def submit(self, requests: Mapping[str, Request], mark: str) -> str:
        """Upload the requests and start a batch."""
        client = self._client(next(iter(requests.values())).model)
        bodies = {key: self.body(request) for key, request in requests.items()}
        return openai_batches.submit(client, _sdk(), bodies, mark)

    def find(self, model: Model, mark: str) -> str | None:
        """The id of the batch with this mark."""
        return openai_batches.find(self._client(model), _sdk(), mark)

    def fetch(self, model: Model, batch: str) -> BatchNews:
        """The state of a batch and what it has answered."""
        return openai_batches.fetch(self._client(model), _sdk(), batch)


def _options(model: Model) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in model.options:
        if key in ("temperature", "top_p"):
            found[key] = float(value)
        elif key == "seed":
            found[key] = int(value)
        elif key == "effort":
            found["reasoning_effort"] = value
        elif key == "max_tokens":
            # Reasoning models refuse the old name, many other servers do not know the new one.
            thinks = _REASONING.match(model.name)
            found["max_completion_tokens" if thinks else "max_tokens"] = int(value)
    return found


def _choice(choice: Json) -> Reply:
    message = choice["message"]
    return Reply(
        text=_text(message.get("content")),
        finish=_text(choice.get("finish_reason")) or "stop",
        refusal=_text(message.get("refusal")),
        logprobs=(choice.get("logprobs") or {}).get("content"),
    )


def _text(content: Json) -> str:
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content)
    if not isinstance(content, str):
        raise TypeError(f"not a text but {type(content).__name__}")
    return content


def _usage(usage: Json) -> tuple[int, int, int]:
    prompt = int(usage.get("prompt_tokens") or 0)
    # Some endpoints count thoughts in the total alone; they are paid for all the same.
    beyond_prompt = int(usage.get("total_tokens") or 0) - prompt
    completion = max(int(usage.get("completion_tokens") or 0), beyond_prompt)
    details = usage.get("completion_tokens_details") or {}
    return prompt, completion, int(details.get("reasoning_tokens") or 0)


def _sdk() -> Any:
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("openai", "llm", "asking a chat model") from error
    return openai


@lru_cache(maxsize=16)
def _client_at(address: str, key: str) -> Any:
    # The client of the run counts and spaces the tries itself.
    return _sdk().OpenAI(
        api_key=key, base_url=address or None, max_retries=0, http_client=unredirected(_sdk())
    )
