"""The root command, its groups and the layout of their help; other files add the commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sqljury.cli.commands import DECLARED, PANELS, typed_modules
from sqljury.cli.flags import with_flags
from sqljury.cli.old_names import translated
from sqljury.errors import EXIT_OK
from sqljury.trusted import VARIABLE
from sqljury.version import __version__


class PanelCommand(TyperCommand):
    """A command whose help groups the options that name a panel under that panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options without a panel, then each panel."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            if record is not None:
                panel = getattr(parameter, "rich_help_panel", None) or usual
                panels.setdefault(panel, []).append(record)
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


class RootGroup(TyperGroup):
    """The root group: lists commands in panels, and runs the new command for an old name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does, after replacing an old command name by the new one."""
        return super().parse_args(ctx, translated(self, ctx, args))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order of the panels."""
        return [name for names in PANELS.values() for name in names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel."""
        longest = max(len(name) for name in self.list_commands(ctx))
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(
                    [
                        (
                            name.ljust(longest),
                            self.commands[name].get_short_help_str(formatter.width - longest - 6),
                        )
                        for name in names
                    ]
                )


class DefaultGroup(TyperGroup):
    """A group that runs its first command when none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does, after inserting the first command's name where none is given."""
        first = next(iter(self.commands))
        named = args[:1] == ["--help"] or bool(set(args[:1]) & set(self.commands))
        if not named and (args or not self.no_args_is_help):
            args = [first, *args]
        return super().parse_args(ctx, args)


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the versions of sqljury, Python, sqlglot, SQLite."),
    ] = False,
    trust_folder: Annotated[
        bool,
        typer.Option(
            "--trust-folder",
            help="Trust sqljury.toml and the packages of the current folder, for this command "
            f"only; {VARIABLE}=1 does the same.",
        ),
    ] = False,
) -> None:
    if trust_folder:
        os.environ[VARIABLE] = "1"
    if "--help" not in sys.argv:
        from sqljury.cli.project import project_defaults

        context.default_map = project_defaults(context)
    if version:
        typer.echo(_versions())
        raise typer.Exit(EXIT_OK)


def _versions() -> str:
    """The versions in one line, for bug reports.

    The parser and the engine are included because a verdict can depend on them.
    """
    import platform
    import sqlite3
    from importlib.metadata import version

    others = (
        f"Python {platform.python_version()}",
        f"sqlglot {version('sqlglot')}",
        f"SQLite {sqlite3.sqlite_version}",
    )
    return f"sqljury {__version__} ({', '.join(others)})"


@cache
def _app_of(modules: tuple[str, ...]) -> typer.Typer:
    """All commands of some modules of this room, below one root."""
    for module in modules:
        import_module(f"sqljury.cli.{module}")
    found = typer.Typer(
        name="sqljury",
        cls=RootGroup,
        help="Does this SQL answer what the user asked, and how do we know?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    found.callback(invoke_without_command=True)(_root)
    groups = {"": found, **{name: typer.Typer(**more) for name, more in _GROUPS.items()}}
    for name in _GROUPS:
        found.add_typer(groups[name], name=name)
    for one in DECLARED:
        added = groups[one.group].command(one.name, cls=PanelCommand, hidden=one.hidden)
        added(with_flags(one.function))
    return found


_GROUPS: dict[str, dict[str, Any]] = {
    # Without arguments, `runs` lists the runs; the other groups print their help.
    "runs": {"help": "List the runs in a folder, or merge some.", "cls": DefaultGroup},
    "audit": {
        "help": "Is the reference right? Find faults, correct them.",
        "cls": DefaultGroup,
        "no_args_is_help": True,
    },
    "build": {
        "help": "Build benchmarks, pairs to train on, test suites.",
        "no_args_is_help": True,
    },
    "train": {"help": "Train models that judges use.", "no_args_is_help": True},
    "paper": {"help": "Recompute the tables of published papers.", "no_args_is_help": True},
}


def root_command(modules: Iterable[str]) -> Any:
    """Click's root command with the commands of some modules."""
    return typer.main.get_command(_app_of(tuple(modules)))


def commands_below(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Each command of a group and of its subgroups, with its full name ("audit run")."""
    if hasattr(command, "commands"):
        for part, inner in command.commands.items():
            yield from commands_below(inner, f"{name} {part}".strip())
    else:
        yield name, command


app = _app_of(tuple(typed_modules()))
