"""A model that answers from a function or a file: for tests and demonstrations, without network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from sqljury.errors import InputError
from sqljury.isolation import import_plugin
from sqljury.llm.chat import Json, Reply, Request
from sqljury.llm.costs import likely_tokens
from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.transport import malformed

Script = Callable[[Request], "str | Mapping[str, Json] | Reply"]
"""The answer to a request: a text, an object, or a whole reply."""


@register
class Scripted:
    """``scripted:module:function`` or ``scripted:answers.jsonl``.

    Each line of a file is ``{"when": ["text", …], "answer": …}``; the first line whose texts all
    occur in the messages gives the answer, a text or an object.
    """

    name: ClassVar[str] = "scripted"
    priced_as: ClassVar[str] = "scripted"
    free: ClassVar[bool] = True

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """Everything: a function gets the whole request, so nothing is ignored."""
        return Capabilities(
            json_schema=True, logprobs=20, seed=True, temperature=True, effort=True, base_url=False
        )

    def call(self, request: Request, timeout: float) -> Json:  # noqa: ARG002
        """The script's answer."""
        answer = _script(request.model.name)(request)
        if isinstance(answer, Reply):
            fields = {"text": answer.text, "finish": answer.finish, "refusal": answer.refusal}
            return fields | {"logprobs": answer.logprobs}
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return {"text": text, "prompt_tokens": likely_tokens(request)}

    def read(self, raw: Json) -> Reply:
        """The parts of a raw answer."""
        text = raw.get("text")
        if not isinstance(text, str):
            raise malformed("no text")
        return Reply(
            text=text,
            finish=raw.get("finish") or "stop",
            refusal=raw.get("refusal") or "",
            prompt_tokens=int(raw.get("prompt_tokens") or 0),
            completion_tokens=-(-len(text.encode("utf-8", "replace")) // 4),
            model="scripted",
            logprobs=raw.get("logprobs"),
            raw=raw,
        )


@lru_cache(maxsize=16)
def _script(name: str) -> Script:
    return _from_file(Path(name)) if name.endswith(".jsonl") else _imported(name)


def _imported(name: str) -> Script:
    module, _, function = name.partition(":")
    try:
        found: Script = getattr(import_plugin(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            "SJ913", f"there is no script {name!r}: {error}.", hint="Write MODULE:FUNCTION."
        ) from error
    return found


def _from_file(path: Path) -> Script:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError("SJ913", f"the script cannot be read: {error}") from error
    rules = [_rule(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line]

    def script(request: Request) -> str | Mapping[str, Json]:
        said = "\n".join(message.content for message in request.messages)
        for texts, answer in rules:
            if all(text in said for text in texts):
                return answer
        raise InputError("SJ913", "no line of the script is meant for this.", where=str(path))

    return script


def _rule(line: str, where: str) -> tuple[list[str], str | Mapping[str, Json]]:
    try:
        fields = json.loads(line)
        return list(fields["when"]), fields["answer"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            "SJ913", "not a line of a script.", where=where, hint='{"when": [], "answer": {}}'
        ) from error
