"""The checks of ``sqljury.faults`` as a judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.databases.guard import admit
from sqljury.evidence import Evidence
from sqljury.faults.check import Check, Finding, chosen_checks
from sqljury.faults.query import Query, Sees
from sqljury.judges.base import Judge, Needs, failed_prediction, register
from sqljury.verdict import Outcome, Verdict

_NOTHING = "no fault was found"


@register
@dataclass(frozen=True)
class Faults(Judge):
    """The query has none of the faults that its text, its question and the data can show.

    Needs no reference and no model. Findings of weak checks are hints: they are in the evidence
    and do not make a query wrong. The score is one minus the probability of a fault, which is how
    often people confirmed findings of the same check.

    Args:
        checks: codes, or beginnings of codes, of the checks to make, joined by ``+``; empty: all.
    """

    name: ClassVar[str] = "faults"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    checks: str = ""

    @property
    def executes(self) -> bool:
        """True: checks execute queries if there is a database."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``incorrect`` with a finding, ``correct`` without; ``unknown`` if there is none and more
        than half of the checks were skipped."""
        sql = admit(str(case.predicted_sql), evidence.dialect)
        if not isinstance(sql, str):
            return failed_prediction(sql)
        query = Query(sql, evidence)
        chosen = chosen_checks(self.checks)
        lacks = ~query.sees.value  # tests of flags are slow
        able = [one for one in chosen if not one.sees.value & lacks]
        found = [(one, finding) for one in able for finding in one.find(query)]
        told = {
            "findings": [finding_json(*pair) for pair in found],
            "skipped": [one.code for one in chosen if one.sees.value & lacks],
        }
        labels = tuple(dict.fromkeys(one.code for one, _ in found))
        strong = [finding.reason for one, finding in found if not one.weak]
        if not strong and 2 * len(able) < len(chosen):
            reason = f"{len(chosen) - len(able)} of {len(chosen)} checks could not look at it: "
            missing = ", ".join(_lacks(chosen, query.sees))
            return Verdict(outcome=Outcome.UNKNOWN, reason=f"{reason}{missing}", evidence=told)
        verdict = Verdict.incorrect("; ".join(strong)) if strong else Verdict.correct(_NOTHING)
        score = 1 - max((one.likely for one, _ in found), default=0.0)
        return replace(verdict, score=score, labels=labels, evidence=told)

    @property
    def threshold(self) -> float:
        """Just above 0.5: a query that is as likely wrong as right is not a yes."""
        return nextafter(0.5, 1)


_LACKS = {
    Sees.TREE: "it cannot be read with the schema that is known",
    Sees.ROWS: "there is no database",
    Sees.QUESTION: "there is no question",
    Sees.HINT: "there is no hint",
}


def _lacks(checks: Sequence[Check], sees: Sees) -> Iterator[str]:
    """What some of the checks need and the query lacks, in words."""
    for one, words in _LACKS.items():
        if one not in sees and any(one in check.sees for check in checks):
            yield words


def finding_json(check: Check, finding: Finding) -> dict[str, Json]:
    """A finding as JSON."""
    return {
        "code": check.code,
        "name": check.name,
        "title": check.title,
        "weak": check.weak,
        "likely": check.likely,
        "reason": finding.reason,
        "part": finding.part,
        "evidence": dict(finding.evidence),
        "proposal": finding.proposal,
    }
