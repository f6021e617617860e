"""Judging on the nodes of a Ray cluster: the same verdicts, whatever becomes of a node."""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.databases import open_sources
from sqljury.errors import InfrastructureError, InputError
from sqljury.runs import RunSettings
from sqljury.runs.fingerprints import Changes, DataContents, DataFingerprints
from sqljury.runs.messages import Setup
from sqljury.runs.ray_pool import NodeJudges, NodeSetup, RayPool, _pieces, lacking, packed
from sqljury.runs.store import WorkItem
from sqljury.settings import Sources
from sqljury.verdict import Record
from sqljury.version import __version__

JUDGES = ["execution", "soft_f1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("databases")
    for name in ("a", "b", "c"):
        place = folder / name
        place.mkdir()
        with sqlite3.connect(place / f"{name}.sqlite") as database:
            database.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        database.close()
        (place / "notes.csv").write_text("x,what it is\n")
    return folder


def cases(number: int) -> list[Case]:
    return [
        Case(
            id=str(i),
            db_id="abc"[i % 3],
            predicted_sql=f"SELECT x FROM t WHERE x > {i % 4}",
            reference_sqls=("SELECT x FROM t WHERE x > 1",),
        )
        for i in range(number)
    ]


# ---------------------------------------------------------------- one machine, without Ray


def test_what_a_run_reads_is_packed_and_unpacked(folder: Path, tmp_path: Path) -> None:
    sources = Sources(databases=str(folder))
    parcel = packed(sources, ["a", "c"])
    assert [Path(name).name for name in parcel.files] == [
        "a.sqlite", "notes.csv", "c.sqlite", "notes.csv",
    ]  # fmt: skip
    there = parcel.unpacked(sources, tmp_path)
    found = open_sources(there).databases
    assert found is not None and found.open("b") is None
    database = found.open("c")
    assert database is not None
    database.close()


def test_one_file_is_packed_and_servers_are_not(folder: Path, tmp_path: Path) -> None:
    file = Sources(databases=str(folder / "a" / "a.sqlite"))
    assert list(packed(file, ["any"]).files) == ["databases/a.sqlite"]
    assert packed(Sources(databases="mysql://server/{db_id}"), ["a"]).files == {}
    with pytest.raises(InputError, match="SJ424"):
        packed(Sources(databases=f"{folder},{tmp_path}"), ["a"])
    assert lacking(replace(file, schemas=str(tmp_path / "none.json"))) == ["schemas"]


def items(folder: Path) -> list[WorkItem]:
    import json

    return [
        WorkItem(number, json.dumps(case.to_dict()), (0, 1), (case.db_id, b""))
        for number, case in enumerate(cases(6), 1)
    ]


def setup_of(folder: Path, contents: dict[str, str]) -> NodeSetup:
    settings = RunSettings(sources=Sources(databases=str(folder)), workers=1)
    return NodeSetup(Setup(tuple(JUDGES), settings, None), False, DataContents(contents))


@pytest.fixture(scope="module")
def contents(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    run = tmp_path_factory.mktemp("run")
    with sj.evaluate(cases(3), "execution", folder, run=run, workers=1) as found:
        told = found.run.manifest["contents"]
    assert isinstance(told, dict)
    return told


def test_a_node_without_the_folder_judges_what_it_is_sent(
    folder: Path, contents: dict[str, str]
) -> None:
    setup = setup_of(folder / "not there", contents)
    parcel = packed(Sources(databases=str(folder)), contents)
    node = NodeJudges(setup, __version__, parcel)
    try:
        rows = [row for rows in node.judge(items(folder)) for row in rows]
    finally:
        node.close()
    assert sorted((row.number, row.judge) for row in rows) == [
        (number, judge) for number in range(1, 7) for judge in (0, 1)
    ]


def test_a_node_whose_data_or_version_is_another_judges_nothing(
    folder: Path, contents: dict[str, str]
) -> None:
    node = NodeJudges(setup_of(folder, {**contents, "b": "sqlite3:other"}), __version__)
    with pytest.raises(InfrastructureError, match="'b' is another here"):
        list(node.judge(items(folder)))
    with pytest.raises(InfrastructureError, match="SJ423"):
        NodeJudges(setup_of(folder, contents), "0.0.1")


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """Suites of `a` in a folder, and of `b` in an archive whose name has other capitals."""
    folder = tmp_path / "suites"
    for name in ("a", "b"):
        place = folder / name
        place.mkdir(parents=True)
        for number in range(2):
            with sqlite3.connect(place / f"{name}_{number}.sqlite") as database:
                database.executescript(f"CREATE TABLE t (x); INSERT INTO t VALUES ({number})")
            database.close()
    with tarfile.open(folder / "B.tar.gz", "w:gz") as archive:
        archive.add(folder / "b", "b")
    shutil.rmtree(folder / "b")
    return folder


def suite_setup(folder: Path, suites: Path, contents: DataContents) -> NodeSetup:
    sources = Sources(databases=str(folder), suites=str(suites))
    settings = RunSettings(sources=sources, workers=1)
    return NodeSetup(Setup(("test_suite",), settings, None), False, contents)


def contents_here(folder: Path, suites: Path) -> DataContents:
    sources = Sources(databases=str(folder), suites=str(suites))
    data = DataFingerprints(RunSettings(sources=sources), Changes())
    for name in "abc":
        data.fingerprint(Case(id="", db_id=name))
    return DataContents(data.fingerprints, data.suites)


def test_suites_are_told_in_the_manifest(folder: Path, suites: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with sj.evaluate(cases(3), "test_suite", folder, suites=suites, run=run, workers=1) as found:
        assert found.run.manifest["suites"] == contents_here(folder, suites).suites
    assert set(contents_here(folder, suites).suites) == {"a", "b"}


def test_a_node_without_the_suites_is_sent_them(folder: Path, suites: Path, tmp_path: Path) -> None:
    contents = contents_here(folder, suites)
    setup = suite_setup(folder, tmp_path / "not there", contents)
    assert lacking(setup.pool.settings.sources) == ["suites"]
    parcel = packed(Sources(databases=str(folder), suites=str(suites)), contents.databases)
    node = NodeJudges(setup, __version__, parcel)
    try:
        found = [item._replace(judges=(0,)) for item in items(folder)]
        assert len([row for rows in node.judge(found) for row in rows]) == 6
    finally:
        node.close()


@pytest.mark.parametrize("change", ["another row", "gone"])
def test_a_node_whose_suite_is_another_judges_nothing(
    folder: Path, suites: Path, change: str
) -> None:
    contents = contents_here(folder, suites)
    if change == "gone":
        shutil.rmtree(suites / "a")
    else:
        with sqlite3.connect(suites / "a" / "a_1.sqlite") as database:
            database.execute("INSERT INTO t VALUES (9)")
        database.close()
    node = NodeJudges(suite_setup(folder, suites, contents), __version__)
    with pytest.raises(InfrastructureError, match=r"SJ425 .*the test suite of 'a' is another here"):
        list(node.judge(items(folder)))


def test_one_huge_question_does_not_make_one_chunk() -> None:
    many = [WorkItem(number, "{}", (0,), ("a", b"one")) for number in range(1, 10_001)]
    source = _pieces([*many, WorkItem(10_001, "{}", (0,), ("a", b"two"))])
    pool = RayPool(lambda: pytest.fail("no node is asked"), "")
    chunks = []
    while chunk := pool._chunk(source, 64):
        chunks.append([item.number for item in chunk])
    assert [len(chunk) for chunk in chunks] == [1024] * 9 + [784, 1]
    assert [number for chunk in chunks for number in chunk] == list(range(1, 10_002))


def test_chunks_of_long_cases_are_bounded_by_their_size() -> None:
    many = [WorkItem(n, "x" * 2**20, (0,), ("a", str(n).encode())) for n in range(1, 40)]
    pool = RayPool(lambda: pytest.fail("no node is asked"), "")
    assert len(pool._chunk(_pieces(many), 4096)) == 16


def test_executors_that_there_are(folder: Path) -> None:
    with pytest.raises(InputError, match="SJ427 there is no executor 'dask'"):
        sj.evaluate(cases(1), "execution", folder, executor="dask")


# ---------------------------------------------------------------- two nodes


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


def told(records: Iterator[Record]) -> list[object]:
    """Records but for the time that they took."""
    found = []
    for record in records:
        cost = replace(record.verdict.cost, seconds=0.0)
        found.append((record.case, record.judge, replace(record.verdict, cost=cost)))
    return found


@pytest.mark.slow
def test_the_same_verdicts_on_two_nodes_and_when_one_is_lost(
    cluster: Any, folder: Path, tmp_path: Path
) -> None:
    asked = cases(3000)
    with sj.evaluate(asked, JUDGES, folder, workers=1) as found:
        here = told(found.records())
    lost: list[int] = []

    def lose_a_node(done: int, total: int) -> None:
        if 0 < done < total and not lost:
            lost.append(done)
            cluster.remove_node(next(node for node in cluster.worker_nodes))

    address = f"ray:{cluster.address}"
    run = tmp_path / "run"
    with sj.evaluate(asked[:1000], JUDGES, folder, run=run, executor=address) as found:
        assert told(found.records()) == [
            one
            for one in here
            if one[0] in asked[:1000]  # type: ignore[index]
        ]
    with sj.evaluate(
        asked, JUDGES, folder, run=run, executor=address, on_progress=lose_a_node
    ) as found:
        assert lost
        assert told(found.records()) == here
    with pytest.raises(InfrastructureError, match="SJ422"):
        sj.evaluate(asked, JUDGES, folder, executor="ray:127.0.0.1:1")
