"""Make the demonstration's ledger again: what a scripted witness says of each bundled case.

    python tools/witness.py

No model was asked. The witness looks up the case that a prompt is about and answers by what its
authors noted of it (`label`, `shows`), with three slips of the kind that models make, so that the
demonstration shows how ROSE's verdicts read, and that they can be wrong. Run it after a change of a
prompt or of a case; `tests/demo` says when.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sqljury.llm import Ledger, Request

MODEL = "scripted:witness:answer"
_DEMO = Path(__file__).parents[1] / "src" / "sqljury" / "demo"

# It believes a DISTINCT too many (8) and a result that is right by accident (25), and takes one
# of several right answers for wrong (29).
_BELIEVES = {8, 25}
_DOUBTS = {29}
_FAULTY_REFERENCES = {20, 41, 68}
_AMBIGUOUS = {39}


@cache
def _cases() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((_DEMO / "cases.json").read_text())
    return cases


def answer(request: Request) -> dict[str, Any]:
    """What the witness says."""
    text = _flat("\n".join(message.content for message in request.messages))
    case = next(
        case
        for case in _cases()
        if _flat(case["question"]) in text
        and _flat(case.get("predicted_sql") or "\0").rstrip("; ") in text
    )
    number = case["question_id"]
    right = number not in _DOUBTS and (case["label"] or number in _BELIEVES)
    properties = (request.schema or {})["properties"]
    return _refutation(case, right) if "judgement" in properties else _proof(case, right)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _proof(case: dict[str, Any], right: bool) -> dict[str, Any]:
    return {
        "expected_answer": case["question"],
        "sql_description": f"The case shows: {case['shows']}.",
        "evidence": "",
        "reason": f"{case['shows'][0].upper()}{case['shows'][1:]}.",
        "verdict": right,
    }


def _refutation(case: dict[str, Any], right: bool) -> dict[str, Any]:
    number = case["question_id"]
    return {
        "judgement": f"What decides is {case['shows']}.",
        "verdict": not right,
        "ambiguity": "ambiguous question" if number in _AMBIGUOUS else "na",
        "gold_correct": number not in _FAULTY_REFERENCES,
    }


def main() -> None:
    """Judge the demonstration with the witness and keep what it said."""
    import sqljury
    from sqljury.demo import LIMITS, write_demo
    from sqljury.llm import ClientSettings

    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    sys.path.insert(0, str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_demo(folder)
        ledger = folder / "made.sqlite"
        with sqljury.evaluate(
            [files.cases],
            [f"rose,model={MODEL}"],
            files.databases,
            descriptions=files.descriptions,
            run=folder / "run",
            limits=LIMITS,
            llm=ClientSettings(ledger=str(ledger)),
        ) as found:
            for record in found.run.records(with_evidence=False):
                if record.verdict.outcome is sqljury.Outcome.JUDGE_UNAVAILABLE:
                    sys.exit(f"{record.case.name}: {record.verdict.reason}")
        with Ledger(ledger, read_only=True) as made:
            made.export_jsonl(folder / "ledger.jsonl")
        lines = [_timeless(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
        text = "".join(lines).encode()
        (_DEMO / "ledger.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
        print(f"{len(lines)} replies, {len(text):,} bytes")


def _timeless(line: str) -> str:
    """The line without when and how fast, so that the same witness makes the same file."""
    entry = json.loads(line) | {"at": "2026-11-21T00:00:00+00:00", "seconds": 0.0}
    return json.dumps(entry, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
