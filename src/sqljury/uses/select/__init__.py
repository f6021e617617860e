"""Select: pick one of the candidates for a question, and say how good a way of picking is."""

from sqljury.uses.select.pool import Ballot, Candidate, CandidatePool, pools_of
from sqljury.uses.select.selection import (
    Pick,
    Seen,
    Selection,
    SliceFigures,
    StrategyFigures,
    draw,
    selection,
)
from sqljury.uses.select.strategies import Strategy, make_strategy, strategy_names

__all__ = [
    "Ballot",
    "Candidate",
    "CandidatePool",
    "Pick",
    "Seen",
    "Selection",
    "SliceFigures",
    "Strategy",
    "StrategyFigures",
    "draw",
    "make_strategy",
    "pools_of",
    "selection",
    "strategy_names",
]
