"""What of a query is not what its question lets one expect, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqljury.judges.verifier_features.asked import AskedQuestion, sketch_of
from sqljury.judges.verifier_features.facts import Facts, roles_of, tables_used

_FAR = 4.0
"""How many times likelier something else must be to be worth a word."""
_SURE = 0.6
"""A column that is expected so much should be there."""

_SAID = {
    "items": "gives",
    "distinct": "DISTINCT",
    "conditions": "conditions",
    "order": "ORDER BY and LIMIT",
    "nesting": "subqueries",
    "tables": "number of tables",
    "logic": "set operations and OR",
    "group": "GROUP BY and HAVING",
}


@dataclass(frozen=True, slots=True)
class Surprise:
    """One thing that is not as expected.

    Args:
        what: a part of the query's shape, a role of columns, or ``table``.
        found: what the query has; empty for what it lacks.
        expected: what was likelier; empty where the query has too much.
        chance: of what was found, or, for what is lacking, that it is needed.
    """

    what: str
    found: str
    expected: str
    chance: float

    @property
    def text(self) -> str:
        """As a phrase.

        >>> Surprise("gives", "count", "column", 0.02).text
        'gives count (2 %), column is likelier'
        """
        percent = f"{100 * self.chance:.0f} %"
        if not self.found:
            return f"{self.what} lacks {self.expected} ({percent})"
        likelier = f", {self.expected} is likelier" if self.expected else ""
        return f"{self.what} {self.found} ({percent}){likelier}"


def surprises(asked: AskedQuestion, facts: Facts) -> list[Surprise]:
    """The surprises of a query, those of its shape first."""
    found = list(_of_shape(asked, facts))
    for role, columns in roles_of(facts, asked.merged).items():
        found += _of_names(role, columns, asked.roles[role])
    found += _of_names("table", tables_used(facts), asked.tables)
    return found


def _of_shape(asked: AskedQuestion, facts: Facts) -> Iterator[Surprise]:
    for part, word in sketch_of(facts).items():
        chances = asked.parts[part]
        best = max(chances, key=lambda one: (chances[one], one))
        chance = chances.get(word, 0.0)
        if chances[best] > _FAR * chance:
            yield Surprise(_SAID[part], word or "none", best or "none", chance)


def _of_names(what: str, used: set[str], chances: Mapping[str, float]) -> Iterator[Surprise]:
    for name in sorted(used & set(chances)):
        if chances[name] < (1 - _SURE) / _FAR:
            yield Surprise(what, name, "", chances[name])
    for name, chance in sorted(chances.items()):
        if chance > _SURE and name not in used:
            yield Surprise(what, "", name, chance)
