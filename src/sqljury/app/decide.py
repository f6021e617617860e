"""The door to an audit's findings: a person with a name accepts, changes or rejects each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sqljury.app.pages import page
from sqljury.case import Case
from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.reports.cases import verdict_page
from sqljury.reports.words import count, percent, shortened, visible
from sqljury.settings import Limits
from sqljury.uses.audit.audit import AuditFinding
from sqljury.uses.audit.deciding import Decided, FindingDecision, FindingDecisions
from sqljury.uses.audit.document import finding_card
from sqljury.uses.browse.rows import QueryRunner

_SEE_OTHER = 303
_PAGE = 100
_OPEN = "open"
_CHOICES = (
    ("", "any"),
    (_OPEN, "not decided"),
    *((str(one), str(one)) for one in FindingDecision),
)
_LONGEST = 300


class Decide(Closing):
    """The part of the app in which people decide on the findings of one audit.

    Args:
        decisions: the findings and what is decided.
        databases: where queries may be run; None to run none.
    """

    title = "Decide"
    path = "/decide"

    def __init__(self, decisions: FindingDecisions, databases: str | None = None) -> None:
        self._decisions = decisions
        self._runs_queries = databases is not None
        self._runner = QueryRunner(databases, Limits())

    def routes(self) -> Sequence[BaseRoute]:
        """The addresses that this part of the app answers."""
        return [
            Route("/decide", self.findings),
            Route("/decide/{key}", self.finding),
            Route("/decide/{key}", self.decide, methods=["POST"]),
        ]

    def close(self) -> None:
        """Stop the worker that runs queries."""
        self._runner.close()

    def findings(self, request: Request) -> Response:
        """The list of findings, the likeliest fault first."""
        given = {name: request.query_params.get(name, "") for name in ("code", "state", "q")}
        known = self._decisions.findings
        chosen = [key for key in known if self._is_chosen(key, given)]
        first = _first(request.query_params.get("page"), len(chosen))
        codes = sorted({(one.code, one.title) for one in known.values()})
        return page(
            request,
            "findings",
            title="Findings",
            given=given,
            codes=[(code, f"{code} {title}") for code, title in codes],
            states=_CHOICES,
            found=len(chosen),
            total=len(known),
            decided=len(self._decisions.decided),
            overlay=visible(str(self._decisions.overlay)),
            rows=[self._row(key) for key in chosen[first : first + _PAGE]],
            query=urlencode(_stated(given)),
            page_query=lambda step: urlencode(
                {**_stated(given), "page": first // _PAGE + 1 + step}
            ),
            first=first,
            has_next=first + _PAGE < len(chosen),
        )

    def _is_chosen(self, key: str, given: Mapping[str, str]) -> bool:
        finding, decided = self._decisions.findings[key], self._decisions.decided.get(key)
        state = _OPEN if decided is None else str(decided.decision)
        text = " ".join((finding.id, finding.question, finding.sql, finding.reason)).lower()
        return (
            given["code"] in ("", finding.code)
            and given["state"] in ("", state)
            and all(word in text for word in given["q"].lower().split())
        )

    def _row(self, key: str) -> dict[str, Any]:
        finding, decided = self._decisions.findings[key], self._decisions.decided.get(key)
        return {
            "key": key,
            "code": finding.code,
            "who": visible(f"{finding.db_id} / {finding.id}"),
            "likely": percent(finding.likely, 0),
            "question": visible(shortened(finding.question, _LONGEST)) or "(no question)",
            "reason": visible(shortened(finding.reason, _LONGEST)),
            "decision": "" if decided is None else f"{decided.decision} by {visible(decided.by)}",
        }

    def finding(self, request: Request) -> Response:
        """One finding, with the rows that show it."""
        return self._shown(request, {})

    def _shown(self, request: Request, form: Mapping[str, str]) -> Response:
        """The page of a finding.

        Args:
            form: what was typed, if the rows of an edited proposal are asked for.
        """
        key = request.path_params["key"]
        finding = self._decisions.findings.get(key)
        if finding is None:
            raise InputError("SJ412", "there is no such finding.")
        given = {name: request.query_params.get(name, "") for name in ("code", "state", "q")}
        keys = [one for one in self._decisions.findings if self._is_chosen(one, given)]
        decided = self._decisions.decided.get(key)
        proposal = finding.proposal or finding.sql
        typed = form.get("new_sql") or (decided and decided.new_sql) or proposal
        values: dict[str, Any] = {
            "title": f"{finding.code} {finding.id}",
            "key": key,
            "card": finding_card(finding),
            "decided": decided,
            "sql": visible(typed),
            "why": form.get("why", "" if decided is None else decided.why),
            "by": form.get("by") or request.query_params.get("by", ""),
            "runs_queries": self._runs_queries,
            "query": urlencode(_stated(given)),
            "steps": _steps(keys, key, list(self._decisions.findings)),
            "place": f"{count(keys.index(key) + 1)} of {count(len(keys))}" if key in keys else "",
            "answer": None,
            "answer_tables": [],
        }
        if form:
            verdict = self._runner.run(_case(finding), typed)
            values["answer"], values["answer_tables"] = verdict_page(verdict)
        return page(request, "finding_page", **values)

    async def decide(self, request: Request) -> Response:
        """Store a decision and go to the next finding, or show the rows of the edited proposal."""
        async with request.form() as form:
            given = {name: value for name, value in form.items() if isinstance(value, str)}
        return await run_in_threadpool(self._decided, request, given)

    def _decided(self, request: Request, form: Mapping[str, str]) -> Response:
        decision = form.get("decision", "")
        if decision == "rows":
            return self._shown(request, form)
        key = request.path_params["key"]
        shown = self._decisions.findings.get(key)
        keys = list(self._decisions.findings)
        if decision == _OPEN:
            self._decisions.decide(key, None)
            return RedirectResponse(f"/decide/{key}", _SEE_OTHER)
        if decision not in list(FindingDecision) or shown is None:
            raise InputError("SJ534", "decide to replace, leave out, exclude or reject.")
        new = form.get("new_sql", "").replace("\r\n", "\n").strip()
        if decision == FindingDecision.REPLACE and new == visible(shown.sql).strip():
            raise InputError("SJ534", "the new reference is the old one: edit it first.")
        decided = Decided(
            decision=FindingDecision(decision),
            by=form.get("by", "").strip(),
            new_sql="" if new == (shown.proposal or "").strip() else new,
            why=form.get("why", "").strip(),
        )
        self._decisions.decide(key, decided)
        behind = keys[keys.index(key) + 1 :]
        left = [one for one in behind if one not in self._decisions.decided]
        query = urlencode({"by": decided.by})
        target = f"/decide/{left[0]}?{query}" if left else "/decide"
        return RedirectResponse(target, _SEE_OTHER)


def _case(finding: AuditFinding) -> Case:
    """The reference as a case, for comparing another query with it."""
    return Case(
        id=finding.id,
        db_id=finding.db_id,
        question=finding.question,
        hint=finding.hint,
        reference_sqls=(finding.sql,),
    )


def _stated(given: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if value}


def _first(number: str | None, found: int) -> int:
    wanted = int(number) if number and number.isdecimal() and len(number) < 9 else 1
    return min(max(0, wanted - 1) * _PAGE, max(0, (found - 1) // _PAGE * _PAGE))


def _steps(chosen: Sequence[str], key: str, every: Sequence[str]) -> dict[str, str]:
    """The findings before and behind one, in the chosen list or, if it is not there, in all."""
    keys = chosen if key in chosen else every
    at = keys.index(key)
    near = {"prev": at - 1, "next": at + 1}
    return {name: keys[i] for name, i in near.items() if 0 <= i < len(keys)}
