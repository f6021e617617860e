"""Corrections: accepted by people, merged, applied, refused where the benchmark has changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import sqljury as sj
from commands import run
from sqljury.benchmarks import (
    Correction,
    OverlayDecision,
    check_signatures,
    fingerprint_of,
    overlay_of,
    read_overlay,
    signed,
    write_overlay,
)
from sqljury.cli import app as entry
from sqljury.errors import InputError
from sqljury.uses.audit.overlays import accept_findings, diff_overlays, verify_overlay
from sqljury.uses.generating.pools import label_pool
from sqljury.uses.trust.files import SystemDecisions, TrustSettings, systems_of

CASES = [
    sj.Case(
        id="1",
        db_id="m",
        question="Which are ferries?",
        reference_sqls=("SELECT name FROM boat WHERE kind = 'Ferry'",),
        predicted_sql="SELECT name FROM boat WHERE kind = 'ferry'",
    ),
    sj.Case(
        id="2",
        db_id="m",
        question="Which is the first?",
        reference_sqls=("SELECT name FROM boat LIMIT 1",),
        predicted_sql="SELECT name FROM boat WHERE id = 2",
    ),
]


def correction(
    case: sj.Case, decision: OverlayDecision, new: str | None = None, by: str = "Ida"
) -> Correction:
    (old,) = case.reference_sqls
    return Correction(
        id=case.id,
        db_id=case.db_id,
        fingerprint=fingerprint_of(case, old),
        old_sql=old,
        decision=decision,
        new_sql=new,
        accepted_by=by,
        accepted_at="2026-01-01",
    ).sealed()


REPLACED = correction(
    CASES[0], OverlayDecision.REPLACE, "SELECT name FROM boat WHERE kind = 'ferry'"
)
AMBIGUOUS = correction(CASES[1], OverlayDecision.AMBIGUOUS)


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    file = tmp_path / "overlay.jsonl"
    write_overlay(overlay_of([REPLACED, AMBIGUOUS]), file)
    return file


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "m.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(
        "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT);"
        "INSERT INTO boat VALUES (1, 'Anna', 'ferry'), (2, 'Bela', 'tug');"
    )
    connection.close()
    return file


def test_a_reference_is_replaced_or_left_out(overlay: Path) -> None:
    first, second = read_overlay(overlay).applied(CASES)
    assert first.reference_sqls == ("SELECT name FROM boat WHERE kind = 'ferry'",)
    assert second.reference_sqls == ()
    assert second.extra["overlay"] == ["ambiguous"]


def test_scores_name_the_overlay(overlay: Path, database: Path) -> None:
    with sj.evaluate(CASES, ["execution"], database, workers=1) as plain:
        assert plain.scores() == {"execution:strict": 0.0}
    with sj.evaluate(CASES, ["execution"], database, workers=1, overlay=overlay) as corrected:
        (judge,) = corrected.summary.judges
        assert (judge.score, judge.outcomes["reference_missing"]) == (1.0, 1)
        assert f"|overlay:{read_overlay(overlay).digest}|" in judge.signature


@pytest.mark.parametrize(
    "changed",
    [
        replace(CASES[0], question="Which were ferries?"),
        replace(CASES[0], hint="ferries are boats"),
        replace(CASES[0], reference_sqls=("SELECT 1",)),
    ],
    ids=["question", "hint", "reference"],
)
def test_a_changed_benchmark_refuses_the_overlay(overlay: Path, changed: sj.Case) -> None:
    with pytest.raises(InputError, match="SJ532"):
        list(read_overlay(overlay).applied([changed]))


def test_predictions_may_change(overlay: Path) -> None:
    (case,) = read_overlay(overlay).applied([replace(CASES[0], predicted_sql="SELECT 1")])
    assert case.reference_sqls == (REPLACED.new_sql,)


def test_a_line_that_was_changed_is_refused(overlay: Path) -> None:
    overlay.write_text(overlay.read_text().replace("2026-01-01", "2026-01-02"))
    with pytest.raises(InputError, match="SJ531"):
        read_overlay(overlay)


def test_contradicting_corrections_are_refused() -> None:
    with pytest.raises(InputError, match="SJ533"):
        overlay_of([REPLACED, correction(CASES[0], OverlayDecision.EXCLUDE, by="Ole")])


@given(
    order=st.permutations(
        [REPLACED, AMBIGUOUS, correction(CASES[1], OverlayDecision.AMBIGUOUS, by="X")]
    )
)
def test_merging_does_not_depend_on_order(order: list[Correction]) -> None:
    merged = overlay_of(order)
    assert merged.digest == overlay_of([REPLACED, AMBIGUOUS]).digest
    assert [one.id for one in merged.corrections] == ["1", "2"]


def test_findings_become_corrections(tmp_path: Path, database: Path) -> None:
    findings = [one.to_json() for one in sj.audit(CASES, database, workers=1).findings]
    assert findings[0]["code"] == "AU101"
    findings[0]["decision"] = "replace"
    file = tmp_path / "reviewed.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in findings))
    found = accept_findings(file, by="Ida", at="2026-01-01")
    assert [(one.id, one.new_sql) for one in found.corrections] == [("1", REPLACED.new_sql)]
    assert found.digest == overlay_of([REPLACED]).digest


@pytest.mark.parametrize("decision", ["perhaps", "replace"])
def test_a_decision_that_is_none(tmp_path: Path, decision: str) -> None:
    file = tmp_path / "reviewed.jsonl"
    line = {"id": "1", "db_id": "m", "question": "", "hint": "", "sql": "SELECT 1", "code": "AU202"}
    file.write_text(json.dumps({**line, "reason": "", "evidence": {}, "decision": decision}))
    with pytest.raises(InputError, match="SJ534"):
        accept_findings(file, by="Ida", at="2026-01-01")


def test_verify_and_diff(tmp_path: Path, overlay: Path) -> None:
    found = verify_overlay(overlay, [CASES[0]])
    assert (found.references, found.decisions, found.absent) == (
        1,
        {"ambiguous": 1, "replace": 1},
        ("2",),
    )
    other = tmp_path / "other.jsonl"
    write_overlay(overlay_of([correction(CASES[0], OverlayDecision.EXCLUDE, by="Ole")]), other)
    told = diff_overlays(overlay, other)
    assert [one.id for one in told.only_left] == ["2"]
    assert [(a.accepted_by, b.accepted_by) for a, b in told.otherwise] == [("Ida", "Ole")]


def test_what_is_corrected_already_stays(overlay: Path) -> None:
    found = read_overlay(overlay)
    once = list(found.applied(CASES))
    assert [case.reference_sqls for case in found.applied(once)] == [
        case.reference_sqls for case in once
    ]


@pytest.mark.parametrize(
    "command",
    [
        "evaluate",
        "agree",
        "select",
        "label",
        "trust",
        "audit run",
        "build suite",
        "build pairs",
        "build trust",
    ],
)
def test_every_reader_of_references_lays_it_over(command: str) -> None:
    found: Any = typer.main.get_command(entry.app)
    for word in command.split():
        found = found.commands[word]
    assert "--overlay" in {name for one in found.params for name in one.opts}


def test_pools_are_corrected_before_they_are_judged(overlay: Path, database: Path) -> None:
    plain = sj.select(CASES, ["first"], database, workers=1)
    corrected = sj.select(CASES, ["first", "majority"], database, workers=1, overlay=overlay)
    assert [(one.n, one.accuracy) for one in plain.strategies] == [(2, 0.0)]
    assert [(one.n, one.accuracy) for one in corrected.strategies] == [(1, 1.0), (1, 1.0)]
    assert corrected.left_out == {"reference_missing": 1}
    assert f"|overlay:{read_overlay(overlay).digest}" in corrected.signature


def test_labels_follow_the_corrections(overlay: Path, database: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool.json"
    pool.write_text(json.dumps([_pool(case) for case in CASES]))
    out = tmp_path / "labelled.jsonl"
    label_pool(pool, out, database, workers=1, overlay=overlay)
    (line,) = out.read_text().splitlines()
    assert [one["correct"] for one in json.loads(line)["candidates"]] == [True]
    assert "|overlay:" in json.loads(line)["labelled_by"]


def _pool(case: sj.Case) -> dict[str, object]:
    return {
        "id": case.id,
        "db_id": case.db_id,
        "question": case.question,
        "gold_sql": case.reference_sqls[0],
        "candidates": [{"sql": case.predicted_sql}],
    }


def test_verdicts_on_what_was_corrected_since_are_left_out(
    overlay: Path, database: Path, tmp_path: Path
) -> None:
    cases = [replace(case, label=True) for case in CASES] + [
        replace(CASES[0], id="3", reference_sqls=(CASES[0].predicted_sql,), label=True)
    ]
    with sj.evaluate(cases, ["execution"], database, workers=1, run=tmp_path / "old"):
        pass
    with sj.evaluate(
        cases, ["execution"], database, workers=1, run=tmp_path / "new", overlay=overlay
    ):
        pass
    (before,) = sj.agree_files([str(tmp_path / "old")]).judges
    (after,) = sj.agree_files([str(tmp_path / "old")], overlay=overlay).judges
    (judged,) = sj.agree_files([str(tmp_path / "new")], overlay=overlay).judges
    assert (before.n, before.n_left_out) == (3, 0)
    assert (after.n, after.n_left_out, after.accuracy) == (1, 2, 1.0)
    assert (judged.n, judged.n_left_out, judged.accuracy) == (2, 1, 1.0)
    setup = TrustSettings(overlay=read_overlay(overlay))
    assert [len([d for d in s.decisions if d.left_out]) for s in _systems(tmp_path, setup)] == [2]


def _systems(folder: Path, setup: TrustSettings) -> list[SystemDecisions]:
    return systems_of(str(folder / "old"), setup)


# ---------------------------------------------------------------- signatures


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """Keys of Ida and of Max, and a file of signers that knows Ida alone."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen here")
    for name in ("ida", "max"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(make, check=True)
    public = (tmp_path / "ida.pub").read_text()
    (tmp_path / "signers").write_text(f"ida@example.org {public}")
    return tmp_path


def test_a_signed_overlay_proves_who_accepted_it(keys: Path) -> None:
    (keys / "dev.json").write_text(json.dumps([_pool(case) for case in CASES]))
    (keys / "reviewed.jsonl").write_text(json.dumps(_decided(CASES[1])))
    by = ["--by", "ida@example.org", "--sign-with", "ida"]
    made = run("audit", "accept", "reviewed.jsonl", *by, "-o", "o.jsonl", cwd=keys)
    assert made.returncode == 0, made.stderr
    fits = ["audit", "verify", "o.jsonl", "dev.json", "--signers", "signers"]
    assert "signed by whom it names" in run(*fits, cwd=keys).stdout
    line = (keys / "o.jsonl").read_text().replace("ida@", "max@")
    (keys / "o.jsonl").write_text(line)
    assert run(*fits, cwd=keys).returncode == 2


@pytest.mark.parametrize(
    ("key", "by", "change"),
    [
        ("max", "ida@example.org", {}),
        ("ida", "max@example.org", {}),
        ("ida", "ida@example.org", {"signature": ""}),
        ("ida", "ida@example.org", {"reason": "another"}),
    ],
    ids=["another's key", "another's name", "no signature", "changed since"],
)
def test_a_line_that_its_author_did_not_sign_is_refused(
    keys: Path, key: str, by: str, change: dict[str, str]
) -> None:
    made = overlay_of([correction(CASES[0], OverlayDecision.EXCLUDE, by=by)])
    (one,) = signed(made, keys / key).corrections
    with pytest.raises(InputError, match="SJ536"):
        check_signatures([replace(one, **change)], keys / "signers")


def test_a_file_that_is_no_key_is_named(keys: Path) -> None:
    made = overlay_of([correction(CASES[0], OverlayDecision.EXCLUDE)])
    with pytest.raises(InputError, match="SJ537"):
        signed(made, keys / "signers")


def _decided(case: sj.Case) -> dict[str, object]:
    told = {"id": case.id, "db_id": case.db_id, "question": case.question, "hint": ""}
    found = {"code": "AU204", "reason": "a tie", "evidence": {}, "sql": case.reference_sqls[0]}
    return {**told, **found, "decision": "ambiguous"}
