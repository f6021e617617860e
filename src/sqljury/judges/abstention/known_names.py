"""Whether the schema has all tables and columns that the query names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql.resolve import resolve
from sqljury.sql.tokens import is_too_large
from sqljury.verdict import Outcome, Verdict


@register
@dataclass(frozen=True)
class KnownNames(Judge):
    """The prediction is a query, and every table and column it names is in the schema.

    Only the text is read, nothing is executed. A name in double quotes that is no column is a
    text, as in SQLite and MySQL. Without a schema the verdict is `unknown`.
    """

    name: ClassVar[str] = "known_names"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if all names are in the schema; ``incorrect`` too for what is no query."""
        schema = evidence.schema()
        if schema is None:
            return Verdict(outcome=Outcome.UNKNOWN, reason="there is no schema")
        found = resolve(str(case.predicted_sql), evidence.dialect, schema)
        if found is None:
            if is_too_large(str(case.predicted_sql), evidence.dialect):
                return Verdict(outcome=Outcome.UNKNOWN, reason="the query is too large to be read")
            return Verdict.incorrect("not a query that can be read", labels=("not_a_query",))
        tables, columns = found.unknown_tables, found.unknown_columns
        if not tables and not columns:
            return Verdict.correct("all names are in the schema")
        parts = [f"no table {', '.join(tables)}"] if tables else []
        parts += [f"no column {', '.join(columns)}"] if columns else []
        labels = (("unknown_table",) if tables else ()) + (("unknown_column",) if columns else ())
        return Verdict.incorrect("; ".join(parts), labels=labels)
