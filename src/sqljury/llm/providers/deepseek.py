"""The provider ``deepseek``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class DeepSeek(OpenAI):
    """DeepSeek's own endpoint."""

    name: ClassVar[str] = "deepseek"
    priced_as: ClassVar[str] = "deepseek"
    address: ClassVar[str] = "https://api.deepseek.com"
    address_variable: ClassVar[str] = "DEEPSEEK_BASE_URL"
    key_variable: ClassVar[str] = "DEEPSEEK_API_KEY"

    def capabilities(self, model: str) -> Capabilities:
        """No schemas; the reasoner takes a temperature but does not heed it."""
        if "reasoner" in model:
            return Capabilities()
        return Capabilities(logprobs=20, temperature=True)
