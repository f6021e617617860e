"""`sqljury formats`, `judges`, `explain` and `doctor`: what there is."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from sqljury.cli.app import app
from sqljury.errors import EXIT_OK, InputError
from sqljury.judge_name import JudgeName

if TYPE_CHECKING:
    from sqljury.judges import Judge


@app.command()
def formats() -> None:
    """List the file formats that are read."""
    from sqljury.benchmarks import formats as known

    for name, line in known().items():
        typer.echo(f"{name:10} {line}")


@app.command()
def judges(
    name: Annotated[
        str | None, typer.Argument(help="A judge, to say what its options mean.")
    ] = None,
) -> None:
    """List the judges, what each needs, and its options with their defaults."""
    from sqljury.judges import class_named, options_of, registered

    if name is not None:
        _explain_judge(name.partition(":")[0], class_named(JudgeName.parse(name).name))
        return
    for known, cls in registered().items():
        typer.echo(f"{known:16} {_first_line(cls)}")
        typer.echo(f"{'':16} needs: {_needs(cls)}")
        options = [f"{option.name}={option.default}" for option in options_of(cls)]
        if options:
            typer.echo(f"{'':16} options: {', '.join(options)}")


def _explain_judge(name: str, cls: type[Judge]) -> None:
    from sqljury.judges import options_of

    typer.echo(f"{name}: {_first_line(cls)}")
    typer.echo(f"needs: {_needs(cls)}")
    for option in options_of(cls):
        variant = f" ({name}:{option.name.upper()})" if option.name == cls.variant else ""
        typer.echo(f"\n{option.name}={option.default}{variant}: {option.kind}")
        typer.echo(
            textwrap.fill(
                option.help.replace("``", "`"), 96, initial_indent="    ", subsequent_indent="    "
            )
        )


def _first_line(cls: type[Judge]) -> str:
    return next(iter((cls.__doc__ or "").strip().splitlines()), "")


def _needs(cls: type[Judge]) -> str:
    return ", ".join(str(flag.name).lower().replace("_", " ") for flag in cls.needs) or "nothing"


@app.command()
def explain(
    code: Annotated[str, typer.Argument(help="A code such as SJ104.")],
) -> None:
    """Explain an error code."""
    from sqljury.errors import catalogue

    found = catalogue().get(code.upper())
    if found is None:
        raise InputError("SJ004", f"there is no code {code!r}.", hint=f"Known: {_known_codes()}.")
    title, text = found
    typer.echo(f"{code.upper()}: {title}\n\n{text}")


def _known_codes() -> str:
    from sqljury.errors import catalogue

    return ", ".join(sorted(catalogue()))


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

    code = EXIT_OK
    for check in [*checks(), *(database_checks(databases, db_id) if databases else ())]:
        typer.echo(f"{check.mark:8}{check.name:23}{check.detail}")
        code = max(code, check.exit_code)
    raise typer.Exit(code)
