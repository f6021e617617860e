"""Documents: titled sections that hold lines, tables and plots, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.reports import words
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Numbers in rows; the first columns are text.

    Of two text columns, a terminal prints the first as a heading above the rows that share it.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    """How many columns, from the left, are text."""
    wide: bool = False
    """Whether the last column is text that wraps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing with a legend by series."""

    caption: str
    plot: Markup
    legend: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One line of :class:`Lanes`: a name, its drawing, its value."""

    name: str
    plot: Markup
    value: str
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Drawings one below the other, on one axis."""

    caption: str
    lanes: Sequence[Lane]
    axis: Markup
    legend: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """One query of a :class:`ShownCase`, and whose it is."""

    name: str
    sql: str
    tone: str = ""
    """The style sheet's colour: ``good``, ``bad``, ``unsure``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """A question with queries below it."""

    id: str
    question: str
    lines: Sequence[CaseLine]
    note: str = ""
    """What stands beside the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseList:
    """Questions to look at, on a page alone: a terminal would drown in them."""

    caption: str
    cases: Sequence[ShownCase]
    hidden: int = 0
    """How many more there are."""

    @classmethod
    def of(cls, caption: str, found: Sequence[ShownCase], most: int = 200) -> CaseList:
        """The first of them, and the number of the others."""
        return cls(caption=caption, cases=found[:most], hidden=max(len(found) - most, 0))


Block = ReportTable | Plot | Lanes | CaseList


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """A heading, lines of text, tables and plots."""

    title: str
    blocks: Sequence[Block]
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDocument:
    """What a command found, for ``terminal.print_document`` and :func:`write_page`."""

    title: str
    """What a page is called; a terminal does not repeat it."""
    lead: str
    sections: Sequence[ReportSection]
    notes: Sequence[str] = ()
    signature: str


def write_page(path: PathLike, document: ReportDocument) -> None:
    """Write one file without scripts; texts are shown as they are, whatever they hold.

    Raises:
        InputError: the file cannot be written.
    """
    from sqljury.reports.html import environment, style

    page = environment().get_template("tables.html.j2")
    text = page.render(
        title=words.visible(document.title),
        lead=words.visible(document.lead),
        sections=document.sections,
        notes=[words.visible(note) for note in document.notes],
        signature=words.visible(document.signature),
        style=style(),
    )
    with new_file(path) as file:
        file.write(text)
