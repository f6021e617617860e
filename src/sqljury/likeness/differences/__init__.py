"""What two queries do differently, as typed differences and in words. Pure functions."""

from sqljury.likeness.differences.blocks import Clause
from sqljury.likeness.differences.compare import Views, clearest, differences
from sqljury.likeness.differences.kinds import Difference, DifferenceKind, sentences

__all__ = [
    "Clause",
    "Difference",
    "DifferenceKind",
    "Views",
    "clearest",
    "differences",
    "sentences",
]
