"""ROSE's files: question, predicted and gold SQL, labels of experts and answers of judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from sqljury.benchmarks.fields import FAILED, stated
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.benchmarks.texts import dump
from sqljury.case import MISSING, Case, Json

KEYS = {
    "id": "question_id",
    "question": "question",
    "db_id": "db_id",
    "predicted_sql": "predicted_sql",
    "reference_sqls": "gold_sql",
    "hint": "evidence",
    "label": "label",
    "difficulty": "difficulty",
    "criteria": "criteria",
    "answerable": "answerable",
    "benchmark": "benchmark",
    "source": "source",
}
# The last four are ours, so that nothing is lost in writing.


@register
class RoseFormat(Format):
    """Scores and judges' answers in ROSE's result files go to ``extra``."""

    name = "rose"
    description = "ROSE and ROSE-VEC: question_id, question, db_id, predicted_sql, gold_sql, label"
    priority = 60

    def claims(self, source: Source) -> bool:
        """True if the records have ROSE's names of the two queries."""
        return has_keys(source, "question_id", "predicted_sql", "gold_sql")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per object."""
        return build_all(source, stated(KEYS, options.mapping, failed=(FAILED,)), options)

    def write(self, cases: Iterable[Case], stream: IO[str]) -> None:
        """Writes a list with one object per case."""
        separator = "[\n"
        for case in cases:
            stream.write(separator + _indented(dump(as_rose(case), indent=2)))
            separator = ",\n"
        stream.write("\n]\n" if separator == ",\n" else "[]\n")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def as_rose(case: Case) -> dict[str, Json]:
    """A case as an object of ROSE's files."""
    out: dict[str, Json] = {"question_id": int(case.id) if _is_number(case.id) else case.id}
    out["question"] = case.question
    out["db_id"] = case.db_id
    if case.predicted_sql is not MISSING:
        out["predicted_sql"] = case.predicted_sql
    out["gold_sql"] = _gold(case)
    out["evidence"] = case.hint or ""
    stated = {
        "label": case.label,
        "difficulty": case.difficulty,
        "criteria": case.criteria,
        "answerable": case.answerable,
        "benchmark": case.benchmark or None,
        "source": case.source or None,
    }
    out.update((key, value) for key, value in stated.items() if value is not None)
    return {**out, **{key: value for key, value in case.extra.items() if key not in out}}


def _gold(case: Case) -> Json:
    if len(case.reference_sqls) == 1:
        return case.reference_sqls[0]
    return list(case.reference_sqls) or None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and str(int(text)) == text
