"""Ways to pick one of many candidates, one a file."""

from __future__ import annotations

from sqljury.errors import InputError
from sqljury.uses.select.strategies.base import Strategy
from sqljury.uses.select.strategies.execution import Execution
from sqljury.uses.select.strategies.first import First
from sqljury.uses.select.strategies.majority import Majority
from sqljury.uses.select.strategies.oracle import Oracle
from sqljury.uses.select.strategies.random import Random
from sqljury.uses.select.strategies.scored import Scored
from sqljury.uses.select.strategies.system import System
from sqljury.uses.select.strategies.weighted import Weighted

_PLAIN: dict[str, type[Strategy]] = {
    "first": First,
    "random": Random,
    "execution": Execution,
    "majority": Majority,
    "oracle": Oracle,
}
NAMES = (*_PLAIN, "verifier", "verifier-majority", "judge:NAME", "system:NAME")
BASELINES = (First, Random, Execution, Majority, System)
"""What the other strategies are tested against."""


def make_strategy(text: str) -> Strategy:
    """A strategy by its name.

    ``verifier`` and ``verifier-majority`` read the judge ``verifier``, with options as it takes
    them: ``verifier,model=PATH``. ``judge:NAME`` reads any judge.

    >>> make_strategy("verifier-majority,model=mine").judge
    'verifier,model=mine'

    Raises:
        InputError: SJ570: there is none of that name.
    """
    if text in _PLAIN:
        return _PLAIN[text](text)
    name, comma, options = text.partition(",")
    kind, _, rest = text.partition(":")
    if name in ("verifier", "verifier-majority"):
        cls = Scored if name == "verifier" else Weighted
        return cls(text, f"verifier{comma}{options}")
    if kind == "judge" and rest:
        return Scored(text, rest)
    if kind == "system" and rest:
        return System(text)
    raise InputError(
        "SJ570", f"there is no strategy {text!r}.", hint=f"Strategies: {', '.join(NAMES)}."
    )


__all__ = ["BASELINES", "NAMES", "Oracle", "Strategy", "make_strategy"]
