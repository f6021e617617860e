"""Scores for a paper: a table in LaTeX or Markdown, and how to cite them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqljury.reports.words import count, headline, interval, percent
from sqljury.uses.evaluate import JudgeSummary, Summary, SystemScore
from sqljury.uses.statistics import SIGNIFICANT

_MARK = "*"
_NOTE = (
    f"Percent, with 95 % intervals. {_MARK}: the best is better by more than chance (McNemar's "
    f"exact test, Holm's correction, p < {SIGNIFICANT:g})."
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex_table(summary: Summary) -> str:
    """A booktabs table: a row a system, a column a judge; citations as comments below.

    >>> latex_text("a_b & 5 %")
    'a\\\\_b \\\\& 5 \\\\%'
    """
    judges = summary.judges
    rows = [
        " & ".join([latex_text(name), *cells]) + r" \\"
        for name, cells in _rows(judges, lambda text: rf"\textbf{{{text}}}", latex_text)
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
    """The same as a table of Markdown."""
    judges = summary.judges
    rows = [
        f"| {' | '.join([_markdown(name), *cells])} |"
        for name, cells in _rows(judges, lambda text: f"**{text}**", _markdown)
    ]
    heads = " | ".join(["System", *(_markdown(judge.name) for judge in judges)])
    lines = [f"| {heads} |", f"|---|{'---:|' * len(judges)}", *rows, "", _NOTE, ""]
    return "\n".join([*lines, *(f"- `{line}`" for line in citations(summary))])


def citations(summary: Summary) -> Iterator[str]:
    """What to write beside each score so that others can have it again."""
    for judge in summary.judges:
        score = f"{headline(judge)} " if not judge.systems else ""
        yield f"{judge.name} {score}(n = {count(judge.n)}): {judge.signature}"


def latex_text(text: str) -> str:
    """Text that is none of LaTeX's commands."""
    return re.sub(r"[\\~^–&%$#_{}]", lambda match: _LATEX[match[0]], text)


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`])", r"\\\1", text)


def _rows(
    judges: Sequence[JudgeSummary], bold: Callable[[str], str], escaped: Callable[[str], str]
) -> Iterator[tuple[str, list[str]]]:
    """A row a system: the best score of each judge in bold, what is worse by a test marked."""
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
            cells.append((bold(shown) if wins else shown) + escaped(_ends(one)))
        yield name or "(all)", cells


def _ends(one: SystemScore | JudgeSummary | None) -> str:
    ends = "" if one is None else interval(one.low, one.high)
    return f" ({ends})" if ends else ""


def _worse(judge: JudgeSummary) -> set[str]:
    """The systems that the best one beats by more than chance."""
    if not judge.systems:
        return set()
    best = judge.systems[0].name
    pairs = (pair for pair in judge.system_pairs if pair.better == best)
    return {pair.worse for pair in pairs if pair.p_holm < SIGNIFICANT}
