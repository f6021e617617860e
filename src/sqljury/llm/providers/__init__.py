"""Providers of chat models, one per file. Their SDKs are imported with the first call."""

from sqljury.llm.providers.base import (
    BatchNews,
    BatchProvider,
    Capabilities,
    ManyAnswers,
    Provider,
    known_providers,
    provider,
    register,
)

__all__ = [
    "BatchNews",
    "BatchProvider",
    "Capabilities",
    "ManyAnswers",
    "Provider",
    "known_providers",
    "provider",
    "register",
]
