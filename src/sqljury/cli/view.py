"""`sqljury view`: look at runs in a browser."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.flags import TypedWords, command, refuse_without
from sqljury.cli.streams import echo
from sqljury.errors import InputError, MissingExtraError
from sqljury.settings import Argument, Sources, only, option

if TYPE_CHECKING:
    from sqljury.app.server import Door, Served


@command()
def view(
    typed: TypedWords,
    runs: Annotated[
        list[Path] | None,
        Argument(help="Folders of runs, or folders that hold runs [sqljury-runs]."),
    ] = None,
    *,
    sources: Annotated[Sources, only("databases")],
    labels: Annotated[
        Path | None,
        option("Project to label the cases of (`sqljury label-cases`).", "--labels"),
    ] = None,
    findings: Annotated[
        Path | None,
        option("File of findings to decide on (`sqljury audit --export`).", "--findings"),
    ] = None,
    overlay: Annotated[
        Path | None, option("With --findings: the overlay to write.", "--overlay")
    ] = None,
    key: Annotated[
        Path | None, option("With --findings: SSH key that signs each correction.", "--sign-with")
    ] = None,
    port: Annotated[int, option("Port to listen on [any that is free].", "--port", least=0)] = 0,
) -> None:
    """Look at runs in a browser: scores, cases with filters, one case, comparisons.

    The server listens on this machine only, and the printed address has a token that the browser
    needs. Runs are only read. With --databases, a changed query can be run from a case's page, and
    people who label see rows. With --labels and no run, people label cases and see nothing of what
    judges say.
    With --findings, people decide on faults that an audit found; the overlay is written at once.
    """
    if findings is None:
        refuse_without(typed, "--findings", "overlay", "key")
    elif overlay is None:
        raise InputError("SJ006", "--findings goes with --overlay FILE.")
    try:
        from sqljury.app.server import make_app, serve
    except ImportError as error:
        raise MissingExtraError(error.name or "starlette", "app", "The browser app") from None

    with ExitStack() as opened:
        doors: list[Door] = []
        if runs or (labels is None and findings is None):
            from sqljury.app.look import Look

            found = _runs(runs or [Path("sqljury-runs")])
            doors.append(opened.enter_context(Look(found, sources.databases)))
        if labels is not None:
            from sqljury.app.label import Label
            from sqljury.uses.label import LabelStore

            doors.append(opened.enter_context(Label(LabelStore(labels), sources.databases)))
        if findings is not None and overlay is not None:
            from sqljury.app.decide import Decide
            from sqljury.uses.audit.deciding import FindingDecisions

            decisions = FindingDecisions(findings, overlay, key)
            doors.append(opened.enter_context(Decide(decisions, sources.databases)))
        serve(lambda chosen: make_app(doors, chosen), port, _told)


def _told(served: Served) -> None:
    echo(served.address)
    echo("Open this address in a browser; Ctrl-C ends the server.", err=True)


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
