"""The app in a real browser: labelling, deciding, filters, comparisons; widths, themes, WCAG AA."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import run as sqljury
from sqljury.uses.audit import Audit, AuditFinding
from sqljury.uses.audit.document import write_audit_page
from sqljury.uses.audit.overlays import accept_findings
from sqljury.uses.label import LabelProject, LabelStore, cases_to_label

pytestmark = pytest.mark.slow
playwright = pytest.importorskip("playwright.sync_api")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
AXE = Path(os.environ.get("SQLJURY_TEST_AXE", "node_modules/axe-core/axe.min.js"))
"""axe-core from npm; without it, WCAG is not checked."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no Chromium here")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        yield browser
        browser.close()


class Server:
    """`sqljury view` in a process of its own, and pages of a browser that knows its token."""

    def __init__(self, chromium: Any, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqljury", "view", *map(str, words)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.root = "/".join(self.address.split("/")[:3])
        self._chromium = chromium
        self.complaints: list[str] = []

    def page(self, width: int = 1300, scheme: str = "light", **more: Any) -> Any:
        context = self._chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=False, **more
        )
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.address)
        return page


@contextlib.contextmanager
def served(chromium: Any, *words: object) -> Iterator[Server]:
    server = Server(chromium, *words)
    try:
        yield server
        assert server.complaints == []
    finally:
        server.process.terminate()
        server.process.communicate()


def until(is_so: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something is so; the page's policy forbids the browser to be asked by a string."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def broken_words(page: Any) -> list[str]:
    """Words that are broken between lines inside, and what is wider than the page."""
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    found: list[str] = page.evaluate(
        r"""() => {
          const broken = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
          for (let node; (node = walker.nextNode()); ) {
            if (node.parentElement.closest("code, pre, .sql, .signature, textarea, svg, select, .visually-hidden")) continue;
            for (const word of node.data.matchAll(/[\p{L}]{3,}/gu)) {
              const range = document.createRange();
              range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
              if (new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top))).size > 1) broken.push(word[0]);
            }
          }
          return broken;
        }"""
    )
    return [*found, *(["wider than the page"] if wide else [])]


def violations(page: Any) -> list[str]:
    """What axe-core finds against WCAG AA."""
    if not AXE.is_file():
        return []
    script = AXE.read_text("utf-8")
    # The page's policy forbids scripts of others; the debugger may run one.
    found = page.evaluate(
        f"async () => {{ {script}; return await axe.run(document, {{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}}) }}"
    )
    return [f"{one['id']}: {one['nodes'][0]['html'][:150]}" for one in found["violations"]]


PAGES = ("/", "/run/first", "/run/first/cases", "/run/first/case/1?at=1", "/run/first/case/4", "/compare?first=first&second=second")  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1300])
def test_pages_fit_and_can_be_read_by_all(
    chromium: Any, run: Path, harbour: Path, width: int, scheme: str
) -> None:
    with served(chromium, run, harbour / "runs" / "second", "-d", harbour) as server:
        page = server.page(width, scheme)
        for path in PAGES:
            page.goto(server.root + path)
            if "/case/4" not in path:  # its texts are one word of markup
                assert broken_words(page) == [], path
            assert violations(page) == [], path
            assert page.title() not in ("", "hacked")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(252, 251, 249)", "dark": "rgb(23, 22, 20)"}[scheme]


def test_keys(chromium: Any, run: Path, harbour: Path) -> None:
    with served(chromium, run, "-d", harbour) as server:
        page = server.page()
        page.goto(f"{server.root}/run/first/cases")
        page.keyboard.press("/")
        page.keyboard.type("question beta")
        until(lambda: page.locator(".cases li").count() == 2)
        assert "q=question%20beta" in page.url
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        for key, place in (("k", "2 of 2"), ("Escape", "1 of 2")):
            page.wait_for_selector(f"text={place}")
            page.wait_for_load_state()  # the script of keys comes last
            page.keyboard.press(key)
        page.wait_for_selector("#found-cases")
        assert page.input_value("input[name=q]") == "question beta"
        page.go_back()
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_filters_and_queries_work_without_javascript(
    chromium: Any, run: Path, harbour: Path
) -> None:
    with served(chromium, run, "-d", harbour) as server:
        page = server.page(java_script_enabled=False)
        page.goto(f"{server.root}/run/first/cases")
        page.select_option("select[name=outcome]", "incorrect")
        page.click("button[type=submit]")
        page.wait_for_url("**outcome=incorrect**")
        page.wait_for_selector(".cases li >> nth=2")
        assert page.locator(".cases li").count() == 3
        page.click(".cases li:nth-child(2) a")
        page.fill("textarea", "SELECT count(*) FROM boat")
        page.click(".run-query button")
        assert "same rows" in page.inner_text(".answered")


