"""What `rose-vec` and `methods` print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from sqljury.papers.findings import Measured, PaperClaim
from sqljury.papers.methods import Disagreement, MethodFigures, Methods
from sqljury.papers.rose_vec import ABLATIONS, MetricComparison, MetricRow, RoseVec
from sqljury.reports import words
from sqljury.reports.stability import print_stability
from sqljury.reports.terminal import Out, numbers_table, plain
from sqljury.version import __version__

_CASE = 20
_QUESTION = 90
_JUDGE = 27


# ---------------------------------------------------------------- rose-vec


def print_rose_vec(found: RoseVec, console: Console) -> None:
    """Print the paper's tables: metrics and backbones, ablations, stability."""
    out = Out(console)
    for name in (*found.sets, "pooled"):
        out.table(_metrics(found, name))
    out.table(_comparisons("Against ROSE of the same model (McNemar, exact)", found.comparisons))
    out.table(_ablations(found.ablations))
    out.table(_comparisons("Ablations against ROSE", found.ablation_comparisons))
    for runs in found.stability:
        print_stability(runs, console)
    _notes(out, found.notes)
    out.text(rose_vec_signature(found), style="dim")


def rose_vec_signature(found: RoseVec) -> str:
    """How the figures were computed, on one line."""

    return "|".join(
        (
            "rose-vec",
            f"sets:{'+'.join(found.sets)}",
            "labels:of the sets",
            f"bootstrap:{found.resamples}",
            f"seed:{found.seed}",
            f"confidence:{found.confidence:g}",
            f"sqljury:{__version__}",
        )
    )


STATISTICS = ("kappa", "interval", "accuracy", "mcc", "f1")
"""The paper's columns, and how sure κ is."""


def shown_rows(rows: Iterable[MetricRow], name: str) -> list[tuple[MetricRow, dict[str, str]]]:
    """The rows of one set, or of all (``pooled``), with their figures as text."""
    shown = []
    for row in rows:
        parts = {part.value: part for part in row.figures.by_benchmark}
        figures = (row.figures if row.complete else None) if name == "pooled" else parts.get(name)
        if figures is not None:
            cells = {column: words.statistic(figures, column) for column in ("n", *STATISTICS)}
            shown.append((row, cells))
    return shown


def _metrics(found: RoseVec, name: str) -> Table:
    heads = (words.statistic_name(column, found.confidence) for column in STATISTICS)
    rows = shown_rows(found.metrics, name)
    n = f"{rows[0][1]['n']} cases, " if rows else ""
    table = numbers_table(f"{_titled(name)}: {n}in percent", "model", "metric", *heads)
    table.columns[1].justify = "left"
    last = ""
    for row, cells in rows:
        model = "" if row.model == last else row.model
        last = row.model
        table.add_row(
            plain(model, "bold"), plain(row.metric), *(cells[column] for column in STATISTICS)
        )
    return table


def _titled(name: str) -> str:
    return "All sets pooled" if name == "pooled" else name


def _ablations(rows: Sequence[MetricRow]) -> Table:
    heads = (words.statistic_name(column) for column in STATISTICS)
    table = numbers_table("Ablations, in percent", "model", "variant", "n", *heads)
    table.columns[1].justify = "left"
    last = ""
    for row in rows:
        model = "" if row.model == last else row.model
        last = row.model
        figures = (words.statistic(row.figures, column) for column in ("n", *STATISTICS))
        table.add_row(plain(model, "bold"), ABLATIONS.get(row.metric, row.metric), *figures)
    return table


def _comparisons(title: str, rows: Sequence[MetricComparison]) -> Table:
    heads = ("model", "metric", "n", "only metric\nright", "only ROSE\nright", "p", "Holm")
    table = numbers_table(title, *heads)
    table.columns[1].justify = "left"
    for cells in comparison_rows(rows):
        table.add_row(*map(plain, cells))
    return table


def comparison_rows(rows: Sequence[MetricComparison]) -> list[list[str]]:
    """Metrics against ROSE as text, model by model."""
    models = [row.model for row in rows]
    return [
        [
            row.model,
            ABLATIONS.get(row.metric, row.metric),
            *map(words.count, (row.n, row.only_metric, row.only_other)),
            *map(words.p_value, (row.p, row.p_holm)),
        ]
        for row in sorted(rows, key=lambda row: models.index(row.model))
    ]


def _notes(out: Out, notes: Sequence[str]) -> None:
    for note in notes:
        out.text(f"Note: {note}")


# ---------------------------------------------------------------- methods


def print_methods(found: Methods, console: Console) -> None:
    """Print EX, ROSE and the gap per method, findings, and what was published otherwise."""
    out = Out(console)
    for part in method_parts(found):
        table = numbers_table(part["caption"], *part["heads"])
        for cells in part["rows"]:
            table.add_row(*map(plain, cells))
        out.table(table)
    for finding in found.findings:
        out.table(_finding(finding))
    out.table(_disagreements(found))
    _notes(out, found.notes)
    out.text(methods_signature(found), style="dim")


def method_parts(found: Methods) -> list[dict[str, Any]]:
    """The tables about methods: caption, heads and rows of text."""
    return [
        part
        for part in (_own(found), _common(found), _labels(found), _difficulties(found))
        if part["rows"]
    ]


