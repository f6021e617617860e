"""What do corrections of references do to a leaderboard?

    python experiments/leaderboard.py DATA OUT

Audits the references of Spider dev with the answers of 17 systems at hand, takes the decisions
below, which were made by reading every finding that is no hint, and scores the systems before and
after. OUT gets the findings, the overlay, the run, and the leaderboards as CSV and HTML; the same
OUT again goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

import sqljury as sj
from sqljury.benchmarks import write_overlay
from sqljury.reports.page import write_page
from sqljury.reports.terminal import print_document
from sqljury.uses.audit import AuditFinding
from sqljury.uses.audit.overlays import accept_findings
from sqljury.uses.audit.rescored import rescored_document, write_rescored_csv
from sqljury.uses.audit.rescoring import rescore

AMBIGUOUS_CODES = {"AU204"}
"""LIMIT cuts a tie: any of the rows is right."""
EXCLUDED_CODES = {"AU301", "AU404"}
"""Numbers that are stored as texts, and columns of which any value is shown: no query is right
that a reader of question and schema would write."""
EXCLUDED_DATABASES = {"flight_2": "AU101"}
"""Codes and cities are stored with blanks around them, which nobody can know."""
WRONG = {"17", "167", "362", "420", "549", "550", "610", "808", "809", "899", "951"}
"""Findings that are none, or that show nothing in these data; AU301 is right about 167."""
AMBIGUOUS = {"16", "154", "231", "232", "772", "773", "777", "819", "820"}
EXCLUDED = {"102", "225", "226", "227", "642"}
REPLACED = {
    "AU101": {"554", "583", "584", "754", "786", "810", "811"},
    "AU601": {"66", "387", "388", "493", "500", "526", "542", "561", "687", "760", "761", "937"},
    "AU511": {"241", "242"},
    "AU408": {"944", "945"},
    "AU501": {"960", "961"},
}
"""By the check whose finding is decided on."""
CHANGES = {
    "241": [("count(*)  >  10", "count(*)  >=  10")],
    "242": [("count(*)  >  10", "count(*)  >=  10")],
    "554": [("timmothy", "Timmothy"), ("ward", "Ward")],
    "754": [('"english"', '"English"'), ('"dutch"', '"Dutch"'), ('"t"', '"T"')],
    "786": [("'chinese'", "'Chinese'"), ('"asia"', '"Asia"'), ("'t'", "'T'")],
    "944": [("Treatments AS T2 WHERE", "Treatments AS T2 USING (professional_id) WHERE")],
    "945": [("Treatments AS T2 WHERE", "Treatments AS T2 USING (professional_id) WHERE")],
    "960": [("max(age)", "min(age)")],
    "961": [("max(age)", "min(age)")],
}
"""Corrections that no finding proposes: what is changed in the reference."""


def decided(findings: Iterable[AuditFinding]) -> Iterator[dict[str, Any]]:
    """The findings that were decided on, one for each reference."""
    seen: set[str] = set()
    for one in findings:
        decision = "" if one.weak or one.id in seen else decision_of(one)
        if decision:
            seen.add(one.id)
            told = {**one.to_json(), "decision": decision}
            if decision == "replace" and one.id in CHANGES:
                told["new_sql"] = changed(one.sql, CHANGES[one.id])
            yield told


def decision_of(one: AuditFinding) -> str:
    """``replace``, ``ambiguous``, ``exclude``, or nothing."""
    if one.id in REPLACED.get(one.code, ()):
        return "replace"
    if one.id in AMBIGUOUS or one.code in AMBIGUOUS_CODES:
        return "ambiguous"
    flawed = one.code in EXCLUDED_CODES or EXCLUDED_DATABASES.get(one.db_id) == one.code
    return "exclude" if flawed or one.id in EXCLUDED else ""


def changed(sql: str, changes: Iterable[tuple[str, str]]) -> str:
    """A reference with its changes, each of which must be there."""
    for old, new in changes:
        assert old in sql, f"{old!r} is not in {sql!r}"
        sql = sql.replace(old, new)
    return sql


def systems(path: Path) -> Iterator[sj.Case]:
    """A case for each question and system."""
    for case in sj.read_cases(path, benchmark="spider-dev"):
        for system in case.extra["systems"]:
            yield sj.Case(
                id=case.id,
                benchmark="spider-dev",
                db_id=case.db_id,
                question=case.question,
                predicted_sql=case.predicted_sql,
                reference_sqls=case.reference_sqls,
                source=system,
            )


def main() -> None:
    """Print both leaderboards."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    out, databases = options.out, options.data / "spider/databases"
    pool = options.data / "candidates/spider-dev-17-systems.jsonl.gz"
    found = sj.audit(sorted(systems(pool), key=lambda case: int(case.id)), databases, run=out / "a")
    reviewed = list(decided(found.findings))
    out.mkdir(exist_ok=True)
    (out / "reviewed.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in reviewed))
    overlay = accept_findings(out / "reviewed.jsonl", by="a reader", at="2026-11-22")
    write_overlay(overlay, out / "overlay.jsonl")
    agreed = [one for one in found.findings if one.code == "AU601"]
    print(f"AU601: {len(agreed)} found, wrong: {sorted(o.id for o in agreed if o.id in WRONG)}")
    decisions = [str(one.decision) for one in overlay.corrections]
    print({name: decisions.count(name) for name in sorted(set(decisions))})
    judges = ["execution:spider"]
    with sj.evaluate(systems(pool), judges, databases, run=out / "run") as done:
        print(done.scores())
    boards = rescore(out / "run", databases, overlay=out / "overlay.jsonl")
    document = rescored_document(boards, title="Spider dev, 17 systems")
    print_document(document, Console(width=110))
    write_rescored_csv(out / "board.csv", boards)
    write_page(out / "board.html", document)


if __name__ == "__main__":
    main()
