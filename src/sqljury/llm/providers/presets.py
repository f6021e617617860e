"""Endpoints that speak OpenAI's chat format: where they are, their keys, what they can do."""

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
