"""OpenAI, and servers with its chat format, through its own SDK."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from sqljury.errors import InputError, MissingExtraError
from sqljury.llm.chat import Json, Model, Reply, Request, one_line
from sqljury.llm.limits import CallFailedError, failure
from sqljury.llm.objects import with_schema_in_words
from sqljury.llm.providers.base import BatchNews, Capabilities, by_schema, register
from sqljury.llm.providers.transport import (
    exchange,
    fetched,
    received,
    rejection,
    unredirected,
    well_formed,
)
from sqljury.secrets import learn, redacted, redacted_json

_REASONING = re.compile(r"(ft:)?(o\d|gpt-5|codex)(?!.*chat)")
_WITHOUT_SCHEMAS = re.compile(r"gpt-3\.5|gpt-4(-|$)|gpt-4o-2024-05-13|o1-(mini|preview)")
_THINKS = Capabilities(json_schema=True, seed=True, effort=True, batch=True)
_OLD = Capabilities(logprobs=20, seed=True, temperature=True, batch=True, choices=True)
_SPEAKS = replace(_OLD, json_schema=True)

_CHAT = "/v1/chat/completions"
_SECONDS = 60.0
_FILE_SECONDS = 900.0
"""Time limit for a file of requests or of answers."""
_LARGEST_FILE = 1 << 30
_ENDED = ("completed", "failed", "expired", "cancelled")
_MARK = "sqljury"
_PAGE = 100
_MOST_PAGES = 10


@register
class OpenAI:
    """OpenAI itself, or with ``base_url`` (or ``OPENAI_BASE_URL``) any compatible endpoint."""

    name: ClassVar[str] = "openai"
    priced_as: ClassVar[str] = "openai"
    free: ClassVar[bool] = False
    address: ClassVar[str] = ""
    """The default address; empty: the SDK's default."""
    address_variable: ClassVar[str] = "OPENAI_BASE_URL"
    key_variable: ClassVar[str] = "OPENAI_API_KEY"

    def capabilities(self, model: str) -> Capabilities:
        """Reasoning models set their own temperature; the oldest models do not support schemas."""
        if _WITHOUT_SCHEMAS.match(model):
            return _OLD
        return _THINKS if _REASONING.match(model) else _SPEAKS

    def call(self, request: Request, timeout: float) -> Json:
        """Makes one call of the chat completions API."""
        completions = self._client(request.model).chat.completions.with_streaming_response
        body = self.body(request)
        return exchange(lambda: completions.create(**body, timeout=timeout), _sdk(), timeout)

    def read(self, raw: Json) -> Reply:
        """The first choice, with the tokens of the whole call."""
        with well_formed():
            usage = raw.get("usage") or {}
            prompt = int(usage.get("prompt_tokens") or 0)
            # Some endpoints count reasoning tokens only in the total; they are paid for all the
            # same.
            beyond_prompt = int(usage.get("total_tokens") or 0) - prompt
            details = usage.get("completion_tokens_details") or {}
            return replace(
                _choice(raw["choices"][0]),
                prompt_tokens=prompt,
                completion_tokens=max(int(usage.get("completion_tokens") or 0), beyond_prompt),
                model=str(raw.get("model") or ""),
                raw=raw,
                reasoning_tokens=int(details.get("reasoning_tokens") or 0),
            )

    def read_all(self, raw: Json) -> list[Reply]:
        """All choices, in the order of their index."""
        first = self.read(raw)
        with well_formed():
            further = sorted(raw["choices"][1:], key=lambda choice: int(choice["index"]))
            return [first, *map(_choice, further)]

    def body(self, request: Request) -> dict[str, Json]:
        """The request as it is sent."""
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
    # A file of requests is uploaded; files of answers and of failures are downloaded.

    def submit(self, requests: Mapping[str, Request], mark: str) -> str:
        """Uploads the requests and starts a batch; returns its id.

        Args:
            mark: stored with the batch, so that :meth:`find` finds it.
        """
        client = self._client(next(iter(requests.values())).model)
        lines = [
            one_line({"custom_id": key, "method": "POST", "url": _CHAT, "body": self.body(request)})
            for key, request in requests.items()
        ]
        content = ("requests.jsonl", "\n".join(lines).encode())
        files, batches = (
            client.files.with_streaming_response,
            client.batches.with_streaming_response,
        )
        with well_formed():
            file = fetched(
                lambda: files.create(file=content, purpose="batch", timeout=_FILE_SECONDS),
                _sdk(),
                _FILE_SECONDS,
            )
            batch = fetched(
                lambda: batches.create(
                    input_file_id=str(file["id"]),
                    endpoint=_CHAT,
                    completion_window="24h",
                    metadata={_MARK: mark},
                    timeout=_SECONDS,
                ),
                _sdk(),
                _SECONDS,
            )
            return str(batch["id"])

    def find(self, model: Model, mark: str) -> str | None:
        """The id of the batch with this mark among the last thousand, or None."""
        batches = self._client(model).batches.with_streaming_response
        further: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            with well_formed():
                page = fetched(
                    lambda: batches.list(limit=_PAGE, timeout=_SECONDS, **further),  # noqa: B023
                    _sdk(),
                    _SECONDS,
                )
                for batch in page["data"]:
                    if (batch.get("metadata") or {}).get(_MARK) == mark:
                        return str(batch["id"])
                if not page.get("has_more") or not page["data"]:
                    return None
                further = {"after": str(page["data"][-1]["id"])}
        return None

    def fetch(self, model: Model, batch: str) -> BatchNews:
        """The state of a batch, and, when it has ended, its answers and failures."""
        client = self._client(model)
        batches = client.batches.with_streaming_response
        with well_formed():
            found = fetched(lambda: batches.retrieve(batch, timeout=_SECONDS), _sdk(), _SECONDS)
            state = str(found["status"])
            if state not in _ENDED:
                counts = found.get("request_counts") or {}
                done = int(counts.get("completed") or 0) + int(counts.get("failed") or 0)
                return BatchNews("open", done)
            raws: dict[str, Json] = {}
            failures: dict[str, CallFailedError] = {}
            for name in ("output_file_id", "error_file_id"):
                for line in _lines(client, found.get(name)):
                    _sort(line, raws, failures)
            why = ""
            if state in ("failed", "cancelled"):
                errors = (found.get("errors") or {}).get("data") or ()
                why = "; ".join([state, *(str(one.get("message")) for one in errors)])
            return BatchNews(state, 0, raws, failures, why)


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
            # Reasoning models refuse the old name; many other servers do not support the new one.
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


