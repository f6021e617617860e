"""Predictions of a system under test: what commands with ``--system`` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.cli.judging import client, mapping_of
from sqljury.cli.progress import progress
from sqljury.cli.streams import echo
from sqljury.errors import InfrastructureError
from sqljury.settings import Input, ModelCalls, Sources, SystemCalls

if TYPE_CHECKING:
    from sqljury.uses.generating.pools import Generated
    from sqljury.uses.generating.systems import SystemCases


def answered(
    files: list[Path],
    sources: Sources,
    reading: Input,
    asking: ModelCalls,
    system: SystemCalls,
    n: int,
    folder: Path,
) -> SystemCases:
    """The cases of files with the system's answers, which are kept in the run's folder."""
    from sqljury.uses.generating.systems import answer_questions

    models = client(asking, folder / "ledger.sqlite")
    with progress("asking", "answered") as on_progress:
        found = answer_questions(
            files,
            system,
            n,
            folder,
            databases=sources.databases,
            schemas=sources.schemas,
            llm=models,
            format=reading.format,
            mapping=mapping_of(reading),
            on_progress=on_progress,
        )
    print_calls(found.counts, n, models.ledger)
    return found


def print_calls(found: Generated, n: int, ledger: str | None) -> None:
    """Print to stderr how many answers are new, and where the others are from."""
    calls = 0 if found.paid is None else found.paid.calls
    kept = n * found.sampled - found.unreachable - calls
    echo(f"the system was asked {calls:,} times", err=True)
    if kept:
        echo(
            f"{kept:,} answers are from an earlier command ({ledger}); to ask again, name another "
            "file with --ledger",
            err=True,
        )


def refuse_unreachable(found: Generated) -> None:
    """Raise if answers are missing because the system could not be reached.

    Raises:
        InfrastructureError: SJ918.
    """
    if found.unreachable:
        raise InfrastructureError(
            "SJ918",
            f"{found.unreachable:,} questions have no answer: the system could not be reached.",
            hint="The same command asks for them again.",
        )
