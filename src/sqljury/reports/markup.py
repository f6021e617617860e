"""Tables in Markdown and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sqljury.reports.words import visible


def markdown_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, wide: bool = False
) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are right-aligned.

    Args:
        wide: the last column is text and left-aligned, too.
    """
    numbers = len(heads) - 1 - wide
    yield f"| {' | '.join(heads)} |"
    yield f"|---|{'---:|' * numbers}{'---|' * wide}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    return re.sub(r"[\\~^–&%$#_{}]", lambda match: _LATEX[match[0]], text)


def markdown_text(text: str) -> str:
    """The text on one line, with Markdown's and HTML's special characters escaped.

    A name after @ notifies nobody, and a number after # links to nothing.

    >>> markdown_text("a_b <b>")
    'a\\\\_b \\\\<b\\\\>'
    """
    escaped = re.sub(r"([\\|*_`<>\[\]&~$])", r"\\\1", re.sub(r"\s+", " ", visible(text)))
    return re.sub(r"[@#](?=\w)", "\\g<0>\u200b", escaped)


def markdown_code(text: str) -> str:
    """The text on one line as code, for a cell of a table; empty for an empty text.

    >>> markdown_code("a|b"), markdown_code("`a")
    ('`a\\\\|b`', '`` `a ``')
    """
    text = " ".join(visible(text).split())
    if not text:
        return ""
    # A backslash before the one that escapes a pipe would end its effect.
    text = text.replace("\\|", "\\ |").replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"
