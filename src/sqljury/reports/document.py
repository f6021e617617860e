"""Documents: titled sections of lines, tables and plots, independent of how they are rendered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.reports import words

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table: the first columns are text, the others numbers.

    With two text columns, a terminal prints the first as a heading above the rows that share it.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    """The number of text columns, counted from the left."""
    wide: bool = False
    """True if the last column is text that may wrap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing with a legend: number and name of each series."""

    caption: str
    plot: Markup
    legend: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of :class:`Lanes`: a name, a drawing and a value."""

    name: str
    plot: Markup
    value: str
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Drawings below each other that share one axis."""

    caption: str
    lanes: Sequence[Lane]
    axis: Markup
    legend: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A score as a fraction, with the ends of its interval and its denominator."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    digits: int = 1
    """Decimal places in percent."""

    def __str__(self) -> str:
        """``79.2 (73.8–83.7) of 248``, in percent; a dash if undefined."""
        if self.value is None:
            return words.UNDEFINED
        ends = words.interval(self.low, self.high, self.digits)
        shown = words.percent(self.value, self.digits)
        return f"{shown}{f' ({ends})' if ends else ''} of {words.count(self.n)}"


@dataclass(frozen=True, slots=True)
class Slices:
    """Several judges' scores for each value of one dimension (database, difficulty, …)."""

    dimension: str
    judges: Sequence[str]
    rows: Mapping[str, Mapping[str, ScoreEstimate]]
    """Value of the dimension → judge → estimate, in the order in which they are shown."""

    def text(self, value: str, judge: str) -> str:
        """One judge's estimate as text; a dash if it has none."""
        return str(self.rows[value].get(judge, words.UNDEFINED))

    @classmethod
    def all_of(
        cls, judges: Sequence[str], parts: Iterable[tuple[str, str, str, ScoreEstimate]]
    ) -> list[Slices]:
        """The slices of each dimension that has several values, in the order of ``parts``.

        Args:
            parts: dimension, value, judge and estimate.
        """
        found: dict[str, dict[str, dict[str, ScoreEstimate]]] = {}
        for dimension, value, judge, estimate in parts:
            found.setdefault(dimension, {}).setdefault(value, {})[judge] = estimate
        return [cls(name, judges, rows) for name, rows in found.items() if len(rows) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """One query of a :class:`ShownCase` and a name that says whose it is."""

    name: str
    sql: str
    tone: str = ""
    """The colour's name in the style sheet: ``good``, ``bad``, ``unsure``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """A question with queries below it."""

    id: str
    question: str
    lines: Sequence[CaseLine]
    note: str = ""
    """Text shown next to the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseList:
    """A list of questions to look at; shown on pages only, as it is too long for a terminal."""

    caption: str
    cases: Sequence[ShownCase]
    hidden: int = 0
    """How many further cases are not in ``cases``."""

    @classmethod
    def of(cls, caption: str, found: Sequence[ShownCase], most: int = 200) -> CaseList:
        """A list of the first ``most`` cases, with the number of the others."""
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
    """A command's results, for ``terminal.print_document`` and ``page.write_page``."""

    title: str
    """The title of the page; a terminal does not print it."""
    lead: str
    sections: Sequence[ReportSection]
    notes: Sequence[str] = ()
    signature: str
