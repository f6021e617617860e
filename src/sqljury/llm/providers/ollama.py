"""The provider ``ollama``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class Ollama(OpenAI):
    """An Ollama server."""

    name: ClassVar[str] = "ollama"
    priced_as: ClassVar[str] = "ollama"
    free: ClassVar[bool] = True
    address: ClassVar[str] = "http://localhost:11434/v1"
    address_variable: ClassVar[str] = "OLLAMA_BASE_URL"
    key_variable: ClassVar[str] = "OLLAMA_API_KEY"

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """No logprobs."""
        return Capabilities(json_schema=True, seed=True, temperature=True)
