"""The rules in the order in which they are tried, found in the modules of this package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from sqljury.equivalence import rules
from sqljury.equivalence.rules.base import KINDS, REGISTERED, Apply, Rule, RuleKind


@cache
def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule, kind by kind, in the order in which they are tried.

    Rules of the same order come as their modules are named, and as they stand in a module.
    """
    for module in walk_packages(rules.__path__, f"{rules.__name__}."):
        import_module(module.name)
    found = sorted(REGISTERED, key=lambda rule: (rule.order, rule.apply.__module__))
    return tuple(rule for kind in KINDS for rule in found if rule.kind is kind)


def rules_of(kind: RuleKind[Apply]) -> tuple[Rule[Apply], ...]:
    """The rules of a kind."""
    return tuple(rule for rule in all_rules() if rule.kind is kind)


def by_place(found: Iterable[Rule[Apply]]) -> dict[str, tuple[Rule[Apply], ...]]:
    """For each class of nodes, function or operator the rules that are tried there, in order."""
    ordered = tuple(found)
    places = {place for rule in ordered for place in rule.at}
    return {place: tuple(rule for rule in ordered if place in rule.at) for place in sorted(places)}
