"""Tasks for Label Studio and Argilla, and the labels that people gave there.

Both are written with the whole case inside, so that an export is a file of cases with labels.
Sources: Label Studio's JSON format of tasks and exports; Argilla's ``records.to_json``.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO, Any, ClassVar, Final

from sqljury.benchmarks.files import FileKind, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.case import Case, Json
from sqljury.errors import InputError

CONTROL: Final = "answers"
"""The name of Label Studio's control and of Argilla's question with the choices."""
_CHOICES: Final = {"yes": True, "no": False}
_CASE = "sqljury_case"


class _Annotated(Format):
    """Tasks that show question, hint and SQL; ``yes`` and ``no`` are the labels.

    With several annotators the majority decides; a tie is no label. The votes are in ``extra``.
    """

    priority = 14
    _holds: ClassVar[str]
    """The key of a task with what annotators see."""

    def claims(self, source: Source) -> bool:
        """True if the first record is a task that was written here."""
        if source.kind not in (FileKind.JSON_LIST, FileKind.JSON_LINES) or not source.head:
            return False
        return self._case_text(source.head[0].data) is not None

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """The cases, each with the label of the majority."""
        for record in source.records():
            text = self._case_text(record.data)
            try:
                case = Case.from_dict(json.loads(str(text)))
            except (TypeError, ValueError, RecursionError):
                raise InputError(
                    "SJ105",
                    f"the task has no {_CASE!r}.",
                    where=record.origin,
                    hint="Keep this value in the tasks: it holds the case.",
                ) from None
            assert isinstance(record.data, dict)
            votes = Counter(vote for vote in self._votes(record.data) if vote in _CHOICES)
            extra = {**case.extra, **({"votes": dict(votes)} if votes else {})}
            if options.benchmark is not None:
                case = replace(case, benchmark=options.benchmark)
            yield replace(case, label=_majority(votes), extra=extra, origin=record.origin)

    def write(self, cases: Iterable[Case], stream: IO[str]) -> None:
        """Writes one JSON list."""
        json.dump([self._task(case) for case in cases], stream, ensure_ascii=False, indent=1)

    def _case_text(self, task: Json) -> str | None:
        shown = task.get(self._holds) if isinstance(task, dict) else None
        text = shown.get(_CASE) if isinstance(shown, dict) else None
        return text if isinstance(text, str) else None

    @abstractmethod
    def _task(self, case: Case) -> dict[str, Json]: ...

    @abstractmethod
    def _votes(self, task: Mapping[str, Any]) -> Iterator[str]: ...


@register
class LabelStudio(_Annotated):
    """Label Studio's tasks, and its export as JSON."""

    name = "label_studio"
    description = "tasks for Label Studio, and its export as JSON, with people's labels"
    _holds = "data"

    def _task(self, case: Case) -> dict[str, Json]:
        return {"data": {**_shown(case), _CASE: _kept(case)}}

    def _votes(self, task: Mapping[str, Any]) -> Iterator[str]:
        for annotation in _dicts(task.get("annotations")):
            if not annotation.get("was_cancelled"):
                for result in _dicts(annotation.get("result")):
                    value = result.get("value")
                    if result.get("from_name") == CONTROL and isinstance(value, dict):
                        yield from map(str, value.get("choices") or ())


@register
class Argilla(_Annotated):
    """JSON that the labelling tool Argilla reads and writes (its ``records`` of a data set)."""

    name = "argilla"
    description = "records for Argilla, and its JSON of them, with people's labels"
    _holds = "metadata"

    def _task(self, case: Case) -> dict[str, Json]:
        return {
            "id": case.name,
            "fields": _shown(case),
            "metadata": {_CASE: _kept(case)},
            "suggestions": {},
            "responses": {},
            "vectors": {},
        }

    def _votes(self, task: Mapping[str, Any]) -> Iterator[str]:
        responses = task.get("responses")
        given = responses.get(CONTROL) if isinstance(responses, dict) else None
        yield from (str(one.get("value")) for one in _dicts(given))


def _shown(case: Case) -> dict[str, Json]:
    """What annotators see; the reference is not shown."""
    sql = case.predicted_sql if isinstance(case.predicted_sql, str) else ""
    known = {"hint": case.hint} if case.hint else {}
    return {"question": case.question or "", "sql": sql, "database": case.db_id, **known}


def _kept(case: Case) -> str:
    """The case as JSON text, without the label, which would influence annotators."""
    return json.dumps(replace(case, label=None).to_dict(), ensure_ascii=False)


def _majority(votes: Counter[str]) -> bool | None:
    yes, no = votes["yes"], votes["no"]
    return None if yes == no else yes > no


def _dicts(value: Json) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
