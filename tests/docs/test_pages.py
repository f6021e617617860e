"""The Python examples of the pages run, and their links lead somewhere."""

from __future__ import annotations

import doctest
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

import sqljury

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LINKED = [*PAGES, *sorted(ROOT.glob("*.md"))]
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {sqljury.__version__}\n" in citation


def test_the_demonstration_has_as_many_cases_as_its_page_says() -> None:
    cases = json.loads(files("sqljury.demo").joinpath("cases.json").read_bytes())
    right = sum(case["label"] for case in cases)
    page = " ".join((DOCS / "demo.md").read_text(encoding="utf-8").split())
    assert f"{len(cases)} cases, {right} of which answer the question" in page
