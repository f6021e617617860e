"""Pools of candidates: one question, many queries written for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqljury.benchmarks.fields import as_object, as_sql, build, plain
from sqljury.benchmarks.files import Record, Source
from sqljury.benchmarks.formats import Format, Options, has_keys, id_key, register
from sqljury.benchmarks.layout import stated
from sqljury.case import MISSING, Case, Json
from sqljury.errors import InputError

_POOL = "candidates"
_SQL = "sql"


_KEYS = {
    "question": "question",
    "db_id": "db_id",
    "reference_sqls": "gold_sql",
    "hint": "evidence",
    "difficulty": "difficulty",
}


@register
class Pools(Format):
    """One case per candidate, its source the candidate's number.

    What else is known of the candidate (systems, ex, count, …) and of its question goes to
    ``extra``.
    """

    name = "pools"
    description = "pools of candidates: gold_sql, and a list of candidates with sql"

    def claims(self, source: Source) -> bool:
        """By the list of candidates."""
        return has_keys(source, _POOL, "gold_sql")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case a candidate, question after question."""
        keys = id_key(source, "index", "question_id", "id") | _KEYS
        layout = stated(keys, options.mapping, dropped=(_POOL,))
        for position, record in enumerate(source.records()):
            shared = build(
                record, layout, position=position, stem=source.stem, benchmark=options.benchmark
            )
            for number, candidate in enumerate(_candidates(record)):
                yield _case(shared, candidate, number)


def _candidates(record: Record) -> list[Mapping[str, Json]]:
    found = as_object(record).get(_POOL)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError("SJ105", f"{_POOL!r} must be a list of objects.", where=record.origin)
    return found


def _case(shared: Case, candidate: Mapping[str, Json], number: int) -> Case:
    rest = {key: plain(value) for key, value in candidate.items() if key != _SQL}
    given = _SQL in candidate
    return Case(
        id=shared.id,
        db_id=shared.db_id,
        question=shared.question,
        predicted_sql=as_sql(candidate[_SQL], _SQL, shared.origin) if given else MISSING,
        reference_sqls=shared.reference_sqls,
        hint=shared.hint,
        difficulty=shared.difficulty,
        answerable=shared.answerable,
        benchmark=shared.benchmark,
        source=str(number),
        extra={**shared.extra, **rest},
        origin=shared.origin,
    )
