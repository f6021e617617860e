"""`--set NAME=VALUE` changes a setting, and says what there is where it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from commands import run
from sqljury.cli.flags import with_flags
from sqljury.cli.project import project_defaults, wants
from sqljury.errors import InputError


@dataclass(frozen=True)
class Coat:
    """Settings inside others."""

    colours: Annotated[tuple[Literal["red", "blue"], ...], "Colours, the first below."] = ("red",)


@dataclass(frozen=True)
class Paint:
    """Settings of all kinds."""

    coats: Annotated[int, "Coats of paint."] = 2
    drying_hours: Annotated[float, "Hours between coats."] = 12.0
    matt: Annotated[bool, "Without gloss."] = False
    brush: Annotated[str | None, "The brush to use."] = None
    first: Coat = Coat()


PAINTED = typer.Typer()
SEEN: list[Paint] = []


@PAINTED.command()
@with_flags
def paint(boat: Annotated[str, typer.Argument()], *, settings: Paint) -> None:
    """Paint."""
    SEEN.append(settings)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ((), Paint()),
        (("coats=3", "drying-hours=1e1"), Paint(coats=3, drying_hours=10)),
        (("coats=3", "coats=4"), Paint(coats=4)),
        (("matt=yes", "brush=a=b"), Paint(matt=True, brush="a=b")),
        (("brush=none",), Paint()),
        (("first.colours=blue,red",), Paint(first=Coat(("blue", "red")))),
    ],
)
def test_what_is_set(typed: tuple[str, ...], expected: Paint) -> None:
    words = [word for one in typed for word in ("--set", one)]
    assert CliRunner().invoke(PAINTED, ["boat", *words], catch_exceptions=False).exit_code == 0
    assert SEEN.pop() == expected


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("coat=3", "there is no setting 'coat'. Did you mean coats (whole number; 2)?"),
        ("xyz=3", "Settings: coats (whole number; 2), drying_hours (number; 12.0), matt (true or"),
        ("coats", "expected NAME=VALUE."),
        ("coats=1.5", "expected whole number. The default is '2'."),
        ("drying_hours=long", "expected number. The default is '12.0'."),
        ("matt=perhaps", "expected true or false. The default is 'false'."),
        ("first.colours=red,green", "expected red, blue; several joined by commas."),
    ],
)
def test_what_cannot_be_set(typed: str, said: str) -> None:
    with pytest.raises(InputError, match="SJ003") as error:
        CliRunner().invoke(PAINTED, ["boat", "--set", typed], catch_exceptions=False)
    assert said in str(error.value)


@pytest.mark.parametrize("command", ["graph-match", "generator", "verifier"])
def test_every_trainer_lists_its_settings(command: str) -> None:
    done = run("train", command, "--set", "help")
    assert done.returncode == 0, done.stderr
    assert "epochs=" in done.stdout and "Highest learning rate" in done.stdout


def test_a_project_file_sets_them(tmp_path, monkeypatch) -> None:
    from sqljury.cli.app import app

    monkeypatch.chdir(tmp_path)
    text = "[train.verifier]\nepochs = 2\nfour-bit = true\nset = ['batch=8']\n"
    (tmp_path / "sqljury.toml").write_text(text)
    root = typer.main.get_command(app)
    context = root.make_context("sqljury", [], resilient_parsing=True)
    context.invoked_subcommand = "train"
    found = project_defaults(context)
    assert found == {"train": {"verifier": {"set": ["batch=8", "epochs=2", "four-bit=True"]}}}
    assert wants(root, tmp_path) == []
