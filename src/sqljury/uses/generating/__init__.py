"""Generate: sample many candidate queries per question from a model."""

from sqljury.uses.generating.generate import Generator, PromptedQuestion, generate
from sqljury.uses.generating.modes import MODES, DinSqlSampler, question_messages
from sqljury.uses.generating.samplers import ClientSampler, LocalSampler, Sampler

__all__ = [
    "MODES",
    "ClientSampler",
    "DinSqlSampler",
    "Generator",
    "LocalSampler",
    "PromptedQuestion",
    "Sampler",
    "generate",
    "question_messages",
]
