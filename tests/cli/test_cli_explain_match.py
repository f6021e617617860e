"""`sqljury diff --network`, as a user types it."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import commands

DDL = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
LONG = "SELECT name FROM boat WHERE length > 9"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A schema, and a network with weights by chance."""
    torch = pytest.importorskip("torch")
    from sqljury.databases import schema_from_ddl
    from sqljury.learning.graph_matching.graphs import Vocabulary
    from sqljury.learning.graph_matching.matcher import Matcher, new_network
    from sqljury.learning.graph_matching.options import NetworkOptions
    from sqljury.likeness.graphs import QueryGraph, graph_of

    path = tmp_path_factory.mktemp("match")
    (path / "schema.sql").write_text(DDL)
    graph = graph_of(LONG, schema_from_ddl(DDL))
    assert isinstance(graph, QueryGraph)
    vocabulary = Vocabulary.of([graph])
    torch.manual_seed(0)
    network = new_network(NetworkOptions(hidden=16, steps=3), vocabulary)
    notes = {"form": "canonical", "flows": True}
    Matcher(network, vocabulary, 0.8, notes).save(path / "model.npz")
    return path


def run(
    folder: Path, *arguments: str, model: str = "model.npz"
) -> subprocess.CompletedProcess[str]:
    options = ["--schema", "schema.sql", "--model", model]
    return commands.run("diff", "--network", *arguments, *options, cwd=folder)


@pytest.mark.slow
def test_what_only_one_has(folder: Path) -> None:
    done = run(folder, LONG, LONG.replace(">", ">=") + " ORDER BY id")
    assert (done.returncode, done.stderr) == (0, "")
    first, *only = done.stdout.splitlines()
    assert "threshold 0.800" in first
    assert only == [
        "only in the reference: scan, filter, >",
        "only in the prediction: scan, filter, >=, sort, ascending, boat.id, boat.id",
    ]
    same = run(folder, LONG, LONG.lower()).stdout.splitlines()
    assert same[0] == "equivalent: score 1.000, threshold 0.800"
    assert same[1:] == ["only in the reference: -", "only in the prediction: -"]


def test_picture_and_json(folder: Path) -> None:
    done = run(folder, LONG, LONG.replace("> 9", "< 'a&b'"), "--svg", "out.svg", "--json")
    found = json.loads(done.stdout)
    assert found["equivalent"] is (found["score"] >= found["threshold"])
    sizes = len(found["left"]["labels"]), len(found["right"]["labels"])
    for step in ("first", "last"):
        assert len(found["looks"][step]) == sizes[0]
        assert all(0 <= at < sizes[1] and 0 < weight <= 1 for at, weight in found["looks"][step])
    picture = ET.fromstring((folder / "out.svg").read_text())
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert words.count("boat.length") == 2 * 4  # two panels, two graphs, scanned and read
    assert "a&b" in words
    assert len(list(picture.iter(f"{SVG}line"))) == 2 * sizes[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "right", "said"),
    [("SELECT 'x", LONG, "the reference cannot be read"), (LONG, "DROP TABLE boat", "SJ318")],
)
def test_what_cannot_be_read(folder: Path, left: str, right: str, said: str) -> None:
    done = run(folder, left, right)
    assert (done.returncode, said in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


def test_a_model_that_is_not_there(folder: Path) -> None:
    done = run(folder, LONG, LONG, model="none.npz")
    assert (done.returncode, "SJ020" in done.stderr) == (2, True)
