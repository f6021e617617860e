"""Old names of commands do what the new ones do, and say the new ones; modes refuse the rest."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
import typer

from commands import run
from sqljury.cli.app import PANELS, app, commands_below
from sqljury.cli.old_names import OLD_NAMES, command_of, translated

ROOT = typer.main.get_command(app)

# What was typed, and what is typed now.
TRANSLATIONS = {
    "show runs/a 7": "report runs/a --case 7",
    "compare-runs a b --html x.html": "report --against a b --html x.html",
    "features c.json -d dbs -o f.csv": "evaluate c.json -d dbs --features f.csv",
    "features c.json --out=f.csv": "evaluate c.json --features=f.csv",
    "merge-runs whole a b --json": "runs merge whole a b --json",
    "label-plan a -j x --count 5": "agree --plan a -j x --count 5",
    "calibrate a l.csv -o m.json --label good": (
        "agree a --labels l.csv --calibrate m.json --label good"
    ),
    "explain-match q r --schema s": "diff --network q r --schema s",
    "diagnose a --most 3": "audit run --from a --most 3",
    "audit diff a b": "audit verify a b",
    "suite build c.json -d dbs --out s": "build suite c.json -d dbs --out s",
    "judges rose": "list judges rose",
    "formats": "list formats",
    "rules between_to_range --json": "list rules between_to_range --json",
    "explain SJ104": "list codes SJ104",
    "rose-vec data --seed 1": "paper rose-vec data --seed 1",
    "methods data": "paper methods data",
    "keywords a b": "paper keywords a b",
    "ledger export l.sqlite a.jsonl": "ledger l.sqlite --export a.jsonl",
    "ledger import a.jsonl l.sqlite": "ledger --import a.jsonl l.sqlite",
    "ledger batches l.sqlite --forget b": "ledger l.sqlite --forget b",
    "train verifier --data a --epochs 8 --lora-rank=4 --four-bit --json": (
        "train verifier --data a --set epochs=8 --set lora_rank=4 --set four_bit=true --json"
    ),
    "train graph-match a --epochs 1 --no-coded --no-flows": (
        "train graph-match a --set epochs=1 --set coded=false --no-flows"
    ),
    "--trust-folder show a 1": "--trust-folder report a --case 1",
}


@pytest.mark.parametrize("typed", TRANSLATIONS)
def test_an_old_name_becomes_the_new_one(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    context = ROOT.make_context("sqljury", [], resilient_parsing=True)
    assert " ".join(translated(ROOT, context, typed.split())) == TRANSLATIONS[typed]
    said = capsys.readouterr().err
    assert said.startswith("`") and said.count(" is now `") == said.count("\n") > 0


def test_the_table_is_walked() -> None:
    typed = {" ".join(words.split()[:n]) for words in TRANSLATIONS for n in (1, 2)}
    assert OLD_NAMES.keys() <= typed
    shown = dict(commands_below(ROOT))
    for old, moved in OLD_NAMES.items():
        assert old not in shown, "it is hidden from the help"
        command = command_of(ROOT, moved.to.split())
        known = {word for one in command.params for word in one.opts}
        words = {word for word in moved.to.split() if word.startswith("-")}
        assert words | {*moved.arguments.values(), *moved.options.values()} <= known


def test_every_entry_stands_in_a_panel() -> None:
    assert {name for names in PANELS.values() for name in names} == ROOT.commands.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.executescript("CREATE TABLE a (x INT); INSERT INTO a VALUES (1), (2);")
    row = {"db_id": "shop", "question": "How many?", "query": "SELECT COUNT(*) FROM a"}
    (folder / "dev.json").write_text(json.dumps([{**row, "id": "1", "pred": "SELECT 7"}]))
    assert run("evaluate", "dev.json", "-d", ".", "--run", "run", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("show run 1", "report run --case 1"),
        ("compare-runs run run", "report run --against run"),
        ("label-plan run", "agree run --plan"),
        ("features dev.json -d . -o old.csv --groups question", None),
        ("judges execution", "list judges execution"),
        ("runs .", "runs list ."),
    ],
)
def test_an_old_name_does_it(folder: Path, old: str, new: str | None) -> None:
    done = run(*old.split(), cwd=folder)
    assert done.returncode == 0, done.stderr
    if new is not None:
        assert done.stdout == run(*new.split(), cwd=folder).stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("report run --case 1 --html x.html", "--html does not go with --case."),
        ("report run run --by db", "--by does not go with a leaderboard"),
        ("report run run --case 1", "--case goes with one run."),
        ("evaluate dev.json --features x.csv -j execution", "--judge does not go with --features."),
        ("evaluate dev.json --groups faults", "--groups goes with --features."),
        ("agree run --plan --labels x.csv", "--labels does not go with --plan."),
        ("agree run --count 3", "--count goes with --plan."),
        ("agree run --calibrate x.json", "--calibrate goes with one file of --labels."),
        ("diff a b --svg x.svg", "--svg goes with --network."),
        ("audit dev.json --most 3", "--most goes with --from."),
        ("audit dev.json --from run", "files does not go with --from."),
        ("audit run", "give files of references, or --from RUN."),
        ("ledger l.sqlite --export a --import b", "give one of --export, --import and --forget."),
        ("list judges --json", "--json goes with rules."),
        ("list nothing", "there is no list of 'nothing'."),
    ],
)
def test_what_does_not_go_together_is_refused(folder: Path, command: str, said: str) -> None:
    done = run(*command.split(), cwd=folder)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_the_table_of_an_old_name_in_a_project_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text((folder / "dev.json").read_text())
    (tmp_path / "shop.sqlite").write_bytes((folder / "shop.sqlite").read_bytes())
    table = "[features]\ngroups = 'nogroup'\n[suite.build]\nseed = 1\n"
    (tmp_path / "sqljury.toml").write_text(table)
    words = ("dev.json", "-d", ".")
    assert "nogroup" in run("features", *words, "--out", "x.csv", cwd=tmp_path).stderr
    assert run("evaluate", *words, "--run", "run", cwd=tmp_path).returncode == 0


def test_the_table_of_runs_is_that_of_its_list(folder: Path, tmp_path: Path) -> None:
    run("evaluate", "dev.json", "-d", ".", "--run", str(tmp_path / "here" / "one"), cwd=folder)
    (tmp_path / "sqljury.toml").write_text("[runs]\nfolder = 'here'\n[runs.merge]\njson = true\n")
    found = run("--trust-folder", "runs", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "one" in found.stdout
