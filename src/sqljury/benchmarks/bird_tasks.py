"""BIRD-Interact, LiveSQLBench and BIRD-CRITIC: tasks with statements that solve them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqljury.benchmarks.fields import as_object, build, stated
from sqljury.benchmarks.files import FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, has_keys, register
from sqljury.case import Case, Json
from sqljury.stored_table import ReferenceTable

_OWN = ("selected_database", "sol_sql", "issue_sql")


@register
class BirdTasks(Format):
    """One case per task, with ``sol_sql`` as its reference and ``pred_sqls`` as its prediction.

    Only queries are run. A task that has test functions in Python, statements before it, several
    statements or changes to the database keeps its reference as text; judges of rows leave it out
    and say why. Follow-up questions stay in ``extra``.
    """

    name = "bird_tasks"
    description = "BIRD-Interact, LiveSQLBench, BIRD-CRITIC: instance_id, sol_sql, test_cases"
    priority = 30

    def claims(self, source: Source) -> bool:
        """True for records with an instance_id and a key that only these benchmarks have."""
        return has_keys(source, "instance_id") and any(has_keys(source, key) for key in _OWN)

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per task."""
        live = has_keys(source, "selected_database")
        keys = {
            "id": "instance_id",
            "question": "query",
            "db_id": "selected_database" if live else "db_id",
            "reference_sqls": "sol_sql",
            "difficulty": "difficulty_tier",
        }
        if has_keys(source, "pred_sqls"):
            keys["predicted_sql"] = "pred_sqls"
        layout = stated(keys, options.mapping)
        for position, record in enumerate(source.records()):
            data = {**as_object(record), "sol_sql": _statements(as_object(record).get("sol_sql"))}
            case = build(
                FileRecord(data, record.origin),
                layout,
                position=position,
                stem=source.stem,
                benchmark=options.benchmark,
            )
            reason = ", ".join(_not_run(data, live=live)) if case.reference_sqls else ""
            problem = ReferenceTable(name="sol_sql", problem=f"not run: {reason}")
            yield replace(case, reference_tables=(problem,)) if reason else case


def _statements(value: Json) -> Json:
    """The statements of a solution; in a text they are separated by ``[split]``."""
    if not isinstance(value, str):
        return value
    return [one for one in re.split(r"\[split\]\s*", value) if one.strip()]


def _not_run(data: Mapping[str, Json], *, live: bool) -> Iterator[str]:
    """Why the rows of a task's solution do not say whether a prediction is right."""
    category = data.get("category")
    if category == "Management":
        yield "it changes the database"
    tests = data.get("test_cases")
    # The scripts of LiveSQLBench and BIRD-Interact compare rows if the category is Query.
    if isinstance(tests, list) and tests and not (live and category == "Query"):
        yield f"{len(tests)} test function{'s' * (len(tests) > 1)} in Python"
    if data.get("preprocess_sql"):
        yield "statements before it"
    solution = data.get("sol_sql")
    if isinstance(solution, list) and len(solution) > 1:
        yield f"{len(solution)} statements"
