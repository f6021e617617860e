"""Generate: candidate queries for questions, from a model or a system under test."""

from sqljury.uses.generating.generate import Generator, PromptedQuestion, generate
from sqljury.uses.generating.modes import MODES, DinSqlSampler, question_messages
from sqljury.uses.generating.samplers import (
    ClientSampler,
    LocalSampler,
    Sampler,
    SystemSampler,
    system_question,
)

__all__ = [
    "MODES",
    "ClientSampler",
    "DinSqlSampler",
    "Generator",
    "LocalSampler",
    "PromptedQuestion",
    "Sampler",
    "SystemSampler",
    "generate",
    "question_messages",
    "system_question",
]
