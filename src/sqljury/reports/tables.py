"""Small findings as lines and tables: labels, keywords, suites, repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.learning.calibration import HIGHEST, LOWEST
from sqljury.reports import words
from sqljury.reports.sections import ReportDocument, ReportSection, ReportTable
from sqljury.spreadsheet import SafeRows
from sqljury.uses.stability import Stability
from sqljury.uses.suite import SuiteReport
from sqljury.version import __version__
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from rich.console import Console

    from sqljury.api.benchmark_scores import PlannedLabel
    from sqljury.uses.labelling import LabelStatistics

_COLUMNS = (
    *("id", "source", "benchmark", "db_id", "question", "hint"),
    *("predicted_sql", "reference_sql", "score", "probability", "label"),
)


def write_label_plan(path: PathLike, cases: Sequence[PlannedLabel]) -> None:
    """Write a CSV file whose last column, ``label``, is left for people.

    Raises:
        InputError, InfrastructureError: SJ801, SJ802: it cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(_COLUMNS)
        for one in cases:
            case = one.case
            rows.write(
                [
                    *(case.id, case.source, case.benchmark, case.db_id, case.question, case.hint),
                    *(case.predicted_sql, "; ".join(case.reference_sqls)),
                    *(one.score, one.probability, ""),
                ]
            )


def print_labels(found: LabelStatistics, console: Console) -> None:
    """Questions before and after, outcomes, and both labelled sets."""
    from rich.table import Table

    removed = found.questions - found.distinct_questions
    console.print(
        f"questions: {found.questions:,}, of which {removed:,} came twice\n"
        f"candidates: {found.candidates:,} ({found.said()})"
    )
    table = Table()
    for name in ("labelled set", "questions", "size", "incorrect", "correct"):
        table.add_column(name, justify="left" if name == "labelled set" else "right")
    for name, counts in (("unbalanced", found.all), ("balanced", found.balanced)):
        shares = [
            "-" if not counts.size else f"{n:,} ({100 * n / counts.size:.2f} %)"
            for n in (counts.incorrect, counts.correct)
        ]
        table.add_row(name, f"{counts.questions:,}", f"{counts.size:,}", *shares)
    console.print(table)


_SIDES = ("references", "predictions")


def keywords_document(found: Mapping[str, Mapping[str, Any]]) -> ReportDocument:
    """The percent of the queries of each side that has each keyword."""
    cases = (f"{words.visible(name)}: {words.count(one['n'])} cases" for name, one in found.items())
    tables = [_table(Path(name).name, one) for name, one in found.items()]
    return ReportDocument(
        title="Keywords",
        lead="; ".join(cases) + ".",
        sections=[ReportSection(title="Queries with each keyword, in percent", blocks=tables)],
        signature=f"keywords|sqljury:{__version__}",
    )


def _table(name: str, found: Mapping[str, Any]) -> ReportTable:
    sides = [side for side in _SIDES if side in found]
    keywords = found[sides[0]] if sides else {}
    rows = [[word, *(f"{found[side][word]:.2f}" for side in sides)] for word in keywords]
    return ReportTable(caption=words.visible(name), heads=["keyword", *sides], rows=rows)


def report_text(report: SuiteReport) -> str:
    """One suite in a line."""
    if report.failure:
        return f"{report.db_id}: none: {report.failure}"
    left_out = f", {len(report.left_out)} references left out" if report.left_out else ""
    there = ", there already" if report.resumed else ""
    return (
        f"{report.db_id}: {len(report.databases)} of {report.tried} databases tell "
        f"{report.told_apart:,} of {report.neighbours:,} neighbours of {report.references} "
        f"references apart (the original alone {report.by_original:,}){left_out}{there}"
    )


def total_text(reports: Sequence[SuiteReport]) -> str:
    """All suites in a line."""
    built = [report for report in reports if not report.failure]
    return (
        f"{len(built)} suites with {sum(len(r.databases) for r in built):,} databases tell "
        f"{sum(r.told_apart for r in built):,} of {sum(r.neighbours for r in built):,} "
        f"neighbours apart; the originals alone {sum(r.by_original for r in built):,}"
    )


def stability_section(found: Stability) -> ReportSection:
    """κ of each run, how far the runs spread, and how often they agree."""
    rows = [
        [
            words.visible(run.name),
            words.percent(run.kappa, 2),
            words.percent(run.accuracy, 2),
            words.count(run.yes),
        ]
        for run in found.runs
    ]
    heads = ["run", "κ", "accuracy", "says yes"]
    return ReportSection(
        title=f"Repeated runs of {words.visible(found.name)}",
        lines=_sentences(found),
        blocks=[ReportTable(caption="In percent", heads=heads, rows=rows)],
    )


def _sentences(found: Stability) -> list[str]:
    def percent(value: float | None) -> str:
        return words.percent(value, 2)

    return [
        f"κ from {percent(found.kappa_low)} to {percent(found.kappa_high)}, "
        f"mean {percent(found.kappa_mean)}, standard deviation {percent(found.kappa_deviation)}; "
        f"of the majority {percent(found.majority_kappa)}",
        f"the runs agree on {percent(found.unanimous)} % of {words.count(found.n)} cases "
        f"({len(found.unstable)} differ), two of them on {percent(found.pairwise)} %; "
        f"Fleiss' κ {percent(found.fleiss_kappa)}",
    ]


def warnings_of(facts: Mapping[str, Any]) -> list[str]:
    """What whoever uses the verifier should know, a line each."""
    temperature = facts["temperature"]
    found = []
    if temperature > 0.99 * HIGHEST:
        found.append(
            f"the temperature is at its bound, {HIGHEST:g}: on the validation questions the scores "
            "hardly tell right from wrong, and calibrated ones are all near a half."
        )
    if temperature < 1.01 * LOWEST:
        found.append(
            f"the temperature is at its bound, {LOWEST:g}: the validation questions hold no "
            "mistake to learn it from, and calibrated scores are all near 0 or 1."
        )
    return found


def training_text(facts: Mapping[str, Any], out: Path) -> str:
    """A few lines: what was learnt from, and how good it is on questions it has not seen."""
    learnt, held = facts["training"], facts["validation"]
    curves = held["reliability"]
    lines = [
        f"{out}: {facts['objective']}, prompt {facts['prompt']['variant']}",
        f"learnt from {learnt['examples']:,} candidates ({learnt['right']:,} right) of "
        f"{learnt['questions']:,} questions, best after {learnt['best_step']} of "
        f"{learnt['steps']} steps, {facts['seconds']:,.0f} s",
        f"validation, {held['examples']:,} candidates of other questions: AUC {held['auc']:.3f}, "
        f"accuracy {100 * held['accuracy']:.1f}, log loss {held['log_loss']:.3f}",
        f"temperature {facts['temperature']:.3f}: ECE {curves['before']['ece']:.3f} -> "
        f"{curves['after']['ece']:.3f}, Brier {curves['before']['brier']:.3f} -> "
        f"{curves['after']['brier']:.3f} (reliability.svg)",
    ]
    left = {**facts["data"]["left_out"], "too long": learnt["left_out_as_too_long"]}
    said = ", ".join(f"{why} {n:,}" for why, n in left.items() if n)
    return "\n".join([*lines, *([f"left out: {said}"] if said else [])])
