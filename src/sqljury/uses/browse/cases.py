"""What pages show of a run: scores, cases with schema and trees, rows of a changed query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.case import Case, Json
from sqljury.closing import Closing
from sqljury.errors import InputError, SqljuryError
from sqljury.reports.cases import case_page
from sqljury.runs import open_run
from sqljury.schema import Schema, Table
from sqljury.settings import Limits
from sqljury.trees.nodes import Scan
from sqljury.trees.walk import relations
from sqljury.uses.browse.index import CaseIndex
from sqljury.uses.browse.rows import QueryRunner
from sqljury.uses.case_schemas import CaseSchemas, differences_of
from sqljury.uses.queries import QueryPlan, plan_query
from sqljury.verdict import Record, Verdict

if TYPE_CHECKING:
    from sqljury.uses.agree.agreement import Agreement
    from sqljury.uses.evaluate.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSchemaTable:
    """A table of the case's database and whether a query of the case reads it."""

    table: Table
    is_used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """All that the page of one case shows."""

    records: Sequence[Record]
    page: Mapping[str, Json]
    """The page as :func:`sqljury.reports.cases.case_page` makes it."""
    schema: Sequence[ShownSchemaTable]
    """Tables that the queries read first; empty if the schema is not known."""
    plans: Sequence[tuple[str, QueryPlan]]
    """The operator trees of the first reference and the prediction, as far as they can be read."""

    @property
    def case(self) -> Case:
        """The case."""
        return self.records[0].case


def plans_of(case: Case, schema: Schema | None) -> list[tuple[str, QueryPlan]]:
    """The operator trees of the first reference and the prediction, as far as they can be read."""
    found = []
    references = next(iter(case.reference_sqls), None)
    for name, sql in (("Reference", references), ("Prediction", case.predicted_sql)):
        if isinstance(sql, str) and schema is not None:
            with suppress(SqljuryError):  # it cannot be read
                found.append((name, plan_query(sql, schema=schema)))
    return found


class RunBrowser(Closing):
    """One run, opened for reading.

    Args:
        folder: the run's folder.
        databases: where the run's databases are, if changed queries may be run on them.
    """

    def __init__(self, folder: Path, databases: str | None = None) -> None:
        self.folder = folder
        self.index = CaseIndex(folder)
        self.judges = self.index.judges
        self._databases = databases
        with open_run(folder) as run:
            place = databases or run.databases
            limits = run.manifest.get("limits")
        self._schemas = CaseSchemas(place)
        given = Limits(**limits) if isinstance(limits, dict) else Limits()
        self._runner = QueryRunner(databases, given)

    def close(self) -> None:
        """Stop the workers, and remove the index."""
        self.index.close()
        self._runner.close()

    @cached_property
    def summary(self) -> Summary:
        """The run's scores."""
        from sqljury.uses.evaluate.evaluation import load_run

        with load_run(self.folder) as found:
            return found.summary

    @cached_property
    def agreement(self) -> Agreement | None:
        """The judges' agreement with the run's human labels; None if it has none.

        Found when it is first asked for, which takes a second for some hundred labels.
        """
        from sqljury.uses.agree.files import agree_files

        labelled = {name for name, _ in self.index.facets().values["people"]} - {"none"}
        try:
            return agree_files([str(self.folder)]) if labelled else None
        except InputError:  # no judge has a score
            return None

    @property
    def runs_queries(self) -> bool:
        """True if changed queries can be run."""
        return self._databases is not None

    # ------------------------------------------------------------ one case

    def view(self, place: int) -> CaseView:
        """What is shown of the case at a position of the input.

        Raises:
            InputError: SJ412: there is no such case.
        """
        with open_run(self.folder) as run:
            records = list(run.records(place=place))
        if not records:
            raise InputError("SJ412", f"no case at position {place} in {self.folder}.")
        case = records[0].case
        schema = self._schemas.of(case)
        plans = plans_of(case, schema)
        return CaseView(
            records=records,
            page=case_page(records, self.judges, differences_of(case, schema)),
            schema=shown_schema(schema, plans),
            plans=plans,
        )

    # ------------------------------------------------------------ a changed query

    def run_query(self, case: Case, sql: str) -> Verdict:
        """The rows of another query for a case; see :meth:`QueryRunner.run`.

        Raises:
            InputError: SJ450: no databases were given.
        """
        return self._runner.run(case, sql)


def shown_schema(
    schema: Schema | None, plans: Sequence[tuple[str, QueryPlan]]
) -> list[ShownSchemaTable]:
    """The tables of a schema, those that the queries read first; none if it is not known."""
    used = {name.casefold() for _, plan in plans for name in _scanned(plan)}
    shown = [
        ShownSchemaTable(table=table, is_used=table.name.casefold() in used)
        for table in (() if schema is None else schema.tables)
    ]
    return sorted(shown, key=lambda one: not one.is_used)


def _scanned(plan: QueryPlan) -> list[str]:
    return [node.table for node in relations(plan.tree) if isinstance(node, Scan)]
