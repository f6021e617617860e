"""The other end of an order than the question's superlative."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import Site
from sqljury.faults.wording import name_stems
from sqljury.trees.nodes import Aggregate, Sort
from sqljury.trees.types import fields

_MOST = (
    r"most|highest|largest|biggest|greatest|maximum|max|longest|tallest|heaviest|"
    r"best selling|latest|newest|most recent|most recently"
)
_LEAST = r"least|lowest|smallest|fewest|minimum|min|shortest|lightest|bottom|cheapest|earliest"
_OLD = r"oldest|eldest"
_YOUNG = r"youngest"
_BOUNDS = (
    r"at most|at least|most recent\w*|for the most part|at the most|last name|"
    r"first name|first and last|first[- ]?name\w*|last[- ]?name\w*"
)
_SORTED = r"order|ordered|sort|sorted|alphabetical\w*|ascending|descending|ranked|from [\w ]+ to"
_BIRTH = frozenset(
    ("birth", "dob", "birthdai", "birthdate", "born", "opened", "founded", "built", "date", "year")
)
_OF_TIME = frozenset(("latest", "newest", "earliest", "most recent", "most recently"))
_REVERSED = frozenset(("rank", "ranking", "position", "place", "grade", "results"))


@check("AU501", sees=Sees.TREE | Sees.QUESTION, read=(5, 5))
def direction(query: Query) -> Iterator[Finding]:
    """The query takes the other end of an order than the question's superlative says."""
    ends = list(_ends(query))
    wanted = _wanted(query)
    if len(ends) != 1 or wanted is None:
        return
    takes_most, name, how = ends[0]
    stems = set(name_stems(name))
    if stems & _REVERSED or (stems & _BIRTH and not wanted[1] and wanted[2] not in _OF_TIME):
        return
    asks_most = wanted[0]
    if wanted[1] and stems & _BIRTH:
        asks_most = not asks_most
    elif wanted[1] and "age" not in stems:
        return
    if takes_most != asks_most:
        yield Finding(
            reason=f"the question asks for {wanted[2]!r}, and the query takes the "
            f"{'largest' if takes_most else 'smallest'} {name or 'number'}.",
            part=how,
        )


def _ends(query: Query) -> Iterator[tuple[bool, str, str]]:
    """Whether the largest is taken, of which column, and by what."""
    for site in query.sites:
        for relation in _limited(site):
            key = relation.keys[0]
            row = fields(relation.input, query.context)
            found = site.column(key.expression)
            index = getattr(key.expression, "index", None)
            name = found[1].name if found else row[index].name if index is not None else ""
            yield key.descending, name, "ORDER BY"
        if isinstance(site.relation, Aggregate):
            for call in site.relation.calls:
                if call.name in ("MIN", "MAX") and site.expression in call.operands:
                    column = site.column(call.operands[0])
                    yield call.name == "MAX", column[1].name if column else "", call.name


def _limited(site: Site) -> Iterator[Sort]:
    if isinstance(site.relation, Sort) and site.expression == site.relation.keys[0].expression:
        yield site.relation


def _wanted(query: Query) -> tuple[bool, bool, str] | None:
    """Whether the question asks for the most, whether for an age, and its word; None if unclear."""
    if query.wording.says(_SORTED):
        return None
    text = re.sub(rf"\b(?:{_BOUNDS})\b", " ", query.wording.lower)
    found = [
        (most, of_age, word)
        for pattern, most, of_age in (
            (_MOST, True, False),
            (_LEAST, False, False),
            (_OLD, True, True),
            (_YOUNG, False, True),
        )
        for word in re.findall(rf"\b(?:{pattern})\b", text)
    ]
    return found[0] if len(found) == 1 else None
