"""The provider ``gemini``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class Gemini(OpenAI):
    """Google's Gemini through its compatible endpoint."""

    name: ClassVar[str] = "gemini"
    priced_as: ClassVar[str] = "gemini"
    address: ClassVar[str] = "https://generativelanguage.googleapis.com/v1beta/openai/"
    address_variable: ClassVar[str] = "GEMINI_BASE_URL"
    key_variable: ClassVar[str] = "GEMINI_API_KEY"

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002
        """Schemas, temperature and effort."""
        return Capabilities(json_schema=True, temperature=True, effort=True)
