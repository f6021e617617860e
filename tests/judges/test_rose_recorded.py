"""The cascade against the reference implementation: same stages asked, same scores.

The recorded answers of o3 on the shared half of ROSE-VEC stand in for the model.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_models import Courtroom, by_prompt, proof, refutation, verdict_of

from sqljury.benchmarks import read_cases
from sqljury.databases import open_databases
from sqljury.judges.prover import PROVER
from sqljury.judges.refuter import REFUTER

MODEL = "model=openai:o3-2025-04-16"
SETS = [
    ("rose-vec-spider", "spider/databases", 121),
    ("rose-vec-bird", "bird/databases", 11),
]


@pytest.mark.parametrize(("name", "folder", "count"), SETS)
def test_same_stages_and_scores_as_recorded(
    data_dir: Path, name: str, folder: str, count: int
) -> None:
    recorded = json.loads(
        (data_dir / f"rose-vec/recorded/rose-vec/{name}/o3/ROSE/eval_results.json").read_text()
    )
    rows = {str(row["question_id"]): row for row in recorded}
    databases = open_databases(data_dir / folder)
    judged = 0
    for case in read_cases(str(data_dir / f"rose-vec/{name}.json")):
        database = databases.open(case.db_id)
        if database is None:
            continue
        row = rows[case.id]
        stages = {"prover": row["prover_result"], "refuter": row["refuter_result"]}
        model = by_prompt(
            (PROVER, proof(bool(stages["prover"]))), (REFUTER, refutation(bool(stages["refuter"])))
        )
        evidence = Courtroom(case, database, model)
        verdict = verdict_of(f"rose,{MODEL},samples=1", evidence)
        assert evidence.asked(PROVER, REFUTER) == [
            stage for stage, answer in stages.items() if answer is not None
        ], case.name
        assert verdict.score == row["score"], case.name
        database.close()
        judged += 1
    assert judged == count
