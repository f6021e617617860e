"""Pages of runs: filters find what a plain loop finds, hostile texts stay texts."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clients import ORIGIN, client

from sqljury.app.look import Look


@pytest.fixture(scope="module")
def browser(run: Path, harbour: Path) -> Iterator[Any]:
    with Look([run, harbour / "runs" / "second"], str(harbour)) as look:
        found = client(look)
        look.browser("first").index.ready.wait(30)
        yield found


def listed(browser: Any, query: str) -> list[str]:
    """The names of the cases that a list shows."""
    text = browser.get(f"/run/first/cases?{query}").text
    return re.findall(r'<span class="who">harbour/(\d)[^<]*?/?(alpha|beta)<', text)


ALL = [("1", "alpha"), ("1", "beta"), ("2", "alpha"), ("2", "beta"), ("3", "alpha")]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("outcome=incorrect", [1, 2, 4]),
        ("outcome=incorrect&judge=0", [1, 4]),
        ("outcome=!&judge=1", [1, 2, 3, 4]),
        ("outcome=prediction_error", [3]),
        ("system=beta", [1, 3]),
        ("right=alpha&wrong=beta&judge=0", [1, 3]),
        ("wrong=alpha", [4]),
        ("split=1", [2]),
        ("people=none", [4]),
        ("people=incorrect", [1, 3]),
        ("difficulty=level+2", [2, 3]),
        ("column=colour%3Dred", [0, 1]),
        ("q=question+1", [0, 1, 2]),
        ("q=QUEST", [0, 1, 2, 3]),
        ("q=metres+sum", [2]),
        ("q=%22+no_such(+*", []),
        ("q=no_such_word", []),
        ("sort=score&judge=0&system=alpha", [4, 0, 2]),
        ("sort=-question&people=correct", [2, 0]),
        ("sort=no+such+order", [0, 1, 2, 3, 4]),
        ("system=no'such", []),
        ("page=99", [0, 1, 2, 3, 4]),
    ],
)
def test_filters(browser: Any, query: str, found: list[int]) -> None:
    assert listed(browser, query) == [ALL[i] for i in found]


def test_htmx_gets_the_list_alone(browser: Any) -> None:
    part = browser.get("/run/first/cases?q=question", headers={"HX-Request": "true"}).text
    assert "<html" not in part and part.count("<li>") == 4
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in browser.get("/run/first/cases", headers=back).text


def test_reading_needs_no_script(browser: Any) -> None:
    """Forms, pages and neighbours are plain links and forms."""
    text = browser.get("/run/first/cases").text
    assert '<form class="filters" role="search" method="get"' in text
    assert 'href="/run/first/case/1?at=1"' in text
    text = browser.get("/run/first/case/1?system=beta&at=0").text
    assert 'rel="next" href="/run/first/case/3?system=beta&amp;at=1"' in text
    assert 'rel="prev"' not in text and "1 of 2" in text


def test_a_case_shows_all_that_is_known(browser: Any) -> None:
    text = browser.get("/run/first/case/1").text
    for shown in (
        "Question 1 about boats?", "length is in metres", "filter compares otherwise", "scan boat",
        "Operator trees", "is only in the prediction", "harbour/1/alpha", "1 tables that no query reads",
    ):  # fmt: skip
        assert shown in text, shown
    assert text.index("<h3>boat") < text.index("<h3>pier")


@pytest.mark.parametrize("path", ["/run/first", "/run/first/cases", "/run/first/case/4", "/run/first/case/4?at=0&q=x"])  # fmt: skip
def test_hostile_texts_stay_texts(browser: Any, path: str) -> None:
    text = browser.get(path).text
    assert "<script>alert" not in text and "<img" not in text and "535801" not in text
    # A form sends values as they are; nobody sees them.
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", text)
    assert re.findall(r"<script(?! defer src=| src=)", text) == []
    assert re.findall(r"\sstyle=", text) == []


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT name FROM boat WHERE length > 3.0", "same rows"),
        ("SELECT name FROM boat", "is only in the prediction"),
        ("SELECT nothing FROM boat", "prediction_error"),
        ("DELETE FROM boat", "prediction_refused"),
        ("ATTACH '/tmp/x' AS y", "prediction_refused"),
        ("", "empty"),
    ],
)
def test_a_changed_query_runs_in_the_sandbox(browser: Any, sql: str, shown: str) -> None:
    text = browser.post("/run/first/case/1/query", data={"sql": sql}, headers=ORIGIN).text
    assert shown in text[text.index('class="answered"') :]


def test_without_databases_no_query_is_run(run: Path) -> None:
    with Look([run]) as look:
        found = client(look)
        assert "Run a changed query" not in found.get("/run/first/case/1").text
        answer = found.post("/run/first/case/1/query", data={"sql": "SELECT 1"}, headers=ORIGIN)
        assert answer.status_code == 400 and "SJ450" in answer.text


def test_two_runs_are_compared(browser: Any) -> None:
    assert "Compare two runs" in browser.get("/").text
    text = browser.get("/compare?first=first&second=second").text
    assert "Newly right by execution:strict" in text
    assert '<a href="/run/second/case/1">' in text


@pytest.mark.parametrize("path", ["/run/none", "/run/first/case/99", "/compare?first=a&second=b"])
def test_what_is_not_there(browser: Any, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 404 and "SJ412" in answer.text


def test_agreement_with_people_is_in_the_overview(browser: Any) -> None:
    text = browser.get("/run/first").text
    assert "Agreement with people" in text
    assert "κ" in text


def test_causes_become_those_of_the_queries(browser: Any) -> None:
    """As in `report --failures`: by rows at first, then by what the queries do differently."""
    end = time.monotonic() + 30
    while "wrong comparison in a filter" not in browser.get("/run/first/cases").text:
        assert time.monotonic() < end
        time.sleep(0.05)
