"""Files of labelled pairs, and the graphs that are made of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from sqljury.databases.ddl import schema_from_ddl
from sqljury.errors import InputError
from sqljury.likeness.graphs import graph_of
from sqljury.schema import Schema
from sqljury.uses.train.graph_pairs import TrainingPair, graph_pairs, read_pairs

PETS = schema_from_ddl("CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);")


def pair(reference: str, prediction: str, label: bool = True, db_id: str = "pets") -> TrainingPair:
    return TrainingPair(db_id, reference, prediction, label, "train")


def schema_of(db_id: str) -> Schema | None:
    return PETS if db_id == "pets" else None


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    record = {"db_id": "a", "reference": "SELECT 1", "prediction": "SELECT 2", "label": 0}
    lines = [{**record, "split": "validation"}, {**record, "label": True, "kind": "x"}]
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
    first, second = read_pairs(path)
    assert first == TrainingPair("a", "SELECT 1", "SELECT 2", False, "validation")
    assert (second.label, second.split) in ((True, "train"), (True, "validation"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "there is no pair"),
        ("{", "1: not JSON"),
        ("[]", "1: not a JSON object"),
        ('{"db_id": "a", "reference": "x"}', '"prediction" is not text'),
        ('{"db_id": "a", "reference": "x", "prediction": null}', '"prediction" is not text'),
        ('{"db_id": "a", "reference": "x", "prediction": "y"}', '"label" is neither'),
        ('{"db_id": "a", "reference": "x", "prediction": "y", "label": NaN}', '"label" is neither'),
        (
            '{"db_id": "a", "reference": "x", "prediction": "y", "label": 1, "split": "dev"}',
            '"split" is neither',
        ),
    ],
)
def test_lines_that_are_no_pairs(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=f"SJ029 .*{said}"):
        read_pairs(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ029"):
        read_pairs(tmp_path / "no.jsonl")


def test_graphs_are_shared_and_kept(tmp_path: Path) -> None:
    cache = tmp_path / "work" / "graphs.jsonl"
    pairs = [
        pair("SELECT name FROM pet", "SELECT p.name FROM pet AS p"),
        pair("SELECT name FROM pet", "SELECT FROM"),
        pair("SELECT name FROM pet", "SELECT age FROM pet WHERE age > 2 ORDER BY id"),
        pair("SELECT a FROM b", "SELECT a FROM b", db_id="elsewhere"),
    ]
    found = graph_pairs(pairs, [schema_of], cache=cache)
    assert found.left_out == 2
    assert list(found.pairs) == [pairs[0], pairs[2]]
    assert [len(views) for views in found.views] == [2, 2]
    assert found.views[0][0].left is found.views[1][0].left
    assert found.views[0][0].right == graph_of("SELECT p.name FROM pet AS p", PETS)
    kept = cache.read_bytes()
    again = graph_pairs(pairs, [schema_of], cache=cache)
    assert again == found
    assert cache.read_bytes() == kept
    written = graph_pairs(pairs, [schema_of], form="faithful", cache=cache)
    assert [len(views) for views in written.views] == [1, 1]


def test_several_workers_make_the_same() -> None:
    pairs = [
        pair("SELECT name FROM pet", "SELECT p.name FROM pet AS p"),
        pair("SELECT name FROM pet", "SELECT age FROM pet", db_id="others"),
    ]

    def any_schema(_db_id: str) -> Schema:
        return PETS

    alone = graph_pairs(pairs, [any_schema])
    assert graph_pairs(pairs, [any_schema], workers=2) == alone


TEXTS = schema_from_ddl("CREATE TABLE pet (id TEXT, name TEXT, age TEXT);")


def test_schemas_take_turns_and_some_say_less() -> None:
    """No types, or no keys."""
    pairs = [
        pair(f"SELECT id, age FROM pet LIMIT {n}", "SELECT age FROM pet") for n in range(2, 202)
    ]
    found = graph_pairs(pairs, [schema_of, lambda _: TEXTS])
    kinds = Counter(
        tuple(
            dict(zip(g.left.labels, g.left.types, strict=True))[name]
            for name in ("pet.id", "pet.age")
        )
        for g, _ in found.views
    )
    assert kinds.keys() == {
        ("integer key", "integer"),
        ("text", "text"),
        ("key", ""),
        ("integer", "integer"),
    }
    assert kinds["integer key", "integer"] > 90
    assert min(kinds.values()) > 8
    last = graph_pairs(pairs[100:], [schema_of, lambda _: TEXTS])
    assert list(last.views) == list(found.views[100:])


def test_training_pairs_are_also_shown_less_canonical() -> None:
    sql = "SELECT p.name FROM (SELECT * FROM pet) AS p WHERE NOT p.age <= {}"
    other = "SELECT name FROM pet WHERE age > {} AND id IN (SELECT id FROM pet)"
    pairs = [pair(sql.format(n), other.format(n)) for n in range(60)]
    found = graph_pairs(pairs, [schema_of], varied=True)
    assert {len(views) for views in found.views} == {4}
    assert sum(views[0].left == views[0].right for views in found.views) > 40
    # Without some rules a part of the pairs differ; as written, all do.
    assert 5 < sum(views[2].left != views[2].right for views in found.views) < 60
    assert all(views[3].left != views[3].right for views in found.views)
    assert graph_pairs(pairs, [schema_of], varied=True) == found
    held = [one._replace(split="validation") for one in pairs]
    assert {len(views) for views in graph_pairs(held, [schema_of], varied=True).views} == {2}
