"""The results of `evaluate` in the terminal, and as tables for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from sqljury.reports.document import ReportTable, ScoreEstimate, Slices
from sqljury.reports.markup import latex_text, markdown_text
from sqljury.reports.plots import PlotPoint
from sqljury.reports.terminal import (
    NARROWEST_NAME,
    Out,
    indented,
    joined_table,
    plain,
    slice_tables,
)
from sqljury.reports.words import count, interval, p_value, percent, visible
from sqljury.uses.evaluate.summary import JudgeSummary, Summary, SystemScore, named_scores
from sqljury.uses.evaluate.words import (
    details,
    headline,
    reading_notes,
    score_sentence,
)
from sqljury.uses.statistics import SIGNIFICANT

_MOST_PAIRS = 20


def print_summary(summary: Summary, console: Console) -> None:
    """Print the results of `evaluate`: scores, outcomes, slices."""
    out = Out(console)
    for judge in summary.judges:
        out.block(_score(judge, out.width))
        board, pairs = system_tables(judge)
        out.table(joined_table(board))
        out.table(joined_table(pairs, min_width=NARROWEST_NAME, most=_MOST_PAIRS))
    several = any(judge.systems for judge in summary.judges)
    score = "Score of all systems together" if several else "Score"
    for slices in slices_of(summary.judges):
        for table in slice_tables(score, slices, out.width):
            out.table(table)
    for note in reading_notes(summary):
        out.text(f"Note: {note}")


def _score(judge: JudgeSummary, width: int) -> Iterator[RenderableType]:
    yield Text.assemble((visible(judge.name), "bold"), "  ", score_sentence(judge))
    for text in details(judge):
        yield indented(plain(text))
    # Breaks a long signature between its parts.
    lines = [""]
    for part in judge.signature.split("|"):
        if lines[-1] and len(lines[-1]) + len(part) + 1 > width - 2:
            lines.append("")
        lines[-1] += f"{part}|"
    yield indented(plain("\n".join(lines).removesuffix("|"), "dim"))


def system_tables(judge: JudgeSummary) -> tuple[ReportTable, ReportTable]:
    """Two tables: a judge's score of each system, and the paired tests between systems."""
    board = ReportTable(
        caption=f"Systems by {visible(judge.name)}",
        heads=("", "score", "95 %", "n", "only this\none right"),
        rows=[
            (
                visible(one.name or "(none)"),
                percent(one.score),
                interval(one.low, one.high),
                count(one.n),
                count(one.only),
            )
            for one in judge.systems
        ],
    )
    heads = ("n", "only first\nright", "only second\nright", "difference", "95 %", "p", "Holm")
    pairs = ReportTable(
        caption=f"Systems compared by {visible(judge.name)} (McNemar's exact test, two-sided)",
        heads=("", "", *heads),
        rows=[
            (
                visible(pair.first or "(none)"),
                visible(pair.second or "(none)"),
                *map(count, (pair.n, pair.only_first, pair.only_second)),
                percent(pair.difference),
                interval(pair.low, pair.high),
                *map(p_value, (pair.p, pair.p_holm)),
            )
            for pair in judge.system_pairs
        ],
        texts=2,
    )
    return board, pairs


def slices_of(judges: Sequence[JudgeSummary]) -> list[Slices]:
    """The scores by each dimension; not by source if the systems have their own table."""
    left_out = "source" if any(judge.systems for judge in judges) else ""
    return Slices.all_of(
        [judge.name for judge in judges],
        (
            (
                part.dimension,
                part.value,
                judge.name,
                ScoreEstimate(part.score, part.low, part.high, part.n),
            )
            for judge in judges
            for part in judge.slices
            if part.dimension != left_out
        ),
    )


def score_points(summary: Summary) -> list[PlotPoint]:
    """A point per judge; with several systems, a point per judge and system."""
    return [PlotPoint(name, one.score, one.low, one.high) for name, one in named_scores(summary)]


# ---------------------------------------------------------------- for a paper

_MARK = "*"


_NOTE = (
    f"Percent, with 95 % intervals. {_MARK}: the best is better by more than chance (McNemar's "
    f"exact test, Holm's correction, p < {SIGNIFICANT:g})."
)


def latex_table(summary: Summary) -> str:
    """A LaTeX (booktabs) table: a row per system, a column per judge, citations as comments.

    >>> latex_text("a_b & 5 %")
    'a\\\\_b \\\\& 5 \\\\%'
    """
    judges = summary.judges
    rows = [
        " & ".join([latex_text(name), *cells]) + r" \\"
        for name, cells in _paper_rows(judges, lambda text: rf"\textbf{{{text}}}", latex_text)
    ]
    heads = " & ".join(["System", *(latex_text(judge.name) for judge in judges)]) + r" \\"
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(judges)}}}",
        r"\toprule",
        heads,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        f"% {_NOTE}",
        *(f"% {line}" for line in citations(summary)),
    ]
    return "\n".join(lines)


def markdown_table(summary: Summary) -> str:
    """A Markdown table: a row per system, a column per judge, citations below."""
    judges = summary.judges
    rows = [
        f"| {' | '.join([markdown_text(name), *cells])} |"
        for name, cells in _paper_rows(judges, lambda text: f"**{text}**", markdown_text)
    ]
    heads = " | ".join(["System", *(markdown_text(judge.name) for judge in judges)])
    lines = [f"| {heads} |", f"|---|{'---:|' * len(judges)}", *rows, "", _NOTE, ""]
    return "\n".join([*lines, *(f"- `{line}`" for line in citations(summary))])


def citations(summary: Summary) -> Iterator[str]:
    """A line per judge with score, n and signature, so that others can reproduce the score."""
    for judge in summary.judges:
        score = f"{headline(judge)} " if not judge.systems else ""
        yield f"{judge.name} {score}(n = {count(judge.n)}): {judge.signature}"


def _paper_rows(
    judges: Sequence[JudgeSummary], bold: Callable[[str], str], escaped: Callable[[str], str]
) -> Iterator[tuple[str, list[str]]]:
    """A row per system: each judge's best score in bold, those significantly worse marked."""
    boards: list[Mapping[str, SystemScore | JudgeSummary]] = [
        {one.name: one for one in judge.systems} if judge.systems else {"": judge}
        for judge in judges
    ]
    best = [max((one.score or 0.0 for one in board.values()), default=0.0) for board in boards]
    for name in dict.fromkeys(name for board in boards for name in board):
        cells = []
        for judge, board, most in zip(judges, boards, best, strict=True):
            one = board.get(name)
            text = "–" if one is None else percent(one.score)
            shown = escaped(text + (_MARK if name in _worse(judge) else ""))
            wins = one is not None and one.score == most and len(board) > 1
            ends = "" if one is None else interval(one.low, one.high)
            cells.append((bold(shown) if wins else shown) + escaped(f" ({ends})" if ends else ""))
        yield name or "(all)", cells


def _worse(judge: JudgeSummary) -> set[str]:
    """The systems that are significantly worse than the best one."""
    if not judge.systems:
        return set()
    best = judge.systems[0].name
    pairs = (pair for pair in judge.system_pairs if pair.first == best)
    return {pair.second for pair in pairs if pair.significant}
