"""The differences between two queries, by type and in words. Pure functions."""

from sqljury.likeness.differences.blocks import (
    Clause,
    Difference,
    DifferenceKind,
    QueryBlock,
    block_of,
    sentences,
    words,
)
from sqljury.likeness.differences.compare import Views, clearest, differences

__all__ = [
    "Clause",
    "Difference",
    "DifferenceKind",
    "QueryBlock",
    "Views",
    "block_of",
    "clearest",
    "differences",
    "sentences",
    "words",
]
