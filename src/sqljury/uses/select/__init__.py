"""Select: pick one of the candidates for a question, and say how good a way of picking is."""

from sqljury.uses.select.pool import Ballot, Candidate, Pool, pools_of
from sqljury.uses.select.selection import (
    PairedTest,
    Pick,
    Seen,
    Selection,
    SliceFigures,
    StrategyFigures,
    draw,
    selection,
)
from sqljury.uses.select.strategies import NAMES, Strategy, make_strategy

__all__ = [
    "NAMES",
    "Ballot",
    "Candidate",
    "PairedTest",
    "Pick",
    "Pool",
    "Seen",
    "Selection",
    "SliceFigures",
    "Strategy",
    "StrategyFigures",
    "draw",
    "make_strategy",
    "pools_of",
    "selection",
]
