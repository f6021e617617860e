"""No option is ignored: every command reads every one, and a table says how each is seen to act.

`evaluate --executor` once was read by nobody. The first test reads the source of every command; the
second types each option of the commands that judge, with a value that must be refused or that must
change what comes out. An option that is in no table fails.
"""

from __future__ import annotations

import ast
import inspect
import json
import sqlite3
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

from commands import run
from sqljury.cli.entry import app


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if hasattr(command, "commands"):
        for part, inner in command.commands.items():
            yield from _commands(inner, f"{name} {part}".strip())
    else:
        yield name, command


COMMANDS = dict(_commands(typer.main.get_command(app)))


def _written(command: Any) -> Any:
    """The function as it is written: with_flags puts another around it."""
    function = inspect.unwrap(command.callback)
    while function.__closure__ is not None:
        inner = [cell.cell_contents for cell in function.__closure__]
        found = [one for one in inner if inspect.isfunction(one) and "cli" in one.__module__]
        if not found or function.__name__ not in ("wrapper", found[0].__name__, "run"):
            break
        function = found[0]
    return function


def _reads(function: Any) -> tuple[set[str], set[tuple[str, str]]]:
    """The names that a function reads as such, and the attributes that it reads of names."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    inside = {
        id(one.value): (one.value.id, one.attr)
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }
    names = {
        one.id
        for one in ast.walk(tree)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in inside
    }
    return names, set(inside.values())


def _fields_read(kind: Any, attributes: set[str]) -> set[str]:
    """The fields of a value of flags that a command reads, itself or by a property or method."""
    found = attributes & {one.name for one in fields(kind)}
    for name in attributes - found:
        for owner in kind.__mro__:
            member = vars(owner).get(name)
            code = getattr(member, "fget", member)
            if inspect.isfunction(code):
                _, read = _reads(code)
                found |= _fields_read(
                    kind, {attr for self, attr in read if self == "self"} - {name}
                )
                _, all_read = _reads(code)
                # `ModelFlags.settings(self, …)`: what the base class reads.
                for base, attr in all_read:
                    if base[0].isupper() and base != "ClientSettings":
                        found |= _fields_read(kind.__mro__[1], {attr})
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_read_by_its_command(name: str) -> None:
    function = _written(COMMANDS[name])
    names, attributes = _reads(function)
    hints = get_type_hints(function)
    unread = []
    for parameter in inspect.signature(function).parameters:
        kind = hints[parameter]
        if not is_dataclass(kind):
            unread += [] if parameter in names | {base for base, _ in attributes} else [parameter]
        elif parameter not in names:  # it is not handed on whole
            read = _fields_read(kind, {attr for base, attr in attributes if base == parameter})
            unread += [f"{parameter}.{one.name}" for one in fields(kind) if one.name not in read]
    assert unread == []


# ---------------------------------------------------------------- typed

NO_FOLDER = "no/such/folder"
ANY_SCHEMA = "CREATE TABLE a (x INT)"

# Commands with what they need; all of these words are fine.
BASES: dict[str, tuple[str, ...]] = {
    "evaluate": ("dev.json", "-d", ".", "--run", "fresh"),
    "agree": ("run",),
    "select": ("pool.jsonl", "-d", ".", "--run", "fresh", "--strategy", "first"),
    "trust": ("run",),
    "audit run": ("dev.json", "-d", ".", "--run", "fresh"),
    "compare": ("SELECT x FROM a", "SELECT x + 0 FROM a", "--schema", ANY_SCHEMA),
}

# What is refused by exit code 2 or 3, with these words in the message.
REFUSED: dict[str, tuple[str, str]] = {
    "--predictions": ("nofile.json", "nofile.json"),
    "--databases": (NO_FOLDER, NO_FOLDER),
    "--database": (NO_FOLDER, NO_FOLDER),
    "--schemas": ("nofile.sql", "nofile.sql"),
    "--judge": ("nojudge", "nojudge"),
    "--format": ("noformat", "noformat"),
    "--map": ("nofield=x", "nofield"),
    "--overlay": ("nofile.jsonl", "nofile.jsonl"),
    "--workers": ("0", "workers"),
    "--executor": ("nowhere", "nowhere"),
    "--limit-seconds": ("0", "limit-seconds"),
    "--shard": ("9/2", "9/2"),
    "--limit-rows": ("0", "limit-rows"),
    "--limit-bytes": ("much", "much"),
    "--limit-memory": ("1", "limit-memory"),
    "--concurrency": ("0", "concurrency"),
    "--prices": ("nofile.json", "nofile.json"),
    "--descriptions": (NO_FOLDER, NO_FOLDER),
    "--suites": (NO_FOLDER, NO_FOLDER),
    "--recorded": (NO_FOLDER, NO_FOLDER),
    "--repeats": ("0", "repeats"),
    "--requests-per-minute": ("0", "requests-per-minute"),
    "--tokens-per-minute": ("0", "tokens-per-minute"),
    "--fail-under": ("5", "5"),
    "--max-left-out": ("many", "many"),
    "--html": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--csv": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--export": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--out": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--by": ("nocolumn", "nocolumn"),
    "--failures": ("-1", "failures"),
    "--labels": ("nofile.csv", "nofile.csv"),
    "--unknown": ("maybe", "maybe"),
    "--penalty": ("much", "much"),
    "--gate": ("nojudge", "nojudge"),
    "--confidence": ("nojudge", "nojudge"),
    "--validation": ("nofile.json", "nofile.json"),
    "--train": ("nofile.json", "nofile.json"),
    "--bootstrap": ("-1", "bootstrap"),
    "--strategy": ("nostrategy", "nostrategy"),
    "--resamples": ("-1", "resamples"),
    "--match": ("nopolicy", "nopolicy"),
    "--checks": ("NOCHECK", "NOCHECK"),
    "--fail-over": ("-1", "fail-over"),
    "--policy": ("nopolicy", "nopolicy"),
    "--profiles": ("noprofile", "noprofile"),
    "--dialect": ("nodialect", "nodialect"),
    "--assuming": ("noassumption", "noassumption"),
    "--fail-on": ("noverdict", "noverdict"),
    "--db-id": ("nodb", "nodb"),
    "--schema": ("", "SJ"),
    "--seconds": ("-1", "seconds"),
}

# Commands that need other words than above before an option can act.
INSTEAD: dict[tuple[str, str], tuple[str, ...]] = {
    ("trust", "--predictions"): ("dev.json", "-d", ".", "--run", "fresh"),
    ("trust", "--databases"): ("dev.json",),
    ("trust", "--map"): ("dev.json",),
    ("compare", "--database"): ("SELECT x FROM a", "SELECT x + 0 FROM a"),
    ("compare", "--db-id"): ("SELECT x FROM a", "SELECT x + 0 FROM a", "-d", "."),
}

# What is seen in the output: the words to type, and what must then be printed or written.
SEEN: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("evaluate", "--strip-fences"): (("--keep-fences", "--json"), '"prediction_error": 1'),
    ("evaluate", "--run"): (("--run", "elsewhere"), "run: elsewhere"),
    ("evaluate", "--json"): (("--json",), '"judges"'),
    ("evaluate", "--wait"): (("--wait",), "SJ006"),
    ("evaluate", "--batch"): (("--batch", "--shard", "1/2"), "SJ006"),
    ("evaluate", "--dry-run"): (("--dry-run",), "at most 0 calls"),
    ("evaluate", "--fail-under"): (("--fail-under", "0.9"), "below 0.9"),
    ("agree", "--json"): (("--json",), '"judges"'),
    ("agree", "--corrected"): (("--corrected",), "SJ006"),
    ("agree", "--label"): (("--label", "nolabel", "--labels", "labels.csv"), "nolabel"),
    ("agree", "--fail-under"): (("--fail-under", "kappa"), "kappa"),
    ("select", "--json"): (("--json",), '"strategies"'),
    ("trust", "--json"): (("--json",), "{"),
    ("trust", "--verdicts"): (("--verdicts", "x.csv"), ""),
    ("audit run", "--json"): (("--json",), '"findings"'),
    ("compare", "--json"): (("--json",), '"verdict"'),
    ("compare", "--prove"): (("--no-prove",), "no_counterexample"),
}

# Options whose acting takes a model, a server or time: other tests type them, in these files.
ELSEWHERE: dict[str, str] = {
    "--ledger": "llm/test_batch_command.py",
    "--replay": "llm/test_batch_command.py",
    "--max-cost": "llm/test_batch_command.py",
    "--model-option": "llm/test_batch_command.py",
    "--seed": "cli/test_cli_pools.py",
    "--run": "cli/test_cli.py",
    "--risk": "cli/test_cli_trust.py",
    "--label": "cli/test_select.py",
    "--keep-failing": "cli/test_select.py",
    "--verdicts": "cli/test_nothing_accepted_silently.py",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.executescript("CREATE TABLE a (x INT); INSERT INTO a VALUES (1), (2);")
    row = {"db_id": "shop", "question": "How many?", "query": "SELECT COUNT(*) FROM a"}
    rows = [
        {**row, "id": "1", "pred": "```sql\nSELECT COUNT(*) FROM a\n```", "label": 1},
        {**row, "id": "2", "pred": "SELECT 7", "label": 0},
    ]
    (folder / "dev.json").write_text(json.dumps(rows))
    (folder / "labels.csv").write_text("id,label\n1,1\n2,0\n")
    pool = {
        **row,
        "question_id": 1,
        "gold_sql": row["query"],
        "candidates": ["SELECT 2", "SELECT 1"],
    }
    (folder / "pool.jsonl").write_text(json.dumps(pool) + "\n")
    done = run("evaluate", "dev.json", "-d", ".", "--run", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


OPTIONS = [
    (name, next(word for word in one.opts if word.startswith("--")))
    for name in BASES
    for one in COMMANDS[name].params
    if one.opts[0].startswith("-")
]


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=[" ".join(one) for one in OPTIONS])
def test_an_option_is_seen_to_act(folder: Path, name: str, option: str) -> None:
    base = (*name.split(), *INSTEAD.get((name, option), BASES[name]))
    if (name, option) in SEEN:
        words, expected = SEEN[name, option]
        done = run(*base, *words, cwd=folder)
        assert expected in done.stdout + done.stderr
    elif option in REFUSED:
        value, expected = REFUSED[option]
        done = run(*base, option, value, cwd=folder)
        assert done.returncode in (2, 3), done.stdout + done.stderr
        assert expected in done.stderr
        assert "Traceback" not in done.stderr
    else:
        file = Path(__file__).parents[1] / ELSEWHERE[option]
        assert file.is_file()
        assert option in file.read_text()
