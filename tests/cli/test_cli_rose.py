"""`rose-vec`, `methods`, `diagnose` and recordings, as a user types them."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from commands import run
from sqljury import cli


@pytest.mark.data
def test_rose_vec_in_one_command(data_dir: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("paper", "rose-vec", data_dir / "rose-vec", "--bootstrap", "20", "--html", page)
    assert done.returncode == 0, done.stderr
    assert "75.93" in done.stdout and "87.35" in done.stdout
    assert page.is_file()


@pytest.mark.slow
@pytest.mark.data
def test_methods_as_json(data_dir: Path) -> None:
    done = run("paper", "methods", data_dir / "rose-benchmarking", "--json")
    found = json.loads(done.stdout)
    assert (len(found["methods"]), found["n_common"]) == (19, 433)


@pytest.mark.slow
@pytest.mark.data
def test_recordings_are_judged_diagnosed_and_written_back(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "rose-vec"
    run_folder, written = tmp_path / "run", tmp_path / "output"
    judged = run(
        *("evaluate", folder / "rose-vec-bird.json", folder / "rose-vec-spider.json"),
        *("--judge", "rose,model=openai:o3", "--recorded", folder / "recorded/rose-vec"),
        *("--run", run_folder),
    )
    assert judged.returncode == 0, judged.stderr
    assert "labels: ambiguous_question 17, ambiguous_schema 4, gold_fault 32" in judged.stdout
    diagnosed = run("audit", "--from", run_folder, "--most", "1")
    assert "1 of 95, of 302 references" in diagnosed.stdout
    done = run("report", run_folder, "--rose-output", written)
    assert done.stdout.split() == [
        str(written / f"rose-vec-{name}" / "o3" / "ROSE") for name in ("bird", "spider")
    ]
    again = run("paper", "rose-vec", written, "--labels", folder / "rose-vec-bird.json",
                "--labels", folder / "rose-vec-spider.json", "--bootstrap", "0", "--json")  # fmt: skip
    assert again.returncode == 0, again.stderr
    (row,) = json.loads(again.stdout)["metrics"]
    assert round(100 * row["figures"]["kappa"], 2) == 75.93


# ---------------------------------------------------------------- options of all models

CASES = [
    {"id": 1, "db_id": "m", "question": "Is it one?", "predicted_sql": "SELECT 1",
     "gold_sql": "SELECT 1"}
]  # fmt: skip
# judges, --model-option → the judges' names, or what is said of them
OPTIONS = [
    (["g_eval,MODEL"], ["seed=7"], ["g_eval,MODEL,model_options=seed=7"]),
    (
        ["g_eval,MODEL,model_options=temperature=0"],
        ["seed=7", "effort=low"],
        ["g_eval,MODEL,model_options=temperature=0;seed=7;effort=low"],
    ),
    (
        ["exact_match", "g_eval,MODEL", "flex,MODEL,rows=3"],
        ["seed=7"],
        ["exact_match", "g_eval,MODEL,model_options=seed=7",
         "flex,MODEL,model_options=seed=7,rows=3"],
    ),
    (["exact_match"], ["colour=red"], ["exact_match"]),
    (["g_eval,MODEL"], ["colour=red"], "SJ902"),
    (["g_eval,MODEL"], ["seed"], "SJ351"),
    (["g_eval,model=openai:o3"], ["temperature=0"], "SJ903 openai:o3 does not offer temperature"),
]  # fmt: skip


@pytest.mark.parametrize(("judges", "options", "expected"), OPTIONS)
def test_model_options_are_for_all_models(
    judges: list[str],
    options: list[str],
    expected: list[str] | str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    sqlite3.connect("m.sqlite").execute("CREATE TABLE t (a)").connection.close()
    Path("cases.json").write_text(json.dumps(CASES))
    answers = [
        {"when": ["First"], "answer": {"score": 1}},
        {"when": [], "answer": {"verdict": True, "reason": "so"}},
    ]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    command = ["sqljury", "evaluate", "cases.json", "-d", ".", "-w", "1", "--json"]
    for judge in judges:
        command += ["-j", judge.replace("MODEL", "model=scripted:answers.jsonl")]
    for option in options:
        command += ["--model-option", option]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capsys.readouterr()
    if isinstance(expected, str):
        assert (ended.value.code, expected in printed.err) == (2, True), printed.err
        return
    assert ended.value.code == 0, printed.err
    names = [judge["name"] for judge in json.loads(printed.out)["judges"]]
    assert [name.replace("model=scripted:answers.jsonl", "MODEL") for name in names] == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["paper", "rose-vec", "nowhere"], "SJ120"),
        (["paper", "methods", "nowhere"], "SJ523"),
        (["audit", "--from", "nowhere"], "SJ401"),
    ],
)
def test_what_is_not_there(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
