"""`sqljury paper` and `ledger`: tables of papers from recordings, and recorded model answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from sqljury.cli.flags import command
from sqljury.cli.judging import mapping_of
from sqljury.cli.output import show
from sqljury.cli.streams import echo
from sqljury.errors import InputError
from sqljury.settings import Argument, Drawing, Input, Showing, only, option

_Showing = Annotated[Showing, only("json", "html")]


@command("paper", "rose-vec")
def rose_vec(
    folder: Annotated[Path, Argument(help="Folder that holds ROSE's output folders.")],
    *,
    labels: Annotated[
        tuple[Path, ...],
        option("File with the experts' labels of a data set; repeatable.", "--labels"),
    ] = (),
    drawing: Drawing,
    showing: _Showing,
) -> None:
    """Print the tables of ROSE's paper from recordings.

    The tables are about metrics, models and ablations.
    """
    from sqljury.papers.rose_vec import read_rose_vec, rose_vec_document

    found = read_rose_vec(folder, labels=labels, bootstrap=drawing.bootstrap, seed=drawing.seed)
    show(rose_vec_document(found), found.to_json(), showing)


@command("paper")
def methods(
    folder: Annotated[Path, Argument(help="Folder of recorded methods, with methods.csv.")],
    *,
    drawing: Annotated[Drawing, only("seed")],
    showing: _Showing,
) -> None:
    """Compare recorded methods by EX and by ROSE.

    Prints the gaps between both, the labels, and the paper's findings.
    """
    from sqljury.papers.methods import read_methods
    from sqljury.papers.methods_document import methods_document

    found = read_methods(folder, seed=drawing.seed)
    show(methods_document(found), found.to_json(), showing)


@command("paper")
def keywords(
    files: Annotated[list[Path], Argument(help="Pairs, or any other file of cases.")],
    *,
    reading: Annotated[Input, only("format", "map")],
    dialect: Annotated[str, option("Dialect of the queries.", "--dialect")] = "sqlite",
    showing: _Showing,
) -> None:
    """Count how many queries of each file use each SQL keyword.

    Table 6 of FuncEvalGMN's paper counts the same.
    """
    from sqljury.papers.keywords import keyword_tables
    from sqljury.uses.building.pairs.card import keywords_document

    found = keyword_tables(
        files, dialect=dialect, format=reading.format, mapping=mapping_of(reading)
    )
    show(keywords_document(found), dict(found), showing)


@command()
def ledger(
    ledger: Annotated[Path, Argument(help="The ledger, an SQLite file.")],
    *,
    export: Annotated[
        Path | None,
        option("Write the answers as lines of JSON, sorted by key.", "--export", is_written=True),
    ] = None,
    import_: Annotated[
        Path | None,
        option("Add answers that --export wrote; makes the ledger, replaces none.", "--import"),
    ] = None,
    forget: Annotated[
        str | None, option("Id of a batch whose answers to stop waiting for.", "--forget")
    ] = None,
) -> None:
    """List, export or import recorded model answers.

    Without an option: lists the batches, with how many questions wait for an answer.
    """
    from sqljury.llm import Ledger

    if sum(one is not None for one in (export, import_, forget)) > 1:
        raise InputError("SJ006", "give one of --export, --import and --forget.")
    with Ledger(ledger, read_only=import_ is None and forget is None) as answers:
        if export is not None:
            echo(f"{answers.export_jsonl(export):,} answers")
            return
        if import_ is not None:
            echo(f"{answers.import_jsonl(import_):,} answers")
            return
        if forget is not None:
            answers.close_batch(forget, "forgotten")
        for batch, model, submitted, state, waiting in answers.batches():
            echo(f"{batch}  {':'.join(json.loads(model)[:2])}  {submitted}  {state}  {waiting:,}")
