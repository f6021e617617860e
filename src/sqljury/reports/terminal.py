"""Prints documents and cases to a terminal, at most 100 columns wide, or as text to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sqljury.case import Case
from sqljury.evidence_shapes import ReasonFields, reasons_of
from sqljury.reports import words
from sqljury.reports.document import ReportDocument, ReportTable, Slices
from sqljury.reports.evidence import (
    WEIGHED_LEGEND,
    ShownTable,
    cell_text,
    other_evidence,
    said,
    shown_tables,
)
from sqljury.verdict import Record

if TYPE_CHECKING:
    from sqljury.reports.sqltext import DiffLine

WIDTH = 100
_MOST_SLICES = 12
NARROWEST_NAME = 14
_BETWEEN = 3
"""Spaces between columns."""
_WIDEST_CELL = 32
_WIDEST_ROW_NAME = 28


def print_record(records_of_one_case: Sequence[Record], console: Console) -> None:
    """Print one case: its question, both queries, and each judge's verdict."""
    out = Out(console)
    case = records_of_one_case[0].case
    out.block(_head(case))
    out.block(_queries(case))
    shown: list[object] = []
    for record in records_of_one_case:
        out.block(_verdict(record))
        tables = shown_tables(record.verdict.evidence)
        # Judges share executions, so the same rows come with several verdicts.
        if tables is not None and tables not in shown:
            shown.append(tables)
            for side, table in zip(("reference", "prediction"), tables, strict=True):
                out.block(_rows(side, table, out.width))


class Out:
    """A console of at most our width that prints texts literally, without markup."""

    def __init__(self, console: Console) -> None:
        if not console.is_terminal:
            console.width = WIDTH
        self._console = console
        self.width = min(WIDTH, console.width)

    def text(self, text: str, style: str = "") -> None:
        """Print a text."""
        self._print(Text(words.visible(text), style=style))

    def block(self, parts: Iterator[RenderableType]) -> None:
        """Print parts that belong together, then an empty line."""
        for part in parts:
            self._print(part)
        self._console.print()

    def table(self, table: Table) -> None:
        """Print a table, unless it has no rows."""
        if table.row_count:
            self.block(iter([table]))

    def _print(self, part: RenderableType) -> None:
        self._console.print(part, width=self.width, highlight=False, markup=False)


def plain(text: str, style: str = "") -> Text:
    """A text printed literally, with control characters escaped."""
    return Text(words.visible(text), style=style)


def print_document(document: ReportDocument, console: Console) -> None:
    """Print a document's lines and tables; plots and lists of cases are left out."""
    out = Out(console)
    out.text(document.lead)
    for section in document.sections:
        tables = [one for one in section.blocks if isinstance(one, ReportTable) and one.rows]
        if section.lines or tables:
            out.text(section.title, style="bold")
        for line in section.lines:
            out.text(line)
        for table in tables:
            out.text(table.caption)
            longest = max(len(row[table.texts - 1]) for row in table.rows)
            out.table(grouped_table(table, "", min(longest, _WIDEST_ROW_NAME)))
    for note in document.notes:
        out.text(note)
    out.text(document.signature, style="dim")


def grouped_table(table: ReportTable, title: str, min_width: int) -> Table:
    """A table in which the first of two text columns is a heading above the rows that share it."""
    head, *rest = table.heads[table.texts - 1 :]
    printed = numbers_table(title, head, *rest, min_width=min_width)
    if table.wide:
        printed.columns[-1].justify = "left"
    heading = ""
    for row in table.rows:
        *above, name = row[: table.texts]
        if above and above[0] != heading:
            heading = above[0]
            printed.add_row(plain(heading, "bold"))
        cells = map(plain, row[table.texts :])
        printed.add_row(indented(plain(name)) if above else plain(name), *cells)
    return printed


