"""What is computed does not follow the hash seed, by which Python orders sets of texts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOLDERS = ("databases/generated", "equivalence", "uses/building", "../bench")
SNIPPETS = {
    "a fence": "from sqljury.llm import fence; print(fence('A', 'é\\x00'))",
    "features are sums over sets": """
from sqljury.judges.verifier_features.candidate import _fit
chances = {f"column {i}": (i * 0.37) % 1 for i in range(40)}
print(_fit(list(chances)[::3], chances))
""",
    "canonical trees": """
from test_canonical import QUERIES, WRITTEN, text, tree
more = [text(w, {a: a for _, a in w.tables}, [False] * len(w.conditions)) for w in WRITTEN]
print([repr(tree(sql)) for sql in (*QUERIES, *more)])
""",
    "differences of tables": """
import random
from sqljury.tables import compare_tables as c
r = random.Random(5)
t = [tuple(r.choice('abc') for _ in range(6)) for _ in range(30)]
u = [tuple(row[::-1]) for row in t]
u[3] = ('z',) * 6
s = [row[::-1] for row in t]
print(c(t, u, 'spider').explanation.to_dict(), c(t, s, 'spider'),
      c(t, u, 'intent').explanation.to_dict(), c([r[1:] for r in t], s, 'intent'))
""",
    "generated rows": """
from shops import QUERIES, material
from sqljury.databases.generated import make_rows, plans_for
for name in QUERIES:
    made = material(*QUERIES[name])
    print([make_rows(made, plan) for plan in plans_for(made, seed=3)])
""",
    "unanswerable questions": """
from test_unanswerable import KINDS, SCHEMAS, unanswerable_questions
print([o.question for o in unanswerable_questions(dict.fromkeys(KINDS, 9), SCHEMAS, SCHEMAS)])
""",
    "a summary, an agreement, and their page": """
import json, tempfile
from pathlib import Path
from sqljury.case import Case
from sqljury.uses.agree import agree
from sqljury.uses.evaluate import summarise
from sqljury.uses.evaluate.page import write_report
from sqljury.verdict import Record, Scored, Verdict
records = [
    Record(case=Case(id=str(i), db_id=f"d{i % 7}", source=f"s{i % 3}"), judge="j",
           verdict=Verdict.correct(labels=(f"l{i % 4}",), measures={f"m{i % 2}": i / 9}),
           features=(f"f{i % 5}", "joins"))
    for i in range(90)
]
rows = [
    Scored(id=f"q{i}", score=i % 3 / 2, label=i % 2 == 0, benchmark=f"b{i % 2}",
           slices={"db_id": f"db{i % 5}", "difficulty": f"d{i % 3}"})
    for i in range(60)
]
summary = summarise(records, {"j": "n:{n}"}, "r")
agreement = agree({"x": rows, "y": rows[:40]}, bootstrap=50)
page = Path(tempfile.mkdtemp()) / "page.html"
write_report(page, summary, records, title="t", agreement=agreement)
print(json.dumps([summary.to_json(), agreement.to_json()]), page.read_text())
""",
}
PROGRAM = """
import contextlib, io, json, sys
found = {}
for name, code in json.load(sys.stdin).items():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})
    found[name] = out.getvalue()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What the snippets print under each of four seeds."""
    path = os.pathsep.join([str(HERE / folder) for folder in FOLDERS] + sys.path)
    more = {"PYTHONPATH": path, "TMPDIR": str(tmp_path_factory.mktemp("pages"))}
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", PROGRAM],
                input=json.dumps(SNIPPETS),
                env={**os.environ, **more, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for seed in ("0", "1", "2", "4242")
    ]


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_same_under_every_hash_seed(name: str, printed: list[dict[str, str]]) -> None:
    first, *others = (found[name] for found in printed)
    assert first
    assert all(other == first for other in others)
