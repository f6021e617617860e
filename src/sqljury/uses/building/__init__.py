"""Building: makes benchmarks of answerable and unanswerable questions, and labelled pairs."""

from sqljury.uses.building.benchmark import Card, build_trust
from sqljury.uses.building.cleaning import Corrections
from sqljury.uses.building.unanswerable import KINDS

__all__ = [
    "KINDS",
    "Card",
    "Corrections",
    "build_trust",
]
