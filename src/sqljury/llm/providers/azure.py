"""The provider ``azure``, which speaks OpenAI's chat format."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sqljury.errors import InputError
from sqljury.llm.providers.base import Capabilities, register
from sqljury.llm.providers.openai import OpenAI


@register
class Azure(OpenAI):
    """Azure OpenAI; the model is the name of the deployment.

    ``AZURE_OPENAI_ENDPOINT`` is the resource's address, such as https://NAME.openai.azure.com.
    """

    name: ClassVar[str] = "azure"
    address_variable: ClassVar[str] = "AZURE_OPENAI_ENDPOINT"
    key_variable: ClassVar[str] = "AZURE_OPENAI_API_KEY"

    def capabilities(self, model: str) -> Capabilities:
        """As OpenAI's, but batches need deployments of their own."""
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
