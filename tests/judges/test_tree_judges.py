"""Judges that compare queries by trees and tokens: no rows, a schema at most."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled
from sqljury.verdict import Outcome, Verdict

SCHEMA = (
    "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);"
    "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, sales REAL,"
    " singer_id INTEGER REFERENCES singer(id))"
)
BY_SCHEMA = (
    "relpm",
    "relpm:paper",
    "canonical",
    "tree_match",
    "tree_match:etm",
    "codebleu:operator",
)
BY_TEXT = ("astpm", "codebleu", "crystalbleu")


def verdict(judge: str, reference: str, prediction: str, schema: str | None = SCHEMA) -> Verdict:
    case = Case(
        id="1",
        db_id="concert",
        predicted_sql=prediction,
        reference_sqls=(reference,),
        schema_sql=schema,
    )
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits())
    made = make_judge(judge)
    return settled(made, case, evidence) or made.judge(case, evidence)


@pytest.mark.parametrize("judge", [*BY_SCHEMA, *BY_TEXT])
def test_a_query_and_itself(judge: str) -> None:
    sql = "SELECT name, age FROM singer WHERE age > 20 ORDER BY age DESC LIMIT 3"
    found = verdict(judge, sql, sql)
    assert (found.outcome, found.score) == (Outcome.CORRECT, pytest.approx(1.0))


@pytest.mark.parametrize("judge", BY_SCHEMA)
def test_without_a_schema_nothing_is_said(judge: str) -> None:
    found = verdict(judge, "SELECT 1", "SELECT 1", schema=None)
    assert found.outcome is Outcome.DATABASE_MISSING
    assert "no schema" in found.reason


@pytest.mark.parametrize("judge", [*BY_SCHEMA, *BY_TEXT])
@pytest.mark.parametrize("side", ["prediction", "reference"])
def test_what_cannot_be_read_is_unknown(judge: str, side: str) -> None:
    texts = {"reference": "SELECT name FROM singer", "prediction": "SELECT name FROM singer"}
    texts[side] = "SELECT 'broken"
    found = verdict(judge, texts["reference"], texts["prediction"])
    assert (found.outcome, found.score) == (Outcome.UNKNOWN, None)
    assert found.reason.startswith(f"the {side} cannot be")


def test_a_name_that_the_schema_lacks_is_unknown_not_zero() -> None:
    found = verdict("relpm", "SELECT name FROM singer", "SELECT nme FROM singer")
    assert (found.outcome, found.score) == (Outcome.UNKNOWN, None)
    assert "nme" in found.reason


# reference, prediction, canonical's outcome, its assumptions, tree_match's outcome
PAIRS = [
    ("SELECT name FROM singer WHERE age > 20", "SELECT s.name FROM singer AS s WHERE 20 < s.age",
     Outcome.CORRECT, [], Outcome.CORRECT),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 21",
     Outcome.CORRECT, ["types"], Outcome.INCORRECT),
    ("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer",
     Outcome.CORRECT, [], Outcome.CORRECT),
    ("SELECT COUNT(*) FROM singer", "SELECT COUNT(country) FROM singer",
     Outcome.UNKNOWN, None, Outcome.INCORRECT),
    ("SELECT name FROM singer ORDER BY age DESC LIMIT 1",
     "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
     Outcome.UNKNOWN, None, Outcome.INCORRECT),
    ("SELECT name FROM singer WHERE country = 'France'",
     "SELECT name FROM singer WHERE country = 'france'",
     Outcome.UNKNOWN, None, Outcome.INCORRECT),
    ("SELECT name, age FROM singer", "SELECT age, name FROM singer",
     Outcome.UNKNOWN, None, Outcome.CORRECT),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "proof", "assumed", "match"), PAIRS)
def test_proofs(
    reference: str, prediction: str, proof: Outcome, assumed: list[str] | None, match: Outcome
) -> None:
    found = verdict("canonical", reference, prediction)
    assert found.outcome is proof
    assert found.evidence.get("assumptions") == assumed
    assert verdict("tree_match", reference, prediction).outcome is match


def test_permuted_columns_are_a_label_and_a_choice() -> None:
    pair = ("SELECT name, age FROM singer", "SELECT age, name FROM singer")
    strict, lax = verdict("canonical", *pair), verdict("canonical,permuted=true", *pair)
    assert (strict.outcome, strict.labels) == (Outcome.UNKNOWN, ("columns_permuted",))
    assert (lax.outcome, lax.labels) == (Outcome.CORRECT, ("columns_permuted",))


def test_ties_are_assumed_away_on_request_only() -> None:
    pair = (
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
    )
    found = verdict("canonical,assuming=not_null+no_ties", *pair)
    assert found.outcome is Outcome.CORRECT
    assert "no ties" in found.evidence["assumptions"]


def test_the_best_of_several_references_counts() -> None:
    case = Case(
        id="1",
        predicted_sql="SELECT age FROM singer",
        reference_sqls=("SELECT 'broken", "SELECT name FROM singer", "SELECT age FROM singer"),
        schema_sql=SCHEMA,
    )
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits())
    for judge in (*BY_SCHEMA, *BY_TEXT):
        assert make_judge(judge).judge(case, evidence).score == pytest.approx(1.0)


ORDERED = [
    # from near to far: each step loses more of the reference
    "SELECT name FROM singer WHERE age > 20 AND country = 'France' ORDER BY age",
    "SELECT name FROM singer WHERE age > 20 AND country = 'France'",
    "SELECT name FROM singer WHERE age > 20",
    "SELECT title FROM song",
]


@pytest.mark.parametrize("judge", ["relpm", "astpm", "codebleu", "codebleu:operator"])
def test_partial_credit_falls_with_distance(judge: str) -> None:
    scores = [verdict(judge, ORDERED[0], sql).score or 0.0 for sql in ORDERED]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@pytest.mark.parametrize(
    "spec",
    [
        "relpm,alpha=1.5",
        "relpm:paper,omega=1",
        "relpm:roots",
        "astpm,beta=0",
        "codebleu:graph",
        "canonical,assuming=luck",
    ],
)
def test_options_that_make_no_sense(spec: str) -> None:
    with pytest.raises(InputError, match="SJ304"):
        make_judge(spec)


@pytest.fixture
def pairs(data_dir: Path) -> Iterator[sj.Evaluation]:
    cases = list(sj.read_cases(data_dir / "pairs/Wikisql_pair_dev.csv.gz"))[::40]
    with sj.evaluate(cases, ["relpm", "canonical", "crystalbleu"], workers=1) as found:
        yield found


def test_pairs_bring_their_schema(pairs: sj.Evaluation) -> None:
    outcomes = {record.verdict.outcome for record in pairs.records()}
    assert outcomes <= {Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNKNOWN}
    assert Outcome.CORRECT in outcomes


def test_no_schema_at_all_is_an_error() -> None:
    case = Case(id="1", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
    with pytest.raises(InputError, match="SJ414"):
        sj.evaluate([case], ["relpm"], workers=1)
