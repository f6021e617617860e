"""The provider ``llamacpp``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class LlamaCpp(OpenAI):
    """A llama.cpp server, also as xllamacpp."""

    name: ClassVar[str] = "llamacpp"
    priced_as: ClassVar[str] = "llamacpp"
    free: ClassVar[bool] = True
    address: ClassVar[str] = "http://localhost:8080/v1"
    address_variable: ClassVar[str] = "LLAMACPP_BASE_URL"
    key_variable: ClassVar[str] = "LLAMACPP_API_KEY"

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """The schema becomes a grammar."""
        return Capabilities(json_schema=True, logprobs=20, seed=True, temperature=True)
