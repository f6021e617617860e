"""`sqljury report` and `runs`: print, list, compare and merge runs."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import TypedWords, command, refuse_besides
from sqljury.cli.output import (
    console,
    print_failures,
    print_json,
    print_summary_of,
    show,
    write_files,
)
from sqljury.cli.streams import echo
from sqljury.cli.tracking import track
from sqljury.errors import InputError
from sqljury.settings import Argument, Showing, only, option

if TYPE_CHECKING:
    from sqljury.uses.evaluate.evaluation import Evaluation


@command()
def report(
    typed: TypedWords,
    runs: Annotated[
        list[Path],
        Argument(help="The folder of a run; several are printed as a leaderboard."),
    ],
    *,
    case: Annotated[
        str | None, option("Print one case by its id, or benchmark/id/source.", "--case")
    ] = None,
    against: Annotated[
        Path | None, option("An earlier run: print what is newly right or wrong.", "--against")
    ] = None,
    showing: Showing,
    rose_output: Annotated[
        Path | None, option("Folder to write in the layout of ROSE's scripts.", "--rose-output")
    ] = None,
    card: Annotated[
        Path | None,
        option(
            "Write the scores as a Markdown card with Hugging Face's model-index.",
            "--card",
            is_written=True,
        ),
    ] = None,
    latex: Annotated[bool, option("Print the scores as a LaTeX table.", "--latex")] = False,
    markdown: Annotated[
        bool, option("Print the scores as a Markdown table.", "--markdown")
    ] = False,
) -> None:
    """Print a run, one of its cases, or changes between two runs.

    Several runs are printed as one leaderboard for each benchmark.
    """
    from sqljury.uses.evaluate.evaluation import load_run

    if case is not None:
        refuse_besides(typed, "--case", "runs")
        _print_case(_single(runs, "--case"), case)
        return
    if against is not None:
        refuse_besides(typed, "--against", "runs", "html", "json")
        _print_comparison(against, _single(runs, "--against"), showing)
        return
    if latex + markdown + showing.json > 1:
        raise InputError("SJ006", "--latex, --markdown and --json each print the scores: give one.")
    if len(runs) > 1:
        refuse_besides(
            typed, "a leaderboard of several runs", *("runs", "latex", "markdown", "json")
        )
        _print_leaderboards(runs, latex, markdown, showing.json)
        return
    with load_run(runs[0], by=showing.by) as found:
        written = write_files(found, showing)
        if rose_output is not None:
            from sqljury.benchmarks import write_rose_output

            written += write_rose_output(found.records(), rose_output)
        if card is not None:
            from sqljury.uses.evaluate.card import write_card

            write_card(card, found)
            written.append(card)
        if showing.failures:
            print_failures(found, showing.failures)
        elif latex or markdown:
            from sqljury.uses.evaluate.document import latex_table, markdown_table

            echo((latex_table if latex else markdown_table)(found.summary))
        elif not written and not showing.track:
            print_summary_of(found, showing.json)
        track(found, showing.track)
        for path in written:
            echo(str(path))


def _single(runs: list[Path], mode: str) -> Path:
    if len(runs) > 1:
        raise InputError("SJ006", f"{mode} goes with one run.")
    return runs[0]


def _print_case(run: Path, case_id: str) -> None:
    """Print a case: both queries, both results, and each judge's verdict."""
    from sqljury.reports.terminal import print_record
    from sqljury.uses.evaluate.evaluation import load_run

    with load_run(run) as found:
        records = list(found.records(case_id=case_id)) or [
            record for record in found.records() if record.case.name == case_id
        ]
        if not records:
            raise InputError("SJ412", f"no case {case_id!r} in {run}.", hint=_near(found, case_id))
        for _, group in groupby(records, key=lambda record: record.case.key):
            print_record(list(group), console())


def _near(found: Evaluation, case_id: str) -> str:
    """A hint for an unknown case name: similar names in the run, else its first cases."""
    from difflib import get_close_matches
    from itertools import islice

    records = found.run.records(whole=False, with_evidence=False)
    names = list(dict.fromkeys(record.case.name for record in islice(records, 10_000)))
    near = get_close_matches(case_id, names, n=3)
    if near:
        return f"Did you mean {', '.join(near)}?"
    return f"Its cases are {', '.join(names[:3])}{', …' if len(names) > 3 else ''}."


def _print_comparison(first: Path, second: Path, showing: Showing) -> None:
    from sqljury.uses.evaluate.comparison import compare_runs, comparison_document

    found = compare_runs(first, second)
    show(comparison_document(found), found.to_json(), showing)


def _print_leaderboards(runs: list[Path], latex: bool, markdown: bool, as_json: bool) -> None:
    """Print a table of the systems in several runs, one for each benchmark."""
    from sqljury.uses.evaluate.document import latex_table, markdown_table, print_summary
    from sqljury.uses.evaluate.leaderboards import leaderboards

    boards = leaderboards(runs)
    if as_json:
        print_json({name: one.to_json() for name, one in boards.items()})
        return
    for place, (name, board) in enumerate(boards.items()):
        if len(boards) > 1:
            mark = "%" if latex else "##"
            echo(f"{chr(10) if place else ''}{mark} {name or '(no benchmark)'}{chr(10)}")
        if latex or markdown:
            echo((latex_table if latex else markdown_table)(board))
        else:
            print_summary(board, console())


@command("runs", "list", hidden=True)
def list_runs(
    folder: Annotated[Path, Argument(help="The folder that holds runs.")] = Path("sqljury-runs"),
) -> None:
    """List the runs in a folder, the latest first, with their scores."""
    from sqljury.reports.words import visible
    from sqljury.uses.evaluate.evaluation import find_runs, load_run

    found = find_runs(folder)
    if not found:
        raise InputError(
            "SJ401", f"there is no run in {folder}.", hint="sqljury evaluate makes them."
        )
    for path in found:
        echo(visible(str(path)))
        with load_run(path) as run:
            for line in run.lines():
                echo(f"  {line}")


@command("runs", "merge")
def merge_runs(
    folder: Annotated[Path, Argument(help="The folder of the new run.")],
    runs: Annotated[list[Path], Argument(help="All shards of an input, or several runs.")],
    *,
    showing: Annotated[Showing, only("html", "csv", "export", "json")],
) -> None:
    """Merge the shards of one input, or runs over several inputs, into one run."""
    from sqljury.uses.evaluate.evaluation import merge_evaluations

    with merge_evaluations(folder, runs) as found:
        write_files(found, showing)
        print_summary_of(found, showing.json)
