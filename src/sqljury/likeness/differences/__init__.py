"""The differences between two queries, by type and in words. Pure functions."""

from sqljury.likeness.differences.blocks import Clause, Difference, DifferenceKind, sentences
from sqljury.likeness.differences.compare import Views, clearest, differences

__all__ = [
    "Clause",
    "Difference",
    "DifferenceKind",
    "Views",
    "clearest",
    "differences",
    "sentences",
]
