"""Spider's hardness: by hand, and the published distribution of its development set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from sqljury.sql.features import hardness

BY_HAND = [
    ("SELECT count(*) FROM singer", "easy"),
    ("SELECT name, age FROM singer ORDER BY age", "medium"),
    ("SELECT name FROM a JOIN b ON a.i = b.i WHERE x = 1", "medium"),
    ("SELECT name FROM a JOIN b ON a.i = b.i WHERE x = 1 OR y LIKE 'z'", "extra"),
    ("SELECT name FROM a WHERE x IN (SELECT x FROM b)", "hard"),
    ("SELECT name FROM a UNION SELECT name FROM b UNION SELECT name FROM c", "hard"),
    ("SELECT name, x FROM a WHERE x IN (SELECT x FROM b) ORDER BY x LIMIT 1", "extra"),
    ("SELECT FROM WHERE", None),
    ("DELETE FROM a", None),
    ("SELECT 1" + " " * 300_000, None),
]


@pytest.mark.parametrize(("sql", "level"), BY_HAND, ids=lambda value: str(value)[:40])
def test_by_hand(sql: str, level: str | None) -> None:
    assert hardness(sql) == level


def test_the_published_distribution(data_dir: Path) -> None:
    entries = json.loads((data_dir / "spider/dev.json").read_text())
    counts = Counter(hardness(entry["query"]) for entry in entries)
    assert counts == {"easy": 248, "medium": 446, "hard": 174, "extra": 166}
