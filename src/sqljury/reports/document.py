"""Documents: titled sections that hold lines, tables and plots, whatever they are rendered to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.reports import words

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


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A score with the ends of its interval and its denominator, as a fraction."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    digits: int = 1
    """Decimal places in percent."""

    def __str__(self) -> str:
        """``79.2 (73.8–83.7) of 248``, in percent; a dash where it is undefined."""
        if self.value is None:
            return words.UNDEFINED
        ends = words.interval(self.low, self.high, self.digits)
        shown = words.percent(self.value, self.digits)
        return f"{shown}{f' ({ends})' if ends else ''} of {words.count(self.n)}"


@dataclass(frozen=True, slots=True)
class Slices:
    """Estimates by the values of one dimension (database, difficulty, …), for several judges."""

    dimension: str
    judges: Sequence[str]
    rows: Mapping[str, Mapping[str, ScoreEstimate]]
    """Value of the dimension -> judge -> estimate, in the order in which they are shown."""

    def text(self, value: str, judge: str) -> str:
        """One estimate as text; a dash where the judge has none."""
        return str(self.rows[value].get(judge, words.UNDEFINED))

    @classmethod
    def all_of(
        cls, judges: Sequence[str], parts: Iterable[tuple[str, str, str, ScoreEstimate]]
    ) -> list[Slices]:
        """The slices of each dimension with more than one value, in the order of ``parts``.

        Args:
            parts: dimension, value, judge and estimate.
        """
        found: dict[str, dict[str, dict[str, ScoreEstimate]]] = {}
        for dimension, value, judge, estimate in parts:
            found.setdefault(dimension, {}).setdefault(value, {})[judge] = estimate
        return [cls(name, judges, rows) for name, rows in found.items() if len(rows) > 1]


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
    """What a command found, for ``terminal.print_document`` and ``page.write_page``."""

    title: str
    """What a page is called; a terminal does not repeat it."""
    lead: str
    sections: Sequence[ReportSection]
    notes: Sequence[str] = ()
    signature: str
