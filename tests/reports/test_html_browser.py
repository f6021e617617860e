"""The report in a real browser: routes work, and hostile text does not run."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace as DifferenceStub

import pytest
import report_sample as sample

from sqljury.case import Case
from sqljury.uses.evaluate.page import write_report
from sqljury.uses.evaluate.summary import summarise
from sqljury.verdict import Record, Verdict

pytestmark = pytest.mark.slow

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=3000",
    "--dump-dom",
)


def rendered(folder: Path, route: str) -> str:
    """The document after the script ran."""
    if BROWSER is None:
        pytest.skip("no Chromium here")
    address = f"{(folder / 'report.html').as_uri()}{route}"
    profile = f"--user-data-dir={folder / 'profile'}"
    run = subprocess.run(
        [BROWSER, *FLAGS, profile, address], capture_output=True, timeout=120, check=True
    )
    return run.stdout.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report")
    write_report(place / "report.html", sample.summary(), sample.records(), title="harbour")
    return place


def test_overview(folder: Path) -> None:
    page = rendered(folder, "#/")
    assert "<title>harbour · sqljury</title>" in page
    assert '<section id="cases" hidden="hidden"' in page.replace('hidden=""', 'hidden="hidden"')


def test_a_case(folder: Path) -> None:
    page = rendered(folder, "?theme=dark#/case/3")
    assert 'data-theme="dark"' in page
    assert "<title>harbour/3 · harbour · sqljury</title>" in page
    assert '<h1 id="case-title">Which lighthouses' in page
    assert "<mark>&gt;=</mark>" in page
    assert '<td class=" off">' in page or '<td class="number off">' in page
    assert "3 of 9" in page


@pytest.mark.parametrize(
    ("route", "found"),
    [
        ("#/cases", "9 cases"),
        ("#/cases?judge=0&outcome=incorrect", "2 cases of 9"),
        ("#/cases?judge=1&outcome=incorrect", "1 case of 9"),
        ("#/cases?outcome=!", "5 cases of 9"),
        ("#/cases?split=1", "2 cases of 9"),
        ("#/cases?db=coast&q=LIGHTHOUSES", "1 case of 9"),
        ("#/cases?q=no+such+words", "0 cases of 9"),
    ],
)
def test_filters(folder: Path, route: str, found: str) -> None:
    assert f'role="status">{found}</p>' in rendered(folder, route)


def test_hostile_text_does_not_run(tmp_path: Path) -> None:
    run = "document.title='owned'"
    attacks = [
        f"</script><script>{run}</script>",
        f'<img src=x onerror="{run}">',
        f"<svg onload={run}>",
    ]
    records = []
    for i, attack in enumerate(attacks):
        side = {"columns": [attack], "rows": [[attack]], "row_count": 1, "marks": [0]}
        verdict = Verdict.incorrect(
            attack, labels=(attack,), evidence={"reference": side, "prediction": side, "x": attack}
        )
        about = Case(id=f"{i}{attack}", question=attack, predicted_sql=attack, db_id=attack)
        records.append(Record(case=about, judge=attacks[0], verdict=verdict))
    summary = summarise(records, {attacks[0]: attacks[1]}, attacks[2])
    write_report(tmp_path / "report.html", summary, records, title=attacks[0])
    for route in ("#/", "#/cases", "#/case/1", "#/case/2", "#/case/3"):
        page = rendered(tmp_path, route)
        assert "<title>owned</title>" not in page
        assert "<img" not in page
        assert page.count("<script") == 4


@pytest.fixture(scope="module")
def two_systems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on three questions: the first is right on 1 and 2, the second on 1 and 3."""
    place = tmp_path_factory.mktemp("systems")
    right = {"a": "12", "b": "13"}
    records = []
    for number, (system, correct) in itertools.product("123", right.items()):
        about = Case(
            id=number,
            benchmark="x",
            source=system,
            question=f"Question {number}?",
            predicted_sql=f"SELECT {system}{number}",
            reference_sqls=("SELECT a1",),
            difficulty="easy" if number == "1" else "hard",
        )
        verdict = (
            Verdict.correct("same")
            if number in correct
            else Verdict.incorrect("other", labels=("limit_cuts_tie",))
        )
        records.append(
            Record(case=about, judge="execution", verdict=verdict, features=(f"joins:{number}",))
        )
    told = DifferenceStub(words="a filter is missing")
    write_report(
        place / "report.html",
        summarise(records, {"execution": "s"}, "run"),
        records,
        title="two",
        told_apart=lambda _: (told,),  # type: ignore[arg-type, return-value]
    )
    return place


@pytest.mark.parametrize(
    ("route", "found"),
    [
        ("#/cases?right=a&wrong=b", "1 case of 6"),
        ("#/cases?system=a", "3 cases of 6"),
        ("#/cases?difficulty=hard&outcome=!", "2 cases of 6"),
        ("#/cases?feature=joins%3A2", "2 cases of 6"),
        ("#/cases?label=limit_cuts_tie", "2 cases of 6"),
        ("#/cases?cause=tie", "2 cases of 6"),
        ("#/cases?q=filter+missing", "2 cases of 6"),
    ],
)
def test_filters_of_systems(two_systems: Path, route: str, found: str) -> None:
    assert f'role="status">{found}</p>' in rendered(two_systems, route)


def test_a_case_is_linked_by_its_id_beside_the_other_systems(two_systems: Path) -> None:
    page = rendered(two_systems, "#/case/x%2F2%2Fb")
    assert "<title>x/2/b · two · sqljury</title>" in page
    assert '<h2>Other systems</h2><details class="other"><summary><b>a</b>' in page
    assert '<a href="#/case/x%2F2%2Fa">Open</a>' in page
    assert "<li>a filter is missing</li>" in page
    assert '<a href="#/cases?label=limit_cuts_tie">limit_cuts_tie</a>' in page


def test_slices_lead_to_their_cases(two_systems: Path) -> None:
    page = rendered(two_systems, "#/")
    assert '<a href="#/cases?difficulty=hard">hard</a>' in page
    assert '<a href="#/cases?feature=joins%3A1">joins:<wbr>1</a>' in page
