"""Does the query have a fault that its text, its question and its data show?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nextafter
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.faults.check import Check, Finding, chosen_checks
from sqljury.faults.query import Query
from sqljury.judges.base import Judge, Needs, register
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
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    checks: str = ""

    @property
    def executes(self) -> bool:
        """It looks at rows where it can."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Incorrect with a finding, correct without; unknown where nothing could be looked at."""
        query = Query(str(case.predicted_sql), evidence)
        chosen = chosen_checks(self.checks)
        able = [one for one in chosen if one.sees in query.sees]
        found = [(one, finding) for one in able for finding in one.find(query)]
        told = {
            "findings": [finding_json(*pair) for pair in found],
            "skipped": [one.code for one in chosen if one not in able],
        }
        labels = tuple(dict.fromkeys(one.code for one, _ in found))
        if not able:
            return Verdict(outcome=Outcome.UNKNOWN, reason="no check can look at it", evidence=told)
        strong = [finding.reason for one, finding in found if not one.weak]
        verdict = Verdict.incorrect("; ".join(strong)) if strong else Verdict.correct(_NOTHING)
        score = 1 - max((one.likely for one, _ in found), default=0.0)
        return replace(verdict, score=score, labels=labels, evidence=told)

    @property
    def threshold(self) -> float:
        """Just above a half: what is as likely a fault as not is no yes."""
        return nextafter(0.5, 1)


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
