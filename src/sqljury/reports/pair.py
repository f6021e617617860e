"""The result of comparing two queries, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from sqljury.tables import render_cell

_MOST_ROWS = 20

if TYPE_CHECKING:
    from sqljury.judges.pair import PairAnswer, Witness


def pair_text(answer: PairAnswer) -> str:
    """The verdict, and SQL that builds a database on which the queries differ, if one is known."""
    return "\n".join(_lines(answer))


def _lines(answer: PairAnswer) -> Iterator[str]:
    score = "" if answer.score is None else f"   score {answer.score:.3f}"
    yield f"{answer.verdict}{score}   {answer.reason}"
    for assumption in answer.assumptions:
        yield f"assuming {assumption}"
    if answer.contradicted is not None:
        yield "A rule of sqljury proves these queries equal, and is wrong: please report this pair."
    if answer.rules:
        yield f"rewritten by {', '.join(answer.rules)}"
    if answer.witness is not None:
        yield from _witness(answer.witness)
    profiles = cast("dict[str, dict[str, int]]", answer.tried.get("profiles", {}))
    if profiles:
        yield ""
        yield f"{'data':24} databases  differ"
    for name, tally in profiles.items():
        yield f"{name:24} {tally['databases']:9,}  {tally['differ']:6,}"


def _witness(witness: Witness) -> Iterator[str]:
    yield ""
    yield witness.sql
    for side, table in (("left", witness.left), ("right", witness.right)):
        yield ""
        yield f"-- {side}: {len(table.rows):,} row{'' if len(table.rows) == 1 else 's'}"
        for row in table.rows[:_MOST_ROWS]:
            yield f"--   {' | '.join(str(render_cell(cell)) for cell in row)}"
        if len(table.rows) > _MOST_ROWS:
            yield f"--   … {len(table.rows) - _MOST_ROWS:,} more"
    yield ""
    missing = "" if witness.replayed else "; not replayed in the engine of the queries (--replay)"
    yield f"seen in {' and '.join(witness.engines)}{missing}"
    if witness.doubt:
        yield f"doubt: {witness.doubt}"
