"""Checks of results and their order: no rows, wrong direction, ties, NULL, numbers as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqljury.execution import Status
from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.expressions import ConstantComparison, ScopedExpression, comparisons
from sqljury.faults.query import Query, shown
from sqljury.faults.wording import name_stems
from sqljury.schema import Column
from sqljury.sql import keyed_for_ties, without_limit
from sqljury.trees.nodes import Aggregate, AggregateCall, Sort
from sqljury.trees.types import fields


@check("AU201", sees=Sees.ROWS, read=(2, 2))
def does_not_run(query: Query) -> Iterator[Finding]:
    """The query does not run on its database."""
    if query.result.status is Status.ERROR:
        yield Finding(reason=query.result.message, evidence={"error": query.result.message})


@check("AU202", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def empty_result(query: Query) -> Iterator[Finding]:
    """The query returns no rows, though none of its tables is empty."""
    if query.returned == [] and _has_rows(query):
        yield Finding(reason="the query returns no rows.")


@check("AU203", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def null_result(query: Query) -> Iterator[Finding]:
    """Everything that the query returns is NULL, though none of its tables is empty."""
    rows = query.returned or []
    if rows and all(cell is None for row in rows for cell in row) and _has_rows(query):
        yield Finding(reason="all that the query returns is NULL.", evidence={"rows": shown(rows)})


def _has_rows(query: Query) -> bool:
    return not any(query.is_empty(table.name) for table in query.tables)


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
    """The query takes the opposite extreme of the one that the question's superlative names."""
    ends = list(_ends(query))
    text = re.sub(rf"\b(?:{_BOUNDS})\b", " ", query.wording.lower)
    superlatives = [
        (asks_most, of_age, word)
        for pattern, asks_most, of_age in (
            (_MOST, True, False),
            (_LEAST, False, False),
            (_OLD, True, True),
            (_YOUNG, False, True),
        )
        for word in re.findall(rf"\b(?:{pattern})\b", text)
    ]
    if len(ends) != 1 or len(superlatives) != 1 or query.wording.says(_SORTED):
        return
    takes_most, name, how = ends[0]
    asks_most, of_age, word = superlatives[0]
    stems = set(name_stems(name))
    if stems & _REVERSED or (stems & _BIRTH and not of_age and word not in _OF_TIME):
        return
    if of_age and stems & _BIRTH:
        asks_most = not asks_most
    elif of_age and "age" not in stems:
        return
    if takes_most != asks_most:
        yield Finding(
            reason=f"the question asks for {word!r}, and the query takes the "
            f"{'largest' if takes_most else 'smallest'} {name or 'number'}.",
            part=how,
        )


def _ends(query: Query) -> Iterator[tuple[bool, str, str]]:
    """Where a query takes an extreme: True for the largest, the column's name, and the operator."""
    for site in query.expressions:
        relation = site.relation
        if isinstance(relation, Sort) and site.expression == relation.keys[0].expression:
            key = relation.keys[0]
            found = site.column(key.expression)
            index = getattr(key.expression, "index", None)
            name = found[1].name if found else ""
            if not found and index is not None:
                name = fields(relation.input, query.context)[index].name
            yield key.descending, name, "ORDER BY"
        for call in _extremes(site):
            found = site.column(call.operands[0])
            yield call.name == "MAX", found[1].name if found else "", call.name


def _extremes(site: ScopedExpression) -> Iterator[AggregateCall]:
    """The calls of MIN and MAX that have the expression as an operand."""
    for call in site.relation.calls if isinstance(site.relation, Aggregate) else ():
        if call.name in ("MIN", "MAX") and site.expression in call.operands:
            yield call


@check("AU204", sees=Sees.ROWS, read=(25, 25))
def limit_cuts_tie(query: Query) -> Iterator[Finding]:
    """LIMIT keeps only some of the rows that tie, so the answer is one of several."""
    wider = without_limit(query.sql, query.dialect)
    if wider is None or not wider.limit:
        return
    found = query.rows(wider.query.sql)
    if found is None or len(found) <= wider.limit:
        return
    last, next_ = found[wider.limit - 1], found[wider.limit]
    kept, cut = wider.query.plain(last), wider.query.plain(next_)
    if wider.query.keys(last) == wider.query.keys(next_) and kept != cut:
        yield Finding(
            reason=f"row {wider.limit} and the row that LIMIT cuts off tie.",
            part=f"LIMIT {wider.limit}",
            evidence={"kept": shown([kept]), "cut": shown([cut])},
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
            proposal=query.edited(_without_nulls),
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
    """The text columns that are sorted or compared by ``<`` and the like, with their tables."""
    for site in query.expressions:
        times = isinstance(site.relation, Sort) + sum(1 for _ in _extremes(site))
        found = site.column(site.expression) if site.expression is not None else None
        if found is not None and query.is_text(found[1]):
            yield from [(*found, "sorted")] * times
        for one in comparisons(site):
            in_order = one.operator in ("<", "<=", ">", ">=", "BETWEEN")
            if in_order and query.is_text(one.column) and _is_misjudged(query, one):
                yield one.table, one.column, "compared"


def _is_misjudged(query: Query, one: ConstantComparison) -> bool:
    """True if comparing as numbers would keep other values than comparing as texts.

    Also True if the values are not all numbers, as for dates."""
    values = [v for v in query.values(one.table, one.column.name) or [] if isinstance(v, str)]
    bounds = [str(constant.value) for constant in one.constants]
    keyed = _numbers([*values, *bounds])
    if keyed is None or len(keyed) < len(values) + len(bounds):
        return True
    number = dict(keyed)
    return any((v < b) != (number[v] < number[b]) for v in values for b in bounds)


def _misordered(values: list[object]) -> tuple[str, str] | None:
    """Two texts that sort differently than the numbers or dates in them; None if there are none."""
    texts = sorted(v for v in values if isinstance(v, str) and v.strip())
    keys = _numbers(texts) or _dates(texts)
    if keys is None or len(texts) < 2:
        return None
    wrong = ((a, b) for (a, key_a), (b, key_b) in pairwise(keys) if key_a > key_b)
    return next(wrong, None)


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
