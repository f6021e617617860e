"""What `audit --from RUN` found, as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.reports import words
from sqljury.reports.sections import ReportDocument, ReportSection, ReportTable
from sqljury.reports.tables import stability_section
from sqljury.uses.diagnose import Diagnosis, DiagnosisReport, Suspicion
from sqljury.uses.flagged import FlagPrecision
from sqljury.uses.stability import Stability
from sqljury.version import __version__

_LONGEST = 300
_SILENCE = "explained: an annotator wrote a reason, whatever it says; silence clears nothing"


def diagnosis_document(
    found: DiagnosisReport,
    repeated: Sequence[Stability] = (),
    reviewed: Sequence[FlagPrecision] = (),
    *,
    title: str,
    most: int,
) -> ReportDocument:
    """What judges say of references and questions, and the most suspicious references.

    Args:
        reviewed: what people confirmed of the flags.
        most: how many references.
    """
    tables = (_counts(found), _reviewed(reviewed), _annotated(found), _annotators(found))
    diagnoses = ReportSection(
        title="Diagnoses",
        lines=list(_reasons(found)),
        blocks=[table for table in tables if table.rows],
    )
    suspicious = ReportSection(
        title="Suspicious references", blocks=[_suspicions(found, found.suspicions[:most])]
    )
    return ReportDocument(
        title=title,
        lead="What verdicts say of the benchmark itself.",
        sections=[diagnoses, suspicious, *map(stability_section, repeated)],
        notes=[_SILENCE] if any(row.annotated for row in found.judges) else [],
        signature=f"diagnose|sqljury:{__version__}",
    )


def _counts(found: DiagnosisReport) -> ReportTable:
    rows = [
        [
            *_named(row),
            words.count(row.n),
            words.count(row.flagged),
            words.percent(row.flagged_share),
        ]
        for row in found.judges
    ]
    heads = ["judge", "diagnosis", "cases", "flagged", "in percent"]
    return ReportTable(caption="How often", heads=heads, rows=rows, texts=2)


def _named(row: Diagnosis) -> tuple[str, str]:
    return words.visible(row.judge), row.diagnosis


def _reviewed(reviewed: Sequence[FlagPrecision]) -> ReportTable:
    rows = [
        [
            words.visible(row.judge),
            row.label,
            *map(words.count, (row.flagged, row.reviewed, row.confirmed)),
            words.percent(row.precision, 2),
            words.interval(*row.interval) if row.interval else "",
        ]
        for row in reviewed
    ]
    heads = ["judge", "label", "references\nflagged", "reviewed", "confirmed", "precision", "95 %"]
    caption = "Flags that people confirmed, in percent"
    return ReportTable(caption=caption, heads=heads, rows=rows, texts=2)


def _annotated(found: DiagnosisReport) -> ReportTable:
    rows = [
        [
            *_named(row),
            words.count(row.annotated),
            words.count(row.confirmed),
            words.percent(row.precision),
            words.interval(*row.interval) if row.interval else "",
            f"{row.confirmed} of {row.explained}",
            f"{row.found} of {row.stated}",
        ]
        for row in found.judges
        if row.annotated
    ]
    heads = ["judge", "diagnosis", "flagged", "confirmed", "precision\nat least", "95 %",
             "of those\nexplained", "found of\nstated"]  # fmt: skip
    caption = "Against annotators' reasons, in percent"
    return ReportTable(caption=caption, heads=heads, rows=rows, texts=2)


def _annotators(found: DiagnosisReport) -> ReportTable:
    rows = [
        [row.label, *map(words.count, (row.n, row.both, row.only_first, row.only_second)),
         words.percent(row.kappa, 2)]
        for row in found.annotators
    ]  # fmt: skip
    heads = ["label", "cases", "both", "only first", "only second", "κ"]
    return ReportTable(caption="Annotators with each other", heads=heads, rows=rows)


def _reasons(found: DiagnosisReport) -> Iterator[str]:
    """What reasons say, beside the consensus label."""
    for row in found.reasons:
        faulted = ", ".join(
            f"{n} by {annotators}" for annotators, n in row.faulted_by.items() if annotators
        )
        label = "correct" if row.label else "incorrect"
        yield (
            f"Labelled {label}: {row.n}. Prediction called wrong: {faulted or 'none'}; reasons "
            f"only about reference, hint or question: {row.only_reference_or_question}; "
            f"no reason: {row.silent}."
        )


def _suspicions(found: DiagnosisReport, listed: Sequence[Suspicion]) -> ReportTable:
    """What speaks against references, as counts of counts, with question and query."""
    rows = [
        [
            words.visible("/".join(filter(None, (row.benchmark, row.id)))),
            f"{row.faults} of {row.asked}",
            f"{row.against} of {row.contradicted}",
            f"{row.alike} of {row.systems}",
            "\n".join(row.stated),
            "\n".join(_shortened(text) for text in (row.question, row.reference_sql) if text),
        ]
        for row in listed
    ]
    heads = ["case", "called\nwrong", "accepted\nagainst it", "agree\nagainst it", "annotators",
             "question and reference"]  # fmt: skip
    caption = (
        f"{words.count(len(listed))} of {words.count(len(found.suspicions))}, "
        f"of {words.count(found.n_references)} references"
    )
    return ReportTable(caption=caption, heads=heads, rows=rows, wide=True)


def _shortened(text: str) -> str:
    return words.shortened(words.visible(text), _LONGEST)
