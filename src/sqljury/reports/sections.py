"""Pages of titled sections that hold tables and plots: one file, no script, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sqljury.reports import words
from sqljury.reports.html import environment, style
from sqljury.writing import PathLike, new_file


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Numbers in rows; the first columns may be text."""

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


Block = ReportTable | Plot | Lanes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """A heading, lines of text, tables and plots."""

    title: str
    blocks: Sequence[Block]
    lines: Sequence[str] = ()


def write_page(
    path: PathLike,
    title: str,
    lead: str,
    sections: Iterable[ReportSection],
    notes: Iterable[str],
    signature: str,
) -> None:
    """Write a page; texts are shown as they are, whatever they hold.

    Raises:
        InputError: the file cannot be written.
    """
    page = environment().get_template("tables.html.j2")
    text = page.render(
        title=words.visible(title),
        lead=lead,
        sections=list(sections),
        notes=[words.visible(note) for note in notes],
        signature=words.visible(signature),
        style=style(),
    )
    with new_file(path) as file:
        file.write(text)
