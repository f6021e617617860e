"""The document of a gate: whether it passes, why not, and which verdicts changed."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportSection, ScoreEstimate
from sqljury.signature import signed
from sqljury.uses.evaluate.comparison import cases_by_cause, paired_sentence
from sqljury.uses.gate.decision import CaseStanding, GateResult, JudgeGate


def gate_document(found: GateResult) -> ReportDocument:
    """The document, the same for the terminal, a comment and a summary."""
    against = f" against {found.baseline}" if found.baseline else ""
    limits = found.limits
    return ReportDocument(
        title=f"sqljury gate: {'passed' if found.passed else 'FAILED'}",
        lead=f"{'passed' if found.passed else 'FAILED'}: {found.run}{against}",
        sections=[_section(judge) for judge in found.judges],
        notes=[f"CHANGED: {note}" for note in found.notes],
        signature=signed(
            "gate",
            ("max-drop", f"{limits.max_drop:g}"),
            ("alpha", f"{limits.alpha:g}"),
            ("max-left-out", str(limits.max_left_out)),
        ),
    )


def _section(judge: JudgeGate) -> ReportSection:
    tables = []
    if judge.newly_wrong:
        wrong = {cause: [one.case.name for one in g] for cause, g in judge.newly_wrong.items()}
        tables.append(cases_by_cause("newly wrong", wrong))
    if judge.newly_right:
        tables.append(cases_by_cause("newly right, by what was wrong", judge.newly_right))
    if judge.lost and (judge.paired or judge.least is not None):
        tables.append(cases_by_cause("not compared", judge.lost))
    verdict = "FAILED" if judge.reasons else "passed"
    return ReportSection(title=f"{judge.name}: {verdict}", blocks=tables, lines=[*_lines(judge)])


def _lines(judge: JudgeGate) -> Iterator[str]:
    yield from (f"FAILED: {reason}" for reason in judge.reasons)
    yield f"score: {ScoreEstimate(judge.score, judge.low, judge.high, judge.n)}"
    if judge.paired is not None:
        yield paired_sentence(judge.paired)
        if new := judge.standing(CaseStanding.NEW):
            yield f"{words.count(len(new))} cases are new: not compared"
