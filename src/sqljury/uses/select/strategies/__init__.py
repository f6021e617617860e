"""Strategies that pick one of many candidates."""

from __future__ import annotations

from sqljury.errors import InputError
from sqljury.uses.select.strategies.base import STRATEGIES, Strategy
from sqljury.uses.select.strategies.builtin import Oracle


def make_strategy(text: str) -> Strategy:
    """The strategy that a text names.

    ``verifier`` and ``verifier-majority`` use the scores of the judge ``verifier`` and take its
    options: ``verifier,model=PATH``. ``judge:NAME`` uses the scores of any judge.

    >>> make_strategy("verifier-majority,model=mine").judge
    'verifier,model=mine'

    Raises:
        InputError: SJ570: there is no such strategy.
    """
    made = (cls.of(text) for cls in STRATEGIES.all().values())
    found = next((strategy for strategy in made if strategy is not None), None)
    if found is None:
        raise InputError(
            "SJ570",
            f"there is no strategy {text!r}.",
            hint=f"Strategies: {', '.join(strategy_names())}.",
        )
    return found


def strategy_names() -> tuple[str, ...]:
    """The names of all strategies, as users write them: ``majority``, ``judge:NAME``."""
    return tuple(cls.usage or kind for kind, cls in STRATEGIES.all().items())


__all__ = ["Oracle", "Strategy", "make_strategy", "strategy_names"]
