"""The table of adapters: files, lines, versions and tests are as it says; and the page on the
service: its request gets its answer."""

from __future__ import annotations

import csv
import json
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from pages import blocks

from needs import needs

ROOT = Path(__file__).parents[2]
with (ROOT / "docs/readings/adapters.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.reader(file))[1:]


def lines(place: str) -> int:
    path = ROOT / "src/sqljury" / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return sum(len(file.read_text().splitlines()) for file in files)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_row(row: list[str]) -> None:
    _, tested, length, _, tests = row
    stated = int(length.split()[0])
    assert sum(map(lines, re.findall(r"`([\w/.]+)`", length.split("):")[0]))) == pytest.approx(
        stated, rel=0.05
    )
    assert stated <= 250 or ":" in length, "a long adapter says why"
    assert (ROOT / tests.strip("`")).is_file()
    for name, stated_version in re.findall(r"([\w-]+) (\d+(?:\.\d+)+)", tested):
        try:
            found = version(name)
        except PackageNotFoundError:
            continue
        assert found.startswith(f"{stated_version}.") or found == stated_version, name


@pytest.mark.slow
@needs("starlette", "uvicorn", "prometheus_client")
def test_the_request_of_the_page(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tests/guests")
    from served import Served

    page = blocks((ROOT / "docs/serve.md").read_text())
    asked = next(one.text for one in page if one.text.startswith("curl"))
    printed = next(one.text for one in page if one.language == "json")
    answer = json.loads(printed.replace("{…}", "{}"))
    body = json.loads(asked.partition("-d '")[2].rpartition("'")[0])
    served = Served("serve", "-d", str(data_dir / "spider/databases"), "-j", "execution:strict")
    try:
        found = served.ask("/judge", body).body
    finally:
        served.end()
    for verdict in (*found["verdicts"].values(), *answer["verdicts"].values()):
        verdict.pop("evidence")
    assert found == answer
