"""The provider ``harbour``, which speaks OpenAI's chat format."""

from __future__ import annotations

from typing import ClassVar

from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class Harbour(OpenAI):
    """A server of the harbour master's."""

    name: ClassVar[str] = "harbour"
    priced_as: ClassVar[str] = "harbour"
    free: ClassVar[bool] = True
    address: ClassVar[str] = "http://localhost:8700/v1"
    address_variable: ClassVar[str] = "HARBOUR_BASE_URL"
    key_variable: ClassVar[str] = "HARBOUR_API_KEY"

    def capabilities(self, model: str) -> Capabilities:  # noqa: ARG002 - the same for all
        """Schemas and a seed."""
        return Capabilities(json_schema=True, seed=True)
