"""What a verdict's evidence says in words; evidence of any judge can be shown."""

from __future__ import annotations

from collections.abc import Mapping

from sqljury.case import Json
from sqljury.verdict import Verdict

_SHOWN_OTHERWISE = ("explanation", "reference", "prediction")


def sentences(evidence: Mapping[str, Json]) -> list[str]:
    """The findings of an explanation, the most telling first."""
    explanation = evidence.get("explanation")
    if isinstance(explanation, str):
        return [explanation]
    if not isinstance(explanation, dict):
        return []
    findings = explanation.get("findings") or ()
    return [str(finding["text"]) for finding in findings]


def said(verdict: Verdict) -> list[str]:
    """The reason and the findings; a reason that is made of the findings is not repeated."""
    found = sentences(verdict.evidence)
    if not verdict.reason or verdict.reason in (" ".join(found), *found):
        return found
    return [verdict.reason, *found]


def other_evidence(evidence: Mapping[str, Json]) -> dict[str, Json]:
    """Evidence that is neither an explanation nor a result table, by name."""
    return {
        name: value
        for name, value in evidence.items()
        if name not in _SHOWN_OTHERWISE or not isinstance(value, dict | str)
    }
