"""The page of an audit: a card for each finding, marks, and texts that stay texts."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

from sqljury.uses.audit import Audit, AuditFinding
from sqljury.uses.audit.audit import CheckCount
from sqljury.uses.audit.document import write_audit_page

TABLE = {"columns": ["name"], "rows": [["Anna"], [None]], "row_count": 7}


def finding(**changed: object) -> AuditFinding:
    told: dict[str, object] = {
        "benchmark": "",
        "id": "1",
        "db_id": "harbour",
        "question": "Which <b>boats</b>?",
        "sql": "SELECT name FROM boat LIMIT 1",
        "code": "AU204",
        "name": "limit_cuts_tie",
        "title": "LIMIT cuts a tie.",
        "weak": False,
        "likely": 0.96,
        "reason": "row 1 and the row that LIMIT cuts off tie.",
        "part": "LIMIT 1",
        "evidence": {"kept": [["2015"]], "stored": "</script>"},
    }
    return AuditFinding(**{**told, **changed})  # type: ignore[arg-type]


def page(tmp_path: Path, *findings: AuditFinding) -> str:
    counts = [
        CheckCount(code=code, name="n", title="t", weak=False, findings=1, references=1, skipped=0)
        for code in sorted({one.code for one in findings})
    ]
    found = Audit(
        references=3,
        not_audited={},
        suspect=1,
        hinted=0,
        checks=tuple(counts),
        findings=findings,
        signature="faults|n:3",
    )
    write_audit_page(tmp_path / "page.html", found, title="Audit")
    return (tmp_path / "page.html").read_text()


def test_the_guilty_part_is_marked(tmp_path: Path) -> None:
    text = page(tmp_path, finding())
    assert "SELECT name FROM boat <mark>LIMIT 1</mark>" in text
    assert '<article class="finding" data-code="AU204" data-db="harbour">' in text


def test_texts_stay_texts(tmp_path: Path) -> None:
    text = page(tmp_path, finding())
    assert "Which &lt;b&gt;boats&lt;/b&gt;?" in text
    assert "&lt;/script&gt;" in text


def test_a_proposal_stands_beside_the_reference_with_both_results(tmp_path: Path) -> None:
    returned = {"reference": TABLE, "proposal": {**TABLE, "row_count": 1}}
    proposal = "SELECT name FROM boat"
    text = page(tmp_path, finding(proposal=proposal, returned=returned, part="", weak=True))
    assert "data-weak data-proposed" in text
    assert ("returns 7 rows" in text) and ("returns 1 row<" in text)
    assert '<span class="null">NULL</span>' in text
    assert "and 5 more" in text
    assert "<mark>LIMIT 1</mark>" in text


def test_only_our_own_scripts_run(tmp_path: Path) -> None:
    text = page(tmp_path, finding())
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()
        for one in scripts
    ]
    assert len(hashes) == 2
    (policy,) = re.findall(r"script-src ([^;]+);", html.unescape(text))
    assert policy.split() == [f"'{one}'" for one in hashes]
