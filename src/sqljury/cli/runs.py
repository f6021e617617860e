"""`sqljury report`, `show` and `runs`: look at runs again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, By, Csv, Export, Failures, Html, RunFolder
from sqljury.cli.output import console, print_failures, print_summary_of, write_files
from sqljury.errors import InputError

if TYPE_CHECKING:
    from sqljury.api.evaluation import Evaluation
    from sqljury.verdict import Record


@app.command()
def report(
    runs: Annotated[
        list[Path], typer.Argument(help="The folder of a run; of several, one leaderboard.")
    ],
    html: Html = None,
    csv: Csv = None,
    export: Export = None,
    rose_output: Annotated[
        Path | None,
        typer.Option("--rose-output", help="Write the folders that ROSE's own scripts read."),
    ] = None,
    failures: Failures = 0,
    by: By = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the scores for a paper.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the scores as a Markdown table.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print a run again, or write it as HTML, CSV, JSONL, LaTeX, or as ROSE's output."""
    from sqljury.api.evaluation import load_run

    if latex + markdown + as_json > 1:
        raise InputError("SJ006", "--latex, --markdown and --json each print the scores: give one.")
    if len(runs) > 1:
        if html or csv or export or rose_output or failures or by:
            raise InputError(
                "SJ006", "of several runs there is one leaderboard: no files, no --by."
            )
        _print_leaderboards(runs, latex, markdown, as_json)
        return
    with load_run(runs[0], by=by or ()) as found:
        write_files(found, html, csv, export)
        written = [path for path in (html, csv, export) if path is not None]
        if rose_output is not None:
            from sqljury.benchmarks import write_rose_output

            written += write_rose_output(found.records(), rose_output)
        if failures:
            print_failures(found, failures)
        elif latex or markdown:
            from sqljury.uses.evaluate.document import latex_table, markdown_table

            typer.echo((latex_table if latex else markdown_table)(found.summary))
        elif not written:
            print_summary_of(found, as_json)
        for path in written:
            typer.echo(str(path))


def _print_leaderboards(runs: list[Path], latex: bool, markdown: bool, as_json: bool) -> None:
    """The systems of several runs, by benchmark."""
    from sqljury.api.leaderboards import leaderboards
    from sqljury.uses.evaluate.document import latex_table, markdown_table, print_summary

    boards = leaderboards(runs)
    if as_json:
        typer.echo(json.dumps({name: one.to_json() for name, one in boards.items()}, indent=2))
        return
    for place, (name, board) in enumerate(boards.items()):
        if len(boards) > 1:
            mark = "%" if latex else "##"
            typer.echo(f"{chr(10) if place else ''}{mark} {name or '(no benchmark)'}{chr(10)}")
        if latex or markdown:
            typer.echo((latex_table if latex else markdown_table)(board))
        else:
            print_summary(board, console())


@app.command()
def show(
    run: RunFolder,
    case_id: Annotated[str, typer.Argument(help="The case's id, or benchmark/id/source.")],
) -> None:
    """Print one case: both queries, both results, and what each judge says."""
    from sqljury.api.evaluation import load_run
    from sqljury.reports.terminal import print_record

    with load_run(run) as found:
        cases = _grouped(found, case_id)
        if not cases:
            raise InputError("SJ412", f"no case {case_id!r} in {run}.", hint=_near(found, case_id))
        for records in cases:
            print_record(records, console())


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(help="The folder that holds runs.")] = Path(
        "sqljury-runs"
    ),
) -> None:
    """List the runs in a folder, the latest first: where, how many cases, the scores."""
    from sqljury.api.evaluation import find_runs, load_run
    from sqljury.reports.words import visible

    found = find_runs(folder)
    if not found:
        raise InputError(
            "SJ401", f"there is no run in {folder}.", hint="sqljury evaluate makes them."
        )
    for path in found:
        typer.echo(visible(str(path)))
        with load_run(path) as run:
            for line in run.lines():
                typer.echo(f"  {line}")


def _near(found: Evaluation, case_id: str) -> str:
    """Cases of a run whose names are like one that is none of them, else the first."""
    from difflib import get_close_matches
    from itertools import islice

    records = found.run.records(whole=False, with_evidence=False)
    names = list(dict.fromkeys(record.case.name for record in islice(records, 10_000)))
    near = get_close_matches(case_id, names, n=3)
    if near:
        return f"Did you mean {', '.join(near)}?"
    return f"Its cases are {', '.join(names[:3])}{', …' if len(names) > 3 else ''}."


def _grouped(found: Evaluation, case_id: str) -> list[list[Record]]:
    from itertools import groupby

    records = list(found.records(case_id=case_id)) or [
        record for record in found.records() if record.case.name == case_id
    ]
    return [list(group) for _, group in groupby(records, key=lambda record: record.case.key)]
