"""Numbers and dates that are sorted or compared as texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import ConstantComparison, Site, comparisons
from sqljury.schema import Column
from sqljury.trees.nodes import Aggregate, Expression, Sort

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
