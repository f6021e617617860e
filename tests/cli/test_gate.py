"""`sqljury gate` as it is typed: what it prints, writes, and how it ends."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import sqljury as sj
from commands import run

RIGHT, WRONG = "SELECT name FROM item", "SELECT name FROM item WHERE price > 2"
# What could become a workflow command, a tag, a link, a cell of a table, another line or an entity.
HOSTILE = (
    "a\n::error file=x::pwned %0A ##[error]pwned <img src=x onerror=y> ]]> & | `` @all \x1b[31m "
    "\u202e \ufffe [x](javascript:y)\r::set-output name=a::b"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over twelve cases; in the later one, three of them are newly wrong."""
    folder = tmp_path_factory.mktemp("shop")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.executescript("CREATE TABLE item (name TEXT, price REAL);")
        database.executemany("INSERT INTO item VALUES (?, ?)", [("pen", 1.5), ("ink", 9)])
    (folder / "tests").mkdir()
    for name, wrong in (("main", {0}), ("pr", {1, 2, 3})):
        write(folder / f"tests/{name}.jsonl", wrong)
        done = judged(folder, f"tests/{name}.jsonl", name)
        assert done.returncode == 0, done.stderr
    return folder


def write(path: Path, wrong: set[int], **more: object) -> None:
    lines = [
        {
            "id": HOSTILE if n == 3 else str(n),
            "db_id": "shop",
            "benchmark": "shop",
            "question": HOSTILE if n == 3 else "Which?",
            "reference_sqls": [RIGHT],
            "predicted_sql": WRONG if n in wrong else RIGHT,
            **more,
        }
        for n in range(12)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def judged(folder: Path, file: str, name: str, *more: str):
    return run("evaluate", file, "-d", "shop.sqlite", "--run", f"runs/{name}", *more, cwd=folder)


def gate(folder: Path, *words: str, **environment: str):
    return run("gate", *words, cwd=folder, **{"GITHUB_ACTIONS": "", **environment})


def test_a_worse_run_fails_against_a_run_and_a_file_alike(shop: Path, tmp_path: Path) -> None:
    base = tmp_path / "base.jsonl"
    written = gate(shop, "runs/main", "--write-baseline", str(base))
    assert (written.returncode, len(base.read_text().splitlines())) == (0, 13), written.stderr
    assert base.stat().st_size < 13 * 200
    by_run = gate(shop, "runs/pr", "--baseline", "runs/main")
    by_file = gate(shop, "runs/pr", "--baseline", str(base))
    assert (by_run.returncode, by_file.returncode) == (1, 1), by_run.stderr + by_file.stderr
    # The first line names the baseline.
    same = [done.stdout.partition("\nexecution:strict: FAILED")[2] for done in (by_run, by_file)]
    assert same[0] == same[1] != ""
    printed = " ".join(by_run.stdout.split())
    assert "fell by 16.67 points; --max-drop 1 allows 1" in printed
    assert "1 newly right, 3 newly wrong of 12: -16.7 points" in printed
    assert "extra filter 3 shop/1, shop/2, shop/a ::error" in printed
    assert gate(shop, "runs/pr", "--baseline", str(base), "--max-drop", "17").returncode == 0
    assert gate(shop, "runs/main", "--baseline", "runs/pr").returncode == 0


def test_a_baseline_is_replaced_only_by_a_run_that_passes(shop: Path, tmp_path: Path) -> None:
    base = tmp_path / "base.jsonl"
    gate(shop, "runs/main", "--write-baseline", str(base))
    first = base.read_bytes()
    both = ("--baseline", str(base), "--write-baseline", str(base))
    assert gate(shop, "runs/pr", *both).returncode == 1
    assert base.read_bytes() == first
    assert gate(shop, "runs/pr", *both, "--max-drop", "20").returncode == 0
    assert base.read_bytes() != first


def test_in_python(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)
    with sj.load_run(shop / "runs/main") as before, sj.load_run(shop / "runs/pr") as after:
        before.write_baseline(tmp_path / "base.jsonl")
        for baseline in (before, shop / "runs/main", tmp_path / "base.jsonl"):
            found = sj.gate(after, baseline)
            assert not found.passed
        assert sj.gate(after, before, max_drop=20).passed
        assert not sj.gate(after, thresholds={"execution": 0.8}).passed
    (judge,) = found.judges
    assert {cause: len(group) for cause, group in judge.newly_wrong.items()} == {"extra filter": 3}
    assert dict(judge.newly_right) == {"incorrect": ["shop/0"]}


def test_json(shop: Path) -> None:
    done = gate(shop, "runs/pr", "--baseline", "runs/main", "--json")
    found = json.loads(done.stdout)
    (judge,) = found["judges"]
    assert (done.returncode, found["passed"], judge["passed"]) == (1, False, False)
    assert (judge["n"], judge["compared"]["n"], judge["compared"]["only_first"]) == (12, 12, 3)
    assert judge["newly_wrong"] == {"extra filter": ["shop/1", "shop/2", f"shop/{HOSTILE}"]}
    assert "##[" not in done.stdout


def test_junit(shop: Path, tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    file = tmp_path / "junit.xml"
    gate(shop, "runs/pr", "--baseline", "runs/main", "--junit", str(file))
    (suite,) = junitparser.JUnitXml.fromfile(str(file))
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (13, 4, 0, 0)
    tests = {test.name: test for test in suite}
    assert all(test.classname == "execution:strict" for test in suite)
    assert "fell by 16.67 points" in tests["gate"].result[0].message
    assert tests["shop/1"].result[0].message.startswith("shop/1: extra filter: ")
    assert f"predicted: {WRONG}" in tests["shop/1"].result[0].text
    # The shape that Jenkins and GitLab document, no more.
    root = ET.parse(file).getroot()
    for element in root.iter():
        allowed = {
            "testsuites": {"name"},
            "testsuite": {"name", "tests", "failures", "errors", "skipped"},
            "testcase": {"name", "classname", "file", "line"},
            "failure": {"message"},
        }[element.tag]
        assert set(element.attrib) <= allowed
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert (cases["shop/2"].get("file"), cases["shop/2"].get("line")) == ("tests/pr.jsonl", "3")
    (hostile,) = (name for name in cases if name and "pwned" in name)
    assert not re.search("[\n\r\x1b\u202e\ufffe]", hostile)


def test_nothing_failed_in_junit_if_the_gate_passes(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    words = ("--baseline", "runs/main", "--max-drop", "20", "--junit", str(file))
    assert gate(shop, "runs/pr", *words).returncode == 0
    root = ET.parse(file).getroot()
    assert (len(root.findall(".//failure")), len(root.findall(".//skipped"))) == (0, 3)


def test_gitlab(shop: Path, tmp_path: Path) -> None:
    """The fields that GitLab's documentation of code quality reports names."""
    file = tmp_path / "quality.json"
    gate(shop, "runs/main", "--baseline", "runs/main", "--gitlab", str(file))
    (known,) = json.loads(file.read_text())
    gate(shop, "runs/pr", "--baseline", "runs/main", "--gitlab", str(file))
    found = json.loads(file.read_text())
    assert [set(one) for one in found] == [
        {"description", "check_name", "fingerprint", "severity", "location"}
    ] * 3
    assert {one["severity"] for one in found} == {"major"}
    assert known["severity"] == "info"
    assert [one["location"] for one in found] == [
        {"path": "tests/pr.jsonl", "lines": {"begin": line}} for line in (2, 3, 4)
    ]
    assert len({one["fingerprint"] for one in [*found, known]}) == 4
    gate(shop, "runs/main", "--baseline", "runs/pr", "--gitlab", str(file))
    assert json.loads(file.read_text())[0]["fingerprint"] == known["fingerprint"]


def test_github(shop: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    words = ("runs/pr", "--baseline", "runs/main", "--markdown", str(tmp_path / "comment.md"))
    on_github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    done = gate(shop / "tests", *(word.replace("runs/", "../runs/") for word in words),
                GITHUB_WORKSPACE=str(shop), **on_github)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert summary.read_text() == "before\n" + (tmp_path / "comment.md").read_text()
    done = gate(shop, *words, GITHUB_WORKSPACE=str(shop), **on_github)
    commands = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert commands[0].startswith("::error title=execution%3Astrict%3A gate::the score of")
    assert commands[1].startswith(
        "::error title=execution%3Astrict%3A newly wrong,file=tests/pr.jsonl,line=2::shop/1: "
    )
    assert len(commands) == 4, "one for the gate, one for each case"
    assert re.search(r"%250A ##\[error\]pwned", commands[3])
    # All that is printed besides stands between two lines that stop commands.
    first, *printed, last = done.stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert (len(token), last) == (32, f"::{token}::")
    assert token not in "".join(printed)
    passed = gate(shop, *words, "--max-drop", "20", GITHUB_WORKSPACE=str(shop), **on_github)
    assert passed.returncode == 0
    assert len(re.findall("^::warning ", passed.stderr, re.MULTILINE)) == 3


def test_markdown_is_inert(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "comment.md"
    gate(shop, "runs/pr", "--baseline", "runs/main", "--markdown", str(file))
    text = file.read_text()
    assert text.startswith("## sqljury gate: FAILED\n")
    (row,) = (line for line in text.splitlines() if "pwned" in line)
    # Three cells: the text of the third is code from its first to its last character.
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    cell = re.split(r"(?<!\\)\|", row)[3].strip()
    assert re.fullmatch(r"```[^\n]*```", cell)
    assert "```" not in cell[3:-3]
    markdown = pytest.importorskip("markdown_it")
    page = markdown.MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert "<img" not in page
    assert "href" not in page
    assert page.count("<tr>") == 4


def test_lost_cases_fail(shop: Path) -> None:
    lines = (shop / "tests/main.jsonl").read_text().splitlines(keepends=True)
    (shop / "tests/fewer.jsonl").write_text("".join(lines[:-1]))
    assert judged(shop, "tests/fewer.jsonl", "fewer").returncode == 0
    done = gate(shop, "runs/fewer", "--baseline", "runs/main")
    assert done.returncode == 1
    assert "1 of 12 cases (gone 1), 0 allowed" in done.stdout
    assert (
        gate(shop, "runs/fewer", "--baseline", "runs/main", "--max-left-out", "10%").returncode == 0
    )


@pytest.mark.parametrize("broken", [12, 3])
def test_missing_verdicts_end_with_3(shop: Path, tmp_path: Path, broken: int) -> None:
    """All cases or some are over a damaged database."""
    (tmp_path / "shop.sqlite").write_bytes((shop / "shop.sqlite").read_bytes())
    (tmp_path / "damaged.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    lines = (shop / "tests/main.jsonl").read_text().splitlines(keepends=True)
    damaged = [line.replace('"db_id": "shop"', '"db_id": "damaged"') for line in lines[:broken]]
    (tmp_path / "cases.jsonl").write_text("".join([*damaged, *lines[broken:]]))
    done = run("evaluate", "cases.jsonl", "-d", ".", "--run", "run", cwd=tmp_path)
    assert done.returncode == 3
    words = ("--baseline", str(shop / "runs/main"), "--max-left-out", "100%")
    done = gate(tmp_path, "run", *words, "--junit", "junit.xml")
    assert (done.returncode, "SJ416" in done.stderr) == (3, True), done.stderr
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "SJ517 there is nothing to check"),
        (("--baseline", "nofile"), "nofile"),
        (("--baseline", "tests/pr.jsonl"), "SJ515 tests/pr.jsonl:1: no baseline"),
        (("--baseline", "tests"), "SJ401"),
        (("--threshold", "execution"), "SJ517 --threshold execution is not JUDGE=SCORE"),
        (("--threshold", "rose=0.5"), "SJ517 --threshold rose names no judge of the run"),
        (("--threshold", "execution=80"), "SJ517 --threshold execution=80 is not in [0, 1]"),
        (("--baseline", "runs/main", "--alpha", "2"), "SJ517 --alpha 2 is not in [0, 1]"),
        (("--baseline", "runs/main", "--max-drop", "-1"), "max-drop"),
        (("--baseline", "runs/main", "--max-left-out", "-1"), "SJ508"),
        (("--baseline", "runs/main", "--junit", "no/folder/x"), "SJ801"),
        (("--baseline", "runs/main", "--gitlab", "no/folder/x"), "SJ801"),
        (("--baseline", "runs/main", "--markdown", "no/folder/x"), "SJ801"),
        (("--write-baseline", "no/folder/x"), "SJ801"),
    ],
)
def test_what_cannot_be_used(shop: Path, words: tuple[str, ...], said: str) -> None:
    done = gate(shop, "runs/pr", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_lists_and_standard_input_have_places_or_none(shop: Path, tmp_path: Path) -> None:
    """A list over several lines has the line of each case; a case from elsewhere has no place."""
    cases = [json.loads(line) for line in (shop / "tests/pr.jsonl").read_text().splitlines()]
    for name, text in (("lines", json.dumps(cases, indent=1)), ("one", json.dumps(cases))):
        (shop / f"tests/{name}.json").write_text(text)
        assert judged(shop, f"tests/{name}.json", name).returncode == 0
    (tmp_path / "outside.jsonl").write_text((shop / "tests/pr.jsonl").read_text())
    assert judged(shop, str(tmp_path / "outside.jsonl"), "outside").returncode == 0
    answers = [f"{case.pop('predicted_sql')}\n" for case in cases]
    (shop / "tests/asked.json").write_text(json.dumps(cases))
    (shop / "tests/mine.sql").write_text("".join(answers))
    assert judged(shop, "tests/asked.json", "mine", "-p", "tests/mine.sql").returncode == 0
    expected = {
        "lines": ("tests/lines.json", 12),
        "one": ("tests/one.json", 1),
        "outside": ("shop", 1),
        "mine": ("tests/mine.sql", 2),
    }
    for name, (path, line) in expected.items():
        file = tmp_path / f"{name}.quality.json"
        gate(shop, f"runs/{name}", "--baseline", "runs/main", "--gitlab", str(file))
        first = json.loads(file.read_text())[0]["location"]
        assert (first["path"], first["lines"]["begin"]) == (path, line), name
