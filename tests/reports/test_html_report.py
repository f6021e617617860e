"""The HTML report: one file, whole, safe, bounded, the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
import report_sample as sample

from sqljury.case import Case, Json
from sqljury.reports.cases import case_pages
from sqljury.reports.page import script_safe
from sqljury.uses.evaluate.page import write_report
from sqljury.uses.evaluate.summary import Summary, summarise
from sqljury.verdict import Outcome, Record, Verdict

VOID = {"meta", "br", "input", "wbr", "link", "img", "hr"}


class Page(HTMLParser):
    """What a browser's parser would see, with every open element closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        else:
            self.texts.append(data)

    @property
    def data(self) -> Json:
        """The data of the case pages."""
        (text,) = (text for attrs, text in self.scripts if attrs.get("id") == "data")
        data = json.loads(text)
        return data | {"cases": inflated(data["cases"])}

    @property
    def bodies(self) -> list[Page]:
        """The pages of the cases, which the blocks hold."""
        blocks = [text for attrs, text in self.scripts if "block-" in (attrs.get("id") or "")]
        return [Page(body) for text in blocks for body in inflated(text)]

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def inflated(text: str) -> Json:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def written(tmp_path: Path, records: list[Record] | Iterator[Record], **options: Json) -> str:
    path = tmp_path / "report.html"
    summary = options.pop("summary", None) or sample.summary()
    write_report(path, summary, records, **{"title": "harbour", **options})
    return path.read_text("utf-8")


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(written(tmp_path, sample.records(), agreement=sample.agreement()))


def test_the_numbers_are_in_the_page_itself(page: Page) -> None:
    assert "37.5 % of 8 (wilson 13.7–69.4); 1 left out: database_missing 1" in page.text
    for signature in sample.SIGNATURES.values():
        assert signature.replace("{n}", "8") in page.text
    assert "Pairs of judges" in page.text
    assert sum(tag == "svg" for tag, _ in page.tags) > 10


def test_a_page_per_case(page: Page) -> None:
    assert [case["id"] for case in page.data["cases"]] == [f"harbour/{i}" for i in range(1, 10)]
    assert len(page.bodies) == 9
    lighthouses = page.bodies[2]
    assert "hintheight is in metres" in lighthouses.text
    assert lighthouses.text.count("Reference: 3 rows") == 1  # both judges saw the same rows
    assert ("td", {"class": " off"}) in lighthouses.tags
    assert "height >= 40" in lighthouses.text
    assert "Reference 2" in lighthouses.text
    assert "The system abstained." in page.bodies[5].text
    assert "seconds[ 0.1, 0.25 ]" in page.bodies[4].text
    searched = page.data["cases"][2]["text"]
    assert "height is in metres" in searched
    assert searched == searched.lower()


def test_pages_as_values() -> None:
    pages = case_pages(sample.records(), 9).to_json(
        [judge.name for judge in sample.summary().judges]
    )
    lighthouses = list(pages)[2]
    (both,) = lighthouses["tables"]
    assert both[0]["rows"][1] == (2, 1, [1], ["Old Head", "52"])
    assert both[1]["rows"][1] == (2, 1, [1], ["Old Head", None])
    assert [["  height ", ">", " 40"], ["  height ", ">=", " 40"]] in lighthouses["diff"]


def test_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    text = written(tmp_path, sample.records(), agreement=sample.agreement())
    assert not re.search(r"https?:|//[a-z0-9-]+\.[a-z]|@import|url\(", text.replace("\\/", "/"))
    for tag, attrs in Page(text).tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in attrs
        assert not any(name.startswith("on") for name in attrs)
        assert (attrs.get("href") or "#").startswith("#")


