"""The door to labelling: annotators label cases, adjudicators decide, all see how far it is.

An annotator sees neither the others' labels nor what judges say.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sqljury.app.pages import page
from sqljury.benchmarks import write_cases
from sqljury.case import Case
from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.isolation import TemporaryFolder
from sqljury.reports.cases import verdict_page
from sqljury.reports.sqltext import compared, formatted
from sqljury.reports.words import case_facts, no_prediction, visible
from sqljury.settings import Limits
from sqljury.uses.browse.cases import plans_of, shown_schema
from sqljury.uses.browse.rows import QueryRunner
from sqljury.uses.case_schemas import CaseSchemas
from sqljury.uses.label import LabelStore, LabelVote, progress_of
from sqljury.uses.label.document import progress_document
from sqljury.uses.label.exchange import labelled

_SEE_OTHER = 303
_SECONDS = 5.0
"""A page waits so long for a query's rows."""


class Label(Closing):
    """The door to one labelling project.

    Args:
        store: the project; this closes it.
        databases: where the queries may be run, so that their rows and the schema are shown.
    """

    title = "Label"
    path = "/label"

    def __init__(self, store: LabelStore, databases: str | None = None) -> None:
        self._store = store
        self._schemas = CaseSchemas(databases)
        self._runs_queries = databases is not None
        self._runner = QueryRunner(databases, replace(Limits(), seconds=_SECONDS))
        self._turn = threading.Lock()

    def routes(self) -> Sequence[BaseRoute]:
        """The addresses that this part of the app answers."""
        return [
            Route("/label", self.start),
            Route("/label/export/{what}.json", self.export),
            Route("/label/by/{who:int}", self.annotate),
            Route("/label/by/{who:int}/undo", self.undo, methods=["POST"]),
            Route("/label/by/{who:int}/{number:int}", self.vote, methods=["POST"]),
            Route("/label/decide", self.queue),
            Route("/label/decide/{number:int}", self.conflict),
            Route("/label/decide/{number:int}", self.decide, methods=["POST"]),
        ]

    def close(self) -> None:
        """Close the project's file, and stop the worker that runs queries."""
        self._store.close()
        self._runner.close()

    # ------------------------------------------------------------ reading

    def start(self, request: Request) -> Response:
        """Who labels, and how far they are."""
        with self._turn:
            self._store.refresh()
            found = progress_of(self._store)
        document = progress_document(found, title="Label cases")
        return page(
            request,
            "label_start",
            title=document.title,
            lead=f"{self._store.path.name}: choose your name to label.",
            names=[(name, f"/label/by/{who}") for who, (name, *_) in enumerate(found.annotators)],
            conflicts=found.conflicts,
            sections=document.sections,
            notes=(),
            signature=document.signature,
        )

    def annotate(self, request: Request) -> Response:
        """The next case of an annotator."""
        name, here = self._who(request)
        skipped = request.query_params.get("after", "")
        with self._turn:
            self._store.refresh()
            after = int(skipped) if skipped.isdecimal() and len(skipped) < 9 else None
            if after is not None and after >= len(self._store.cases):
                after = None
            number = self._store.next_case(name, after)
            done, total = self._store.counts(name)
        values: dict[str, Any] = {
            "title": f"Label as {name}",
            "name": name,
            "here": here,
            "done": done,
            "count": total,
            "number": number,
        }
        if number is not None:
            hides = self._store.project.hide_reference
            values |= self._shown(self._store.cases[number].case, hides_reference=hides)
            values["hides_reference"] = hides
        return page(request, "label_case", **values)

    def queue(self, request: Request) -> Response:
        """The cases on which annotators disagree."""
        with self._turn:
            self._store.refresh()
            numbers = self._store.conflicts()
        cases = [
            (number, visible(case.name), visible(case.question or "(no question)"))
            for number in numbers
            for case in [self._store.cases[number].case]
        ]
        return page(request, "label_queue", title="To decide", cases=cases)

    def conflict(self, request: Request) -> Response:
        """One case on which annotators disagree, with their labels and reasons."""
        number = request.path_params["number"]
        with self._turn:
            self._store.refresh()
            if number not in self._store.conflicts():
                raise InputError(
                    "SJ555", f"the annotators do not disagree about case {number + 1}."
                )
            votes = list(self._store.votes[number].values())
        case = self._store.cases[number].case
        return page(
            request,
            "label_decide",
            title="Decide",
            number=number,
            votes=votes,
            by=request.query_params.get("by", ""),
            **self._shown(case, hides_reference=False),
        )

    def export(self, request: Request) -> Response:
        """The labels as a file in ROSE-VEC's format: ``agreed`` or ``all``."""
        all_votes = request.path_params["what"] == "all"
        with self._turn, TemporaryFolder() as folder:
            self._store.refresh()
            path = folder / "labels.json"
            write_cases(labelled(self._store, all_votes=all_votes), path, "rose")
            body = path.read_bytes()
        name = "labels-all.json" if all_votes else "labels-agreed.json"
        disposition = f'attachment; filename="{name}"'
        return Response(
            body,
            media_type="application/json",
            headers={"Content-Disposition": disposition},
        )

    def _shown(self, case: Case, *, hides_reference: bool) -> dict[str, Any]:
        """What an annotator sees of a case: nothing that a judge or another person said."""
        prediction = case.predicted_sql if isinstance(case.predicted_sql, str) else None
        if hides_reference:
            case = replace(case, reference_sqls=(), reference_tables=())
        references = case.reference_sqls
        schema = self._schemas.of(case)
        facts = [(name, visible(text)) for name, text in case_facts(case) if name != "label"]
        shown: dict[str, Any] = {
            "facts": facts[1:] if case.question else facts,
            "question": visible(case.question or case.name),
            "no_prediction": no_prediction(case),
            "schema": shown_schema(schema, plans_of(case, schema)),
            "schema_sql": "" if schema else visible(case.schema_sql or ""),
            "rows": None,
            "no_rows": "",
            "diff": None,
            "alone": "" if prediction is None else visible(formatted(prediction)),
            "references": [visible(formatted(sql)) for sql in references],
        }
        if prediction is not None and references:
            shown["diff"] = [
                (line.left, line.right) for line in compared(references[0], prediction)
            ]
            shown["references"] = shown["references"][1:]
        if prediction is not None and self._runs_queries:
            verdict = self._runner.run(case, prediction)
            found, tables = verdict_page(verdict)
            if "tables" in found:
                shown["rows"] = tables[0]
            else:
                shown["no_rows"] = visible(verdict.reason)
        return shown

    # ------------------------------------------------------------ writing

    async def vote(self, request: Request) -> Response:
        """Store a label, and go to the next case."""
        name, here = self._who(request)
        number = request.path_params["number"]
        return await self._written(
            request, lambda form: self._store.vote(number, name, _vote(form)), here
        )

    async def undo(self, request: Request) -> Response:
        """Withdraw an annotator's latest label; its case is the next one again."""
        name, here = self._who(request)
        return await self._written(request, lambda _: self._store.undo(name), here)

    async def decide(self, request: Request) -> Response:
        """Store an adjudicator's label, and go to the next case to decide."""
        number = request.path_params["number"]
        by = ""

        def store(form: Mapping[str, str]) -> None:
            nonlocal by
            by = form.get("by", "")
            self._store.decide(number, by, _vote(form))

        def then() -> str:
            left = self._store.conflicts()
            return f"/label/decide/{left[0]}?by={quote(by)}" if left else "/label/decide"

        return await self._written(request, store, then)

    def _who(self, request: Request) -> tuple[str, str]:
        """The annotator's name, and the address of their next case."""
        who, names = request.path_params["who"], self._store.project.annotators
        if who >= len(names):
            raise InputError("SJ412", f"there is no annotator {who + 1}.")
        return names[who], f"/label/by/{who}"

    async def _written(
        self,
        request: Request,
        store: Callable[[Mapping[str, str]], object],
        then: str | Callable[[], str],
    ) -> Response:
        async with request.form() as form:
            given = {name: value for name, value in form.items() if isinstance(value, str)}

        def write() -> str:
            with self._turn:
                store(given)
                return then if isinstance(then, str) else then()

        return RedirectResponse(await run_in_threadpool(write), _SEE_OTHER)


def _vote(form: Mapping[str, str]) -> LabelVote:
    verdict = form.get("verdict")
    if verdict not in ("correct", "incorrect"):
        raise InputError("SJ555", "say whether the prediction is correct or incorrect.")
    return LabelVote(
        correct=verdict == "correct",
        reason=form.get("reason", "").replace("\r\n", "\n").strip(),
        ambiguous="ambiguous" in form,
        faulty_reference="faulty_reference" in form,
    )