def test_hostile_texts_do_nothing(chromium: Any, run: Path, harbour: Path) -> None:
    with served(chromium, run, "-d", harbour) as server:
        page = server.page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: server.complaints.append(dialog.message))
        for path in ("/run/first", "/run/first/cases", "/run/first/case/4?at=0"):
            page.goto(server.root + path)
            page.wait_for_load_state("networkidle")
            assert page.locator("main img, main script, main iframe").count() == 0
        assert all(url.startswith(server.root) for url in asked)
        # Even a script that were to stand in a page would not run.
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')"
        )
        page.wait_for_timeout(200)
        assert page.title() != "1"
        server.complaints.clear()  # the browser says that it has refused


def test_two_people_label_and_a_third_decides(
    chromium: Any, data_dir: Path, tmp_path: Path
) -> None:
    """Thirty cases of ROSE-VEC; two browsers at once; the server is killed between two labels."""
    rows = json.loads((data_dir / "rose-vec" / "rose-vec-spider.json").read_text())[:30]
    truth = {str(row["question_id"]): row["label"] for row in rows}
    (tmp_path / "vec.json").write_text(json.dumps(rows))
    labels = tmp_path / "labels.jsonl"
    from sqljury.benchmarks import read_cases

    cases = cases_to_label(read_cases([tmp_path / "vec.json"]))
    LabelStore.create(labels, LabelProject(annotators=("Ida", "Ben")), cases).close()
    names = {row["question"]: str(row["question_id"]) for row in rows}

    def label(page: Any, flip: bool, count: int) -> None:
        for _ in range(count):
            page.wait_for_load_state()  # the script of keys comes last
            id_ = names[page.inner_text("h1")]
            done = page.inner_text(".place")
            wrong = flip and int(id_) % 5 == 0
            page.keyboard.press("c" if truth[id_] != wrong else "x")
            page.wait_for_selector(f"text={int(done.split()[0]) + 1} of 30 labelled")

    with served(chromium, "--labels", labels) as server:
        ida, ben = server.page(), server.page(390, "dark")
        ida.click("text=Ida >> nth=0")
        ben.click("text=Ben >> nth=0")
        for _ in range(4):
            label(ida, False, 3)
            label(ben, True, 3)
            assert broken_words(ben) == [] and violations(ben) == []
        os.kill(server.process.pid, signal.SIGKILL)
    with served(chromium, "--labels", labels) as server:
        ida, ben = server.page(), server.page(390, "dark")
        ida.click("text=Ida >> nth=0")
        assert "12 of 30" in ida.inner_text(".place")
        label(ida, False, 18)
        ben.click("text=Ben >> nth=0")
        label(ben, True, 17)
        ben.wait_for_load_state()
        ben.keyboard.press("u")
        ben.wait_for_selector("text=28 of 30")
        label(ben, True, 2)
        ida.goto(f"{server.root}/label")
        assert violations(ida) == [] and broken_words(ida) == []
        wrong = sum(int(id_) % 5 == 0 for id_ in truth)
        ida.click("text=to decide")
        ida.wait_for_selector("h1:text-is('To decide')")
        for _ in range(wrong):
            if ida.inner_text("h1") == "To decide":
                ida.click(".cases a >> nth=0")
                ida.wait_for_selector("input[name=by]")
            assert violations(ida) == []
            id_ = names[ida.inner_text("h1")]
            ida.fill("input[name=by]", "Ada")
            address = ida.url
            ida.click(f"button[value={'correct' if truth[id_] else 'incorrect'}]")
            until(lambda was=address: ida.url != was)
            ida.wait_for_load_state()
        ida.goto(f"{server.root}/label")
        for name in ("agreed", "all"):
            with ida.expect_download() as download:
                ida.click(f"a[href*={name}]")
            download.value.save_as(tmp_path / f"{name}.json")
    agreed, every = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("agreed", "all")
    )
    assert len(agreed) == 30 - wrong
    assert {str(row["question_id"]): row["label"] for row in every} == truth
    assert len([row for row in every if "decision" in row]) == wrong
    run = tmp_path / "run"
    databases = data_dir / "spider" / "databases"
    made = sqljury("evaluate", tmp_path / "vec.json", "-d", databases, "--run", run, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    found = sqljury("agree", run, "--labels", tmp_path / "all.json", "--json", cwd=tmp_path)
    own = sqljury("agree", run, "--json", cwd=tmp_path)
    assert found.returncode == 0, found.stderr

    def kappa(text: str) -> list[str]:
        return re.findall(r'"kappa": (\S+)', text)

    assert kappa(found.stdout) == kappa(own.stdout) != []


def test_ten_findings_are_decided_and_the_run_rescored(
    chromium: Any, data_dir: Path, tmp_path: Path
) -> None:
    databases = data_dir / "spider" / "databases"
    cases = json.loads((data_dir / "spider" / "dev.json").read_text())[:120]
    (tmp_path / "dev.json").write_text(json.dumps(cases))
    (tmp_path / "p.txt").write_text("".join(f"{one['query']}\n" for one in cases))
    for words in (
        ("audit", "run", "dev.json", "-d", databases, "--export", "findings.jsonl"),
        ("evaluate", "dev.json", "-p", "p.txt", "-d", databases, "--run", "board"),
    ):
        done = sqljury(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    # One finding for each reference: two decisions about one would contradict each other.
    lines = (tmp_path / "findings.jsonl").read_text().splitlines(keepends=True)
    alone = {json.loads(line)["id"]: line for line in lines}
    assert len(alone) >= 10
    (tmp_path / "findings.jsonl").write_text("".join(alone.values()))
    overlay = tmp_path / "overlay.jsonl"
    words = ("--findings", tmp_path / "findings.jsonl", "--overlay", overlay, "-d", databases)
    with served(chromium, *words) as server:
        page = server.page()
        assert violations(page) == [] and broken_words(page) == []
        page.click(".cases a >> nth=0")
        page.fill("input[name=by]", "Ida")
        for turn in range(10):
            assert violations(page) == []
            decision = ("replace", "ambiguous", "exclude", "reject")[turn % 4]
            if decision == "replace":
                page.fill(
                    "textarea[name=new_sql]",
                    page.input_value("textarea[name=new_sql]") + " LIMIT 1",
                )
                page.click("button[value=rows]")
                page.wait_for_selector(".answered")
            address = page.url
            page.click(f"button[value={decision}]")
            until(lambda was=address: page.url != was)
            page.wait_for_load_state()
            assert len(overlay.read_text().splitlines()) <= turn + 1
    scored = sqljury(
        "audit", "rescore", "board", "--overlay", overlay, "-d", databases, cwd=tmp_path
    )
    assert scored.returncode == 0, scored.stderr
    assert "100.0" in scored.stdout


def test_a_hundred_thousand_cases(chromium: Any, tmp_path: Path) -> None:
    from sqljury.case import Case
    from sqljury.uses.evaluate.evaluation import evaluate

    cases = (
        Case(
            id=str(i), benchmark="many", db_id=f"db{i % 50}", question=f"Question {i} of boats",
            predicted_sql=f"SELECT {i % 7}", reference_sqls=(f"SELECT {i % 5}",),
        )
        for i in range(100_000)
    )  # fmt: skip
    evaluate(cases, ["exact_match"], run=tmp_path / "many", workers=1).close()
    with served(chromium, tmp_path / "many") as server:
        page = server.page()
        page.goto(f"{server.root}/run/many/cases")
        assert page.locator(".cases li").count() == 100
        until(lambda: page.locator("#found-cases .note").count() == 0, 300.0)
        page.reload()
        page.select_option("select[name=db]", "db7")
        page.wait_for_selector("text=2,000 cases of 100,000")
        page.fill("input[name=q]", "12307")
        page.wait_for_selector("text=1 case of 100,000")
        page.click(".cases a")
        assert "Question 12307 of boats" in page.inner_text("h1")


def test_decisions_on_the_page_of_an_audit(chromium: Any, tmp_path: Path) -> None:
    """What is decided outlives the page, and its file is what `audit accept` reads."""
    told = {
        "benchmark": "", "id": "1", "db_id": "harbour", "question": "Which boats?", "weak": False,
        "sql": "SELECT name FROM boat LIMIT 1", "code": "AU204", "name": "n", "title": "t", "likely": 0.9,
        "reason": "row 1 and the row that LIMIT cuts off tie.",
    }  # fmt: skip
    findings = (
        AuditFinding(**told, proposal="SELECT name FROM boat"),  # type: ignore[arg-type]
        AuditFinding(**{**told, "id": "2"}),  # type: ignore[arg-type]
        AuditFinding(**{**told, "id": "3"}),  # type: ignore[arg-type]
    )
    found = Audit(
        references=3, not_audited={}, suspect=3, hinted=0, checks=(), findings=findings, signature="s"
    )  # fmt: skip
    write_audit_page(tmp_path / "page.html", found, title="Audit")
    page = chromium.new_context(accept_downloads=True).new_page()
    page.goto((tmp_path / "page.html").as_uri())
    choices = page.locator(".decision")
    choices.nth(0).select_option("replace")
    choices.nth(1).select_option("replace")
    assert page.locator("#count").inner_text() == "1 decided."  # the second has no new reference
    page.locator(".new-sql").nth(1).fill("SELECT name FROM boat ORDER BY name")
    page.reload()
    choices.nth(2).select_option("exclude")
    page.locator(".why").nth(2).fill("two <b>fair</b> readings")
    assert page.locator("#count").inner_text() == "3 decided."
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "decided.jsonl")
    made = accept_findings(tmp_path / "decided.jsonl", by="Ida", at="2026-01-01")
    assert [(one.id, one.decision, one.new_sql) for one in made.corrections] == [
        ("1", "replace", "SELECT name FROM boat"),
        ("2", "replace", "SELECT name FROM boat ORDER BY name"),
        ("3", "exclude", None),
    ]
    assert made.corrections[2].reason == "two <b>fair</b> readings"
