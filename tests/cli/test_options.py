"""Every option of every command says what to give; options that belong together are one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from sqljury.cli.app import app, commands_below
from sqljury.cli.flags import with_flags
from sqljury.cli.judging import client
from sqljury.settings import ModelCalls, option

COMMANDS = dict(commands_below(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_to_give(name: str) -> None:
    silent = [one.name for one in COMMANDS[name].params if not getattr(one, "help", "")]
    assert silent == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    assert COMMANDS[name].help


def test_defaults_are_shown() -> None:
    hidden = [
        (name, one.name)
        for name, command in COMMANDS.items()
        for one in command.params
        if isinstance(one.default, (int, float)) and not isinstance(one.default, bool)
        and not getattr(one, "show_default", True)
    ]  # fmt: skip
    assert hidden == []


@dataclass(frozen=True, kw_only=True)
class Colours:
    """Two options."""

    first: Annotated[str, option("The first.", "--first")] = "red"
    second: Annotated[int, option("The second.", "--second", "-2", least=1)] = 3


def test_a_value_becomes_its_options() -> None:
    painted = typer.Typer()
    seen = []

    @painted.command()
    @with_flags
    def paint(
        what: Annotated[str, typer.Argument()],
        *,
        coats: Annotated[int, typer.Option("--coats")] = 1,
        colours: Colours,
    ) -> None:
        """Paint."""
        seen.append((what, coats, colours))

    run = CliRunner().invoke
    assert run(painted, ["boat", "-2", "5"]).exit_code == 0
    assert run(painted, ["boat", "--coats", "2", "--first", "blue"]).exit_code == 0
    assert run(painted, ["boat", "-2", "0"]).exit_code == 2
    assert seen == [("boat", 1, Colours(second=5)), ("boat", 2, Colours(first="blue"))]
    assert "The second." in run(painted, ["--help"]).stdout


def test_how_chat_models_are_asked(tmp_path) -> None:
    kept = client(ModelCalls(max_cost=2.0), tmp_path / "ledger.sqlite")
    assert (kept.ledger, kept.replay, kept.max_cost) == (str(tmp_path / "ledger.sqlite"), False, 2)
    replayed = client(ModelCalls(ledger=tmp_path / "a", replay=tmp_path / "b"), tmp_path / "c")
    assert (replayed.ledger, replayed.replay) == (str(tmp_path / "b"), True)
    assert ModelCalls(max_cost=0.0).is_limited and not ModelCalls().is_limited
