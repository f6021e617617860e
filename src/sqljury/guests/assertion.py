"""`assert_sql`: asserts that a predicted query is correct, in pytest or elsewhere."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqljury as sj
from sqljury.case import Json
from sqljury.extraction import statement_in

SHOWN_ROWS = 5
"""A message shows at most so many rows of each side."""


class WrongSQLError(AssertionError):
    """Raised for a prediction whose verdict is not ``correct``.

    Attributes:
        case: the question and the queries.
        judge: the judge's name.
        verdict: the whole verdict, with its evidence.
    """

    def __init__(self, case: sj.Case, judge: str, verdict: sj.Verdict, message: str) -> None:
        super().__init__(message)
        self.case, self.judge, self.verdict = case, judge, verdict


@dataclass(slots=True)
class Assertions:
    """Asserts on queries, keeping a worker ready for each database and judge used.

    Args:
        settings: keywords of :class:`sqljury.Evaluator` for all assertions.
        judge: the judge for assertions that name none; None: ``execution:strict``.
    """

    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    judge: str | None = None
    _ready: dict[str, sj.Evaluator] = field(default_factory=dict, repr=False)

    def assert_sql(
        self,
        *,
        predicted: str | None,
        reference: str | Sequence[str] | None = None,
        question: str = "",
        database: str | os.PathLike[str] | None = None,
        judge: str | sj.Judge | None = None,
        hint: str | None = None,
        db_id: str | None = None,
        **settings: Any,
    ) -> sj.Verdict:
        """Assert that a predicted query answers the question.

        Args:
            predicted: the query, or a model's text with it; None if the system under test gave no
                answer.
            reference: one or several right queries.
            question: what the user asked; judges of intent need it.
            database: a database file or URL, or a folder of them together with ``db_id``.
            judge: a judge or its name; by default ``execution:strict``, which needs a reference.
            hint: what words of the question mean in this database.
            db_id: which database of a folder; by default the name of the file.
            settings: further keywords of :class:`sqljury.Evaluator`, such as ``limits=``.

        Returns:
            The verdict, which is ``correct``.

        Raises:
            WrongSQLError: the verdict is not ``correct`` (``unknown`` included). The message shows
                the queries, the rows that differ and the differences in words.
            InputError: there is neither a judge nor a reference, a folder has no ``db_id``, or the
                judge or the database does not exist.
            InfrastructureError: the judge could not run.
        """
        __tracebackhide__ = True
        judge = judge or self.judge
        if judge is None:
            if reference is None:
                raise sj.InputError(
                    "SJ850",
                    "assert_sql was given neither a reference nor a judge.",
                    hint="Without a reference name a judge that needs none: judge='faults'.",
                )
            judge = "execution:strict"
        place = None if database is None else os.fspath(database)
        if db_id is None and place is not None and Path(place).is_dir():
            raise sj.InputError(
                "SJ850", f"{place!r} is a folder, so db_id must say which database of it is meant."
            )
        case = sj.Case(
            id="assertion",
            db_id=db_id or ("" if place is None else Path(place).stem),
            question=question or None,
            hint=hint,
            predicted_sql=None if predicted is None else statement_in(predicted),
            reference_sqls=_texts(reference),
        )
        try:
            name, verdict = self._judged(case, place, judge, {**self.settings, **settings})
        except sj.SqljuryError as error:  # shown at the caller's line, not inside a worker
            raise error.with_traceback(None) from None
        if verdict.outcome is sj.Outcome.CORRECT:
            return verdict
        if verdict.outcome.is_infrastructure:
            raise sj.InfrastructureError("SJ416", f"{name}: {verdict.reason}")
        raise WrongSQLError(case, name, verdict, message(case, name, verdict, place))

    def close(self) -> None:
        """End all workers."""
        while self._ready:
            self._ready.popitem()[1].close()

    def _judged(
        self,
        case: sj.Case,
        database: str | None,
        judge: str | sj.Judge,
        settings: Mapping[str, Any],
    ) -> tuple[str, sj.Verdict]:
        made = sj.make_judge(judge) if isinstance(judge, str) else judge
        if sj.Needs.LLM not in made.needs:
            settings = {name: value for name, value in settings.items() if name != "llm"}
        key = repr((database, made, sorted(settings.items())))
        ready = self._ready.get(key)
        if ready is None:
            ready = self._ready[key] = sj.Evaluator(database, [judge], **settings)
        ((name, verdict),) = ready.judge(case).items()
        return name, verdict


_SHARED = Assertions()
atexit.register(_SHARED.close)

assert_sql = _SHARED.assert_sql
"""Like :meth:`Assertions.assert_sql`, with workers that stay until the program ends."""


def message(case: sj.Case, judge: str, verdict: sj.Verdict, database: str | None = None) -> str:
    """The text of a failure: question, queries, rows that differ, differences in words."""
    lines = [f"{verdict.outcome} by {judge}: {verdict.reason}"]
    if case.question:
        lines.append(f"question:  {case.question}")
    lines.append(f"predicted: {_one_line(str(case.predicted_sql or 'none'))}")
    lines += [f"reference: {_one_line(sql)}" for sql in case.reference_sqls]
    lines += _rows(verdict.evidence)
    lines += _words(case, database)
    return "\n".join(lines)


def _rows(evidence: Mapping[str, Json]) -> Iterator[str]:
    """Lines with the first rows that only one side has."""
    explained = evidence.get("explanation")
    if not isinstance(explained, dict):
        return
    for side, title in (("missing", "only in the reference"), ("extra", "only in the prediction")):
        found = explained.get(side) or {}
        rows = found.get("rows") or []
        for row in rows[:SHOWN_ROWS]:
            yield f"{title}: {tuple(row['cells'])!r}"
        if found.get("total", 0) > SHOWN_ROWS:
            yield f"{title}: {found['total'] - SHOWN_ROWS:,} more"


def _words(case: sj.Case, database: str | None) -> Iterator[str]:
    """Lines with the differences between the queries; none if one cannot be parsed."""
    if database is None or not case.reference_sqls or not isinstance(case.predicted_sql, str):
        return
    try:
        found = sj.diff_queries(
            case.reference_sqls[0], case.predicted_sql, database=database, db_id=case.db_id
        )
    except sj.SqljuryError:
        return
    for difference in found.differences:
        yield f"difference: {difference.words}"


def _texts(reference: str | Sequence[str] | None) -> tuple[str, ...]:
    if reference is None:
        return ()
    return (reference,) if isinstance(reference, str) else tuple(reference)


def _one_line(sql: str) -> str:
    return " ".join(sql.split())
