"""A plain command line is read as typer reads it, and without typer, pydantic and the parser."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sqljury.cli import app
from sqljury.cli.commands import DECLARED
from sqljury.cli.quick import values_of

ROOT = app.root_command(())
HERE = str(Path(__file__).parent)

PLAIN = f"""
evaluate a.json
evaluate a.json b.json -d db -j execution:spider --judge exact_match --limit-bytes 1MiB --run r
evaluate a.json --keep-fences --json --fail-under 0.5 --by x --by=y -w 2 --descriptions {HERE}
evaluate --failures 3 -p p.sql - --html=out.html --limit-seconds 2 --max-left-out 2%
evaluate a.json --features f.csv --groups tree --databases sqlite:///x.db
report run
report run other --case 1 --json
agree run a=b.csv --calibrate c.json
view run --overlay o.jsonl
compare 'SELECT 1' 'SELECT 2' --schema s.sql
diff a b --network
plan 'SELECT 1'
list judges
list codes SJ104
trust-folder {HERE}
gate run --baseline {HERE} --max-drop 2 --threshold execution=0.5
doctor -d databases --db-id a
"""
NOT_PLAIN = """
evaluate
evaluate a.json --judgee x
evaluate a.json --help
evaluate a.json -w 0
evaluate a.json -w two
evaluate a.json --json=yes
evaluate a.json --descriptions /not/there
evaluate a.json --limit-bytes huge
evaluate a.json -d
evaluate a.json -d -w
evaluate a.json -jexecution
evaluate a.json -- b.json
evaluate a.json --format ''
compare a
compare a b c
"""


def by_typer(command: Any, words: list[str]) -> dict[str, Any]:
    context = command.make_context(command.name, words)
    names = {one.name: one.opts for one in command.params}
    typed = {
        name: tuple(opts)
        for name, opts in names.items()
        if context.get_parameter_source(name).name == "COMMANDLINE"
    }
    return context.params | {"typed": typed}


@pytest.mark.parametrize("line", PLAIN.strip().splitlines())
def test_the_values_are_those_of_typer(line: str) -> None:
    name, *words = shlex.split(line)
    (function,) = [one.function for one in DECLARED if (one.group, one.name) == ("", name)]
    found = values_of(function, words)
    assert found is not None
    expected = by_typer(ROOT.commands[name], words)
    typed = found.pop("typed", None)
    if typed is not None:
        assert typed.names == expected["typed"]
    expected = {name: expected.get(name) for name in found}
    assert {name: value or None for name, value in found.items()} == {
        name: value or None for name, value in expected.items()
    }
    assert [type(one) for one in found.values() if one] == [type(o) for o in expected.values() if o]


@pytest.mark.parametrize("line", NOT_PLAIN.strip().splitlines())
def test_what_is_left_to_typer(line: str) -> None:
    name, *words = shlex.split(line)
    (function,) = [one.function for one in DECLARED if (one.group, one.name) == ("", name)]
    assert values_of(function, words) is None


_EVALUATE = """
import json, sys
sys.argv = ["sqljury", "evaluate", "cases.json", "-d", "shop.sqlite"]
from sqljury.cli import main
try:
    main()
finally:
    heavy = {"typer", "pydantic", "sqlglot", "jinja2", "numpy", "scipy", "httpx"}
    print(sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""


def test_a_command_that_judges_loads_no_heavy_library(tmp_path: Path) -> None:
    import sqlite3

    sqlite3.connect(tmp_path / "shop.sqlite").execute("CREATE TABLE t (a)").connection.close()
    case = {"id": "1", "db_id": "shop", "gold_sql": "SELECT 1", "predicted_sql": "SELECT 1"}
    (tmp_path / "cases.json").write_text(json.dumps([case]))
    done = subprocess.run(
        [sys.executable, "-c", _EVALUATE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "100.0 %" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"
