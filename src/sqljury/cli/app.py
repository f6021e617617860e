"""The command and its groups; each command joins one of them in a file of its own."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from sqljury.errors import EXIT_OK
from sqljury.trusted import VARIABLE
from sqljury.version import __version__

app = typer.Typer(
    name="sqljury",
    help="Does this SQL answer what the user asked, and how do we know?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version, and those of what verdicts rest on."),
    ] = False,
    trust_folder: Annotated[
        bool,
        typer.Option(
            "--trust-folder",
            help="Use all that sqljury.toml and packages of the current folder say; the same is "
            f"{VARIABLE}=1.",
        ),
    ] = False,
) -> None:
    if trust_folder:
        os.environ[VARIABLE] = "1"
    if "--help" not in sys.argv:
        from sqljury.cli.project import project_defaults

        context.default_map = project_defaults(context.command, context.invoked_subcommand)
    if version:
        typer.echo(_versions())
        raise typer.Exit(EXIT_OK)


def _versions() -> str:
    """One line for a report of a fault: what reads SQL and what runs it can alter a verdict."""
    import platform
    import sqlite3
    from importlib.metadata import version

    others = (
        f"Python {platform.python_version()}",
        f"sqlglot {version('sqlglot')}",
        f"SQLite {sqlite3.sqlite_version}",
    )
    return f"sqljury {__version__} ({', '.join(others)})"


def _group(name: str, text: str) -> typer.Typer:
    group = typer.Typer(help=text, no_args_is_help=True)
    app.add_typer(group, name=name)
    return group


trainers = _group("train", "Train models that judges use.")
builders = _group("build", "Build benchmarks.")
suites = _group("suite", "Several databases for one schema.")
ledgers = _group("ledger", "Carry a ledger from place to place.")
