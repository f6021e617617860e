"""The list of the papers' items: what it names as held by a test is held by one."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs"
_COMMAND = re.compile(r"`((?:sqljury|python) [^`]+)`")
_LINK = re.compile(r"\]\(([a-z-]+\.md)")
_OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*")
with (PAGES / "readings/papers.csv").open(encoding="utf-8", newline="") as file:
    ROWS = [row[1:] for row in csv.reader(file)][1:]
EXEMPT = ("model", "gpu", "data", "hours", "no number")
"""Why a row's number is not compared, as the page says."""


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_each_line_is_held_by_something(row: list[str]) -> None:
    item, commands, state, prints, held = row
    assert re.match(r"works|departs|not built: ", state), item
    assert prints in EXEMPT or re.search(r"\d", prints), item
    if held.startswith("["):
        (name,) = _LINK.findall(held)
        page = " ".join((PAGES / name).read_text("utf-8").replace("\\\n", " ").split())
        for command in _COMMAND.findall(commands):
            assert command in page, command
        return
    test = (ROOT / held).read_text("utf-8")
    for command in _COMMAND.findall(commands):
        _, name, *_ = command.split()
        assert name in test, f"{held} does not run {name}"
        for option in _OPTION.findall(command):
            assert option in test or len(option) == 2, f"{held}: {option}"
