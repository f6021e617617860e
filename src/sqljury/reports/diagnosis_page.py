"""`diagnose` as a self-contained HTML page."""

from __future__ import annotations

from sqljury.reports import diagnosis_tables as tables
from sqljury.reports import words
from sqljury.reports.sections import ReportSection, ReportTable, write_page
from sqljury.uses.diagnose import DiagnosisReport
from sqljury.version import __version__
from sqljury.writing import PathLike

_MOST_SUSPICIONS = 200


def write_diagnosis_html(path: PathLike, found: DiagnosisReport, *, title: str) -> None:
    """Write diagnoses and suspicious references as one page.

    Raises:
        InputError: the file cannot be written.
    """
    listed = found.suspicions[:_MOST_SUSPICIONS]
    rows = [
        [*tables.suspicion_cells(row), words.visible(f"{row.question}\n{row.reference_sql}")]
        for row in listed
    ]
    heads = ["case", "called wrong", "accepted against it", "agree against it", "annotators",
             "question and reference"]  # fmt: skip
    caption = f"{len(listed)} of {len(found.suspicions)}, of {found.n_references} references"
    sections = [
        ReportSection(
            title="Suspicious references",
            blocks=[ReportTable(caption=caption, heads=heads, rows=rows, wide=True)],
        ),
        ReportSection(
            title="Diagnoses",
            lines=tables.reason_lines(found),
            blocks=[ReportTable(**part) for part in tables.diagnosis_parts(found)],
        ),
    ]

    write_page(path, title, "What verdicts say of the benchmark itself.", sections, (),
           f"diagnose|sqljury:{__version__}")  # fmt: skip