def methods_signature(found: Methods) -> str:
    """How the figures were computed, on one line."""

    sizes = f"{found.n_smallest}-{found.n_largest}"
    return (
        f"methods:{len(found.methods)}|n:{sizes}|common:{found.n_common}|"
        f"confidence:{found.confidence:g}|sqljury:{__version__}"
    )


def signed(fraction: float | None) -> str:
    """A difference in percentage points.

    >>> signed(0.0675), signed(-0.013), signed(None)
    ('+6.75', '-1.30', '–')
    """
    return words.UNDEFINED if fraction is None else f"{100 * fraction:+.2f}"


def between(interval: tuple[float, float] | None) -> str:
    """The ends of the interval of a difference."""
    if interval is None:
        return ""
    return f"{signed(interval[0])} to {signed(interval[1])}"


def _own(found: Methods) -> dict[str, Any]:
    heads = ("method", "n", "EX", "ROSE", "gap", f"gap, {100 * found.confidence:g} %", "p")
    return {
        "caption": "Each method on its own questions, in percent",
        "heads": heads,
        "rows": [
            [words.visible(row.name), *_figures(row.own), words.p_value(row.own.p)]
            for row in found.methods
        ],
    }


def _figures(figures: MethodFigures) -> list[str]:
    return [
        words.count(figures.n),
        words.percent(figures.ex, 2),
        words.percent(figures.rose, 2),
        signed(figures.gap),
        between(figures.gap_interval),
    ]


def _common(found: Methods) -> dict[str, Any]:
    ends = f"gap, {100 * found.confidence:g} %"
    ranks = {
        name: sorted(-(getattr(row.common, name) or 0) for row in found.methods)
        for name in ("ex", "rose")
    }
    return {
        "caption": f"All methods on the {words.count(found.n_common)} questions that they share, "
        "in percent",
        "heads": ("method", "EX", "ROSE", "gap", ends, "rank by EX", "rank by ROSE"),
        "rows": [
            [
                words.visible(row.name),
                *_figures(row.common)[1:],
                *(
                    str(1 + at.index(-(getattr(row.common, name) or 0)))
                    for name, at in ranks.items()
                ),
            ]
            for row in sorted(found.methods, key=lambda row: -(row.common.rose or 0))
        ],
    }


def _labels(found: Methods) -> dict[str, Any]:
    rows = []
    for row in found.methods:
        own = row.own
        numbers = (own.asked, own.gold_fault, own.ambiguous_question, own.ambiguous_schema)
        counted = (_counted(number, own.n) for number in numbers)
        rows.append([words.visible(row.name), words.count(own.n), *counted])
    return {
        "caption": "What the Refuter says of the benchmark, in percent of each method's questions",
        "heads": ("method", "n", "Refuter asked", "GoldX", "AmbQ", "ambiguous schema"),
        "rows": rows,
    }


def _counted(number: int, n: int) -> str:
    return f"{words.percent(number / n if n else None)} ({number})"


def _difficulties(found: Methods) -> dict[str, Any]:
    rows = found.methods
    names = list(dict.fromkeys(part.difficulty for row in rows for part in row.by_difficulty))
    parts = [{part.difficulty: part for part in row.by_difficulty} for row in rows]
    return {
        "caption": "EX → ROSE by difficulty, in percent (n)",
        "heads": ("method", *names),
        "rows": [
            [words.visible(row.name), *(_slice(known.get(name)) for name in names)]
            for row, known in zip(rows, parts, strict=True)
        ]
        if names
        else [],
    }


def _slice(part: MethodFigures | None) -> str:
    if part is None:
        return words.UNDEFINED
    return f"{words.percent(part.ex)} → {words.percent(part.rose)} ({part.n})"


def _finding(finding: PaperClaim) -> Table:
    table = numbers_table(
        f"{finding.claim} {finding.answer.capitalize()}.", "", "statistic", "value", "interval",
        "p", "n",
    )  # fmt: skip
    for test in finding.tests:
        table.add_row(plain(test.name), test.statistic, *measured_cells(test))
    return table


def measured_cells(test: Measured) -> list[str]:
    """Value, interval, p and n as text: shares and differences in percent, τ and η² as they are."""
    if test.statistic in ("τ", "η²"):
        value = words.UNDEFINED if test.value is None else f"{test.value:.2f}"
        ends = ""
    elif test.statistic == "share":
        value = words.percent(test.value)
        ends = words.interval(*test.interval) if test.interval else ""
    else:
        value, ends = signed(test.value), between(test.interval)
    return [value, ends, words.p_value(test.p) if test.p is not None else "", str(test.n)]


def _disagreements(found: Methods) -> Table:
    table = numbers_table(
        f"Published figures that the recordings do not give ({len(found.disagreements)} of "
        f"{found.n_published})",
        "method",
        "figure",
        "published",
        "recorded",
        "n",
        "recorded of",
    )
    for row in found.disagreements:
        table.add_row(*disagreement_cells(row))
    return table


def disagreement_cells(row: Disagreement) -> list[str]:
    """One line of the check."""
    return [
        words.visible(row.name),
        row.figure,
        f"{row.published:.2f}",
        f"{row.recorded:.2f}",
        str(row.n),
        words.visible(row.recorded_of) or words.UNDEFINED,
    ]
