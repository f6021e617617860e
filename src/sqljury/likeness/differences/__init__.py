"""The differences between two queries, by type and in words. Pure functions."""

from sqljury.likeness.differences.blocks import QueryBlock, block_of, words
from sqljury.likeness.differences.compare import Views, clearest, differences

__all__ = [
    "QueryBlock",
    "Views",
    "block_of",
    "clearest",
    "differences",
    "words",
]
