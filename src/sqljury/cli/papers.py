"""`sqljury rose-vec` and `methods`: the tables of ROSE's paper from its recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Bootstrap, Html, Seed
from sqljury.cli.output import show


@app.command("rose-vec")
def rose_vec(
    folder: Annotated[Path, typer.Argument(help="Tree of ROSE's output folders.")],
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", help="File with the experts' labels, once for each set."),
    ] = None,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Print the tables of ROSE's paper from recordings: metrics, models, ablations."""
    from sqljury.papers.rose_vec import read_rose_vec, rose_vec_document

    found = read_rose_vec(folder, labels=labels or (), bootstrap=bootstrap, seed=seed)
    show(rose_vec_document(found), found.to_json() if as_json else None, html)


@app.command()
def methods(
    folder: Annotated[Path, typer.Argument(help="Folder of recorded methods, with methods.csv.")],
    seed: Seed = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Compare recorded methods by EX and by ROSE: gaps, labels, the paper's findings."""
    from sqljury.papers.methods import read_methods
    from sqljury.papers.methods_document import methods_document

    found = read_methods(folder, seed=seed)
    show(methods_document(found), found.to_json() if as_json else None, html)
