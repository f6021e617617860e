"""`--track`: log a run in trackers of experiments, which are found by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqljury.cli.streams import echo
from sqljury.errors import InfrastructureError, InputError, SqljuryError
from sqljury.isolation import TemporaryFolder

if TYPE_CHECKING:
    from sqljury.uses.evaluate.evaluation import Evaluation


def check_trackers(specs: Sequence[str]) -> None:
    """Raise if there is no tracker of a name, before any work is done.

    Raises:
        InputError: SJ852.
    """
    if not specs:
        return
    from sqljury.uses.evaluate.tracked import TRACKERS

    for spec in specs:
        if TRACKERS.get(spec.partition(":")[0]) is None:
            raise InputError(
                "SJ852",
                f"there is no tracker {spec!r}.",
                hint=f"Known: {', '.join(TRACKERS.names())}.",
            )


def track(found: Evaluation, specs: Sequence[str]) -> None:
    """Log a run in each tracker, and print where it is.

    Args:
        specs: the names of trackers, each with ``:`` and a place there, if it is given one.

    Raises:
        InputError: SJ852: there is no such tracker.
        InfrastructureError: SJ853: a tracker does not take the run; SJ001: it is not installed.
    """
    check_trackers(specs)
    if not specs:
        return
    from sqljury.secrets import learn_from_environment, redacted
    from sqljury.uses.evaluate.tracked import TRACKERS, tracked_run

    learn_from_environment()  # a tracker's URL may hold a password

    for spec in specs:
        name, _, place = spec.partition(":")
        log = TRACKERS.get(name)
        assert log is not None
        with TemporaryFolder() as folder:
            page = folder / "report.html"
            found.to_html(page)
            try:
                where = log(tracked_run(found), place, page)
            except SqljuryError:
                raise
            except Exception as error:  # each library has exceptions of its own
                raise InfrastructureError(
                    "SJ853",
                    f"{name} does not take the run: {redacted(str(error))}",
                    hint=f"The run is kept: sqljury report {found.run.folder} --track {spec}.",
                ) from error
        echo(f"{name}: {redacted(where)}", err=True)
