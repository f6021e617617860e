"""Pools of candidates: one question with many queries for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqljury.benchmarks.fields import (
    as_label,
    as_object,
    as_sql,
    build,
    guess,
    plain_values,
    stated,
)
from sqljury.benchmarks.files import FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, has_keys, id_key, register
from sqljury.case import MISSING, Case, Json
from sqljury.errors import InputError

_POOL = "candidates"
_SQL = "sql"


_KEYS = {
    "question": "question",
    "db_id": "db_id",
    "reference_sqls": "gold_sql",
    "schema_sql": "schema_sql",
    "hint": "evidence",
    "difficulty": "difficulty",
    "benchmark": "benchmark",
}


@register
class Pools(Format):
    """One case per candidate, with the candidate's number as its source; or one per question.

    Other data of the candidate (systems, ex, count, …) and of its question goes to ``extra``. If
    read as samples, the first candidate is the prediction and all are the ``pool``.
    """

    name = "pools"
    description = "pools: a question and a list of candidates with sql"
    priority = 20

    def claims(self, source: Source) -> bool:
        """True if the records have a list of candidates."""
        return is_pool(source)

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per candidate, or per question, in the order of the questions."""
        keys = id_key(source) | _keys(source)
        layout = stated(keys, options.mapping, dropped=(_POOL,))
        for position, record in enumerate(source.records()):
            shared = build(
                record, layout, position=position, stem=source.stem, benchmark=options.benchmark
            )
            if options.samples:
                yield _sampled(shared, record)
                continue
            # A question without candidates becomes one case without a prediction.
            for number, candidate in enumerate(candidates_of(record) or [{}]):
                yield _case(shared, candidate, number)


def _keys(source: Source) -> dict[str, str]:
    """The format's own keys; if the file lacks one, another of its usual names."""
    own = {name: key for name, key in _KEYS.items() if key in source.keys}
    found = guess(source.keys, own | {"predicted_sql": _POOL}, source.at_head).keys
    return {name: found.get(name, key) for name, key in _KEYS.items()}


def is_pool(source: Source) -> bool:
    """True if the records of a file are questions with candidates."""
    return has_keys(source, _POOL)


def candidates_of(record: FileRecord) -> list[Mapping[str, Json]]:
    """The candidates as objects; a candidate that is only a text becomes an object with its SQL."""
    found = as_object(record).get(_POOL)
    if not isinstance(found, list) or not all(
        one is None or isinstance(one, dict | str) for one in found
    ):
        raise InputError("SJ105", f"{_POOL!r} must be a list of objects.", where=record.origin)
    return [one if isinstance(one, dict) else {_SQL: one} for one in found]


def _case(shared: Case, candidate: Mapping[str, Json], number: int) -> Case:
    rest = plain_values(candidate, (_SQL,), shared.origin)
    given = _SQL in candidate
    return replace(
        shared,
        predicted_sql=as_sql(candidate[_SQL], _SQL, shared.origin) if given else MISSING,
        source=str(number),
        extra={**shared.extra, **rest},
    )


def _sampled(shared: Case, record: FileRecord) -> Case:
    """The question with its first candidate as prediction, and all candidates as samples."""
    samples = samples_of(record)
    return replace(shared, predicted_sql=samples[0] if samples else MISSING, pool=samples)


def samples_of(record: FileRecord) -> tuple[str | None, ...]:
    """All samples of a question, each repeated by its ``count``; None for an abstention."""
    return tuple(
        as_sql(candidate[_SQL], _SQL, record.origin)
        for candidate in candidates_of(record)
        if _SQL in candidate
        for _ in range(count_of(candidate) or 1)
    )


def count_of(candidate: Mapping[str, Json]) -> int | None:
    """How many samples a candidate stands for, from 1 on; None if it does not say."""
    count = candidate.get("count")
    if not isinstance(count, int) or isinstance(count, bool):
        return None
    return count if count > 0 else None


@dataclass(frozen=True, slots=True)
class RecordedResult:
    """The recorded result of running a candidate."""

    runs: bool
    rows: int
    table: str
    """A short text that is equal for equal result tables."""


def recorded_result(extra: Mapping[str, Json]) -> RecordedResult | None:
    """The recorded result of a candidate, from ContextualAI's keys; None if there is none.

    >>> recorded_result({"evaluation": "pass: correct", "result_hash": "6d99", "num_rows": 1})
    RecordedResult(runs=True, rows=1, table='6d99')
    """
    table, rows, said = (extra.get(key) for key in ("result_hash", "num_rows", "evaluation"))
    if not isinstance(table, str) or not isinstance(rows, int) or not isinstance(said, str):
        return None
    return RecordedResult(not said.startswith("error"), rows, table)


def recorded_verdict(value: Json, origin: str) -> bool | None:
    """A recorded verdict as a truth value; None if there is none.

    Accepts true/false, yes/no, 1/0, and ContextualAI's words: ``pass: correct``, ``pass:
    incorrect``, ``pass: incorrect-empty``, ``error: ...``.

    Raises:
        InputError: SJ109: anything else.
    """
    if isinstance(value, str) and (head := value.split(":")[0]) in ("pass", "error"):
        return head == "pass" and value.removeprefix("pass:").strip() == "correct"
    return as_label(value, origin)


# ---------------------------------------------------------------- pool writer
#
# Pools of candidates as JSON lines, for the format ``pools``.


def pool_record(case: Case, candidates: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """A question with its candidates, as one object; unknown fields have no key.

    Reading it returns everything known about the question, including its file's other data.

    >>> pool_record(Case(id="7", question="How many?", db_id="d"), [{"sql": "SELECT 1"}])
    {'question_id': '7', 'db_id': 'd', 'question': 'How many?', 'candidates': [{'sql': 'SELECT 1'}]}
    """
    references = list(case.reference_sqls)
    known: dict[str, Json] = {
        "question_id": case.id,
        "benchmark": case.benchmark or None,
        "db_id": case.db_id or None,
        "schema_sql": case.schema_sql,
        "question": case.question,
        "evidence": case.hint,
        "criteria": case.criteria,
        "difficulty": case.difficulty,
        "answerable": case.answerable,
        "gold_sql": references[0] if len(references) == 1 else references or None,
    }
    kept = {key: value for key, value in known.items() if value is not None}
    own = {key: value for key, value in case.extra.items() if key not in known}
    return {**own, **kept, "candidates": [dict(candidate) for candidate in candidates]}
