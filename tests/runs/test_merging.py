"""Shards and other runs merged into one: it reads as if it had been made in one go."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

import pytest
import shop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import commands
import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.reports.export import write_export
from sqljury.runs import RUN_FILE, Shard
from sqljury.runs.judge_groups import JudgeGroup
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.verdict import Outcome, Verdict


class InProcess:
    """Judges here and now, by what a case says: a property needs hundreds of runs."""

    missing: dict[str, object] = {}  # noqa: RUF012
    spent = None

    def __enter__(self) -> InProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None: ...

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        for item in items:
            rows = []
            for judge in item.judges:
                case = Case.from_dict(json.loads(item.body))
                right = len(f"{case.predicted_sql}{judge}") % 3
                outcome = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNKNOWN)[right]
                score = (1.0, 0.0, None)[right]
                found = Verdict(
                    outcome=outcome,
                    score=score,
                    reason=f"{case.id!a} {judge}",
                    evidence={"said": case.predicted_sql},
                    measures={"m": right / 7} if right else {},
                )
                rows.append(VerdictRow.of(item.number, judge, found))
            yield tuple(rows)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JudgeGroup, "pool", lambda *_: InProcess())


CASES = st.lists(
    st.builds(
        lambda id_, source, db, sql, gold: Case(
            id=id_,
            source=source,
            db_id=db,
            predicted_sql=f"SELECT {sql}",
            reference_sqls=(f"SELECT {gold}",),
            difficulty="hard" if sql > 4 else None,
            label=bool(sql % 2),
            origin=f"cases.jsonl:{sql}",
        ),
        st.text("ab\ud800é", min_size=1, max_size=4),
        st.sampled_from(["", "one", "two"]),
        st.sampled_from(["x", "y"]),
        st.integers(0, 9),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda case: case.key,
)


def told(found: sj.Evaluation, folder: Path) -> tuple[object, ...]:
    """All that commands read of a run: the export's bytes, records, manifest, judges, summary."""
    path = folder / "export.jsonl"
    write_export(path, found.run.records(with_evidence=False))
    records = [(r.case, r.judge, r.verdict, r.features) for r in found.records()]
    by_question = [r.case.key for r in found.run.records(by_question=True)]
    return (
        path.read_bytes(),
        records,
        by_question,
        found.run.manifest,
        found.run.judges,
        {**found.summary.to_json(), "run": ""},
    )


