"""List the rewrite rules that make canonical trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqljury.errors import InputError

if TYPE_CHECKING:
    from sqljury.equivalence.rules.base import Rule


def rules(name: str | None = None) -> tuple[Rule[Any], ...]:
    """The rewrite rules, by kind and in the order in which they are tried; or those of one name.

    Two rules may share a name: a rule of conditions that extends a rule of expressions.

    Raises:
        InputError: SJ329: there is no rule of that name.

    >>> for rule in rules("between_to_range"):
    ...     print(rule.kind.name, rule.rewrites)
    expression x BETWEEN a AND b → x >= a AND x <= b
    """
    from sqljury.equivalence.rules.registry import all_rules

    found = tuple(rule for rule in all_rules() if name in (None, rule.name))
    if not found:
        raise InputError(
            "SJ329", f"there is no rule {name!r}.", hint="`sqljury list rules` lists them."
        )
    return found
