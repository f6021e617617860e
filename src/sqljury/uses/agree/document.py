"""The results of `agree` in the terminal and as a part of an HTML page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from sqljury.reports import plots
from sqljury.reports.document import ReportTable, ScoreEstimate, Slices
from sqljury.reports.page import slice_plots
from sqljury.reports.plots import Axis, PlotPoint, reliability_svg
from sqljury.reports.terminal import Out, grouped_table, joined_table, slice_tables
from sqljury.reports.words import count, interval, p_value, percent, visible
from sqljury.signature import signed
from sqljury.uses.agree.agreement import Agreement, Figures, JudgeAgreement

AGREEMENT_TABLES: dict[str, tuple[str, ...]] = {
    "Agreement with the labels, in percent": (
        "n",
        "kappa",
        "interval",
        "accuracy",
        "mcc",
        "f1",
        "precision",
        "recall",
    ),
    "Scores and labels, in percent": (
        "n_scored",
        "auc",
        "kendall_tau",
        "spearman_rho",
        "pearson_r",
        "auc_thresholded",
        "kendall_tau_thresholded",
        "spearman_rho_thresholded",
        "pearson_r_thresholded",
    ),
    "Cases": (
        "tp",
        "fp",
        "fn",
        "tn",
        "n_unknown",
        "n_left_out",
        "n_unlabelled",
        "coverage",
    ),
}
"""The tables in which agreement is shown, and their columns."""


_STATISTIC_NAMES = {
    "kappa": "κ",
    "accuracy": "accuracy",
    "mcc": "MCC",
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
    "auc": "AUC",
    "kendall_tau": "τ",
    "spearman_rho": "ρ",
    "pearson_r": "r",
    "n": "n",
    "n_scored": "n scored",
    "n_unknown": "unknown",
    "n_left_out": "left out",
    "n_unlabelled": "no label",
    "coverage": "coverage",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
}


def statistic_name(name: str, confidence: float = 0.95) -> str:
    """The heading of a statistic's column."""
    if name == "interval":
        return f"κ, {100 * confidence:g} %"
    plain = name.removesuffix("_thresholded")
    return _STATISTIC_NAMES[plain] + ("\nyes/no" if plain != name else "")


def statistic(figures: Figures, name: str) -> str:
    """A figure as text: counts as integers, statistics in percent with two digits."""
    if name == "interval":
        ends = figures.intervals.get("kappa")
        return "" if ends is None else interval(*ends, digits=2)
    if name in ("tp", "fp", "fn", "tn"):
        return count(getattr(figures.confusion, name))
    value = getattr(figures, name)
    return count(value) if name == "n" or name.startswith("n_") else percent(value, 2)


def agreement_rows(judge: JudgeAgreement) -> list[tuple[str, Figures]]:
    """Names and figures: a row per benchmark, and one for all pooled if there are several."""
    rows: list[tuple[str, Figures]] = [
        (part.value or "all cases", part) for part in judge.by_benchmark
    ]
    return [*rows, ("pooled", judge)] if len(rows) > 1 else rows


def agreement_signature(agreement: Agreement) -> str:
    """One line that says how the figures were computed."""
    return signed(
        "agree",
        ("judges", len(agreement.judges)),
        ("unknown", agreement.unknown),
        ("bootstrap", agreement.resamples),
        ("seed", agreement.seed),
        ("confidence", f"{agreement.confidence:g}"),
    )


_WIDEST_NAME = 18
_WIDEST_PAIR = 32


def print_agreement(agreement: Agreement, console: Console) -> None:
    """Print the results of `agree` in percent: a row per judge and benchmark, and pooled."""
    out = Out(console)
    # Names of judges wrap before the headings of the figures do.
    longest = max((len(judge.name) for judge in agreement.judges), default=0)
    for one in agreement_tables(agreement):
        out.table(grouped_table(one, one.caption, min(longest, _WIDEST_NAME)))
    for judge in agreement.judges:
        if judge.calibration is not None:
            found = judge.calibration
            out.text(
                f"{visible(judge.name)}: calibration error (ECE) {found.ece:.3f}, Brier score "
                f"{found.brier:.3f} of {count(found.n)} scores"
            )
    out.table(joined_table(_pairs(agreement), min_width=_WIDEST_PAIR))
    by_auc = {slices.dimension: slices for slices in _slices(agreement, "auc")}
    for slices in _slices(agreement, "kappa"):
        for table in slice_tables("κ", slices, out.width):
            out.table(table)
        if slices.dimension in by_auc:
            for table in slice_tables("AUC", by_auc[slices.dimension], out.width):
                out.table(table)
    for note in agreement.notes:
        out.text(f"Note: {note}")
    out.text(agreement_signature(agreement), style="dim")


