"""No option is ignored: every command reads every one, and a table says how each is seen to act.

`evaluate --executor` once was read by nobody. The first test reads the source of every command; the
second types each option of the commands that judge, with a value that must be refused or that must
change what comes out. An option that is in no table fails.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sqlite3
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

import pytest
import typer

from commands import run
from sqljury.cli.app import app, commands_below
from sqljury.cli.flags import fields_of
from sqljury.settings import VALUES

SOURCE = Path(__file__).parents[2] / "src" / "sqljury"


COMMANDS = dict(commands_below(typer.main.get_command(app)))
WRITTEN = {
    name: getattr(command.callback, "written", command.callback)
    for name, command in COMMANDS.items()
}
"""The functions as they are written, by command."""


def _reads(function: Any) -> tuple[set[str], set[str]]:
    """What a function reads whole (`reading`), and what it reads of it (`reading.map`)."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    parts = {
        id(one.value): f"{one.value.id}.{one.attr}"
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }
    whole = {
        one.id
        for one in ast.walk(tree)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in parts
    }
    return whole, set(parts.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_read_by_its_command(name: str) -> None:
    function = WRITTEN[name]
    whole, parts = _reads(function)
    own = inspect.signature(function).parameters
    unread = [one for one in own if one not in whole | {part.partition(".")[0] for part in parts}]
    assert unread == []


def test_every_setting_is_shown_and_read() -> None:
    """A field of settings that no command shows, or that no code reads, decides nothing."""
    shown = {
        (one.value, one.name.removeprefix("limits_"))
        for function in WRITTEN.values()
        for one in fields_of(function)
    }
    sources = [path for path in SOURCE.rglob("*.py") if path.parent.name != "settings"]
    read = {
        name
        for path in sources
        for name in re.findall(r"\.(\w+)\b(?! = )", path.read_text("utf-8"))
    }
    declared = {
        (value, one.name)
        for value in VALUES
        for one in fields(value)
        if get_origin(get_type_hints(value, include_extras=True)[one.name]) is Annotated
    }
    assert declared - shown == set()
    assert {name for _, name in declared} - read == set()


def test_a_setting_is_typed_alike_everywhere() -> None:
    """One option of one name, whichever command shows it; bounds and help stand at the field."""
    for function in WRITTEN.values():
        for one in fields_of(function):
            if one.value in VALUES:
                assert one.option is not None and one.option.help and one.option.names


# ---------------------------------------------------------------- typed

NO_FOLDER = "no/such/folder"
ANY_SCHEMA = "CREATE TABLE a (x INT)"

# Commands with what they need; all of these words are fine.
BASES: dict[str, tuple[str, ...]] = {
    "evaluate": ("dev.json", "-d", ".", "--run", "fresh"),
    "gate": ("run", "--baseline", "run"),
    "agree": ("run",),
    "select": ("pool.jsonl", "-d", ".", "--run", "fresh", "--strategy", "first"),
    "trust": ("run",),
    "audit run": ("dev.json", "-d", ".", "--run", "fresh"),
    "report": ("run",),
    "diff": ("SELECT x FROM a", "SELECT x + 0 FROM a", "--schema", ANY_SCHEMA),
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
    "--baseline": ("nofile", "nofile"),
    "--max-drop": ("-1", "max-drop"),
    "--alpha": ("2", "alpha"),
    "--threshold": ("nojudge=0.5", "nojudge"),
    "--junit": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--gitlab": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--write-baseline": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--html": (f"{NO_FOLDER}/x", NO_FOLDER),
    "--rose-output": ("dev.json", "dev.json"),
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
    "--system": ("no_such:function", "no_such:function"),
    "--system-seconds": ("0", "system-seconds"),
    "--answers": ("0", "answers"),
    "--track": ("notracker", "notracker"),
    "--card": (f"{NO_FOLDER}/x", NO_FOLDER),
}

# Commands that need other words than above before an option can act.
INSTEAD: dict[tuple[str, str], tuple[str, ...]] = {
    ("trust", "--predictions"): ("dev.json", "-d", ".", "--run", "fresh"),
    ("trust", "--databases"): ("dev.json",),
    ("trust", "--map"): ("dev.json",),
    ("audit run", "--from"): (),
    ("audit run", "--most"): (),
    ("diff", "--database"): ("SELECT x FROM a", "SELECT x + 0 FROM a"),
    ("diff", "--db-id"): ("SELECT x FROM a", "SELECT x + 0 FROM a", "-d", "."),
    ("diff", "--schema"): ("SELECT x FROM a", "SELECT x + 0 FROM a"),
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
    ("evaluate", "--features"): (("--features", "x.txt"), "x.txt"),
    ("evaluate", "--groups"): (("--features", "x.csv", "--groups", "nogroup"), "nogroup"),
    ("gate", "--json"): (("--json",), '"passed": true'),
    ("gate", "--markdown"): (("--markdown", f"{NO_FOLDER}/x"), NO_FOLDER),
    ("report", "--case"): (("--case", "nocase"), "nocase"),
    ("report", "--against"): (("--against", NO_FOLDER), NO_FOLDER),
    ("report", "--json"): (("--json",), '"judges"'),
    ("report", "--latex"): (("--latex",), "tabular"),
    ("report", "--markdown"): (("--markdown",), "|"),
    ("report", "--failures"): (("--failures", "1"), "all of one"),
    ("agree", "--plan"): (("--plan",), "cases labelled: ±"),
    ("agree", "--count"): (("--plan", "--count", "1"), "count"),
    ("agree", "--half-width"): (("--plan", "--half-width", "0.001"), "SJ003"),
    ("agree", "--out"): (("--plan", "--out", f"{NO_FOLDER}/x"), NO_FOLDER),
    ("agree", "--judge"): (("--plan", "--judge", "nojudge"), "nojudge"),
    ("agree", "--calibrate"): (("--calibrate", f"{NO_FOLDER}/x"), NO_FOLDER),
    ("agree", "--base"): (
        ("--calibrate", "x.json", "--labels", "labels.csv", "--base", "nofile"),
        "SJ355",
    ),
    ("diff", "--json"): (("--json",), "{"),
    ("diff", "--network"): (("--network", "--all"), "--all does not go with --network"),
    ("diff", "--model"): (("--network", "--model", "nofile"), "nofile"),
    ("diff", "--svg"): (("--network", "--svg", f"{NO_FOLDER}/x"), NO_FOLDER),
    ("audit run", "--from"): (("--from", NO_FOLDER), NO_FOLDER),
    ("audit run", "--most"): (("--from", "run", "--most", "-1"), "most"),
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
    "--all": "cli/test_cli_diff.py",
    "--as-written": "cli/test_cli_diff.py",
    "--review": "e2e/test_chains.py",
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
