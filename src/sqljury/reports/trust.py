"""What `trust` found, as a document with risk–coverage curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.reports import words
from sqljury.reports.risk_curve import risk_curves
from sqljury.reports.sections import Plot, ReportDocument, ReportSection
from sqljury.reports.trust_rows import compared, sentences, tables_of, trust_signature
from sqljury.uses.trust import Trust

_NOTES = (
    "φ rewards right answers and abstentions from what cannot be answered with 1, and charges c "
    "for each wrong answer; N is the number of questions. ABSTAIN-ALL never answers, ANSWER-ALL "
    "always does, ORACLE answers exactly where the SQL is right.",
    "Coverage: the share of questions that are answered. Risk: the share of answers that are "
    "wrong, answers to the unanswerable included.",
)


def trust_document(systems: Sequence[Trust]) -> ReportDocument:
    """Scores, baselines, thresholds, slices and curves of some systems."""
    names = ", ".join(words.visible(found.name) for found in systems)
    return ReportDocument(
        title=f"Trust: {names}",
        lead="Answers and abstentions scored together, in percent.",
        sections=list(_sections(systems)),
        notes=_NOTES,
        signature=" ".join(dict.fromkeys(map(trust_signature, systems))),
    )


def _sections(systems: Sequence[Trust]) -> Iterator[ReportSection]:
    if len(systems) > 1:
        yield ReportSection(title="All systems", blocks=[compared(systems), *_plot(systems)])
    for series, found in enumerate(systems):
        first, *rest = tables_of(found)
        own = _plot([found], series) if len(systems) == 1 else []
        yield ReportSection(
            title=words.visible(found.name), lines=sentences(found), blocks=[first, *own, *rest]
        )


def _plot(systems: Sequence[Trust], first: int = 0) -> list[Plot]:
    """The curves of those that have confidences."""
    curves = [(series, found) for series, found in enumerate(systems, first) if found.curve]
    if not curves:
        return []
    legend = [(series, words.visible(found.name)) for series, found in curves]
    caption = "Risk of answering only what is surest"
    if any(found.thresholds for _, found in curves):
        caption += "; marked: thresholds chosen on the validation decisions"
    return [Plot(caption=caption, plot=risk_curves(curves), legend=legend)]
