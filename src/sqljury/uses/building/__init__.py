"""Benchmark building: questions with and without an answer, cleaned, split, described."""

from sqljury.uses.building.benchmark import Built, Card, Splits, build_trust, card_of, split
from sqljury.uses.building.cleaning import Cleaned, Corrections, LeftOut, clean
from sqljury.uses.building.unanswerable import KINDS, Unanswerable, unanswerable_questions
from sqljury.uses.building.writing import ReviewItem

__all__ = [
    "KINDS",
    "Built",
    "Card",
    "Cleaned",
    "Corrections",
    "LeftOut",
    "ReviewItem",
    "Splits",
    "Unanswerable",
    "build_trust",
    "card_of",
    "clean",
    "split",
    "unanswerable_questions",
]
