"""`sqljury build`: benchmarks, training pairs, cases that people agree on, test suites."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.flags import Files, OneWorker, command
from sqljury.cli.judging import client, mapping_of, read
from sqljury.cli.output import print_json
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, Drawing, Input, ModelCalls, Showing, Sources, only, option

if TYPE_CHECKING:
    from sqljury.uses.suite import SuiteReport

_Seed = Annotated[Drawing, only("seed")]
_Json = Annotated[Showing, only("json")]
_Folder = Annotated[Path, option("Folder to write; the same command again resumes.", "--out", "-o")]
_Databases = Annotated[Sources, only("databases")]


@command("build", "trust")
def build_trust(
    questions: Annotated[list[Path], Argument(help="Files of questions with their reference SQL.")],
    *,
    out: Annotated[Path, option("Folder to write; its name is the benchmark's.", "--out", "-o")],
    sources: Annotated[Sources, only("databases", "schemas")],
    kinds: Annotated[
        str | None, option("Kinds of unanswerable questions, joined by commas [all].", "--kinds")
    ] = None,
    out_of_domain: Annotated[
        Path | None, option("Text file of out-of-domain questions, one a line.", "--out-of-domain")
    ] = None,
    split: Annotated[
        str, option("Split by questions (6:2:2), or by databases (half and half).", "--split")
    ] = "questions",
    train: Annotated[
        Path | None, option("File of questions to use as the training split.", "--train")
    ] = None,
    correct: Annotated[
        bool,
        option(
            "Correct questions with relative times or without result rows; else leave them out.",
            "--correct",
        ),
    ] = False,
    now: Annotated[
        datetime | None,
        typer.Option(
            "--now",
            formats=["%Y-%m-%d"],
            help="With --correct: the date from which relative times are counted.",
        ),
    ] = None,
    ask: Annotated[
        str | None,
        option("PROVIDER:MODEL that writes unanswerable questions to OUT/review.jsonl.", "--ask"),
    ] = None,
    paraphrases: Annotated[
        int, option("With --ask: paraphrases for each query.", "--paraphrases", least=0)
    ] = 0,
    asking: Annotated[ModelCalls, only("model_option", "ledger", "replay", "max_cost")],
    reading: Annotated[Input, only("map", "overlay")],
    drawing: _Seed,
    showing: _Json,
) -> None:
    """Build a benchmark with unanswerable questions.

    The questions are split into training, validation and test by question and SQL structure.
    """
    from sqljury.judges.model_judge import option_pairs
    from sqljury.uses.building import KINDS, Corrections
    from sqljury.uses.building.benchmark import card_text
    from sqljury.uses.building.trust import QuestionWriter, build_trust_files, review_queue
    from sqljury.uses.building.writing import counts

    if ask is None and (asking.model_option or asking.is_limited or paraphrases):
        told = "--paraphrases, --model-option, --ledger, --replay, --max-cost go with --ask."
        raise InputError("SJ006", told)
    if now is not None and not correct:
        raise InputError("SJ006", "--now goes with --correct.")
    seed = drawing.seed
    corrections = Corrections(None if now is None else now.date(), seed) if correct else None
    writer = None
    with ExitStack() as stack:
        if ask is not None:
            writer = QuestionWriter(
                model=ask,
                options=option_pairs(";".join(asking.model_option)),
                settings=client(asking, out / "ledger.sqlite"),
                paraphrases=paraphrases,
                on_progress=stack.enter_context(progress("asking", "asked")),
            )
        card = build_trust_files(
            questions,
            out,
            databases=sources.databases,
            schemas=sources.schemas,
            seed=seed,
            kinds=KINDS if kinds is None else [kind.strip() for kind in kinds.split(",")],
            out_of_domain=out_of_domain,
            corrections=corrections,
            asking=writer,
            mapping=mapping_of(reading),
            overlay=reading.overlay or None,
            splitting=split,
            training=train,
        )
    if showing.json:
        print_json(card.to_json())
    else:
        echo(card_text(card))
    found = counts(review_queue(out))
    if any(found.values()):
        told = ", ".join(f"{number:,} {status}" for status, number in found.items())
        echo(
            f"{out / 'review.jsonl'}: {told}. Set `status` to accepted or rejected, and give the "
            "same command again: accepted ones are taken.",
            err=True,
        )


@command("build", "pairs")
def build_pairs(
    files: Annotated[
        list[Path],
        Argument(help="Files of references, or of pairs: references with predictions."),
    ],
    *,
    sources: _Databases,
    out: _Folder,
    exclude: Annotated[
        tuple[Path, ...],
        option("Files whose queries are left out: evaluation data.", "--exclude", "-x"),
    ] = (),
    most: Annotated[int, option("Most pairs to make.", "--most", least=2)] = 18_000,
    rounds: Annotated[
        int, option("Factor on the number of pairs proposed per reference.", "--rounds", least=1)
    ] = 1,
    one_table: Annotated[
        int, option("Queries of one table to make for each database.", "--one-table", least=0)
    ] = 0,
    drawing: _Seed,
    workers: OneWorker = 1,
    reading: Annotated[Input, only("map", "overlay")],
    second: Annotated[
        str | None, option("Model judge that gives given pairs a second opinion.", "--second")
    ] = None,
    reviewed: Annotated[
        Path | None, option("review.jsonl with people's labels, to use them.", "--reviewed")
    ] = None,
    showing: _Json,
) -> None:
    """Build pairs of queries labelled equivalent or not.

    They train the judges that compare queries.
    """
    from sqljury.uses.building.pairs.card import pairs_card_text
    from sqljury.uses.building.pairs.files import build_pairs_files

    steps = _Steps()
    with steps:
        card = build_pairs_files(
            files,
            out,
            databases=_databases(sources),
            exclude=exclude,
            most=most,
            rounds=rounds,
            one_table=one_table,
            seed=drawing.seed,
            workers=workers,
            mapping=mapping_of(reading),
            overlay=reading.overlay or None,
            second=second,
            reviewed=reviewed,
            on_step=steps.show,
        )
    if showing.json:
        print_json(card.to_json())
    else:
        echo(pairs_card_text(card))


def _databases(sources: Sources) -> str:
    if sources.databases is None:
        raise InputError("SJ006", "give --databases.")
    return sources.databases


class _Steps(contextlib.ExitStack):
    """Prints the name of each step, and a progress bar for it."""

    def __init__(self) -> None:
        super().__init__()
        self._step = ""
        self._update: Callable[[int, int], None] = lambda _done, _total: None

    def show(self, step: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` parts of a step are done."""
        if step != self._step:
            self.close()
            echo(step, err=True)
            self._step, self._update = step, self.enter_context(progress())
        self._update(done, total)


