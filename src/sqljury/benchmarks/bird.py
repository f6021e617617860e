"""BIRD's question files: dev.json, mini_dev.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqljury.benchmarks.fields import FAILED, as_sql, stated_and_added
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case, Json

_KEYS = {
    "id": "question_id",
    "question": "question",
    "db_id": "db_id",
    "reference_sqls": "SQL",
    "hint": "evidence",
    "difficulty": "difficulty",
}

_MARK = "\t----- bird -----\t"

# Some re-published files have the query again under `sql`, as a copy or as a parse tree.
_COPIES = frozenset({"sql"})


@register
class Bird(Format):
    """BIRD's questions; predictions are in separate files."""

    name = "bird"
    description = "BIRD dev and mini-dev: question_id, db_id, question, evidence, SQL"
    priority = 70

    def claims(self, source: Source) -> bool:
        """True if the records have the reference's name in capitals."""
        return has_keys(source, "question_id", "question", "db_id", "SQL")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question; if a question occurs twice, the second is ``ID#2``."""
        layout = stated_and_added(source, _KEYS, options.mapping, dropped=_COPIES)
        return _numbered(build_all(source, layout, options))


def _numbered(cases: Iterator[Case]) -> Iterator[Case]:
    """Gives repeated questions different ids.

    The first release of mini-dev has 498 different questions: two of them occur twice, word for
    word, and prediction files count both. Ids that repeat for different questions stay an error.
    """
    asked: dict[str, tuple[tuple[Json, ...], int]] = {}
    for case in cases:
        said = (case.db_id, case.question, case.reference_sqls)
        first, times = asked.get(case.id, (said, 0))
        asked[case.id] = (first, times + 1)
        again = times > 0 and said == first
        yield replace(case, id=f"{case.id}#{times + 1}") if again else case


def split(text: str) -> tuple[str, str | None]:
    """The query and the db_id of BIRD's prediction text; db_id is None if its mark is missing."""
    sql, mark, db_id = text.rpartition(_MARK)
    return (sql, db_id.strip()) if mark else (text, None)


def prediction(value: Json, key: str, origin: str) -> tuple[str | None, str | None]:
    """The query (None for an abstention) and the db_id of a value in a prediction file.

    Raises:
        InputError: SJ105 if the value is neither SQL nor null.
    """
    if value == FAILED and type(value) is int:
        return "", None
    if not isinstance(value, str):
        return as_sql(value, key, origin), None
    sql, db_id = split(value)
    return as_sql(sql, key, origin), db_id
