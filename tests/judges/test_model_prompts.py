"""What a model reads, word for word, on the demonstration's databases.

``SQLJURY_UPDATE_SNAPSHOTS=1`` writes the snapshots anew. A prompt that changes is another judge:
raise the ``version`` of the judges that use it, and the table below.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from fake_models import Courtroom, by_prompt, proof, refutation, verdict_of

from sqljury.benchmarks import read_cases, write_cases
from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.databases.protocol import Databases
from sqljury.demo import write_demo
from sqljury.judges import registered
from sqljury.judges.abstention.clsprompt import CLSPROMPT
from sqljury.judges.abstention.demo import DEMO
from sqljury.judges.abstention.selfref import SELFREF
from sqljury.judges.abstention.verbal import VERBAL
from sqljury.judges.flex import FLEX_DIFFER, FLEX_EQUAL
from sqljury.judges.g_eval import G_EVAL
from sqljury.judges.llm_sql_solver import SOLVER_RELAXED, SOLVER_STRICT
from sqljury.judges.model_judge import ModelJudge
from sqljury.judges.prompts import Prompt
from sqljury.judges.prompts.sections import LAYOUT
from sqljury.judges.prover import PROVER
from sqljury.judges.refuter import REFUTER
from sqljury.judges.reviewer import REVIEWER
from sqljury.judges.rose_unified import UNIFIED, UNIFIED_WOGT
from sqljury.judges.rose_wogt import REFUTER_WOGT

SNAPSHOTS = Path(__file__).parent / "snapshots"
MODEL = "model=openai:o3-2025-04-16"

DECIDED = {"reason": "so", "verdict": True, "ambiguity": "na", "gold_correct": True}
MODEL_SAYS = by_prompt(
    (PROVER, proof(True)),
    (REFUTER, refutation(False)),
    (REFUTER_WOGT, refutation(False)),
    (UNIFIED, {**DECIDED, "prover_verdict": True}),
    (UNIFIED_WOGT, {**DECIDED, "prover_verdict": True}),
    (FLEX_EQUAL, DECIDED),
    (FLEX_DIFFER, DECIDED),
    (SOLVER_STRICT, {"reason": "so", "equivalent": True}),
    (SOLVER_RELAXED, {"reason": "so", "equivalent": True}),
    (G_EVAL, {"score": 1}),
    (CLSPROMPT, {"reason": "so", "answerable": True}),
    (SELFREF, {"reason": "so", "correct": True}),
    (DEMO, {"sql": "SELECT 1"}),
    (VERBAL, {"mark": "correct"}),
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Case], Databases]:
    files = write_demo(tmp_path_factory.mktemp("demo"))
    cases = {case.id: case for case in read_cases(str(files.cases))}
    return cases, open_databases(files.databases, descriptions=str(files.descriptions))


# name, judge, the demonstration's case, what is changed in it
SHOWN = [
    ("rose_rows_differ", "rose", "5", {}),
    ("rose_rows_equal", "rose", "1", {}),
    ("rose_many_rows", "rose,rows=4,samples=2", "23", {}),
    (
        "rose_two_references",
        "rose",
        "29",
        {
            "reference_sqls": (
                "SELECT vessel_name, passengers FROM vessel ORDER BY passengers DESC LIMIT 3",
                "SELECT DISTINCT v.vessel_name FROM sailing s JOIN vessel v USING (vessel_id) -- seen",
            )
        },
    ),
    (
        "rose_wogt_criteria",
        "rose_wogt,criteria=Names are full names.",
        "13",
        {"criteria": "1. Nobody is listed twice.\n2. Members without a donation count."},
    ),
    ("rose_unified", "rose_unified", "44", {}),
    ("flex_rows_differ", "flex", "38", {}),
    ("flex_rows_equal", "flex", "27", {}),
    ("llm_sql_solver_relaxed", "llm_sql_solver:relaxed", "42", {}),
    ("g_eval", "g_eval", "51", {}),
    ("clsprompt", "clsprompt,demos={demos},positives=2,negatives=1", "5", {}),
    ("selfref", "selfref", "5", {}),
    ("demo", "demo,demos={demos},positives=1,negatives=1,pick=fixed", "5", {}),
    ("verbal", "verbal,demos={demos},positives=2,negatives=2", "5", {}),
    ("clsprompt_columns", "clsprompt,demos={demos},positives=1,negatives=1,style=columns", "5", {}),
    ("demo_create", "demo,demos={demos},positives=1,negatives=1,style=create", "5", {}),
    ("selfref_create", "selfref,style=create", "5", {}),
    (
        "clsprompt_other_databases",
        "clsprompt,demos={demos},positives=1,negatives=1,databases=2,schemas={schemas},style=columns",
        "5",
        {},
    ),
    (
        "clsprompt_values_of_other_databases",
        "clsprompt,demos={demos},positives=1,negatives=1,databases=1,schemas={databases}",
        "5",
        {},
    ),
]


@pytest.mark.parametrize(
    ("name", "spec", "case_id", "changes"), SHOWN, ids=[shown[0] for shown in SHOWN]
)
def test_snapshot(demo, tmp_path: Path, name: str, spec: str, case_id: str, changes: dict) -> None:
    cases, databases = demo
    if "{demos}" in spec:
        own = cases[case_id].db_id
        others = {one.db_id for one in cases.values()} if "databases=" in spec else set()
        listed = [own, *sorted(others - {own})]
        shown = [c for db_id in listed for c in [c for c in cases.values() if c.db_id == db_id][:8]]
        lost = [
            Case(id=f"x{db_id}", db_id=db_id, question=f"Draw a pie{'.' * i}", answerable=False)
            for i, db_id in enumerate(listed, 1)
        ]
        write_cases([*shown, *lost], tmp_path / "demos.jsonl")
        schemas = [
            {
                "db_id": db_id,
                "table_names_original": ["t"],
                "column_names_original": [[-1, "*"], [0, "id"], [0, f"of_{db_id}"]],
                "column_types": ["text", "number", "text"],
                "primary_keys": [1],
                "foreign_keys": [],
            }
            for db_id in listed
        ]
        (tmp_path / "tables.json").write_text(json.dumps(schemas))
        spec = spec.replace("{demos}", str(tmp_path / "demos.jsonl"))
        spec = spec.replace("{schemas}", str(tmp_path / "tables.json"))
        spec = spec.replace("{databases}", databases.spec.partition(",")[0])
    case = replace(cases[case_id], **changes)
    evidence = Courtroom(case, databases.open(case.db_id), MODEL_SAYS)
    verdict_of(",".join([spec.partition(",")[0], MODEL, *spec.split(",")[1:]]), evidence)
    messages = [request.messages[1].content for request in evidence.requests]
    text = "\n\n======== the next question\n\n".join(messages) + "\n"
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("SQLJURY_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


PROMPTS: list[Prompt] = [
    CLSPROMPT,
    DEMO,
    FLEX_DIFFER,
    FLEX_EQUAL,
    G_EVAL,
    PROVER,
    REFUTER,
    REFUTER_WOGT,
    REVIEWER,
    SELFREF,
    SOLVER_RELAXED,
    SOLVER_STRICT,
    UNIFIED,
    UNIFIED_WOGT,
    VERBAL,
]


# A stored verdict must not outlive the words it was given to.
FINGERPRINTS = {
    "clsprompt": "03974f68",
    "demo": "542e94c1",
    "flex_differ": "d7b9e579",
    "flex_equal": "a4154f68",
    "g_eval": "a8b7cf6b",
    "prover": "5da72515",
    "refuter": "de6e95b3",
    "refuter_wogt": "3e1d087b",
    "reviewer": "6f1d3053",
    "selfref": "4b3366a1",
    "solver_relaxed": "5f21af1e",
    "solver_strict": "a295ba7c",
    "unified": "28585bad",
    "unified_wogt": "030287f7",
    "verbal": "c32c305d",
}
VERSIONS = {
    "clsprompt": 2,
    "demo": 3,
    "flex": 1,
    "g_eval": 2,
    "llm_sql_solver": 2,
    "prover": 1,
    "refuter": 1,
    "reviewer": 1,
    "rose": 1,
    "rose_unified": 2,
    "rose_wogt": 1,
    "selfref": 1,
    "verbal": 3,
}


def test_a_judge_whose_prompt_changes_gets_a_new_version() -> None:
    versions = {n: c.version for n, c in registered().items() if issubclass(c, ModelJudge)}
    fingerprints = {prompt.name: prompt.fingerprint for prompt in PROMPTS}
    assert (versions, fingerprints, LAYOUT) == (VERSIONS, FINGERPRINTS, 1)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_explains_every_field_it_asks_for(prompt: Prompt) -> None:
    duties, _, data = prompt.text.partition("# Data")
    for name in prompt.answer["properties"]:
        assert f"`{name}`" in duties
    assert "data to be judged" in data
    assert "{" not in prompt.text  # nothing is ever filled in
    assert prompt.answer["additionalProperties"] is False
    assert prompt.answer["required"] == list(prompt.answer["properties"])


def test_the_prover_is_never_told_of_a_reference() -> None:
    for prompt in (PROVER, REFUTER_WOGT, UNIFIED_WOGT):
        assert "gold" not in prompt.text
        assert "gold_correct" not in prompt.answer["properties"]
