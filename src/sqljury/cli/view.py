"""`sqljury view`: look at runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.flags import command
from sqljury.errors import InputError, MissingExtraError
from sqljury.settings import Sources, only, option

if TYPE_CHECKING:
    from sqljury.app.server import Served


@command()
def view(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of runs, or folders that hold runs [sqljury-runs]."),
    ] = None,
    *,
    sources: Annotated[Sources, only("databases")],
    port: Annotated[int, option("Port to listen on [any that is free].", "--port", least=0)] = 0,
) -> None:
    """Look at runs in a browser: scores, cases with filters, one case, comparisons.

    The server listens on this machine only, and the printed address has a token that the browser
    needs. Runs are only read. With --databases, a changed query can be run from a case's page.
    """
    try:
        from sqljury.app.look import Look
        from sqljury.app.server import make_app, serve
    except ImportError as error:
        raise MissingExtraError(error.name or "starlette", "app", "The browser app") from None

    with Look(_runs(runs or [Path("sqljury-runs")]), sources.databases) as look:
        serve(lambda chosen: make_app([look], chosen), port, _told)


def _told(served: Served) -> None:
    typer.echo(served.address)
    typer.echo("Open this address in a browser; Ctrl-C ends the server.", err=True)


def _runs(places: list[Path]) -> list[Path]:
    """The runs that folders are or hold.

    Raises:
        InputError: SJ401: there is none.
    """
    from sqljury.runs import RUN_FILE
    from sqljury.uses.evaluate.evaluation import find_runs

    found: list[Path] = []
    for place in places:
        here = [place] if (place / RUN_FILE).is_file() else find_runs(place)
        if not here:
            raise InputError(
                "SJ401", f"there is no run in {place}.", hint="sqljury evaluate makes them."
            )
        found += here
    return found
