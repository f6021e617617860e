"""Evaluations in Python and notebooks, and two runs side by side."""

from __future__ import annotations

import json
from pathlib import Path
from sqlite3 import connect
from typing import Any
from xml.etree import ElementTree

import pytest

import sqljury as sj
from commands import run
from sqljury.errors import InputError
from sqljury.reports.markup import latex_text
from sqljury.uses.evaluate.document import latex_table, markdown_table
from sqljury.uses.evaluate.leaderboards import leaderboards

QUERIES = {"a": "SELECT 1", "b": "SELECT 2", "c": "SELECT x FROM t", "d": "SELECT 4"}


def rows(**wrong: str) -> list[dict[str, str]]:
    return [
        {"id": id_, "db_id": "d", "gold_sql": sql, "predicted_sql": wrong.get(id_, sql)}
        for id_, sql in QUERIES.items()
    ]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("databases")
    with connect(folder / "d.sqlite") as database:
        database.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1), (5)")
    return folder


@pytest.fixture(scope="module")
def two(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name, given in (
        ("old", rows(a="SELECT 9", b="SELECT nothing")),
        ("new", rows(c="SELECT x FROM t WHERE x > 1")),
    ):
        (folder / f"{name}.json").write_text(json.dumps(given))
        sj.evaluate(folder / f"{name}.json", "execution", databases, run=folder / name).close()
    return folder / "old", folder / "new"


def test_rows_are_evaluated_as_files_are(databases: Path) -> None:
    with sj.evaluate(rows(a="SELECT 9"), "execution", databases, workers=1) as found:
        assert found.scores() == {"execution:strict": 0.75}
        assert repr(found) == "Evaluation:\n  execution:strict  75.0 % of 4 (wilson 30.1–95.4)"
        assert "75.0 % of 4" in found._repr_html_()
        (group,) = found.failures().values()
        assert [failure.case.id for failure in group] == ["a"]


def test_scores_as_an_image(databases: Path, tmp_path: Path) -> None:
    systems = [row | {"source": name} for name in ("<a>", "b") for row in rows(a="SELECT 9")]
    with sj.evaluate(systems, "execution", databases, workers=1) as found:
        plot = found.plot()
    plot.save(tmp_path / "scores.svg")
    image = ElementTree.parse(tmp_path / "scores.svg").getroot()
    texts = [text.text for text in image.iter("{http://www.w3.org/2000/svg}text")]
    assert "execution:strict, <a>" in texts
    assert "75.0 (30.1–95.4)" in texts
    assert plot._repr_svg_() == (tmp_path / "scores.svg").read_text()


def test_data_frames_go_in_and_come_out(databases: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(a="SELECT 9"))
    frame.loc[1, "predicted_sql"] = None
    with sj.evaluate(frame, "execution", databases, workers=1) as found:
        table = found.to_frame()
    assert list(table["outcome"]) == ["incorrect", "prediction_missing", "correct", "correct"]
    assert list(table["id"]) == list(QUERIES)


def test_a_frame_of_a_library_that_is_not_there(databases: Path) -> None:
    found = sj.evaluate(rows(), "execution", databases, workers=1)
    with found, pytest.raises(InputError, match="SJ803"):
        found.to_frame("excel")


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([{"id": 1}], "SJ104 row 0"),
        ([{"predicted_sql": 5}], "SJ105 row 0"),
        ([{"predicted_sql": "SELECT 1"}, 7], "SJ105 row 1"),
    ],
)
def test_rows_that_are_no_cases(cases: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        sj.evaluate(cases, "exact_match", workers=1)
    assert str(caught.value).startswith(message)


def test_wrong_types_name_the_argument() -> None:
    assert sj.Case(id="1", reference_sqls="SELECT 1").reference_sqls == ("SELECT 1",)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reference_sqls"):
        sj.Case(id="1", reference_sqls=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cases="):
        sj.evaluate(5, "execution")
    with pytest.raises(TypeError, match="predictions="):
        sj.evaluate(rows(), "execution", predictions="mine.json")


def test_two_runs(two: tuple[Path, Path]) -> None:
    found = sj.compare_runs(*two)
    (judge,) = found.judges
    assert found.changes == ()
    paired = judge.paired
    assert (paired.n, paired.only_second, paired.only_first, paired.difference) == (4, 2, 1, 0.25)
    assert {cause: [f.case.id for f in group] for cause, group in judge.newly_wrong.items()} == {
        "extra filter": ["c"]
    }
    assert sorted(f.case.id for group in judge.newly_right.values() for f in group) == ["a", "b"]


def test_what_else_changed_is_named_first(two: tuple[Path, Path], tmp_path: Path) -> None:
    with connect(tmp_path / "d.sqlite") as database:
        database.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
    changed = [{**row, "gold_sql": "SELECT 7"} if row["id"] == "d" else row for row in rows()]
    limits = sj.Limits(seconds=7)
    sj.evaluate(changed, "execution", tmp_path, limits=limits, run=tmp_path / "run").close()
    found = sj.compare_runs(two[0], tmp_path / "run")
    assert found.changes == (
        "the database d holds something else",
        "execution:strict: limits was 30s,1000000rows,256MiB,1024MiB, is "
        "7s,1000000rows,256MiB,1024MiB",
    )
    assert found.judges[0].changed == 1


def test_compare_runs_prints_and_writes(two: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "two.html"
    done = run("report", two[1], "--against", two[0], "--html", page)
    assert done.returncode == 0, done.stderr
    assert "2 newly right, 1 newly wrong of 4: 25.0 points" in done.stdout
    assert "extra filter 1 new/c" in " ".join(done.stdout.split())
    assert "extra filter" in page.read_text()
    as_json = json.loads(run("report", two[1], "--against", two[0], "--json").stdout)
    assert as_json["judges"][0]["newly_wrong"] == {"extra filter": ["new/c"]}


def test_runs_without_a_judge_in_common(databases: Path, two: tuple[Path, Path]) -> None:
    first, other = sj.load_run(two[0]), sj.evaluate(rows(), "exact_match", databases, workers=1)
    with first, other, pytest.raises(InputError, match="SJ418"):
        first.compare(other)


def test_scores_for_a_paper(two: tuple[Path, Path]) -> None:
    with sj.load_run(two[0]) as found:
        latex, markdown = latex_table(found.summary), markdown_table(found.summary)
    assert r"(all) & 50.0 (15.0--85.0) \\" in latex
    assert "% execution:strict 50.0 (n = 4): execution:strict|" in latex
    assert "| (all) | 50.0 (15.0–85.0) |" in markdown
    assert run("report", two[0], "--latex").stdout == latex + "\n"
    assert latex_text("a_b & 5 % ~") == r"a\_b \& 5 \% \textasciitilde{}"


# ---------------------------------------------------------------- several runs


@pytest.fixture
def boarded(databases: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Runs of one benchmark: the first is right on c and d, the second on all but c."""
    for name, wrong in (("old", {"a": "SELECT 9", "b": "SELECT 9"}), ("new", {"c": "SELECT 9"})):
        given = [{**row, "benchmark": "dev"} for row in rows(**wrong)]
        sj.evaluate(given, "execution", databases, run=tmp_path / name).close()
    return tmp_path / "old", tmp_path / "new"


def test_runs_of_one_system_each_are_one_leaderboard(boarded: tuple[Path, Path]) -> None:
    done = run("report", *boarded, "--markdown")
    assert done.returncode == 0, done.stderr
    assert "| new | **75.0**" in done.stdout
    assert "| old | 50.0" in done.stdout
    (board,) = leaderboards(boarded).values()
    (judge,) = board.judges
    (pair,) = judge.system_pairs
    assert (pair.first, pair.second, pair.n) == ("new", "old", 4)
    assert (pair.only_first, pair.only_second) == (2, 1)
    assert judge.signature.count("+") == 1, "the data of both"


def test_runs_that_were_judged_otherwise_are_none(
    boarded: tuple[Path, Path], databases: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    limits = sj.Limits(rows=7)
    sj.evaluate(rows(), "execution", databases, run=other, limits=limits).close()
    with pytest.raises(InputError, match="SJ419"):
        leaderboards([boarded[0], other])
    assert run("report", boarded[0], other).returncode == 2
    assert "SJ006" in run("report", *boarded, "--html", tmp_path / "x.html").stderr
