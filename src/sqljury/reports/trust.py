"""What `trust` found, as a document with risk–coverage curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.decision import Decision, ReplyKind
from sqljury.reports import words
from sqljury.reports.risk_curve import risk_curves
from sqljury.reports.sections import (
    Block,
    CaseLine,
    CaseList,
    Plot,
    ReportDocument,
    ReportSection,
    ShownCase,
)
from sqljury.reports.trust_rows import (
    compared,
    sentences,
    side_by_side,
    tables_of,
    trust_signature,
)
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
        blocks: list[Block] = [compared(systems), *side_by_side(systems), *_plot(systems)]
        yield ReportSection(title="All systems", blocks=blocks)
    for series, found in enumerate(systems):
        first, *rest = tables_of(found)
        own = _plot([found], series) if len(systems) == 1 else []
        yield ReportSection(
            title=words.visible(found.name),
            lines=sentences(found),
            blocks=[first, *own, *rest, *_costly(found)],
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


# ---------------------------------------------------------------- the questions behind the scores


def _costly(found: Trust) -> Iterator[CaseList]:
    """The questions that cost φ, by how: an answer that is wrong, or one that is not given."""
    kept = [one for one in found.decisions if not one.left_out]
    lists = {
        "Answers to unanswerable questions": [d for d in kept if d.is_wrong and not d.answerable],
        "Wrong answers": [d for d in kept if d.is_wrong and d.answerable],
        "Answerable, but not answered": [
            d for d in kept if d.answerable and d.reply is ReplyKind.ABSTAINED
        ],
    }
    for caption, decisions in lists.items():
        if decisions:
            # Where confidences are known, the surest come first: those no threshold would catch.
            ordered = sorted(decisions, key=lambda one: -(one.confidence or 0.0))
            named = f"{caption} ({words.count(len(decisions))})"
            yield CaseList.of(named, list(map(_shown, ordered)))


def _shown(decision: Decision) -> ShownCase:
    sure = "" if decision.confidence is None else f"confidence {decision.confidence:.3g}"
    outcome = str(decision.outcome or "").replace("_", " ")
    note = ", ".join(filter(None, (decision.slices.get("type"), outcome, sure)))
    name = "withheld:" if decision.reply is ReplyKind.ABSTAINED else "answered:"
    queries = [CaseLine(name=name, sql=decision.sql)] if decision.sql else []
    return ShownCase(id=decision.id, question=decision.question, note=note, lines=queries)
