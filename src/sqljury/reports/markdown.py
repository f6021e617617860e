"""Renders documents as Markdown, for comments and summaries; text from cases is inert."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.reports.document import ReportDocument, ReportTable
from sqljury.reports.markup import markdown_code, markdown_table, markdown_text

_LONGEST = 60_000
"""GitHub refuses comments of more than 65,536 characters."""


def markdown_document(document: ReportDocument) -> str:
    """The document's lines and tables; plots and lists of cases are left out.

    A text longer than a comment may be ends with a note that it was cut.
    """
    lines = "\n".join(_lines(document)).split("\n")
    while sum(map(len, lines)) + len(lines) > _LONGEST:
        lines = [*lines[: len(lines) * 9 // 10], "", "… (cut: the text is too long for a comment)"]
    return "\n".join(lines) + "\n"


def _lines(document: ReportDocument) -> Iterator[str]:
    yield f"## {markdown_text(document.title)}"
    yield ""
    yield markdown_text(document.lead)
    for section in document.sections:
        yield f"\n### {markdown_text(section.title)}\n"
        yield from (f"- {markdown_text(line)}" for line in section.lines)
        for block in section.blocks:
            if isinstance(block, ReportTable):
                yield f"\n{markdown_text(block.caption)}\n"
                heads = [markdown_text(head) for head in block.heads]
                yield from markdown_table(heads, _rows(block), wide=block.wide)
    yield ""
    yield from (f"- {markdown_text(note)}" for note in document.notes)
    yield f"\n{markdown_text(document.signature)}"


def _rows(table: ReportTable) -> Iterator[list[str]]:
    """The cells, with texts as code: there, names of people and addresses do nothing."""
    texts = {*range(table.texts), *([len(table.heads) - 1] if table.wide else [])}
    for row in table.rows:
        yield [markdown_code(cell) if i in texts else cell for i, cell in enumerate(row)]
