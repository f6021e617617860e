"""Sample candidates: many queries for each question, from a model."""

from sqljury.uses.generating.generate import Generator, PromptedQuestion, generate
from sqljury.uses.generating.modes import MODES, DinSqlSampler, Mode, question_messages
from sqljury.uses.generating.samplers import ClientSampler, LocalSampler, Sample, Sampler

__all__ = [
    "MODES",
    "ClientSampler",
    "DinSqlSampler",
    "Generator",
    "LocalSampler",
    "Mode",
    "PromptedQuestion",
    "Sample",
    "Sampler",
    "generate",
    "question_messages",
]
