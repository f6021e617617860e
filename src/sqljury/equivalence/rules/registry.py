"""Finds the rules in the modules of this package and sorts them by the order of trial."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, Generic

from sqljury.equivalence import rules as package
from sqljury.equivalence.rules.base import KINDS, REGISTERED, Apply, Rule, RuleKind
from sqljury.equivalence.rules.order import RULES
from sqljury.errors import InputError
from sqljury.trees.nodes import Expression, Relation
from sqljury.trees.walk import names


@cache
def all_rules() -> tuple[Rule[Any], ...]:
    """All rules, kind by kind, in the order in which they are tried: that of ``RULES``."""
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    places = {name: place for place, name in enumerate(RULES)}
    found = sorted(REGISTERED, key=lambda rule: places.get(rule.function, len(places)))
    return tuple(rule for kind in KINDS for rule in found if rule.kind is kind)


def rules_of(kind: RuleKind[Apply]) -> tuple[Rule[Apply], ...]:
    """All rules of a kind, in the order in which they are tried."""
    return tuple(rule for rule in all_rules() if rule.kind is kind)


def rules(name: str | None = None) -> tuple[Rule[Any], ...]:
    """The rewrite rules, by kind and in the order in which they are tried; or those of one name.

    Two rules may share a name: a rule of conditions that extends a rule of expressions.

    Raises:
        InputError: SJ329: there is no rule of that name.

    >>> for rule in rules("between_to_range"):
    ...     print(rule.kind.name, rule.rewrites)
    expression x BETWEEN a AND b → x >= a AND x <= b
    """
    found = tuple(rule for rule in all_rules() if name in (None, rule.name))
    if not found:
        raise InputError(
            "SJ329", f"there is no rule {name!r}.", hint="`sqljury list rules` lists them."
        )
    return found


_MOST = 4096


class RuleIndex(Generic[Apply]):
    """Looks up the rules to try at a tree, by its root operator and by what the tree contains."""

    def __init__(self, found: Iterable[Rule[Apply]]) -> None:
        ordered = tuple(found)
        places = sorted({place for rule in ordered for place in rule.at})
        self._at = {p: tuple(rule for rule in ordered if p in rule.at) for p in places}
        self._needed = frozenset().union(*(rule.needs for rule in ordered))
        self._chosen = lru_cache(_MOST)(self._choose)

    def of(self, place: str, node: Expression | Relation) -> tuple[Rule[Apply], ...]:
        """The rules to try, in order, at ``node``; ``place`` is its class, function or operator."""
        return self._chosen(place, names(node) & self._needed)

    def _choose(self, place: str, held: frozenset[str]) -> tuple[Rule[Apply], ...]:
        rules = self._at.get(place, ())
        return tuple(rule for rule in rules if not rule.needs or rule.needs & held)
