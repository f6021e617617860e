"""The system prompts of judges that ask a model, and the JSON schemas of the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sqljury.case import Json
from sqljury.llm import FENCE_RULE

__all__ = ["TEXT", "YES_NO", "Prompt", "answer"]

TEXT: Json = {"type": "string"}
YES_NO: Json = {"type": "boolean"}


def answer(**fields: Json) -> dict[str, Json]:
    """The JSON schema of an object that has exactly these fields, in this order.

    Put reasons before verdicts: a model that writes its reasons first decides better.
    """
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt, ``NAME.md`` in this folder, and the JSON schema of its answer.

    The text never contains anything of a case, which is only in the user's message.
    """

    name: str
    answer: Mapping[str, Json]

    @property
    def text(self) -> str:
        """The whole system prompt: the duties, then the rules for data."""
        return f"{_read(self.name)}\n{self.rules}"

    @property
    def rules(self) -> str:
        """The rules for fenced data, which are the same in all prompts."""
        return f"{_read('fences')}\n{FENCE_RULE}\n"

    @property
    def fingerprint(self) -> str:
        """Eight characters that change with any change of the text or of the answer's schema."""
        whole = json.dumps([self.text, self.answer])
        return hashlib.sha256(whole.encode()).hexdigest()[:8]


@cache
def _read(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")