@command("build", "consensus")
def build_consensus(
    files: Files,
    *,
    out: Annotated[Path, option("File of cases; with --people: folder of forms.", "--out", "-o")],
    labels: Annotated[
        tuple[Path, ...], option("File of one person's labels; repeatable.", "--labels")
    ] = (),
    people: Annotated[
        str | None, option("Names, joined by commas: write forms for them.", "--people")
    ] = None,
    each: Annotated[int, option("How many people label each case.", "--each", least=1)] = 2,
    label: Annotated[str, option("Column of the labels.", "--label")] = "label",
    drawing: _Seed,
    showing: _Json,
) -> None:
    """Have cases labelled by several people; keep what they agree on.

    With --people: writes a form for each person. With --labels: reads the filled forms, and writes
    the cases to which all people gave the same label.
    """
    from sqljury.uses.building.consensus import build_consensus as build
    from sqljury.uses.building.consensus import write_forms

    if (people is None) == (not labels):
        raise InputError("SJ006", "give --people to write forms, or --labels to read them.")
    if people is not None:
        names = [name.strip() for name in people.split(",") if name.strip()]
        forms = write_forms(files, out, names, each=each, seed=drawing.seed)
        for name, count in forms.items():
            echo(f"{out / name}.csv: {count:,} cases to label")
        return
    found = build(files, labels, out, each=each, column=label)
    if showing.json:
        counts = {key: value for key, value in asdict(found).items() if key != "cases"}
        print_json({"kept": len(found.cases), **counts})
        return
    echo(
        f"{out}: {len(found.cases):,} of {found.n:,} cases kept; {found.disagreed:,} disagreed on, "
        f"{found.too_few:,} with fewer than {each} labels"
    )
    for pair in found.pairs:
        kappa = "–" if pair.kappa is None else f"{100 * pair.kappa:.2f}"
        echo(f"{pair.first} and {pair.second}: agree on {pair.agreed:,} of {pair.n:,}, κ {kappa}")


@command("build", "suite")
def build_suite(
    files: Files,
    *,
    sources: _Databases,
    out: _Folder,
    databases_per_query: Annotated[
        int, option("Databases to try per reference.", "--databases-per-query", least=1)
    ] = 20,
    drawing: _Seed,
    workers: OneWorker = 1,
    reading: Annotated[Input, only("format", "map", "overlay")],
) -> None:
    """Build test suites: databases on which wrong queries show.

    Keeps several databases on which mutated references give other rows than the references.
    """
    from sqljury.uses.suite.build import build_suites, report_text, total_text

    done = 0

    def on_report(report: SuiteReport, total: int) -> None:
        nonlocal done
        done += 1
        echo(f"{done} of {total}  {report_text(report)}", err=True)

    reports = build_suites(
        read(files, reading, overlay=True),
        _databases(sources),
        out,
        databases_per_query=databases_per_query,
        seed=drawing.seed,
        workers=workers,
        on_report=on_report,
    )
    echo(total_text(reports))
