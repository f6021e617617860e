"""The table of cases in docs/demo.md. Run this file to write it anew."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "demo.md"
BEGIN, END = "<!-- cases: begin -->\n", "<!-- cases: end -->\n"
MEANING = {
    "correct": "the rows agree",
    "incorrect": "the rows differ",
    "prediction_error": "the prediction does not run",
    "prediction_refused": "the prediction is not a single read-only statement",
    "prediction_timeout": "the prediction is stopped by the time limit",
    "prediction_too_large": "the prediction is stopped by the row limit",
    "prediction_missing": "there is no prediction",
    "abstained": "the system chose not to answer",
    "reference_error": "the reference does not run: left out of the denominator",
}


def case_table(cases: list[dict[str, Any]]) -> str:
    """A table for each outcome under the policy ``strict``, right predictions first."""
    order = {outcome: place for place, outcome in enumerate(MEANING)}
    by_outcome = sorted(
        cases, key=lambda case: (order[case["expected"]["strict"]], not case["label"])
    )
    groups = groupby(by_outcome, key=lambda case: case["expected"]["strict"])
    return "\n".join(_group(outcome, list(group)) for outcome, group in groups)


def _group(outcome: str, cases: list[dict[str, Any]]) -> str:
    head = (
        f"### `{outcome}`: {MEANING[outcome]} ({len(cases)})\n\n"
        "| case | shows | answers the question | other policies |\n|---|---|---|---|\n"
    )
    return head + "".join(map(_line, cases))


def _line(case: dict[str, Any]) -> str:
    strict = case["expected"]["strict"]
    others = [
        f"{policy}: {outcome}" for policy, outcome in case["expected"].items() if outcome != strict
    ]
    answers = "yes" if case["label"] else "no"
    return f"| {case['question_id']} | {case['shows']} | {answers} | {', '.join(others)} |\n"


def with_table(page: str, cases: list[dict[str, Any]]) -> str:
    """The page with the table between its marks replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{case_table(cases)}\n{END}{after}"


if __name__ == "__main__":
    bundled = json.loads(files("sqljury.demo").joinpath("cases.json").read_bytes())
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), bundled), encoding="utf-8")
