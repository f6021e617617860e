"""The door to findings: what is decided is in the overlay at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clients import ORIGIN, client

from conftest import HOSTILE
from sqljury.app.decide import Decide
from sqljury.benchmarks import read_overlay
from sqljury.errors import InputError
from sqljury.uses.audit.audit import AuditFinding
from sqljury.uses.audit.deciding import (
    Decided,
    FindingDecision,
    FindingDecisions,
    key_of,
)
from sqljury.writing import write_json_lines

OLD = "SELECT name FROM boat WHERE length > 3"


def findings() -> list[AuditFinding]:
    def one(id_: str, likely: float, **more: Any) -> AuditFinding:
        given = {
            "sql": OLD,
            "proposal": None,
            "reason": f"reason {id_}",
            "question": f"Question {id_}?",
        }
        return AuditFinding(
            benchmark="harbour", id=id_, db_id="boats", code="AU101", name="n", title="t",
            weak=False, likely=likely, **{**given, **more},
        )  # fmt: skip

    return [
        one("1", 0.5, proposal="SELECT name FROM boat WHERE length >= 3"),
        one("2", 0.9, evidence={"rows": [["Anna", 3.0]]}),
        one(
            "3", 0.7, reason=HOSTILE, question=HOSTILE, sql=f"SELECT '{HOSTILE}'", part=HOSTILE[:8]
        ),
        one("1", 0.4, reason="another reason", proposal="SELECT 2"),
    ]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    write_json_lines(tmp_path / "findings.jsonl", (one.to_json() for one in findings()))
    return tmp_path / "findings.jsonl", tmp_path / "overlay.jsonl"


KEYS = [key_of(one) for one in findings()]


def decided(decision: str, **more: str) -> Decided:
    return Decided(decision=FindingDecision(decision), **{"by": "Ida", **more})


def test_decisions_are_an_overlay_at_once(files: tuple[Path, Path]) -> None:
    found = FindingDecisions(*files)
    assert list(found.findings) == [KEYS[1], KEYS[2], KEYS[0], KEYS[3]]
    found.decide(KEYS[0], decided("replace"))
    (one,) = read_overlay(files[1]).corrections
    assert (one.new_sql, one.accepted_by, one.reason) == (
        "SELECT name FROM boat WHERE length >= 3", "Ida", "reason 1",
    )  # fmt: skip
    found.decide(KEYS[1], decided("reject"))
    assert len(read_overlay(files[1]).corrections) == 1
    found.decide(KEYS[2], decided("ambiguous", why="two ways to read it"))
    found.decide(KEYS[0], decided("replace", new_sql="SELECT 1"))
    again = FindingDecisions(*files)
    assert again.decided == found.decided
    texts = {one.id: (one.new_sql, one.reason) for one in read_overlay(files[1]).corrections}
    assert texts == {"1": ("SELECT 1", "reason 1"), "3": (None, "two ways to read it")}
    again.decide(KEYS[0], None)
    assert [one.id for one in read_overlay(files[1]).corrections] == ["3"]


@pytest.mark.parametrize(
    ("key", "given", "code"),
    [
        (KEYS[1], decided("replace"), "SJ534"),  # nothing is proposed
        (KEYS[1], decided("exclude", by=" "), "SJ534"),
        ("none", decided("exclude"), "SJ412"),
        (KEYS[3], decided("replace"), "SJ533"),  # another query is the reference by now
    ],
)
def test_what_cannot_be_decided_changes_nothing(
    files: tuple[Path, Path], key: str, given: Decided, code: str
) -> None:
    found = FindingDecisions(*files)
    found.decide(KEYS[0], decided("replace"))
    before = files[1].read_bytes(), found.log.read_bytes(), dict(found.decided)
    with pytest.raises(InputError, match=code):
        found.decide(key, given)
    assert (files[1].read_bytes(), found.log.read_bytes(), found.decided) == before


def test_an_overlay_of_others_is_not_overwritten(files: tuple[Path, Path]) -> None:
    files[1].write_text("")
    with pytest.raises(InputError, match="SJ539"):
        FindingDecisions(*files)


def test_an_unfinished_line_is_cut_off(files: tuple[Path, Path]) -> None:
    found = FindingDecisions(*files)
    found.decide(KEYS[0], decided("replace"))
    with found.log.open("a") as log:
        log.write('{"finding": "x')
    again = FindingDecisions(*files)
    again.decide(KEYS[1], decided("exclude"))
    assert FindingDecisions(*files).decided == again.decided


@pytest.mark.parametrize("content", ['{"auths": {}}', "a line without an end"])
def test_a_file_that_is_no_log_is_left_as_it_is(files: tuple[Path, Path], content: str) -> None:
    files[1].with_suffix(".decisions.jsonl").symlink_to(files[1].with_name("other"))
    files[1].with_name("other").write_text(content)
    with pytest.raises(InputError, match="SJ534"):
        FindingDecisions(*files)
    assert files[1].with_name("other").read_text() == content


def test_other_files_are_no_findings(tmp_path: Path) -> None:
    write_json_lines(tmp_path / "cases.jsonl", [{"id": "1", "question": "?"}])
    with pytest.raises(InputError, match="SJ534"):
        FindingDecisions(tmp_path / "cases.jsonl", tmp_path / "overlay.jsonl")


@pytest.fixture
def browser(files: tuple[Path, Path], harbour: Path) -> Iterator[Any]:
    with Decide(FindingDecisions(*files), str(harbour)) as door:
        yield client(door)


def listed(browser: Any, query: str) -> list[str]:
    return re.findall(r'href="/decide/(\w{12})', browser.get(f"/decide?{query}").text)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [1, 2, 0, 3]), ("q=another", [3]), ("code=AU101", [1, 2, 0, 3]), ("code=AU9", []),
        ("state=open", [1, 2, 3]), ("state=replace", [0]), ("page=9", [1, 2, 0, 3]),
    ],
)  # fmt: skip
def test_findings_are_listed(browser: Any, query: str, found: list[int]) -> None:
    data = {
        "decision": "replace",
        "by": "Ida",
        "new_sql": "SELECT name FROM boat WHERE length >= 3",
    }
    browser.post(f"/decide/{KEYS[0]}", data=data, headers=ORIGIN)
    assert listed(browser, query) == [KEYS[i] for i in found]


def test_rows_of_an_edited_proposal(browser: Any) -> None:
    data = {"decision": "rows", "new_sql": "SELECT name FROM boat WHERE length > 5"}
    text = browser.post(f"/decide/{KEYS[0]}", data=data, headers=ORIGIN).text
    assert "is only in the reference" in text and "length &gt; 5</textarea>" in text
    data = {"decision": "rows", "new_sql": "DROP TABLE boat"}
    assert "not a query" in browser.post(f"/decide/{KEYS[0]}", data=data, headers=ORIGIN).text


def test_the_next_finding_follows(browser: Any, files: tuple[Path, Path]) -> None:
    data = {"decision": "exclude", "by": "Ida & Ben", "new_sql": "", "why": "nonsense"}
    answer = browser.post(f"/decide/{KEYS[1]}", data=data, headers=ORIGIN)
    assert answer.url.path == f"/decide/{KEYS[2]}" and 'value="Ida &amp; Ben"' in answer.text
    assert json.loads(files[1].read_text())["accepted_by"] == "Ida & Ben"
    page = browser.get(f"/decide/{KEYS[1]}").text
    assert "exclude by Ida &amp; Ben" in page and "Take back" in page
    browser.post(f"/decide/{KEYS[1]}", data={"decision": "open"}, headers=ORIGIN)
    assert files[1].read_text() == ""


@pytest.mark.parametrize("decision", ["", "maybe", "replace"])
def test_what_is_no_decision(browser: Any, decision: str) -> None:
    data = {"decision": decision, "by": "Ida", "new_sql": OLD}
    answer = browser.post(f"/decide/{KEYS[1]}", data=data, headers=ORIGIN)
    assert answer.status_code == 400 and "SJ534" in answer.text


def test_hostile_texts_stay_texts(browser: Any) -> None:
    for path in ("/decide", f"/decide/{KEYS[2]}"):
        text = browser.get(path).text
        assert "<script>alert" not in text and "<img" not in text and "\u202e" not in text
