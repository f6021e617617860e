"""The provider ``vllm``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class Vllm(OpenAI):
    """A vLLM server."""

    name: ClassVar[str] = "vllm"
    priced_as: ClassVar[str] = "vllm"
    free: ClassVar[bool] = True
    address: ClassVar[str] = "http://localhost:8000/v1"
    address_variable: ClassVar[str] = "VLLM_BASE_URL"
    key_variable: ClassVar[str] = "VLLM_API_KEY"

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """All of them, whatever the model."""
        return Capabilities(
            json_schema=True, logprobs=20, seed=True, temperature=True, effort=True, choices=True
        )
