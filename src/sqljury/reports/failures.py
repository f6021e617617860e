"""Failures as text, by cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqljury.reports.words import count, shortened, visible
from sqljury.uses.failures import Failure

_LONGEST = 300


def failures_text(found: Mapping[str, Sequence[Failure]], most: int, run: str) -> str:
    """Each cause with how often it occurs, and at most so many of its failures."""
    return "\n".join(_lines(found, most, run))


def _lines(found: Mapping[str, Sequence[Failure]], most: int, run: str) -> Iterator[str]:
    total = sum(map(len, found.values()))
    yield f"{count(total)} failures, {count(len(found))} causes"
    for cause, group in found.items():
        yield ""
        yield f"{visible(cause)}: {count(len(group))}"
        for failure in group[:most]:
            yield from _failure(failure)
        if len(group) > most:
            yield f"  and {count(len(group) - most)} more"
    if total:
        first = next(iter(found.values()))[0]
        yield ""
        yield f"all of one: sqljury report {visible(run)} --case {visible(first.case.name)}"


def _failure(failure: Failure) -> Iterator[str]:
    case = failure.case
    yield f"  {visible(case.name)}  {_one_line(case.question or '')}".rstrip()
    for sign, sql in (("-", next(iter(case.reference_sqls), None)), ("+", case.predicted_sql)):
        if isinstance(sql, str):
            yield f"    {sign} {_one_line(sql)}"
    yield f"    {_one_line(failure.reason)}"


def _one_line(text: str) -> str:
    return shortened(visible(" ".join(text.split())), _LONGEST)