def _sdk() -> Any:
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("openai", "llm", "asking a chat model") from error
    return openai


@lru_cache(maxsize=16)
def _client_at(address: str, key: str) -> Any:
    # No retries in the SDK: our client counts and spaces them.
    return _sdk().OpenAI(
        api_key=key, base_url=address or None, max_retries=0, http_client=unredirected(_sdk())
    )


def _lines(client: Any, file: Json) -> list[str]:
    if not file:
        return []
    files = client.files.with_streaming_response
    try:
        body = received(
            lambda: files.content(str(file), timeout=_FILE_SECONDS),
            _sdk(),
            _FILE_SECONDS,
            _LARGEST_FILE,
        )
    except _sdk().APIStatusError as error:
        message = redacted(str(error.message))
        raise failure(error.status_code, error.response.headers, message) from error
    # Not splitlines(): answers may contain other characters that end a line.
    return [line for line in body.decode("utf-8", "replace").split("\n") if line.strip()]


def _sort(line: str, raws: dict[str, Json], failures: dict[str, CallFailedError]) -> None:
    """Adds a line to the answers or the failures; a line that cannot be read is ignored."""
    try:
        result = redacted_json(json.loads(line))
        key = str(result["custom_id"])
        response = result.get("response") or {}
        status, body = int(response.get("status_code") or 0), response.get("body")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return
    if status == 200 and isinstance(body, dict):
        raws[key] = body
    elif status >= 400:
        # Worded as by the SDK, so that a verdict reads the same as after a single call.
        error = body.get("error", body) if isinstance(body, dict) else None
        said = error.get("message") if isinstance(error, dict) else None
        message = f"Error code: {status}" + (f" - {said}" if said else "")
        rejected = rejection(status, message)
        if rejected is not None:
            raws[key] = rejected
        else:
            failures[key] = failure(status, {}, message)
    else:
        error = result.get("error")
        error = error if isinstance(error, dict) else {}
        said = ": ".join(str(error[key]) for key in ("code", "message") if error.get(key))
        failures[key] = CallFailedError(f"the batch failed at it: {said or 'no reply'}", again=True)


# ---------------------------------------------------------------- other servers


@register
class Azure(OpenAI):
    """Azure OpenAI; the model is the name of the deployment.

    ``AZURE_OPENAI_ENDPOINT`` is the resource's address, such as https://NAME.openai.azure.com.
    """

    name: ClassVar[str] = "azure"
    address_variable: ClassVar[str] = "AZURE_OPENAI_ENDPOINT"
    key_variable: ClassVar[str] = "AZURE_OPENAI_API_KEY"

    def capabilities(self, model: str) -> Capabilities:
        """As OpenAI's, without batches, which need separate deployments."""
        return replace(super().capabilities(model), batch=False)

    def _given_address(self) -> str:
        endpoint = super()._given_address().rstrip("/")
        if not endpoint:
            raise InputError(
                "SJ907",
                "azure needs the address of your resource.",
                hint=f"Set the environment variable {self.address_variable}.",
            )
        return f"{endpoint}/openai/v1/"


_LOCAL = Capabilities(json_schema=True, seed=True, temperature=True)
_SERVERS = (
    # Its reasoner accepts a temperature but ignores it.
    ("deepseek", "https://api.deepseek.com", Capabilities(logprobs=20, temperature=True), False),
    (
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        Capabilities(json_schema=True, temperature=True, effort=True),
        False,
    ),
    ("llamacpp", "http://localhost:8080/v1", replace(_LOCAL, logprobs=20), True),
    ("ollama", "http://localhost:11434/v1", _LOCAL, True),
    (
        "vllm",
        "http://localhost:8000/v1",
        replace(_LOCAL, logprobs=20, effort=True, choices=True),
        True,
    ),
)
"""Name, address, what its models support, and True if it runs on the user's own machine. The
variable NAME_BASE_URL sets another address, NAME_API_KEY the key."""


class _CompatibleServer(OpenAI):
    """A server in a row of :data:`_SERVERS`."""

    can: ClassVar[Capabilities]

    def capabilities(self, model: str) -> Capabilities:
        """As in its row, for every model; nothing for a DeepSeek reasoner."""
        return Capabilities() if self.name == "deepseek" and "reasoner" in model else self.can


for _name, _address, _can, _free in _SERVERS:
    _fields = {
        "name": _name,
        "priced_as": _name,
        "free": _free,
        "address": _address,
        "address_variable": f"{_name.upper()}_BASE_URL",
        "key_variable": f"{_name.upper()}_API_KEY",
        "can": _can,
    }
    register(type(_name, (_CompatibleServer,), _fields))
