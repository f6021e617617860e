"""The pages of readings count what their files hold."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def _rows(name: str) -> list[dict[str, str]]:
    with (DOCS / "readings" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _table(page: str, heading: str) -> dict[str, list[int]]:
    """The lines below a table's heading: first cell, then the numbers behind it."""
    text = (DOCS / page).read_text(encoding="utf-8").partition(heading)[2].partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {
        name: [int(cell) for cell in cells]
        for name, *cells in lines
        if cells and cells[0].isdigit()
    }


def test_findings_of_the_audit() -> None:
    counts = Counter((row["drawing"], row["verdict"]) for row in _rows("audit.csv"))
    shown = _table("audit-readings.md", "| drawing | findings | right | wrong |")
    assert len(shown) == 5
    for name, numbers in shown.items():
        right, wrong = (counts[name.partition(":")[0], verdict] for verdict in ("right", "wrong"))
        assert numbers == [right + wrong, right, wrong]


def test_o3_and_the_audit() -> None:
    rows = [row for row in _rows("audit.csv") if row["drawing"] == "o3"]
    for name, (read, faulty) in _table("audit-readings.md", "| says faulty | read").items():
        said = [row["verdict"] for row in rows if row["found"] == f"{name} says faulty"]
        assert (len(said), said.count("faulty")) == (read, faulty)


def test_disagreements_of_equivalence() -> None:
    counts = Counter((row["who is right"], row["file"]) for row in _rows("equivalence.csv"))
    who = {"sqljury": "sqljury", "the label": "label", "it depends": "depends"}
    shown = _table("equivalence-disagreements.md", "| | Spider | Spider-DK | WikiSQL | all |")
    assert shown.keys() == who.keys()
    for name, numbers in shown.items():
        files = [counts[who[name], file] for file in ("Spider", "Spider-DK", "WikiSQL")]
        assert numbers == [*files, sum(files)]


def test_readings_of_diff() -> None:
    rows = _rows("diff.csv")
    page = (DOCS / "diff-readings.md").read_text(encoding="utf-8")
    for rating in ("right and clear", "right but long", "incomplete", "misleading", "nothing"):
        counts = " | ".join(
            str(sum(row[version] == rating for row in rows))
            for version in ("first version", "second", "today")
        )
        (line,) = (line for line in page.splitlines() if line.startswith(f"| {rating} |"))
        assert line.endswith(f"| {counts} |")


def test_unanswerable_questions() -> None:
    rows = _rows("unanswerable.csv")
    assert all(row["verdict"].startswith("right") for row in rows)
    odd = Counter(row["kind"] for row in rows if "odd" in row["verdict"])
    assert odd == {"column-unrelated": 4, "column-surface": 3, "column-related": 2, "non-sql": 1}