def joined_table(table: ReportTable, *, min_width: int = 0, most: int | None = None) -> Table:
    """A table with its text columns joined into one, and at most ``most`` rows."""
    heads = table.heads[table.texts - 1 :]
    printed = numbers_table(table.caption, *heads, min_width=min_width)
    for row in table.rows[:most]:
        printed.add_row(plain(" | ".join(row[: table.texts])), *row[table.texts :])
    if most is not None and len(table.rows) > most:
        printed.caption = f"{most} of {len(table.rows)}; --json and --html: all"
        printed.caption_justify = "left"
    return printed


def numbers_table(title: str, *columns: str, min_width: int = 0) -> Table:
    """A table whose first column is text and whose others are numbers.

    Args:
        min_width: of the first column, in characters.
    """
    table = Table(
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 2, 0, 0),
        show_edge=False,
        pad_edge=False,
        header_style="",
    )
    first, *rest = columns
    table.add_column(plain(first), overflow="fold", min_width=min_width)
    for name in rest:
        table.add_column(plain(name), justify="right", overflow="fold")
    return table


def indented(text: RenderableType) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


_STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "out": "dim"}


def slice_tables(title: str, slices: Slices, width: int) -> Iterator[Table]:
    """Tables of at most ``width`` columns of text, each with as many judges as fit."""
    found = slices.rows
    largest = sorted(found, key=lambda value: -max(part.n for part in found[value].values()))
    kept = set(largest[:_MOST_SLICES])
    rows = {
        value: [slices.text(value, judge) for judge in slices.judges]
        for value in found
        if value in kept
    }
    cell = max(len(text) for cells in rows.values() for text in cells) + _BETWEEN
    abreast = max(1, (width - NARROWEST_NAME) // cell)
    for start in range(0, len(slices.judges), abreast):
        names = slices.judges[start : start + abreast]
        head = f"{title} by {words.visible(slices.dimension)}, in percent"
        table = numbers_table(head, "", *names)
        table.min_width = min(len(head), width)
        table.columns[0].max_width = max(NARROWEST_NAME, width - len(names) * cell)
        for column in table.columns[1:]:
            # Long names wrap before figures do.
            column.min_width = cell - _BETWEEN
        for value, cells in rows.items():
            table.add_row(plain(value or "(none)"), *cells[start : start + abreast])
        if len(found) > _MOST_SLICES:
            table.caption = f"the {_MOST_SLICES} largest of {len(found)}; --json and --html: all"
            table.caption_justify = "left"
        yield table


# ---------------------------------------------------------------- show


_LONGEST_FACT = 1_000
"""A hint may be a document of many pages."""


def _head(case: Case) -> Iterator[RenderableType]:
    yield plain(case.name, "bold")
    for name, value in words.case_facts(case):
        shown = words.shortened(words.visible(value), _LONGEST_FACT)
        yield Text.assemble((f"{name}  ", "dim"), shown)


def _queries(case: Case) -> Iterator[RenderableType]:
    from sqljury.reports.sqltext import compared  # the parser, which no table needs

    prediction = case.predicted_sql
    references = list(case.reference_sqls)
    if isinstance(prediction, str) and references:
        yield Text("Reference (-) and prediction (+)", style="bold")
        yield from _diff(compared(references.pop(0), prediction))
    elif isinstance(prediction, str):
        yield from _listing("Prediction", prediction)
    else:
        yield Text(words.no_prediction(case), style="bold")
    for sql in references:
        yield from _listing("Reference", sql)


def _listing(title: str, sql: str) -> Iterator[RenderableType]:
    from sqljury.reports.sqltext import formatted

    yield Text(title, style="bold")
    yield Padding(plain(formatted(sql)), (0, 0, 0, 4), expand=False)


def _diff(lines: Sequence[DiffLine]) -> Iterator[RenderableType]:
    """A unified diff: of lines that differ, first the reference's, then the prediction's."""
    added: list[Text] = []
    for line in lines:
        if not line.differs:
            yield from added
            added = []
            yield _diff_line(" ", line.left or (), "")
            continue
        if line.left is not None:
            yield _diff_line("-", line.left, "red")
        if line.right is not None:
            added.append(_diff_line("+", line.right, "green"))
    yield from added


def _diff_line(sign: str, segments: Sequence[str], style: str) -> Text:
    text = Text(f"  {sign} ", style=style)
    for i, segment in enumerate(segments):
        text.append(segment, style="bold underline" if i % 2 else "")
    return text


def _verdict(record: Record) -> Iterator[RenderableType]:
    verdict = record.verdict
    style = _STYLES[words.tone(verdict.outcome)]
    score = "" if verdict.score is None else f"  score {verdict.score:.4g}"
    yield Text.assemble(
        (words.visible(record.judge), "bold"), "  ", (str(verdict.outcome), f"bold {style}"), score
    )
    lines = said(verdict)
    if verdict.labels:
        lines.append(f"labels: {', '.join(verdict.labels)}")
    for line in lines:
        yield indented(plain(line))
    yield from _weighed(reasons_of(verdict.evidence))
    for name, value in other_evidence(verdict.evidence).items():
        yield indented(plain(f"{name}: {json.dumps(value, ensure_ascii=False)}"))


_LONGEST_BAR = 8


def _weighed(reasons: Sequence[ReasonFields]) -> Iterator[RenderableType]:
    """What speaks for the prediction and against it, as bars to the right and to the left."""
    if not reasons:
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    largest = max(1.0, *(abs(one["weight"]) for one in reasons))
    for one in reasons:
        weight = one["weight"]
        bar = "█" * max(1, round(_LONGEST_BAR * abs(weight) / largest))
        left, right = ("", bar) if weight > 0 else (bar, "")
        cells = Text(left, "red"), Text(f"│{right}", "green"), Text(f"{weight:+.2f}", "dim")
        grid.add_row(*cells, plain(one["text"]))
    yield indented(grid)
    yield indented(Text(WEIGHED_LEGEND, "dim"))


def _rows(side: str, table: ShownTable, screen: int) -> Iterator[RenderableType]:
    marker, style = ("-", "red") if side == "reference" else ("+", "green")
    yield Text(f"Rows of the {side}: {words.count(table.row_count)}", style="bold")
    if not table.rows:
        return
    fitting = _fitting(table, screen)
    grid = Table(
        box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False, header_style=""
    )
    grid.add_column("")
    grid.add_column("", justify="right", style="dim")
    for column in range(fitting):
        justify: JustifyMethod = "right" if table.is_numeric(column) else "left"
        grid.add_column(_cell(_column_name(table, column), ""), justify=justify)
    for row in table.rows:
        cells = [
            _cell(cell_text(cell, _WIDEST_CELL), f"bold {style}" if i in row.differing else "")
            for i, cell in enumerate(row.cells[:fitting])
        ]
        sign = Text(marker if row.differs else "", style=style)
        grid.add_row(sign, str(row.number), *cells)
    yield Padding(grid, (0, 0, 0, 2), expand=False)
    columns = len(table.columns) - fitting
    if columns:
        yield indented(Text(f"and {columns} more columns", style="dim"))
    if table.hidden:
        text = words.hidden_rows(table.hidden, table.hidden_differing)
        yield indented(Text(text, style="dim"))


def _column_name(table: ShownTable, column: int) -> str:
    name = words.visible(table.columns[column]).replace("\n", " ")
    return words.shortened(name, _WIDEST_CELL)


def _cell(text: str, style: str) -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _fitting(table: ShownTable, screen: int) -> int:
    """The number of columns, at least one, that fit on the screen."""
    width, fitting = 12, 0
    for column in range(len(table.columns)):
        cells = [row.cells[column] for row in table.rows if column < len(row.cells)]
        texts = [_column_name(table, column), *(cell_text(cell, _WIDEST_CELL) for cell in cells)]
        width += max(map(len, texts)) + 2
        if width > screen and fitting:
            break
        fitting += 1
    return fitting
