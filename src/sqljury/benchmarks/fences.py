"""Code fences around predictions, as chat models write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from sqljury.benchmarks.files import HEAD
from sqljury.case import Case

_FENCED = re.compile(r"\s*```[ \t]*\w*[ \t]*\n(.*?)\n?[ \t]*(?:```\s*)?", re.DOTALL)


def without_fences(case: Case) -> Case:
    """The case with predictions that are nothing but one fenced block out of their fences."""
    if not _is_fenced(case):
        return case
    sql = case.predicted_sql
    return replace(
        case,
        predicted_sql=unfenced(sql) if isinstance(sql, str) else sql,
        pool=tuple(one if one is None else unfenced(one) for one in case.pool),
    )


def unfenced(sql: str) -> str:
    """The query in a fenced block; any other text as it is.

    >>> unfenced("```sql\\nSELECT 1\\n```"), unfenced("SELECT 1")
    ('SELECT 1', 'SELECT 1')
    """
    found = _FENCED.fullmatch(sql) if "```" in sql else None
    return sql if found is None or "```" in found[1] else found[1]


def fences_warning(read: Callable[[], Iterator[Case]]) -> list[str]:
    """What is taken off among the first cases, in a sentence; nothing where there is none."""
    head = list(islice(read(), HEAD))
    fenced = sum(map(_is_fenced, head))
    if not fenced:
        return []
    return [
        f"{fenced} of the first {len(head)} predictions stand in code fences (```), which are "
        "taken off; --keep-fences judges them as they are."
    ]


def _is_fenced(case: Case) -> bool:
    texts = (case.predicted_sql, *case.pool) if case.pool else (case.predicted_sql,)
    return any(isinstance(text, str) and unfenced(text) != text for text in texts)
