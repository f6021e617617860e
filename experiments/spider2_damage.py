# ruff: noqa: ARG001, every damage takes the same arguments
"""What does Spider 2.0's comparison accept that is not the result?

    python experiments/spider2_damage.py spider2-lite.tar.gz spider2-snow.tar.gz

Damages each published result in one way at a time and asks `execution:spider2`, `strict` and
`intent`, with the same columns, whether it still is that result. Damage is done only to columns
that count, and only what changes their rows as a bag is counted; exchanged columns and reversed
rows change their order. Takes folders as published, or archives of them.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sqljury import read_cases
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.tables import POLICIES, compare_stored
from sqljury.tables.csv_cells import typed

Rows = list[list[str]]
NAMES = ("spider2", "strict", "intent")


def one_shuffled(rows: Rows, column: int, rng: random.Random) -> None:
    cells = [row[column] for row in rows]
    rng.shuffle(cells)
    for row, cell in zip(rows, cells, strict=True):
        row[column] = cell


def all_shuffled(rows: Rows, column: int, rng: random.Random) -> None:
    for place in range(len(rows[0])):
        if place != column:
            one_shuffled(rows, place, rng)


def dropped(rows: Rows, column: int, rng: random.Random) -> None:
    rows.pop(rng.randrange(len(rows)))


def doubled(rows: Rows, column: int, rng: random.Random) -> None:
    rows.append(list(rng.choice(rows)))


def null_to_zero(rows: Rows, column: int, rng: random.Random) -> None:
    on_numbers(rows, column, lambda text: "0" if text == "" else text)


def zero_to_null(rows: Rows, column: int, rng: random.Random) -> None:
    on_numbers(rows, column, lambda text: "" if text and float(text) == 0 else text)


def raised(by: float) -> Callable[[Rows, int, random.Random], None]:
    def damage(rows: Rows, column: int, rng: random.Random) -> None:
        on_numbers(rows, column, lambda text: repr(float(text) + by) if text else text)

    return damage


def small_to_zero(rows: Rows, column: int, rng: random.Random) -> None:
    on_numbers(rows, column, lambda text: "0" if text and abs(float(text)) < 0.01 else text)


def exchanged(rows: Rows, column: int, rng: random.Random) -> None:
    other = (column + 1) % len(rows[0])
    for row in rows:
        row[column], row[other] = row[other], row[column]


def other_case(rows: Rows, column: int, rng: random.Random) -> None:
    for row in rows:
        row[column] = row[column].swapcase() if re.search(r"[^\W\d]", row[column]) else row[column]


def reversed_rows(rows: Rows, column: int, rng: random.Random) -> None:
    rows.reverse()


def on_numbers(rows: Rows, column: int, change: Callable[[str], str]) -> None:
    """Changes a column of numbers; leaves any other as it is."""
    try:
        if not all(math.isfinite(float(row[column])) for row in rows if row[column]):
            return
    except ValueError:
        return
    for row in rows:
        row[column] = change(row[column])


BY_ROWS = "by rows"
BY_PLACE = "by place"
DAMAGES = {
    "values of one column shuffled among the rows": (one_shuffled, BY_ROWS),
    "every column shuffled on its own": (all_shuffled, BY_ROWS),
    "a row dropped": (dropped, BY_ROWS),
    "a row twice": (doubled, BY_ROWS),
    "NULL to 0 in a column of numbers": (null_to_zero, BY_ROWS),
    "0 to NULL in a column of numbers": (zero_to_null, BY_ROWS),
    "numbers below 0.01 to 0": (small_to_zero, BY_ROWS),
    "0.009 added to the numbers of a column": (raised(0.009), BY_ROWS),
    "0.011 added to the numbers of a column": (raised(0.011), BY_ROWS),
    "upper and lower case of a text exchanged": (other_case, BY_ROWS),
    "two columns exchanged": (exchanged, BY_PLACE),
    "rows reversed": (reversed_rows, BY_PLACE),
}


def values(rows: Rows) -> list[tuple[object, ...]]:
    """The rows with typed cells, so that another spelling of a number is no damage."""
    return list(zip(*map(typed, zip(*rows, strict=True)), strict=True))


def damaged(
    table: ReferenceTable, name: str, rng: random.Random, tries: int = 3
) -> Iterator[StoredTable]:
    """Copies of a table with one kind of damage, one for each of the first columns that count."""
    damage, kind = DAMAGES[name]
    counted = table.counted or ()
    for place in range(min(tries, len(counted))):
        rows = [[str(row[i]) for i in counted] for row in table.rows]
        if not rows or (name == "two columns exchanged" and len(counted) < 2):
            return
        before = values(rows)
        damage(rows, place, rng)
        after = [tuple(row) for row in rows]
        now = values(rows)
        changed = before != now if kind == BY_PLACE else Counter(before) != Counter(now)
        if changed:
            columns = tuple(table.columns[i] for i in counted)
            yield StoredTable(columns=columns, rows=tuple(after), is_text=True, name=table.name)
        if damage in (dropped, doubled, reversed_rows):
            return


def folders(paths: list[Path], scratch: Path) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield path
            continue
        with tarfile.open(path) as archive:
            archive.extractall(scratch, filter="data")
        yield scratch / path.name.partition(".")[0]


def tables_of(folder: Path) -> list[ReferenceTable]:
    cases = read_cases(folder / f"{folder.name}.jsonl")
    return [table for case in cases for table in case.reference_tables if not table.problem]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-cells", type=int, default=2_000, help="leave larger results out")
    options = parser.parse_args()
    seen: dict[tuple[object, ...], ReferenceTable] = {}
    total = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders(options.paths, Path(scratch)):
            for table in tables_of(folder):
                total += 1
                # Snow publishes most of Lite's results again.
                key = (table.columns, table.rows, table.counted)
                seen.setdefault(key, table)
    small = [one for one in seen.values() if len(one.rows) * one.width <= options.most_cells]
    print(f"{total} results, {len(seen)} different; {len(small)} of them small enough.\n")
    print("| damage | damaged | " + " | ".join(NAMES) + " | only spider2 |")
    print("|---|---:|" + "---:|" * (len(NAMES) + 1))
    for name in DAMAGES:
        rng = random.Random(options.seed)
        found: Counter[str] = Counter()
        for table in small:
            whole = replace(table, ordered=False)
            for copy in damaged(table, name, rng):
                said = {p: bool(compare_stored(whole, copy, POLICIES[p])[0]) for p in NAMES}
                found["n"] += 1
                found.update(policy for policy, equal in said.items() if equal)
                found["only"] += said["spider2"] and not (said["strict"] or said["intent"])
        n = found["n"]
        shares = [
            f"{found[key]:,} ({found[key] / n:.1%})" if n else "–" for key in (*NAMES, "only")
        ]
        print(f"| {name} | {n:,} | " + " | ".join(shares) + " |", flush=True)


if __name__ == "__main__":
    main()
