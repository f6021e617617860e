"""`sqljury formats`, `judges`, `explain` and `doctor`: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.errors import InputError


@app.command()
def formats() -> None:
    """List the file formats that are read."""
    from sqljury.benchmarks import formats as known

    for name, line in known().items():
        typer.echo(f"{name:10} {line}")


@app.command()
def judges() -> None:
    """List the judges, what each needs, and its options with their defaults."""
    from sqljury.judges import options_of, registered

    for name, cls in registered().items():
        needs = [flag.name.lower().replace("_", " ") for flag in cls.needs]
        first_line = (cls.__doc__ or "").strip().splitlines()[0]
        typer.echo(f"{name:16} {first_line}")
        typer.echo(f"{'':16} needs: {', '.join(needs) or 'nothing'}")
        options = [f"{key}={default}" for key, default in options_of(cls).items()]
        if options:
            typer.echo(f"{'':16} options: {', '.join(options)}")


@app.command()
def explain(
    code: Annotated[str, typer.Argument(help="A code such as SJ104.")],
) -> None:
    """Explain an error code."""
    from sqljury.errors import CATALOGUE

    found = CATALOGUE.get(code.upper())
    if found is None:
        raise InputError("SJ004", f"there is no code {code!r}.", hint=f"Known: {_known_codes()}.")
    title, text = found
    typer.echo(f"{code.upper()}: {title}\n\n{text}")


def _known_codes() -> str:
    from sqljury.errors import CATALOGUE

    return ", ".join(sorted(CATALOGUE))


@app.command()
def doctor(
    databases: Annotated[
        str | None,
        typer.Option("--databases", "-d", help="Also try to open what is here, read-only."),
    ] = None,
    db_id: Annotated[
        str | None, typer.Option("--db-id", help="The database to open for the {db_id} of a URL.")
    ] = None,
) -> None:
    """Check engines and drivers; print the command that fixes each."""
    from sqljury.doctor import checks, database_checks

    for check in [*checks(), *(database_checks(databases, db_id) if databases else ())]:
        typer.echo(f"{check.mark:8}{check.name:15}{check.detail}")
