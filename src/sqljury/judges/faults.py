"""Does the query have a fault that its text, its question and its data show?"""

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

    No reference and no model is asked. What weak checks find are hints: they are in the evidence
    and do not make a query wrong. The score is how unlikely a fault is, by how often findings of
    the same check were right when people read them.

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
        """It looks at rows where it can."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Incorrect with a finding, correct without; unknown where most checks were skipped."""
        sql = admit(str(case.predicted_sql), evidence.dialect)
        if not isinstance(sql, str):
            return failed_prediction(sql)
        query = Query(sql, evidence)
        chosen = chosen_checks(self.checks)
        able = [one for one in chosen if one.sees in query.sees]
        found = [(one, finding) for one in able for finding in one.find(query)]
        told = {
            "findings": [finding_json(*pair) for pair in found],
            "skipped": [one.code for one in chosen if one not in able],
        }
        labels = tuple(dict.fromkeys(one.code for one, _ in found))
        strong = [finding.reason for one, finding in found if not one.weak]
        if not strong and 2 * len(able) < len(chosen):
            reason = f"{len(chosen) - len(able)} of {len(chosen)} checks could not look at it: "
            lacks = ", ".join(_lacks(chosen, query.sees))
            return Verdict(outcome=Outcome.UNKNOWN, reason=f"{reason}{lacks}", evidence=told)
        verdict = Verdict.incorrect("; ".join(strong)) if strong else Verdict.correct(_NOTHING)
        score = 1 - max((one.likely for one, _ in found), default=0.0)
        return replace(verdict, score=score, labels=labels, evidence=told)

    @property
    def threshold(self) -> float:
        """Just above a half: what is as likely a fault as not is no yes."""
        return nextafter(0.5, 1)


_LACKS = {
    Sees.TREE: "it cannot be read with the schema that is known",
    Sees.ROWS: "there is no database",
    Sees.QUESTION: "there is no question",
    Sees.HINT: "there is no hint",
}


def _lacks(checks: Sequence[Check], sees: Sees) -> Iterator[str]:
    """What is not there for some of the checks, in words."""
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