def agreement_tables(agreement: Agreement) -> list[ReportTable]:
    """The tables of figures: a row per judge and benchmark, and per judge for all pooled."""
    return [
        ReportTable(
            caption=title,
            heads=["", "", *(statistic_name(name, agreement.confidence) for name in columns)],
            rows=[
                [visible(judge.name), visible(name), *(statistic(one, c) for c in columns)]
                for judge in agreement.judges
                for name, one in agreement_rows(judge)
            ],
            texts=2,
        )
        for title, columns in AGREEMENT_TABLES.items()
    ]


def _pairs(agreement: Agreement) -> ReportTable:
    heads = ("n", "only first\nright", "only second\nright", "p", "Bonferroni", "Holm")
    return ReportTable(
        caption="Pairs of judges (McNemar's exact test, two-sided)",
        heads=["", "", *heads],
        rows=[
            [
                *map(visible, (pair.first, pair.second)),
                *map(count, (pair.n, pair.only_first, pair.only_second)),
                *map(p_value, (pair.p, pair.p_bonferroni, pair.p_holm)),
            ]
            for pair in agreement.pairs
        ],
        texts=2,
    )


def _slices(agreement: Agreement, statistic: str) -> list[Slices]:
    """κ by each dimension, or the AUC of those judges whose scores are not just yes/no."""
    judges = [
        one for one in agreement.judges if statistic == "kappa" or one.auc != one.auc_thresholded
    ]
    return Slices.all_of(
        [judge.name for judge in judges],
        (
            (part.dimension, part.value, judge.name, estimate(part, statistic))
            for judge in judges
            for part in judge.slices
        ),
    )


def estimate(figures: Figures, statistic: str = "kappa") -> ScoreEstimate:
    """A statistic with its bootstrap interval and the number of cases behind it."""
    low, high = figures.intervals.get(statistic) or (None, None)
    n = figures.n if statistic == "kappa" else figures.n_scored
    return ScoreEstimate(getattr(figures, statistic), low, high, n, 2)


def agreement_values(agreement: Agreement, link: Callable[[str, str], str]) -> dict[str, Any]:
    """The values that the page's template shows.

    Args:
        link: returns the link to the cases with a dimension's value.
    """
    rows = []
    for series, judge in enumerate(agreement.judges):
        for name, figures in agreement_rows(judge):
            one = estimate(figures)
            point = PlotPoint(f"{judge.name}, {name}", one.value, one.low, one.high, series)
            rows.append((judge, name, point, figures))
    axis = Axis.around(
        end for _, _, point, _ in rows for end in (point.value, point.low, point.high)
    )
    return {
        "judges": [
            {"name": visible(judge.name), "series": series}
            for series, judge in enumerate(agreement.judges)
        ],
        "rows": [
            {
                "judge": visible(judge.name),
                "name": visible(name),
                "n": figures.n,
                "plot": plots.dots([point], axis),
                "value": statistic(figures, "kappa"),
            }
            for judge, name, point, figures in rows
        ],
        "axis": plots.axis_labels(axis),
        "tables": agreement_tables(agreement),
        "dimensions": [slice_plots(slices, link) for slices in _slices(agreement, "kappa")],
        "confidence": agreement.confidence,
        "calibration": [
            reliability_svg({visible(judge.name): judge.calibration})
            for judge in agreement.judges
            if judge.calibration is not None
        ],
        "pairs": _pairs(agreement),
        "notes": [visible(note) for note in agreement.notes],
        "signature": agreement_signature(agreement),
    }
