"""Tables for the terminal: 100 columns at most, and plain text where it is not one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.console import Console, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sqljury.case import Case
from sqljury.reports import words
from sqljury.reports.cells import ShownTable, cell_text, shown_tables
from sqljury.reports.evidence import other_evidence, said
from sqljury.reports.sections import ReportDocument, ReportTable
from sqljury.reports.sqltext import DiffLine, compared, formatted
from sqljury.uses.agree import Agreement, AgreementSlice, JudgeAgreement
from sqljury.uses.evaluate import JudgeSummary, Slice, Summary
from sqljury.verdict import Record

WIDTH = 100
_MOST_SLICES = 12
_MOST_PAIRS = 20
_NARROWEST_NAME = 14
_BETWEEN = 3
"""Columns are so far apart."""
_WIDEST_CELL = 32
_WIDEST_NAME = 18
_WIDEST_PAIR = 32
_WIDEST_ROW_NAME = 28


def print_summary(summary: Summary, console: Console) -> None:
    """Print what `evaluate` found: scores, outcomes, slices."""
    out = Out(console)
    for judge in summary.judges:
        out.block(_score(judge, out.width))
        for table in _systems(judge):
            out.table(table)
    several = any(judge.systems for judge in summary.judges)
    score = "Score of all systems together" if several else "Score"
    for dimension in words.dimensions(summary.judges):
        for table in _slices(score, dimension, summary.judges, out.width):
            out.table(table)
    for note in words.reading_notes(summary):
        out.text(f"Note: {note}")


def print_agreement(agreement: Agreement, console: Console) -> None:
    """Print what `agree` found, in percent: a row per judge and benchmark, and pooled."""
    out = Out(console)
    for title, columns in words.AGREEMENT_TABLES.items():
        out.table(_agreement(agreement, title, columns))
    for line in words.calibration_lines(agreement):
        out.text(line)
    if agreement.pairs:
        out.table(_pairs(agreement))
    for dimension in words.dimensions(agreement.judges):
        for table in _slices("κ", dimension, agreement.judges, out.width):
            out.table(table)
        graded = [one for one in agreement.judges if one.auc != one.auc_thresholded]
        for table in _slices("AUC", dimension, graded, out.width, words.auc_text):
            out.table(table)
    for note in agreement.notes:
        out.text(f"Note: {note}")
    out.text(words.agreement_signature(agreement), style="dim")


def print_record(records_of_one_case: Sequence[Record], console: Console) -> None:
    """Print one case: its question, both queries, and what each judge says of it."""
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
    """A console at our width, on which nothing is markup."""

    def __init__(self, console: Console) -> None:
        if not console.is_terminal:
            console.width = WIDTH
        self._console = console
        self.width = min(WIDTH, console.width)

    def text(self, text: str, style: str = "") -> None:
        """One line."""
        self._print(Text(words.visible(text), style=style))

    def block(self, parts: Iterator[RenderableType]) -> None:
        """Parts that belong together, and an empty line."""
        for part in parts:
            self._print(part)
        self._console.print()

    def table(self, table: Table) -> None:
        """A table, unless it is empty."""
        if table.row_count:
            self.block(iter([table]))

    def _print(self, part: RenderableType) -> None:
        self._console.print(part, width=self.width, highlight=False, markup=False)


def plain(text: str, style: str = "") -> Text:
    """Text that is no markup."""
    return Text(words.visible(text), style=style)


def print_document(document: ReportDocument, console: Console) -> None:
    """Print what a page would show, without its plots."""
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
            out.table(_printed(table))
    for note in document.notes:
        out.text(note)
    out.text(document.signature, style="dim")


def _printed(table: ReportTable) -> Table:
    head, *rest = table.heads[table.texts - 1 :]
    longest = max((len(row[table.texts - 1]) for row in table.rows), default=0)
    printed = numbers_table("", head, *rest, min_width=min(longest, _WIDEST_ROW_NAME))
    if table.wide:
        printed.columns[-1].justify = "left"
    heading = ""
    for row in table.rows:
        *above, name = row[: table.texts]
        if above and above[0] != heading:
            heading = above[0]
            printed.add_row(plain(heading, "bold"))
        cells = map(plain, row[table.texts :])
        printed.add_row(_indented(plain(name)) if above else plain(name), *cells)
    return printed


def numbers_table(title: str, *columns: str, min_width: int = 0) -> Table:
    """A table whose first column is text and whose others are numbers."""
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


# ---------------------------------------------------------------- evaluate


def _score(judge: JudgeSummary, width: int) -> Iterator[RenderableType]:
    line = Text.assemble((words.visible(judge.name), "bold"), "  ", words.score_sentence(judge))
    yield line
    for text in words.details(judge):
        yield _indented(plain(text))
    yield _indented(plain(_folded(judge.signature, width - 2), "dim"))


def _systems(judge: JudgeSummary) -> Iterator[Table]:
    """The scoreboard of several systems, and who is better by more than chance."""
    board = numbers_table(f"Systems by {words.visible(judge.name)}", "", *words.SYSTEM_HEADS)
    for name, cells in words.system_rows(judge):
        board.add_row(plain(name), *cells)
    yield board
    title = words.PAIRS_TITLE.format(words.visible(judge.name))
    pairs = numbers_table(title, "", *words.PAIR_HEADS, min_width=_NARROWEST_NAME)
    for better, worse, cells in words.pair_rows(judge)[:_MOST_PAIRS]:
        pairs.add_row(plain(f"{better} | {worse}"), *cells)
    if len(judge.system_pairs) > _MOST_PAIRS:
        pairs.caption = f"{_MOST_PAIRS} of {len(judge.system_pairs)}; --json and --html: all"
        pairs.caption_justify = "left"
    yield pairs


def _folded(signature: str, width: int) -> str:
    """A signature on as many lines as it needs, broken between its parts."""
    lines = [""]
    for part in signature.split("|"):
        if lines[-1] and len(lines[-1]) + len(part) + 1 > width:
            lines.append("")
        lines[-1] += f"{part}|"
    return "\n".join(lines).removesuffix("|")


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


_STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "out": "dim"}


def _slices(
    title: str,
    dimension: str,
    judges: Sequence[JudgeSummary | JudgeAgreement],
    width: int,
    text_of: Callable[[Slice | AgreementSlice | None], str] = words.slice_text,
) -> Iterator[Table]:
    """As many judges beside each other as fit."""
    if not judges:
        return
    found = words.slices_of(dimension, judges)
    largest = sorted(found, key=lambda value: -max(part.n for part in found[value].values()))
    kept = set(largest[:_MOST_SLICES])
    rows = {
        value: {judge.name: text_of(parts.get(judge.name)) for judge in judges}
        for value, parts in found.items()
        if value in kept
    }
    cell = max(len(text) for cells in rows.values() for text in cells.values()) + _BETWEEN
    abreast = max(1, (width - _NARROWEST_NAME) // cell)
    for start in range(0, len(judges), abreast):
        names = [judge.name for judge in judges[start : start + abreast]]
        head = f"{title} by {words.visible(dimension)}, in percent"
        table = numbers_table(head, "", *names)
        table.min_width = min(len(head), width)
        table.columns[0].max_width = max(_NARROWEST_NAME, width - len(names) * cell)
        for column in table.columns[1:]:
            # A long name rather wraps than the figures.
            column.min_width = cell - _BETWEEN
        for value, cells in rows.items():
            table.add_row(plain(value or "(none)"), *(cells[name] for name in names))
        if len(found) > _MOST_SLICES:
            table.caption = f"the {_MOST_SLICES} largest of {len(found)}; --json and --html: all"
            table.caption_justify = "left"
        yield table


# ---------------------------------------------------------------- agree


def _agreement(agreement: Agreement, title: str, columns: Sequence[str]) -> Table:
    heads = (words.statistic_name(name, agreement.confidence) for name in columns)
    # The name of a judge rather wraps than the heads of the figures.
    longest = max((len(judge.name) for judge in agreement.judges), default=0)
    table = numbers_table(title, "", *heads, min_width=min(longest, _WIDEST_NAME))
    for judge in agreement.judges:
        table.add_row(plain(judge.name, "bold"))
        for name, figures in words.agreement_rows(judge):
            cells = (words.statistic(figures, column) for column in columns)
            table.add_row(_indented(plain(name)), *cells)
    return table


def _pairs(agreement: Agreement) -> Table:
    table = numbers_table(
        "Pairs of judges (McNemar's exact test, two-sided)",
        "",
        "n",
        "only first\nright",
        "only second\nright",
        "p",
        "Bonferroni",
        "Holm",
        min_width=_WIDEST_PAIR,
    )
    for pair in agreement.pairs:
        numbers = map(words.count, (pair.n, pair.only_a, pair.only_b))
        ps = map(words.p_value, (pair.p, pair.p_bonferroni, pair.p_holm))
        table.add_row(plain(f"{pair.a} | {pair.b}"), *numbers, *ps)
    return table


# ---------------------------------------------------------------- show


def _head(case: Case) -> Iterator[RenderableType]:
    yield plain(case.name, "bold")
    for name, value in words.case_facts(case):
        yield Text.assemble((f"{name}  ", "dim"), words.visible(value))


def _queries(case: Case) -> Iterator[RenderableType]:
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
    yield Text(title, style="bold")
    yield Padding(plain(formatted(sql)), (0, 0, 0, 4), expand=False)


def _diff(lines: Sequence[DiffLine]) -> Iterator[RenderableType]:
    """Unified: what differs first as the reference has it, then as the prediction does."""
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
        yield _indented(plain(line))
    for name, value in other_evidence(verdict.evidence).items():
        yield _indented(plain(f"{name}: {json.dumps(value, ensure_ascii=False)}"))


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
    yield from _not_shown(table, fitting)


def _column_name(table: ShownTable, column: int) -> str:
    name = words.visible(table.columns[column]).replace("\n", " ")
    return words.shortened(name, _WIDEST_CELL)


def _cell(text: str, style: str) -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _fitting(table: ShownTable, screen: int) -> int:
    """How many columns fit beside each other."""
    width, fitting = 12, 0
    for column in range(len(table.columns)):
        cells = [row.cells[column] for row in table.rows if column < len(row.cells)]
        texts = [_column_name(table, column), *(cell_text(cell, _WIDEST_CELL) for cell in cells)]
        width += max(map(len, texts)) + 2
        if width > screen and fitting:
            break
        fitting += 1
    return fitting


def _not_shown(table: ShownTable, fitting: int) -> Iterator[RenderableType]:
    columns = len(table.columns) - fitting
    if columns:
        yield _indented(Text(f"and {columns} more columns", style="dim"))
    if table.hidden:
        text = words.hidden_rows(table.hidden, table.hidden_differing)
        yield _indented(Text(text, style="dim"))