def test_only_our_scripts_may_run(page: Page) -> None:
    (policy,) = (
        attrs["content"] or ""
        for tag, attrs in page.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    ours = [text for attrs, text in page.scripts if "type" not in attrs]
    assert len(ours) == 2
    for text in ours:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_script_makes_markup_of_rendered_pages_only(page: Page) -> None:
    (view,) = (text for _, text in page.scripts if "function inflated" in text)
    assert view.count("parseFromString(") == 1
    assert "parseFromString(texts[i % data.report.block]" in view
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\("
    for _, text in page.scripts:
        assert not re.search(forbidden, text)


def test_headings_and_labels(page: Page) -> None:
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    for tag, attrs in page.tags:
        if tag == "svg" and attrs.get("class", "").startswith("plot") and "role" in attrs:
            assert attrs["aria-label"]
        if tag == "section":
            assert attrs["aria-labelledby"] in {*ids, "case-title"}
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert ("html", {"lang": "en"}) in page.tags


ATTACKS = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "\u2028\u2029\x00\ud800\u202e",
    "&lt;script&gt;",
    "]]>--></style></title>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_stays_text(tmp_path: Path, attack: str) -> None:
    quiet, page = (
        Page(written(tmp_path, records, **options))
        for options, records in (_attacked("harmless"), _attacked(attack))
    )
    # The same elements with the same attributes' names: no text became markup.
    assert [(tag, list(attrs)) for tag, attrs in page.tags] == [
        (tag, list(attrs)) for tag, attrs in quiet.tags
    ]
    # Queries are laid out by their text, so that a case's page may have other lines.
    (body,), (harmless,) = page.bodies, quiet.bodies
    assert {tag for tag, _ in body.tags} <= {tag for tag, _ in harmless.tags} | {
        "span",
        "mark",
        "wbr",
    }
    assert {n for _, attrs in body.tags for n in attrs} <= {
        n for _, attrs in harmless.tags for n in attrs
    }
    assert all((attrs.get("href") or "#").startswith("#") for _, attrs in body.tags)
    assert len(page.scripts) == 4
    (case,) = page.data["cases"]
    if attack.isprintable():
        assert case["question"] == attack
        assert attack in case["prediction"]


def _attacked(text: str) -> tuple[dict[str, Json], list[Record]]:
    """A report in which everything a case or a user can name is this text."""
    about = Case(
        id=text,
        benchmark=text,
        source=text,
        db_id=text,
        question=text,
        hint=text,
        difficulty=text,
        predicted_sql=f"SELECT '{text}' -- {text}",
        reference_sqls=(f"SELECT {text}", text),
    )
    side = {"columns": [text], "rows": [[text], [None]], "row_count": 2, "marks": [0], "sql": text}
    evidence = {
        "explanation": {"findings": [{"kind": "values", "text": text}]},
        "reference": side,
        "prediction": side,
        text: {text: text},
    }
    verdict = Verdict.incorrect(text, labels=(text,), measures={text: 1.0}, evidence=evidence)
    records = [Record(case=about, judge=text, verdict=verdict, features=(text,))]
    found = summarise(records, {text: f"{text}|n:{{n}}"}, text)
    return {"summary": found, "title": text}, records


@pytest.mark.parametrize("attack", ATTACKS)
def test_script_safe_is_json_that_cannot_leave_its_element(attack: str) -> None:
    text = script_safe({attack: [attack]})
    assert json.loads(text) == {attack: [attack]}
    assert not set("<>&\u2028\u2029\x00\ud800") & set(text)
    assert len(text.splitlines()) == 1


# ---------------------------------------------------------------- bounds


def _outcomes(*outcomes: Outcome) -> list[Record]:
    return [
        sample.record(sample.case(i), "j", Verdict(outcome=outcome, score=None))
        for i, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("most", "kept"),
    [(0, []), (1, ["2"]), (3, ["2", "4", "5"]), (4, ["1", "2", "4", "5"]), (9, list("012345"))],
)
def test_failures_come_first_and_order_stays(most: int, kept: list[str]) -> None:
    pages = case_pages(
        _outcomes(
            Outcome.CORRECT,
            Outcome.DATABASE_MISSING,
            Outcome.INCORRECT,
            Outcome.CORRECT,
            Outcome.UNKNOWN,
            Outcome.PREDICTION_ERROR,
        ),
        most,
    )
    assert [page["id"] for page in pages.to_json(["j"])] == [f"harbour/{i}" for i in kept]
    assert (pages.total, pages.left_out) == (6, 6 - len(kept))


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    page = Page(written(tmp_path, sample.records(), max_case_pages=4))
    assert "This file has pages for 4 of 9 cases" in page.text
    assert "the other 5 with sqljury report runs/harbour-1 --case CASE_ID" in page.text
    assert "This file has pages" not in Page(written(tmp_path, sample.records())).text


def test_no_cases_at_all(tmp_path: Path) -> None:
    empty = summarise([], {sample.STRICT: "s|n:{n}"}, "run")
    page = Page(written(tmp_path, [], summary=empty))
    assert "no score: none of 0 counts" in page.text
    assert page.data["cases"] == []
    assert Page(written(tmp_path, [], summary=Summary(judges=(), run=""))).data["cases"] == []


def _large(count: int) -> Iterator[Record]:
    """Cases with results that are as large as evidence gets."""
    rows = [[f"cell {i} {j} " + "x" * 280 for j in range(30)] for i in range(20)]
    side = {
        "columns": [f"column {j}" for j in range(30)],
        "rows": rows,
        "row_count": 10**6,
        "marks": list(range(20)),
        "sql": "SELECT 1",
    }
    verdict = Verdict.incorrect("no", evidence={"reference": side, "prediction": side})
    for i in range(count):
        sql = f"SELECT {', '.join(f'column_{k} + {i}' for k in range(300))} FROM t"
        about = replace(sample.LIGHTHOUSES, id=str(i), predicted_sql=sql)
        yield Record(case=about, judge=sample.STRICT, verdict=verdict)


def test_pages_are_cut_to_size(tmp_path: Path) -> None:
    text = written(tmp_path, _large(20))
    assert len(text) / 20 < 12_000
    (one, *_) = case_pages(_large(1), 1).to_json([sample.STRICT])
    ((reference, _),) = one["tables"]
    assert reference["count"] == 10**6
    assert 0 < len(reference["rows"]) < 20


def test_a_broken_stream_leaves_no_file(tmp_path: Path) -> None:
    def broken() -> Iterator[Record]:
        yield from sample.records()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        written(tmp_path, broken())
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- contrast

CSS = (Path(__file__).parents[2] / "src/sqljury/reports/templates/report.css").read_text()


@pytest.mark.parametrize("theme", [":root {", ':root[data-theme="dark"] {'])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "paper"),
        ("ink", "raised"),
        ("quiet", "paper"),
        ("quiet", "minus"),
        ("quiet", "plus"),
        ("accent", "paper"),
        ("accent", "raised"),
        ("accent", "minus"),
        ("accent", "plus"),
        ("ink", "minus-strong"),
        ("ink", "plus-strong"),
    ],
)
def test_text_can_be_read(theme: str, text: str, ground: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    block = CSS.split(theme, 1)[1].split("}", 1)[0]
    colours = dict(re.findall(r"--([\w-]+): #([0-9a-f]{6})", block))
    light, dark = sorted((_luminance(colours[text]), _luminance(colours[ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_both_ways_to_be_dark_are_the_same_colours() -> None:
    chosen = CSS.split(':root[data-theme="dark"] {', 1)[1].split("}", 1)[0]
    preferred = CSS.split(':root:not([data-theme="light"]) {', 1)[1].split("}", 1)[0]
    assert chosen.split() == preferred.split()
