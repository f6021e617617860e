"""ROSE's tables, methods and diagnoses: printed, and as pages that open without a network."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sqljury.case import Case
from sqljury.papers.methods import Methods, read_methods
from sqljury.papers.methods_document import methods_document
from sqljury.papers.rose_vec import RoseVec, read_rose_vec, rose_vec_document
from sqljury.reports.document import ReportDocument
from sqljury.reports.page import write_page
from sqljury.reports.scatter import Scale, Spot, scatter
from sqljury.reports.terminal import print_document
from sqljury.uses.audit.diagnose import DiagnosisReport, diagnose
from sqljury.uses.audit.document import diagnosis_document
from sqljury.verdict import Record, Verdict

HOSTILE = "<script>alert(1)</script> [red]\x1b[31m"


@pytest.fixture(scope="module")
def tables(data_dir: Path) -> RoseVec:
    return read_rose_vec(data_dir / "rose-vec", bootstrap=50)


@pytest.fixture(scope="module")
def compared(data_dir: Path) -> Methods:
    return read_methods(data_dir / "rose-benchmarking")


@pytest.fixture(scope="module")
def diagnosis() -> DiagnosisReport:
    def record(key: str, verdict: Verdict, reason: str = "") -> Record:
        case = Case(id=key, question=HOSTILE, predicted_sql="SELECT 1", label=True,
                    reference_sqls=(f"SELECT '{HOSTILE}'",), extra={"reason_1": reason})  # fmt: skip
        return Record(case=case, judge=f"rose,model={HOSTILE}", verdict=verdict)

    return diagnose(
        [
            record("1", Verdict.correct(HOSTILE, labels=("gold_fault",)), "GOLD FALSE"),
            record("2", Verdict.correct(labels=("ambiguous_question",))),
            record("3", Verdict.incorrect()),
        ]
    )


def printed(document: ReportDocument) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_document(document, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def squeezed(text: str) -> list[str]:
    return [re.sub(r" +", " ", line).strip() for line in text.splitlines()]


@pytest.mark.data
def test_the_paper_s_tables(tables: RoseVec) -> None:
    text = printed(rose_vec_document(tables))
    lines = squeezed(text)
    assert max(map(len, text.splitlines())) <= 100
    assert lines.count("rose-vec-bird") == 1
    pooled = lines[lines.index("All sets pooled") :]
    assert any(re.fullmatch(r"ROSE 302 75\.93 \S+ 89\.07 77\.22 91\.69", line) for line in pooled)
    assert any(re.fullmatch(r"unified, no reference 168 47\.84 .*", line) for line in lines)
    assert "ROSE-thread-8 87.35 94.05 100" in lines
    assert lines[-1].endswith("sqljury:0.1.0") or "sqljury:" in lines[-1]


@pytest.mark.data
def test_methods_in_tables(compared: Methods) -> None:
    text = printed(methods_document(compared))
    lines = squeezed(text)
    assert max(map(len, text.splitlines())) <= 100
    assert "GPT-5 488 55.74 88.93 +33.20 +28.90 to +37.49 <0.0001" in lines
    assert "GPT-5 58.20 88.68 +30.48 +26.01 to +34.96 8 1" in lines
    published = lines[lines.index("Published figures that the recordings do not give") :]
    assert published[published.index("DeepSeek-Chat") + 2] == "rose 72.21 71.37 489 GPT-4o"
    assert "SuperSQL 67.6 → 72.8 (136) 48.7 → 59.4 (224) 45.8 → 49.0 (96)" in lines
    assert lines[lines.index("Fine-tuning narrows the gap.") + 1] == "Supported."


def test_diagnoses_in_tables(diagnosis: DiagnosisReport) -> None:
    text = printed(diagnosis_document(diagnosis, title="", most=20))
    assert "\x1b" not in text and "[red]" in text
    lines = squeezed(text)
    assert "GoldX (gold_fault) 1 1 100.0 20.7–100.0 1 of 1 1 of 1" in lines
    assert lines[lines.index("Suspicious references") + 1] == "1 of 1, of 3 references"


# ---------------------------------------------------------------- pages


def page(path: Path) -> str:
    text = path.read_text("utf-8")
    assert "<script" not in text and "http:" not in text and "https:" not in text
    assert "default-src 'none'" in text
    for svg in re.findall(r"<svg class=\"plot.*?</svg>(?=\s*</?[a-z])", text, re.DOTALL):
        if svg.count("<svg") == svg.count("</svg>"):
            ElementTree.fromstring(svg)
    return text


@pytest.mark.data
def test_pages_of_recordings(tables: RoseVec, compared: Methods, tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", rose_vec_document(tables))
    text = page(tmp_path / "a.html")
    assert "75.93" in text and "ROSE, no reference" in text and "Repeated runs" in text
    write_page(tmp_path / "b.html", methods_document(compared))
    text = page(tmp_path / "b.html")
    assert text.count('class="plot scatter"') == 3
    for finding in compared.findings:
        assert finding.claim in text
    write_page(tmp_path / "c.html", methods_document(compared))
    assert (tmp_path / "b.html").read_bytes() == (tmp_path / "c.html").read_bytes()


def test_hostile_text_stays_text(diagnosis: DiagnosisReport, tmp_path: Path) -> None:
    write_page(tmp_path / "d.html", diagnosis_document(diagnosis, title=HOSTILE, most=20))
    text = page(tmp_path / "d.html")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\x1b" not in text


# ---------------------------------------------------------------- scatter


@pytest.mark.parametrize(
    ("values", "low", "high", "labels"),
    [
        ([0.02, 0.31], 0.0, 0.35, ("0", "35")),
        ([-0.05, 0.4], -0.05, 0.4, ("-5", "40")),
        ([0.25, 0.9], 0.2, 0.9, ("20", "90")),
        ([-0.9, 0.9], -1.0, 1.0, ("-100", "100")),
        ([0.5], 0.5, 0.55, ("50", "55")),
        ([None], 0.0, 1.0, ("0", "100")),
    ],
)
def test_scales(
    values: list[float | None], low: float, high: float, labels: tuple[str, str]
) -> None:
    scale = Scale.percent("x", values)
    assert (scale.low, scale.high) == (pytest.approx(low), pytest.approx(high))
    assert (scale.ticks[0][1], scale.ticks[-1][1]) == labels


def test_months() -> None:
    scale = Scale.months("released", [12 * 2023 + 2, 12 * 2025 + 8])
    assert [label for _, label in scale.ticks] == ["2023", "2024", "2025", "2026"]
    assert scale.said(12 * 2025 + 8) == "2025-08"
    assert scale.said(12 * 2023 + 12) == "2023-12"


def test_spots_say_what_they_show() -> None:
    spots = [Spot("a & b", 0.1, 0.2, 0.1, 0.3, 1), Spot("c", 0.1, 0.2)]
    x, y = Scale.percent("EX", [0, 0.5]), Scale.percent("gap", [0, 0.5])
    tree = ElementTree.fromstring(str(scatter(spots, x, y)))
    assert tree.get("aria-label") == "gap against EX: a & b 10.0, 20.0; c 10.0, 20.0"
    names = [node for node in tree.iter("text") if "name" in str(node.get("class"))]
    assert [node.text for node in names] == ["a & b", "c"]
    # One point under the other: their names are apart all the same.
    assert len({(node.get("dx"), node.get("y")) for node in names}) == 2