@pytest.mark.usefixtures("in_process")
@settings(
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cases=CASES, of=st.integers(1, 5), data=st.data())
def test_shards_merged_in_any_order_are_the_run_in_one_go(
    cases: list[Case], of: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("merging")
    judges = ["exact_match", "exact_set_match"]
    schema = {"schemas": str(_schemas(folder))}
    with sj.evaluate(cases, judges, run=folder / "whole", **schema) as found:
        whole = told(found, folder)
    shards = []
    for number in data.draw(st.permutations(range(1, of + 1))):
        shards.append(folder / f"shard-{number}")
        shard = f"{number}/{of}"
        sj.evaluate(cases, judges, run=shards[-1], shard=shard, **schema).close()
    with sj.merge_evaluations(folder / "merged", shards) as found:
        assert told(found, folder) == whole


@pytest.mark.usefixtures("in_process")
@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cases=CASES, data=st.data())
def test_runs_over_parts_of_the_input_are_put_one_after_the_other(
    cases: list[Case], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("merging")
    schema = {"schemas": str(_schemas(folder))}
    cut = data.draw(st.integers(0, len(cases)))
    again = data.draw(st.integers(0, cut))
    with sj.evaluate(cases, ["exact_set_match"], run=folder / "whole", **schema) as found:
        whole = told(found, folder)
    # The second part may hold some cases of the first again.
    parts = [part for part in (cases[:cut], cases[again:]) if part]
    runs = [folder / f"part-{place}" for place in range(len(parts))]
    for run, part in zip(runs, parts, strict=True):
        sj.evaluate(part, ["exact_set_match"], run=run, **schema).close()
    with sj.merge_evaluations(folder / "merged", runs) as found:
        assert told(found, folder) == whole


def _schemas(folder: Path) -> Path:
    path = folder / "tables.sql"
    path.write_text("CREATE TABLE t (a INTEGER);")
    return path


def test_by_command_and_with_workers(tmp_path: Path) -> None:
    databases = shop.make_database(tmp_path / "databases")
    source = tmp_path / "cases.jsonl"
    sj.write_cases(shop.make_cases(40), source, format="sqljury")
    common = ("evaluate", source, "-d", databases, "-w", "1")
    whole = commands.run(*common, "--run", tmp_path / "whole", "--export", tmp_path / "whole.jsonl")
    assert whole.returncode == 0, whole.stderr
    shards = [tmp_path / f"shard-{number}" for number in (1, 2)]
    for number, shard in enumerate(shards, 1):
        done = commands.run(*common, "--run", shard, "--shard", f"{number}/2")
        assert done.returncode == 0, done.stderr
        assert f"shard:{number}/2" in done.stdout.replace("\n", "")
    merged = tmp_path / "merged"
    done = commands.run("runs", "merge", merged, *shards, "--export", tmp_path / "merged.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "merged.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    for command in (
        ("report", "{}"),
        ("report", "{}", "--case", "3"),
        ("report", "{}", "--failures", "2"),
    ):
        printed = {
            commands.run(*(part.format(run) for part in command)).stdout.replace(str(run), "")
            for run in (tmp_path / "whole", merged)
        }
        assert len(printed) == 1
    compared = json.loads(
        commands.run("report", merged, "--against", tmp_path / "whole", "--json").stdout
    )
    assert compared["changes"] == []
    assert compared["judges"][0]["n"] == 40
    # What is merged is a run like others: the whole command finds nothing left to do.
    again = commands.run(*common, "--run", merged)
    assert again.returncode == 0
    with sqlite3.connect(merged / RUN_FILE) as database:
        assert database.execute("SELECT count(*) FROM verdicts").fetchone() == (40,)
    database.close()


@pytest.fixture
def shards(tmp_path: Path, in_process: None) -> list[Path]:
    return [make_run(tmp_path, f"{number}/3") for number in (1, 2, 3)]


def make_run(folder: Path, shard: str | None, judge: str = "exact_match", more: int = 0) -> Path:
    run = folder / f"run-{len([*folder.iterdir()])}"
    sj.evaluate([*shop.make_cases(20 + more)], [judge], run=run, shard=shard).close()
    return run


def test_shards_that_do_not_fit(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrong = {
        "shard 3/3 is missing": shards[:2],
        "shard 2/3 is given twice": [*shards, shards[1]],
        "it is no shard": [*shards[:2], make_run(tmp_path, None)],
        "it is shard 3/4": [*shards[:2], make_run(tmp_path, "3/4")],
        "its judges": [*shards[:2], make_run(tmp_path, "3/3", "exact_set_match")],
        "another input": [*shards[:2], make_run(tmp_path, "3/3", more=1)],
        "no run is given": [],
    }
    for why, runs in wrong.items():
        with pytest.raises(InputError, match=rf"SJ429 .*{why}"):
            sj.merge_evaluations(out, runs)
        assert not out.exists()
    with pytest.raises(InputError, match="SJ401"):
        sj.merge_evaluations(out, [tmp_path / "nowhere"])
    with pytest.raises(InputError, match=r"SJ429 .* is not empty"):
        sj.merge_evaluations(shards[0], shards)
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".merged")]


@pytest.mark.usefixtures("in_process")
def test_other_data_versions_and_limits_are_refused(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, None), make_run(tmp_path, None, more=3)]
    changes = {
        "its version of sqljury": ("sqljury", "0.0.9"),
        "its limits": ("limits", {"seconds": 1}),
        "'shop' holds something else": ("contents", {"shop": "sqlite3:other"}),
        "the test suite of 'shop'": ("suites", {"shop": "sqlite3:other"}),
        "its engine": ("engines", ["sqlite3.2"]),
    }
    with sqlite3.connect(runs[0] / RUN_FILE) as database:
        sql = "SELECT value FROM facts WHERE name = 'manifest'"
        manifest = json.loads(database.execute(sql).fetchone()[0])
        manifest |= {
            "contents": {"shop": "here"},
            "suites": {"shop": "here"},
            "engines": ["sqlite3.1"],
        }
        _write_manifest(database, manifest)
    database.close()
    for why, (name, value) in changes.items():
        with sqlite3.connect(runs[1] / RUN_FILE) as database:
            _write_manifest(database, {**manifest, name: value})
        database.close()
        with pytest.raises(InputError, match=rf"SJ429 .*{why}"):
            sj.merge_evaluations(tmp_path / "out", runs)


def _write_manifest(database: sqlite3.Connection, manifest: dict[str, object]) -> None:
    sql = "UPDATE facts SET value = ? WHERE name = 'manifest'"
    database.execute(sql, (json.dumps(manifest),))


@pytest.mark.usefixtures("in_process")
def test_different_cases_under_one_key_are_refused(tmp_path: Path) -> None:
    for name, sql in (("a", "SELECT 1"), ("b", "SELECT 2")):
        case = Case(id="7", predicted_sql=sql, reference_sqls=("SELECT 1",), origin=f"{name}:1")
        sj.evaluate([case], ["exact_match"], run=tmp_path / name).close()
    done = commands.run("runs", "merge", tmp_path / "out", tmp_path / "a", tmp_path / "b")
    assert done.returncode == 2
    assert "SJ404 b:1: two cases are both known as '7'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_shard_that_lost_cases_is_refused(shards: list[Path], tmp_path: Path) -> None:
    for shard in shards:
        with sqlite3.connect(shard / RUN_FILE) as database:
            database.execute("DELETE FROM cases WHERE number = (SELECT max(number) FROM cases)")
        database.close()
    with pytest.raises(InputError, match=r"SJ429 .*do not hold all cases"):
        sj.merge_evaluations(tmp_path / "out", shards)


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/2", "1/2/3"])
def test_shards_that_there_are_not(text: str) -> None:
    with pytest.raises(InputError, match="SJ428"):
        Shard.parse(text)


def test_shards_are_about_equal_and_part_no_question() -> None:
    keys = [("db", b"%d" % number) for number in range(10_000)]
    held = [[Shard(number, 8).holds(*key) for key in keys] for number in range(1, 9)]
    assert all(1100 < sum(one) < 1400 for one in held)
    assert all(sum(column) == 1 for column in zip(*held, strict=True))
