"""References of Spider dev and BIRD on their databases: the text, its tree and its canonical tree have
the same rows. `bench/tree_soundness.py` does the same with more queries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from checks.real_databases import RealCopies
from checks.soundness import FAULTS, Finding, Stage, check, read
from sqljury.trees.context import Assumption

pytestmark = [pytest.mark.data, pytest.mark.slow]


def spider(data_dir: Path) -> Iterator[tuple[str, Path]]:
    for case in json.loads((data_dir / "spider/dev.json").read_text()):
        db_id = case["db_id"]
        yield case["query"], data_dir / "spider/databases" / db_id / f"{db_id}.sqlite"


def superhero(data_dir: Path) -> Iterator[tuple[str, Path]]:
    for case in json.loads((data_dir / "bird/dev.json").read_text()):
        if case["db_id"] == "superhero":
            yield case["SQL"], data_dir / "bird/databases/superhero/superhero.sqlite"


@pytest.mark.parametrize("queries", [spider, superhero])
def test_references_keep_their_rows(queries, data_dir: Path) -> None:  # type: ignore[no-untyped-def]
    databases: dict[Path, RealCopies] = {}
    seen: Counter[Stage] = Counter()
    for sql, path in dict.fromkeys(queries(data_dir)):
        if not path.exists():
            continue
        if path not in databases:
            databases[path] = RealCopies(path)
        copies = databases[path]
        query = read(sql, copies.schema, copies.held | {Assumption.NO_TIES})
        assert not isinstance(query, Finding), f"{sql}: {query}"
        found = check(query, copies)
        assert found.stage not in FAULTS, f"{sql}: {found}"
        seen[found.stage] += 1
    for copies in databases.values():
        copies.close()
    assert seen[Stage.SAME] > 0.9 * seen.total(), seen
