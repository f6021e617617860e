"""The results of an audit in the terminal, as an HTML page, and as JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqljury.case import Json
from sqljury.evidence_shapes import ShownRows, shown_rows
from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportSection, ReportTable
from sqljury.reports.page import deflated, render
from sqljury.reports.sqltext import Segments, compared
from sqljury.signature import signed
from sqljury.uses.agree.stability import Stability, stability_section
from sqljury.uses.audit.diagnose import Diagnosis, DiagnosisReport, Suspicion
from sqljury.uses.audit.flagged import FlagPrecision
from sqljury.writing import PathLike, write_json_lines

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.uses.audit import Audit, AuditFinding


def print_audit(found: Audit, console: Console) -> None:
    """Print the number of references with findings, and a line per check that has findings."""
    from rich.table import Table

    looked_at = found.references - sum(found.not_audited.values())
    console.print(f"{looked_at:,} of {found.references:,} references audited: {_suspects(found)}")
    for why, count in found.not_audited.items():
        console.print(f"  not audited: {count:,} ({why})")
    table = Table(box=None, pad_edge=False)
    for name in ("check", "references", "findings", "what"):
        table.add_column(name, justify="right" if name in ("references", "findings") else "left")
    for one in found.checks:
        if one.findings:
            title = f"hint: {one.title}" if one.weak else one.title
            table.add_row(one.code, f"{one.references:,}", f"{one.findings:,}", title)
    if table.row_count:
        console.print(table)
    skipped = [one.code for one in found.checks if one.skipped >= looked_at > 0]
    if skipped:
        console.print(f"skipped, as no reference has what they check: {', '.join(skipped)}")
    console.print(found.signature, markup=False)


def _suspects(found: Audit) -> str:
    return f"{found.suspect:,} with a fault, {found.hinted:,} more with a hint"


def write_findings(path: PathLike, found: Audit) -> None:
    """Write a JSON object per finding and line, in the order of the benchmark.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, (one.to_json() for one in found.findings), sort_keys=True)


_MOST_CHARACTERS = 600
"""The limit of a finding's texts on the page."""


def write_audit_page(path: PathLike, found: Audit, *, title: str) -> None:
    """Write an HTML page with a card per finding.

    A card has question, hint, the reference with its faulty part marked, the evidence, the
    proposal, and the results of both. The same input gives the same bytes.

    Raises:
        InputError: the file cannot be written.
    """
    looked_at = found.references - sum(found.not_audited.values())
    render(
        path,
        "audit",
        title=words.visible(title),
        lead=f"{words.count(looked_at)} of {words.count(found.references)} references audited: "
        f"{_suspects(found)}.",
        checks=[one for one in found.checks if one.findings],
        databases=sorted({words.visible(one.db_id) for one in found.findings}),
        cards=(finding_card(one) for one in found.findings),
        findings=deflated([one.to_json() for one in found.findings]),
        signature=words.visible(found.signature),
    )


def finding_card(one: AuditFinding) -> dict[str, Any]:
    """The values of a finding that the template shows."""
    sql, proposal = _queries(one)
    facts: list[tuple[str, str]] = []
    tables = []
    for key, value in one.evidence.items():
        head = key.replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            tables.append({"name": head, "rows": value, "columns": (), "more": 0})
        elif value not in (None, "", [], {}):
            facts += _facts(head, value)
    returned = {side: one.returned.get(side) for side in ("reference", "proposal")}
    texts = {key: words.visible(getattr(one, key)) for key in ("question", "hint", "reason")}
    return {
        **texts,
        "code": one.code,
        "name": " / ".join(filter(None, (words.visible(one.id), one.source, one.name))),
        "db": words.visible(one.db_id),
        "weak": one.weak,
        "likely": words.percent(one.likely, 0),
        "sql": sql,
        "proposal": proposal,
        "facts": facts,
        "tables": tables,
        "returned": _returned(shown_rows(returned, "reference")),
        "proposal_returned": _returned(shown_rows(returned, "proposal")),
        "difference": words.visible(str(one.returned.get("difference", ""))),
    }


def _queries(one: AuditFinding) -> tuple[list[Segments], list[Segments]]:
    """The lines of the reference and of the proposal, if any, with marked parts.

    Marked is what differs, or without a proposal the part that the finding names.
    """
    if one.proposal is None:
        return [_pointed_at(words.visible(one.sql), one.part)], []
    lines = compared(one.sql, one.proposal)
    left = [line.left for line in lines if line.left is not None]
    return left, [line.right for line in lines if line.right is not None]


def _pointed_at(sql: str, part: str) -> Segments:
    """The query split at the faulty part: plain, marked, plain, …"""
    if not part:
        return (sql,)
    inside = re.escape(part)
    start, end = (r"\b" if char.isalnum() else "" for char in (part[0], part[-1]))
    return tuple(re.split(f"({start}{inside}{end})", sql, flags=re.IGNORECASE))


def _facts(name: str, value: Json) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [one for key, part in value.items() for one in _facts(f"{name}: {key}", part)]
    if isinstance(value, list):
        value = ", ".join(one if isinstance(one, str) else json.dumps(one) for one in value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [(name, words.shortened(words.visible(text), _MOST_CHARACTERS))] if text else []


def _returned(table: ShownRows | None) -> dict[str, Any] | None:
    """The values of a query's result that the template shows; None without a result."""
    if not table:
        return None
    count = table["row_count"]
    return {
        "name": f"returns {words.count(count)} {'row' if count == 1 else 'rows'}",
        "rows": table["rows"],
        "columns": [words.visible(str(column)) for column in table["columns"]],
        "more": count - len(table["rows"]),
    }


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
    """The report: judges' diagnoses of references and questions, and suspicious references.

    Args:
        repeated: the stability of judges with repeated calls.
        reviewed: how many flags people confirmed.
        most: at most so many suspicious references are listed.
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
        signature=signed("diagnose"),
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
    """A sentence per consensus label on what the annotators' reasons call wrong."""
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
    """A table of suspicious references: counts of the evidence, question and query."""
    rows = [
        [
            words.visible("/".join(filter(None, (row.benchmark, row.id)))),
            f"{row.faults} of {row.asked}",
            f"{row.against} of {row.contradicted}",
            f"{row.alike} of {row.systems}",
            "\n".join(row.stated),
            "\n".join(
                words.shortened(words.visible(text), _LONGEST)
                for text in (row.question, row.reference_sql)
                if text
            ),
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
