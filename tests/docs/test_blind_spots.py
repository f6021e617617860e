"""The table of what judges cannot see has each of them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from sqljury.judges import registered

TABLE = Path(__file__).parents[2] / "docs" / "readings" / "blind-spots.csv"


def test_every_judge_is_there() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        named = {name for row in csv.reader(file) for name in re.findall(r"`(\w+)`", row[0])}
    built_in = {name for name, cls in registered().items() if cls.__module__.startswith("sqljury.")}
    assert built_in - named == set()
