"""How often queries use which keyword, as a document: a table a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqljury.reports import words
from sqljury.reports.sections import ReportDocument, ReportSection, ReportTable
from sqljury.version import __version__

_SIDES = ("references", "predictions")


def keywords_document(found: Mapping[str, Mapping[str, Any]]) -> ReportDocument:
    """The percent of the queries of each side that has each keyword."""
    cases = (f"{words.visible(name)}: {words.count(one['n'])} cases" for name, one in found.items())
    tables = [_table(Path(name).name, one) for name, one in found.items()]
    return ReportDocument(
        title="Keywords",
        lead="; ".join(cases) + ".",
        sections=[ReportSection(title="Queries with each keyword, in percent", blocks=tables)],
        signature=f"keywords|sqljury:{__version__}",
    )


def _table(name: str, found: Mapping[str, Any]) -> ReportTable:
    sides = [side for side in _SIDES if side in found]
    keywords = found[sides[0]] if sides else {}
    rows = [[word, *(f"{found[side][word]:.2f}" for side in sides)] for word in keywords]
    return ReportTable(caption=words.visible(name), heads=["keyword", *sides], rows=rows)
