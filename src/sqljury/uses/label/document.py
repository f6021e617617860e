"""How far a labelling project is, as a document for the terminal and the browser."""

from __future__ import annotations

from sqljury.reports.document import ReportDocument, ReportSection, ReportTable
from sqljury.reports.words import count, interval, percent, visible
from sqljury.signature import signed
from sqljury.uses.label.progress import LabelProgress


def progress_document(found: LabelProgress, *, title: str) -> ReportDocument:
    """Sections on the annotators, their agreement, and the agreement of judges with the labels."""
    agree = f"{count(found.consensus)} with one label by all, {count(found.conflicts)} to decide"
    lines = [f"{count(found.complete)} of {count(found.cases)} cases complete: {agree}, "
             f"{count(found.decided)} decided."]  # fmt: skip
    if found.fleiss is not None:
        lines.append(f"Fleiss' κ of all annotators: {percent(found.fleiss, 2)}.")
    people = ReportTable(
        caption="Annotators",
        heads=("name", "labelled", "of"),
        rows=[(visible(name), count(done), count(total)) for name, done, total in found.annotators],
    )
    pairs = ReportTable(
        caption="Agreement of two, Cohen's κ in percent",
        heads=("first", "second", "cases", "agree", "κ"),
        rows=[
            (visible(one.first), visible(one.second), count(one.n), count(one.agree),
             percent(one.kappa, 2))
            for one in found.pairs
        ],
        texts=2,
    )  # fmt: skip
    judges = ReportTable(
        caption="Judges against the labels, Cohen's κ in percent",
        heads=("judge", "labels", "κ", "95 %"),
        rows=[
            (visible(one.judge), count(one.n), percent(one.kappa, 2),
             interval(*(one.interval or (None, None))))
            for one in found.judges
        ],
    )  # fmt: skip
    sections = [ReportSection(title="Labels", lines=lines, blocks=[people])]
    if found.pairs:
        sections.append(ReportSection(title="Annotators with each other", blocks=[pairs]))
    if found.judges:
        enough = [visible(one.judge) for one in found.judges if one.is_enough]
        told = f"Narrow enough, you may stop: {', '.join(enough)}." if enough else ""
        lines = [told] if told else []
        sections.append(ReportSection(title="Judges", lines=lines, blocks=[judges]))
    return ReportDocument(
        title=title,
        lead="Labels by people.",
        sections=sections,
        signature=signed("labels"),
    )
