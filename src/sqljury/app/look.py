"""The door to runs: their scores, the list of their cases, each case, comparisons of two runs."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sqljury.app.pages import is_part, page
from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.reports.cases import verdict_page
from sqljury.reports.words import count, visible
from sqljury.uses.browse import CaseFilter, CaseView, RunBrowser
from sqljury.uses.browse.index import NOT_CORRECT
from sqljury.uses.evaluate.comparison import RunComparison, compare_runs, comparison_document
from sqljury.uses.evaluate.page import overview_values
from sqljury.verdict import Cost

_PAGE = 100
_MOST_LISTED = 200
_SELECTS = (
    *(("judge", "Judge"), ("outcome", "Outcome"), ("cause", "Cause"), ("db", "Database")),
    *(("system", "System"), ("right", "Right"), ("wrong", "Wrong")),
    *(("difficulty", "Difficulty"), ("feature", "Feature"), ("label", "Label")),
    *(("people", "People say"), ("column", "Own column")),
)
_SORTS = (
    *(("", "place in the file"), ("name", "id"), ("outcome", "outcome"), ("cause", "cause")),
    *(("score", "lowest score"), ("-score", "highest score"), ("db", "database")),
    ("question", "question"),
)
_FIELDS = tuple(field.name for field in fields(CaseFilter))


class Look(Closing):
    """The part of the app that shows runs.

    Args:
        runs: the runs' folders.
        databases: where changed queries may be run; None to run none.
    """

    title = "Runs"
    path = "/"

    def __init__(self, runs: Sequence[Path], databases: str | None = None) -> None:
        self._folders = _named(runs)
        self._databases = databases
        self._open: dict[str, RunBrowser] = {}
        self._turn = threading.Lock()
        if len(self._folders) == 1:
            # The list of the only run has nothing to choose from.
            only = next(iter(self._folders))
            self.path = f"/run/{quote(only)}"
            self.browser(only)

    def routes(self) -> Sequence[BaseRoute]:
        """The addresses that this part of the app answers."""
        return [
            Route("/", self.runs),
            Route("/compare", self.compare),
            Route("/run/{run}", self.overview),
            Route("/run/{run}/cases", self.cases),
            Route("/run/{run}/case/{place:int}", self.case),
            Route("/run/{run}/case/{place:int}/query", self.query, methods=["POST"]),
        ]

    def close(self) -> None:
        """Close the runs."""
        for browser in self._open.values():
            browser.close()

    def browser(self, name: str) -> RunBrowser:
        """A run by its name in addresses, opened at its first use.

        Raises:
            InputError: SJ412: there is no such run.
        """
        if name not in self._folders:
            raise InputError("SJ412", f"there is no run {name!r} here.")
        with self._turn:
            if name not in self._open:
                self._open[name] = RunBrowser(self._folders[name], self._databases)
            return self._open[name]

    # ------------------------------------------------------------ pages

    def runs(self, request: Request) -> Response:
        """The page that lists the runs."""
        shown = []
        for name, folder in self._folders.items():
            index = self.browser(name).index
            shown.append(
                {
                    "name": name,
                    "folder": visible(str(folder)),
                    "total": index.total,
                    "judges": index.judges,
                }
            )
        return page(request, "runs", runs=shown, title="Runs")

    def overview(self, request: Request) -> Response:
        """The page with the scores of a run."""
        name, browser = self._asked(request)

        def link(chosen: Mapping[str, str]) -> str:
            return f"/run/{quote(name)}/cases?{urlencode(chosen)}"

        values = overview_values(
            browser.summary,
            title=name,
            total=browser.index.total,
            link=link,
            agreement=browser.agreement,
        )
        return page(request, "run", **{**values, "run_name": name, "tab": "overview"})

    def cases(self, request: Request) -> Response:
        """The page that lists a run's cases, or the part of it that a filter changes."""
        name, browser = self._asked(request)
        chosen = _filter(request.query_params)
        number = max(1, _number(request.query_params.get("page"), 1))
        index = browser.index
        places = index.places(chosen)
        found = len(places)
        first = min((number - 1) * _PAGE, max(0, (found - 1) // _PAGE * _PAGE))
        cases = index.cases(places[first : first + _PAGE], chosen.judge)
        size = index.size
        values: dict[str, Any] = {
            "run_name": name,
            "tab": "cases",
            "title": f"Cases · {name}",
            "judges": browser.judges,
            "cases": [(first + i, one) for i, one in enumerate(cases)],
            "found": found,
            "total": index.total,
            "size": size,
            "is_ready": index.ready.is_set(),
            "first": first,
            "query": _query(chosen),
            "page_query": lambda step: urlencode(
                {**_chosen(chosen), "page": first // _PAGE + 1 + step}
            ),
            "has_next": first + _PAGE < found,
            "link": f"/run/{quote(name)}/case/",
        }
        if not is_part(request):
            values |= {"chosen": chosen, "selects": _selects(browser, chosen), "sorts": _SORTS}
        return page(request, "cases", **values)

    def case(self, request: Request) -> Response:
        """The page of one case."""
        name, browser = self._asked(request)
        place = request.path_params["place"]
        view = browser.view(place)
        return page(request, "case_page", **self._case_values(request, name, browser, view, place))

    async def query(self, request: Request) -> Response:
        """The rows of a changed query of a case."""
        async with request.form() as form:
            sql = str(form.get("sql", ""))
        return await run_in_threadpool(self._run_query, request, sql)

    def _run_query(self, request: Request, sql: str) -> Response:
        name, browser = self._asked(request)
        place = request.path_params["place"]
        view = browser.view(place)
        verdict = browser.run_query(view.case, sql)
        values = self._case_values(request, name, browser, view, place)
        shown, tables = verdict_page(verdict)
        return page(
            request,
            "case_page",
            **{**values, "sql": visible(sql), "answer": shown, "answer_tables": tables},
        )

    def _case_values(
        self, request: Request, name: str, browser: RunBrowser, view: CaseView, place: int
    ) -> dict[str, Any]:
        chosen = _filter(request.query_params)
        places = browser.index.places(chosen)
        at = _number(request.query_params.get("at"), place)
        steps: dict[str, str] = {}
        for near, label in ((at - 1, "prev"), (at + 1, "next")):
            if 0 <= near < len(places):
                query = urlencode({**_chosen(chosen), "at": near})
                steps[label] = f"/run/{quote(name)}/case/{places[near]}?{query}"
        prediction = view.case.predicted_sql
        return {
            "run_name": name,
            "tab": "cases",
            "title": f"{view.page['id']} · {name}",
            "shown": view.page,
            "judges": browser.judges,
            "label_link": lambda label: f"/run/{quote(name)}/cases?{urlencode({'label': label})}",
            "costs": {
                i: text for i, one in enumerate(view.records) if (text := _cost(one.verdict.cost))
            },
            "others": browser.index.others(place),
            "link": f"/run/{quote(name)}/case/",
            "schema": view.schema,
            "plans": [(side, plan.text, Markup(visible(plan.svg))) for side, plan in view.plans],
            "steps": steps,
            "list_link": f"/run/{quote(name)}/cases?{_query(chosen)}",
            "position": at + 1,
            "position_of": len(places),
            "runs_queries": browser.runs_queries,
            "query_link": f"/run/{quote(name)}/case/{place}/query?{_query(chosen)}#answer",
            "sql": visible(prediction) if isinstance(prediction, str) else "",
            "answer": None,
            "answer_tables": [],
        }  # fmt: skip

    def compare(self, request: Request) -> Response:
        """The page that compares two runs: what is newly right and newly wrong."""
        names = [request.query_params.get(side, "") for side in ("first", "second")]
        values: dict[str, Any] = {
            "title": "Compare runs",
            "names": list(self._folders),
            "chosen": names,
            "sections": [],
        }
        if all(names):
            first, second = (self.browser(name) for name in names)
            found = compare_runs(first.folder, second.folder)
            document = comparison_document(found)
            values |= {
                "title": visible(document.title),
                "lead": visible(document.lead),
                "sections": document.sections,
                "notes": [visible(note) for note in document.notes],
                "signature": visible(document.signature),
                "changed": _changed(found, second, names[1]),
            }
        return page(request, "compare", **values)

    def _asked(self, request: Request) -> tuple[str, RunBrowser]:
        name = request.path_params["run"]
        return name, self.browser(name)


def _named(runs: Sequence[Path]) -> dict[str, Path]:
    """The runs by the name of their folder; equal names are numbered."""
    named: dict[str, Path] = {}
    for folder in runs:
        name = base = folder.resolve().name.replace("/", "-") or "run"
        number = 1
        while name in named:
            number += 1
            name = f"{base}-{number}"
        named[name] = folder
    return named


def _filter(given: Mapping[str, str]) -> CaseFilter:
    return CaseFilter(**{name: given[name].strip() for name in _FIELDS if name in given})


def _chosen(chosen: CaseFilter) -> dict[str, Any]:
    return {name: value for name, value in asdict(chosen).items() if value}


def _query(chosen: CaseFilter) -> str:
    return urlencode(_chosen(chosen))


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else default


def _selects(browser: RunBrowser, chosen: CaseFilter) -> list[dict[str, Any]]:
    """The lists to choose from: those with a single value tell nothing apart."""
    values = browser.index.facets().values
    systems = [name for name, _ in values["system"]]
    shown: dict[str, list[tuple[str, str]]] = {
        "judge": [(str(i), visible(name)) for i, name in enumerate(browser.judges)],
        "right": [(name, visible(name)) for name in systems],
        "wrong": [(name, visible(name)) for name in systems],
    }
    found = []
    for name, title in _SELECTS:
        options = shown.get(name) or [
            (value, f"{visible(value)} ({count(n)})") for value, n in values.get(name, ())
        ]
        least = 1 if name in ("cause", "label", "outcome") else 2
        if len(options) < least and not getattr(chosen, name):
            continue
        if name == "outcome":
            options = [(NOT_CORRECT, "not correct"), *options]
        if (value := getattr(chosen, name)) and value not in dict(options):
            options = [(value, visible(value)), *options]
        found.append({"name": name, "title": title, "options": options})
    return found


def _cost(cost: Cost) -> str:
    """Calls, tokens and money of one verdict, with its stages; empty without calls."""
    if not cost.calls:
        return ""
    stages = "; ".join(f"{visible(name)} {_spent(one)}" for name, one in cost.stages.items())
    return f"{_spent(cost)}{f' ({stages})' if len(cost.stages) > 1 else ''}"


def _spent(cost: Cost) -> str:
    money = f", ${cost.money:.4f}" if cost.money else ""
    calls = "call" if cost.calls == 1 else "calls"
    return f"{count(cost.calls)} {calls}, {count(cost.tokens)} tokens{money}"


def _changed(found: RunComparison, second: RunBrowser, name: str) -> list[dict[str, Any]]:
    """For each judge, the cases that are newly wrong or right, with links into the second run."""
    shown = []
    for judge in found.judges:
        for what, by_cause in (("wrong", judge.newly_wrong), ("right", judge.newly_right)):
            failures = [(cause, one) for cause, group in by_cause.items() for one in group]
            cases = []
            for cause, one in failures[:_MOST_LISTED]:
                place = second.index.place_of(one.case.name)
                link = None if place is None else f"/run/{quote(name)}/case/{place}"
                cases.append(
                    (link, visible(one.case.name), visible(one.case.question or ""), cause)
                )
            shown.append(
                {"judge": judge.judge, "what": what, "cases": cases, "total": len(failures)}
            )
    return shown
