"""What a file holds and nothing reads, though it looks as if it meant something."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from sqljury.benchmarks.fields import as_object
from sqljury.benchmarks.files import HEAD, FileKind, Source
from sqljury.benchmarks.names import ALIASES, FIELDS, normal
from sqljury.case import MISSING, Case, Json

# As a model writes it: in a fence, behind a comment or in brackets.
_SQL = re.compile(r"\s*(```\w*\s*|--[^\n]*\n\s*|\()*(select|with)\b", re.IGNORECASE)
_NEAR = 0.85
"""Share of equal letters from which a name is taken for a slip of another: databse and database
have 0.93, query_toks and query 0.67."""


def unused_keys(source: Source, cases: Iterator[Case], *, joined: bool) -> list[str]:
    """A sentence for each key that nothing reads though its name, or its values, look known.

    Args:
        cases: the cases of the file, of which the first are looked at.
        joined: predictions come from files of their own.
    """
    head = list(islice(cases, HEAD))
    wanted = [name for name in FIELDS if not (joined and name == "predicted_sql")]
    empty = [name for name in wanted if not any(_holds(case, name) for case in head)]
    found = dict.fromkeys(key for case in head for key in case.extra)
    texts = {key: [case.extra[key] for case in head if key in case.extra] for key in found}
    return list(_sentences(source.name, texts, empty))


def uneven_rows(source: Source) -> list[str]:
    """A sentence where rows of a table lack cells, or lines between queries are blank."""
    if source.kind is FileKind.TABLE:
        width = len(source.keys)
        short = [one.origin for one in source.records() if len(as_object(one)) < width]
        what = f"fewer cells than the header ({width}); those that lack count as not there"
    elif source.kind is FileKind.TEXT:
        short = []
        pending: list[str] = []
        for line in source.queries():
            if line.text.strip():
                short += pending
                pending = []
            else:
                pending.append(line.origin)
        what = "nothing; it counts as a line all the same"
    else:
        return []
    if not short:
        return []
    others = f", and {len(short) - 1:,} others" if len(short) > 1 else ""
    return [f"{short[0]}{others}: the row holds {what}."]


def _sentences(
    name: str, texts: Mapping[str, Sequence[Json]], empty: Sequence[str]
) -> Iterator[str]:
    for key, values in texts.items():
        if any(isinstance(value, dict | list) for value in values):
            continue  # no field of a case is so deep
        field = _wanted(empty) if _are_sql(values) else _near(key, empty)
        if field:
            yield (
                f"{name}: the key {key!r} is not used, and no {field} was found; "
                f"--map {field}={key} reads it."
            )


def _holds(case: Case, field: str) -> bool:
    value = getattr(case, field)
    if field == "predicted_sql":
        return value is not MISSING  # None is an abstention
    return value not in (None, "", ())


def _wanted(empty: Sequence[str]) -> str:
    """What a query could be: the prediction first, as references are what most files hold."""
    return next((name for name in ("predicted_sql", "reference_sqls") if name in empty), "")


def _are_sql(values: Sequence[Json]) -> bool:
    return all(isinstance(value, str) and _SQL.match(value) for value in values)


def _near(key: str, empty: Sequence[str]) -> str:
    close = (
        name
        for name in empty
        if difflib.get_close_matches(normal(key), ALIASES[name], n=1, cutoff=_NEAR)
    )
    return next(close, "")
