"""Whether each query sorts and counts as the words of the question ask."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from sqljury.faults.wording import Wording, name_stems
from sqljury.judges.jury_features.group import (
    Pair,
    Values,
    both_sides,
    feature_group,
    on_both_sides,
)
from sqljury.sql import parse

_MOST: Final = (
    r"highest|largest|biggest|greatest|most|longest|tallest|heaviest|latest|newest|most recent|"
    r"oldest|eldest|best|z|high|large"
)
_LEAST: Final = (
    r"lowest|smallest|fewest|least|shortest|lightest|cheapest|earliest|youngest|worst|a|low|small"
)
_DOWN: Final = (
    rf"descending|decreasing|reversed?|from (?:the )?(?:{_MOST})(?: [\w']+){{0,3}} to|"
    rf"(?:{_MOST})(?: \w+)? first|high to low"
)
_UP: Final = (
    rf"ascending|increasing|from (?:the )?(?:{_LEAST})(?: [\w']+){{0,3}} to|"
    rf"(?:{_LEAST})(?: \w+)? first|low to high"
)
_ALPHABET: Final = r"alphabetical\w*|alphabetic|lexicographic\w*|chronological\w*"
_ORDERLY: Final = r"descending|decreasing|reversed?|ascending|increasing"
_AGED: Final = r"oldest|eldest|youngest"
_AGE: Final = r"age|ages|old"
_BIRTH: Final = frozenset(
    ("birth", "dob", "birthdai", "birthdate", "born", "opened", "founded", "built", "date", "year")
)
_COUNTS: Final = (
    r"^(?:how many|count|(?:what is|what's|find|return|show|give|tell me|compute|calculate)"
    r"(?: me)? (?:the )?(?:total )?(?:number|count) of)\b"
)
_GROUPS: Final = r"each|every|per|respectively|different|by|along|their|and|all|one"


@feature_group(
    "asked",
    *on_both_sides("reversed", "1 if it sorts the other way round than the question asks", -1),
    *on_both_sides("listed", "1 if the question asks for one number, and it returns groups", -1),
)
def asked(pair: Pair) -> Values:
    """Whether each query sorts and counts as the question asks."""
    if pair.wording is None:
        return {}
    queries = (pair.prediction, pair.reference)
    trees = [None if sql is None else parse(sql, pair.evidence.dialect) for sql in queries]
    found: dict[str, float | None] = {}
    for name, conflicts in (("reversed", sorts_otherwise), ("listed", lists_groups)):
        sides = (None if one is None else float(conflicts(one, pair.wording)) for one in trees)
        found |= both_sides(name, *sides)
    return found


def sorts_otherwise(tree: exp.Expr, wording: Wording) -> bool:
    """True if the first sort key goes the other way round than the words of the question ask.

    >>> query = parse("SELECT name FROM singer ORDER BY age", "sqlite")
    >>> sorts_otherwise(query, Wording("Name the singers by age, oldest first."))
    True
    """
    order = tree.args.get("order")
    if order is None:
        return False
    key = order.expressions[0]
    down = bool(key.args.get("desc"))
    wanted = _direction(wording, _stems(tree, key.this))
    return wanted is not None and wanted is not down


def _stems(tree: exp.Expr, key: exp.Expr) -> set[str]:
    """The stems of the words in a sort key; of an alias, in what it stands for."""
    chosen = {one.alias_or_name.casefold(): one for one in getattr(tree, "selects", ())}
    if isinstance(key, exp.Column) and not key.table:
        key = chosen.get(key.name.casefold(), key)
    return {part for column in key.find_all(exp.Column) for part in name_stems(column.name)}


def _direction(wording: Wording, stems: set[str]) -> bool | None:
    """True if the question asks for falling values of a sort key, False for rising ones."""
    down, up = (re.search(rf"\b(?:{words})\b", wording.lower) for words in (_DOWN, _UP))
    if (down is None) is (up is None):
        return False if down is None and wording.says(_ALPHABET) else None
    said = (down or up or [""])[0]
    aged = re.search(_AGED, said) or (re.match(_ORDERLY, said) and wording.says(_AGE))
    # The older, the earlier is the date of birth.
    by_date = bool(aged and stems & _BIRTH and "age" not in stems)
    return (down is not None) is not by_date


def lists_groups(tree: exp.Expr, wording: Wording) -> bool:
    """True if the question asks for one number, and the query returns a row for each group."""
    if not re.search(_COUNTS, wording.lower) or wording.says(_GROUPS):
        return False
    is_list = isinstance(tree, exp.Select) and tree.args.get("group") is not None
    return is_list and tree.args.get("limit") is None
