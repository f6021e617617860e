"""What TrustSQL records of its classifiers: an answer by question id."""

from __future__ import annotations

from sqljury.benchmarks.fields import kind
from sqljury.benchmarks.files import FileKind, PathLike, Source
from sqljury.benchmarks.results import read_results
from sqljury.case import Json
from sqljury.errors import InputError

# What prompts for answerability and for errors ask a model to say, in lower case.
_GO = ("answerable", "correct")
_STAY = ("not_answerable", "unanswerable", "incorrect", "null")


def read_gate(path: PathLike) -> dict[str, float | None]:
    """What a classifier said of each question: 1 to answer, 0 to abstain, or a score between.

    An object of answers by id, as TrustSQL's ``prediction.json`` of its classifiers
    (``{"04365723": ["not_answerable"], …}``), or a table with an id and a score. An answer that
    is neither yes nor no is None.

    Raises:
        InputError: SJ108 for an object that holds something else.
    """
    source = Source(path)
    if source.kind is not FileKind.JSON_OBJECT:
        rows = [row for found in read_results(path).values() for row in found]
        return {row.id: row.score for row in rows}
    return {key: _said(value, f'{source.name}["{key}"]') for key, value in source.entries.items()}


def _said(value: Json, origin: str) -> float | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        raise InputError(
            "SJ108", f"an answer must be a word or a number, not {kind(value)}.", where=origin
        )
    word = value.strip().strip(".'\"").lower()
    return 1.0 if word in _GO else 0.0 if word in _STAY else None
