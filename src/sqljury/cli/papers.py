"""`sqljury rose-vec` and `methods`: the tables of ROSE's paper from its recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Bootstrap, Html
from sqljury.cli.output import console


@app.command("rose-vec")
def rose_vec(
    folder: Annotated[Path, typer.Argument(help="Tree of ROSE's output folders.")],
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", help="File with the experts' labels, once for each set."),
    ] = None,
    bootstrap: Bootstrap = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Print the tables of ROSE's paper from recordings: metrics, models, ablations."""
    from sqljury.papers.replay import rose_vec as tables

    found = tables(folder, labels=labels or (), bootstrap=bootstrap, seed=seed)
    if html is not None:
        from sqljury.papers.pages import write_rose_vec_html

        write_rose_vec_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.papers.tables import print_rose_vec

    print_rose_vec(found, console())


@app.command()
def methods(
    folder: Annotated[Path, typer.Argument(help="Folder of recorded methods, with methods.csv.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed of bootstrap and permutations.")] = 0,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Compare recorded methods by EX and by ROSE: gaps, labels, the paper's findings."""
    from sqljury.papers.replay import methods as compare

    found = compare(folder, seed=seed)
    if html is not None:
        from sqljury.papers.pages import write_methods_html

        write_methods_html(html, found)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return
    from sqljury.papers.tables import print_methods

    print_methods(found, console())
