"""Order and LIMIT: the wrong end, ties, NULL, numbers sorted as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, Row, edited, shown
from sqljury.faults.sites import ConstantComparison, Site, comparisons
from sqljury.faults.wording import name_stems
from sqljury.schema import Column
from sqljury.sql import keyed_for_ties, without_limit
from sqljury.trees.nodes import Aggregate, Expression, Sort
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


@check("AU204", sees=Sees.ROWS, read=(25, 25))
def limit_cuts_tie(query: Query) -> Iterator[Finding]:
    """LIMIT takes some of several rows that tie, so the answer is one of several."""
    wider = without_limit(query.sql, query.dialect)
    if wider is None or not wider.limit:
        return
    found = query.rows(wider.query.sql)
    if found is None or len(found) <= wider.limit:
        return
    last, next_ = found[wider.limit - 1], found[wider.limit]
    plain: list[Row] = [wider.query.plain(last), wider.query.plain(next_)]
    if wider.query.keys(last) == wider.query.keys(next_) and plain[0] != plain[1]:
        yield Finding(
            reason=f"row {wider.limit} and the row that LIMIT cuts off tie.",
            part=f"LIMIT {wider.limit}",
            evidence={"kept": shown([plain[0]]), "cut": shown([plain[1]])},
        )


@check("AU205", sees=Sees.TREE | Sees.ROWS)
def null_first(query: Query) -> Iterator[Finding]:
    """The first of the sorted rows has NULL for a key: a missing value is taken for an extreme."""
    keyed = keyed_for_ties(query.sql, query.dialect)
    if keyed is None or query.syntax is None or not query.syntax.args.get("limit"):
        return
    rows = query.rows(keyed.sql)
    if rows and keyed.keys(rows[0])[0] is None:
        yield Finding(
            reason="rows are sorted by a value that is NULL in the first of them.",
            part="ORDER BY",
            evidence={"rows": shown([keyed.plain(rows[0])])},
            proposal=edited(query.sql, query.dialect, _without_nulls),
        )


def _without_nulls(tree: object) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or "order" not in tree.args:
        return False
    key = tree.args["order"].expressions[0].this
    if not isinstance(key, exp.Column) or tree.args.get("group"):
        return False
    tree.where(key.copy().is_(exp.null()).not_(), copy=False)
    return True


_NUMBER = re.compile(r"[+-]?\d+(?:,\d{3})*(?:\.\d+)?%?")
_DATES = (
    re.compile(r"(?P<m>\d{1,2})[/.-](?P<d>\d{1,2})[/.-](?P<y>\d{4})(?: .*)?"),
    re.compile(r"(?P<y>\d{4})[/-](?P<m>\d{1,2})[/-](?P<d>\d{1,2})(?: .*)?"),
)


@check("AU301", sees=Sees.TREE | Sees.ROWS, read=(8, 8))
def sorted_as_text(query: Query) -> Iterator[Finding]:
    """Numbers or dates that are stored as texts are sorted or compared as texts."""
    seen = set()
    for table, column, how in _text_uses(query):
        pair = _misordered(query.values(table, column.name) or [])
        if pair is None or (table, column.name) in seen:
            continue
        seen.add((table, column.name))
        yield Finding(
            reason=f"{table}.{column.name} is {how} as text: {pair[0]!r} before {pair[1]!r}.",
            part=column.name,
            evidence={"as_text": list(pair)},
        )


def _text_uses(query: Query) -> Iterator[tuple[str, Column, str]]:
    for site in query.sites:
        for expression in _ordered(site):
            found = site.column(expression)
            if found is not None and query.is_text(found[1]):
                yield (*found, "sorted")
        for one in comparisons(site):
            in_order = one.operator in ("<", "<=", ">", ">=", "BETWEEN")
            if in_order and query.is_text(one.column) and _is_misjudged(query, one):
                yield one.table, one.column, "compared"


def _is_misjudged(query: Query, one: ConstantComparison) -> bool:
    """Whether comparing as numbers keeps other values than comparing as texts; True for dates."""
    values = [v for v in query.values(one.table, one.column.name) or [] if isinstance(v, str)]
    bounds = [str(constant.value) for constant in one.constants]
    keyed = _numbers([*values, *bounds])
    if keyed is None or len(keyed) < len(values) + len(bounds):
        return True
    number = dict(keyed)
    return any((v < b) != (number[v] < number[b]) for v in values for b in bounds)


def _ordered(site: Site) -> Iterator[Expression]:
    """The expression itself where it is a key of an order; what MIN and MAX look at."""
    if site.expression is None:
        return
    if isinstance(site.relation, Sort):
        yield site.expression
    if isinstance(site.relation, Aggregate):
        for call in site.relation.calls:
            if call.name in ("MIN", "MAX") and site.expression in call.operands:
                yield site.expression


def _misordered(values: list[object]) -> tuple[str, str] | None:
    """Two texts whose order is another than that of what they say; None where there are none."""
    texts = sorted(v for v in values if isinstance(v, str) and v.strip())
    keys = _numbers(texts) or _dates(texts)
    if keys is None or len(texts) < 2:
        return None
    for (a, key_a), (b, key_b) in pairwise(keys):
        if key_a > key_b:
            return a, b
    return None


Keyed = list[tuple[str, tuple[float, ...]]]


def _numbers(texts: list[str]) -> Keyed | None:
    read = [t for t in texts if _NUMBER.fullmatch(t.strip())]
    if len(read) < 0.9 * len(texts) or not read:
        return None
    return [(t, (float(t.strip().rstrip("%").replace(",", "")),)) for t in read]


def _dates(texts: list[str]) -> Keyed | None:
    for pattern in _DATES:
        found = [(t, m) for t in texts if (m := pattern.fullmatch(t.strip()))]
        if found and len(found) >= 0.9 * len(texts):
            return [(t, (float(m["y"]), float(m["m"]), float(m["d"]))) for t, m in found]
    return None
