"""Select: pick one of several candidates per question, and measure strategies of picking."""

from sqljury.uses.select.pool import Ballot, CandidatePool, pools_of
from sqljury.uses.select.selection import (
    Pick,
    Selection,
    SliceFigures,
    StrategyFigures,
    draw,
    selection,
)
from sqljury.uses.select.strategies import make_strategy

__all__ = [
    "Ballot",
    "CandidatePool",
    "Pick",
    "Selection",
    "SliceFigures",
    "StrategyFigures",
    "draw",
    "make_strategy",
    "pools_of",
    "selection",
]
