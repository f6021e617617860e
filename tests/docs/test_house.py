"""The table of docs/architecture.md is what the house measures today."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TOLERANCE = 0.01
"""So that a small change needs no new table; ``python tools/measure_house.py --write`` makes one."""


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "measure_house.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_table_is_current(house: ModuleType) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    measured = house.totals(ROOT / "src" / "sqljury", ROOT / "tests")
    shown = {
        name: float(cells[-1].replace(",", "")) for name, cells in house.lines_of(page).items()
    }
    # To write it anew: python tools/measure_house.py --write docs/architecture.md
    assert shown == pytest.approx(measured, rel=TOLERANCE, abs=1)


def test_only_the_last_column_is_written(house: ModuleType) -> None:
    page = "files\n<!-- house: begin -->\n| | a | b |\n|---|---|---|\n| files | 1 | 2 |\n<!-- house: end -->\n"
    assert house.with_totals(page, {"files": 1234}) == page.replace("| 1 | 2 |", "| 1 | 1,234 |")
