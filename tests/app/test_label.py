"""The door to labelling: what annotators see, and what they do not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clients import ORIGIN, client

from conftest import HOSTILE, cases
from sqljury.app.label import Label
from sqljury.uses.label import LabelProject, LabelStore, cases_to_label


@pytest.fixture(params=[False, True], ids=["reference", "blind"])
def hides(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def browser(tmp_path: Path, run: Path, hides: bool) -> Iterator[Any]:
    project = LabelProject(annotators=("Ida", "Ben Ö/ä"), hide_reference=hides)
    store = LabelStore.create(tmp_path / "labels.jsonl", project, cases_to_label(run))
    with Label(store) as door:
        yield client(door)


def number_of(page: str) -> str:
    found = re.search(r'action="[^"]*/(\d+)"', page)
    assert found is not None
    return found[1]


def test_two_label_one_decides(browser: Any, hides: bool) -> None:
    start = browser.get("/label").text
    addresses = re.findall(r'<li><a href="(/label/by/[^"]+)"', start)
    assert addresses == ["/label/by/0", "/label/by/1"]
    for place, address in enumerate(addresses):
        for turn in range(5):
            page = browser.get(address).text
            assert f"{turn} of 5 labelled" in page
            assert ("reference is faulty" in page) is not hides
            data = {"verdict": "correct" if place == 0 or turn else "incorrect", "reason": HOSTILE}
            answer = browser.post(f"{address}/{number_of(page)}", data=data, headers=ORIGIN)
            assert answer.status_code == 200
        assert "All done" in browser.get(address).text
    assert "1 case</a>" not in browser.get("/label").text
    assert "1 case to decide" in re.sub(r"\s+", " ", browser.get("/label").text)
    queue = browser.get("/label/decide").text
    (link,) = re.findall(r'href="(/label/decide/\d+)"', queue)
    page = browser.get(link).text
    assert "Ida: correct" in page and "<script>alert" not in page and "\u202e" not in page
    assert browser.post(link, data={"verdict": "correct"}, headers=ORIGIN).status_code == 400
    done = browser.post(link, data={"verdict": "incorrect", "by": "Ada"}, headers=ORIGIN)
    assert "Nothing is left" in done.text
    assert len(json.loads(browser.get("/label/export/agreed.json").text)) == 4
    every = json.loads(browser.get("/label/export/all.json").text)
    assert sum(row["label"] is False for row in every) == 1
    assert sum(len(row["votes"]) for row in every) == 10


def test_annotators_see_no_judge_and_no_other(browser: Any) -> None:
    page = browser.get("/label/by/0").text
    data = {"verdict": "incorrect", "reason": "SECRET-REASON"}
    browser.post(f"/label/by/0/{number_of(page)}", data=data, headers=ORIGIN)
    for page in (browser.get("/label/by/1").text, browser.get("/label").text):
        assert "SECRET-REASON" not in page
    page = browser.get("/label/by/1").text
    assert "execution" not in page and "missing rows" not in page


def test_rows_and_schema(tmp_path: Path, run: Path, harbour: Path, hides: bool) -> None:
    project = LabelProject(annotators=("Ida", "Ben"), hide_reference=hides)
    store = LabelStore.create(tmp_path / "labels.jsonl", project, cases_to_label(run))
    with Label(store, str(harbour)) as door:
        browser, pages, after = client(door), [], None
        for _ in cases():
            address = "/label/by/0" if after is None else f"/label/by/0?after={after}"
            pages.append(browser.get(address).text)
            after = number_of(pages[-1])
    for page in pages:
        fails = "syntax error" in page
        assert ("Prediction: " in page) is not fails
        assert ("Reference: " in page) is not (hides or fails)
        assert "<code>length</code>" in page and "same rows" not in page
        assert "<script>alert" not in page and "<img" not in page
    assert sum("syntax error" in page for page in pages) == 1


def test_skip_and_undo(browser: Any) -> None:
    first = number_of(browser.get("/label/by/0").text)
    second = number_of(browser.get(f"/label/by/0?after={first}").text)
    assert first != second
    browser.post(f"/label/by/0/{second}", data={"verdict": "correct"}, headers=ORIGIN)
    assert number_of(browser.get("/label/by/0").text) == first
    browser.post("/label/by/0/undo", headers=ORIGIN)
    assert "0 of 5 labelled" in browser.get("/label/by/0").text


@pytest.mark.parametrize(
    ("path", "data", "code"),
    [
        ("/label/by/2/0", {"verdict": "correct"}, "SJ412"),
        ("/label/by/0/99", {"verdict": "correct"}, "SJ412"),
        ("/label/by/0/0", {"verdict": "perhaps"}, "SJ555"),
        ("/label/decide/0", {"verdict": "correct", "by": "Ada"}, "SJ555"),
    ],
)
def test_what_cannot_be_stored(browser: Any, path: str, data: dict[str, str], code: str) -> None:
    answer = browser.post(path, data=data, headers=ORIGIN)
    assert answer.status_code in (400, 404) and code in answer.text


def test_the_reference_is_hidden(tmp_path: Path) -> None:
    """What only the reference says is nowhere on the page."""
    project = LabelProject(annotators=("Ida",), votes=1, hide_reference=True)
    only = [case for case in cases() if case.source == "beta" and case.id == "2"]
    store = LabelStore.create(tmp_path / "labels.jsonl", project, cases_to_label(only))
    with Label(store) as door:
        page = client(door).get("/label/by/0").text
    assert "nothing" in page and "count(" not in page.lower()
