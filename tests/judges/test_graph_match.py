"""The judge graph_match: what it needs, what it scores, and with which model."""

from __future__ import annotations

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
SQL = "SELECT name FROM singer WHERE age > 20 ORDER BY age DESC LIMIT 3"


def model_file(folder: Path, form: str = "canonical", flows: bool = True) -> Path:
    """A model with weights by chance, that knows the operators of one query."""
    torch = pytest.importorskip("torch")
    from sqljury.databases import schema_from_ddl
    from sqljury.learning.graph_matching.graphs import Vocabulary
    from sqljury.learning.graph_matching.matcher import Matcher, new_network
    from sqljury.learning.graph_matching.options import NetworkOptions
    from sqljury.likeness.graphs import QueryGraph, graph_of

    graph = graph_of(SQL, schema_from_ddl(SCHEMA), form=form, flows=flows)
    assert isinstance(graph, QueryGraph)
    vocabulary = Vocabulary.of([graph])
    torch.manual_seed(0)
    network = new_network(NetworkOptions(hidden=16, steps=2), vocabulary)
    path = folder / f"{form}-{flows}.npz"
    Matcher(network, vocabulary, 0.8, {"form": form, "flows": flows}).save(path)
    return path


def verdict(judge: str, prediction: str, *references: str, schema: str | None = SCHEMA) -> Verdict:
    case = Case(
        id="1", db_id="a", predicted_sql=prediction, reference_sqls=references, schema_sql=schema
    )
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits())
    made = make_judge(judge)
    return settled(made, case, evidence) or made.judge(case, evidence)


@pytest.mark.parametrize("form", ["canonical", "faithful", "syntax"])
@pytest.mark.parametrize("flows", [True, False])
def test_forms(tmp_path: Path, form: str, flows: bool) -> None:
    judge = f"graph_match,model={model_file(tmp_path, form, flows)}"
    same = verdict(judge, SQL, SQL)
    assert (same.outcome, same.score) == (Outcome.CORRECT, 1.0)
    other = verdict(judge, SQL.replace("age", "id"), SQL)
    assert other.score is not None
    assert 0 <= other.score < 1
    assert set(other.evidence) == {"only_in_reference", "only_in_prediction"}
    said = "age" if form == "syntax" else "singer.age"
    assert said in other.evidence["only_in_reference"]
    # Only rewriting shows that these are the same.
    rewritten = verdict(judge, SQL.replace("age > 20", "NOT age <= 20"), SQL)
    assert (rewritten.score == 1.0) is (form == "canonical")


def test_what_is_settled_and_what_is_unknown(tmp_path: Path) -> None:
    judge = f"graph_match,model={model_file(tmp_path)}"
    assert verdict(judge, SQL, SQL, schema=None).outcome is Outcome.DATABASE_MISSING
    assert verdict(judge, SQL).outcome is Outcome.REFERENCE_MISSING
    for prediction, reference in (("SELECT 'x", SQL), (SQL, "SELECT nothing FROM nowhere")):
        found = verdict(judge, prediction, reference)
        assert (found.outcome, found.score) == (Outcome.UNKNOWN, None)
    wide = f"SELECT name FROM singer WHERE age IN ({', '.join(map(str, range(0, 4000, 2)))})"
    assert "600 nodes" in verdict(judge, wide, SQL).reason


def test_the_nearest_reference_counts(tmp_path: Path) -> None:
    judge = f"graph_match,model={model_file(tmp_path)}"
    assert verdict(judge, SQL, "SELECT title FROM song", SQL).score == 1.0


def test_threshold_and_signature_are_those_of_the_model(tmp_path: Path) -> None:
    path = model_file(tmp_path)
    case = Case(
        id="1", db_id="a", predicted_sql=SQL, reference_sqls=(SQL,), schema_sql=SCHEMA, label=True
    )
    with sj.evaluate([case], [f"graph_match,model={path}"]) as found:
        (judge,) = found.run.judges
        assert judge.threshold == 0.8
        assert "|model:" in judge.signature
        assert [record.verdict.score for record in found.records()] == [1.0]


def test_a_model_that_is_none(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK no")
    for path, code in ((broken, "SJ031"), (tmp_path / "missing.npz", "SJ020")):
        with pytest.raises(InputError, match=code):
            _ = make_judge(f"graph_match,model={path}").threshold  # type: ignore[attr-defined]


PREDICTIONS = (
    SQL,
    "SELECT name FROM singer",
    "SELECT 'x",
    "SELECT title FROM song JOIN singer ON singer_id = singer.id WHERE age > 20",
    SQL.replace("20", "30"),
    SQL.replace("DESC", "ASC"),
)


@pytest.mark.parametrize("at_once", [1, 2, 5, 6])
def test_batches_of_any_size_give_the_same_verdicts(tmp_path: Path, at_once: int) -> None:
    judge = make_judge(f"graph_match,model={model_file(tmp_path)}")
    cache = ExecutionCache()
    cases = [
        Case(
            id=str(number),
            predicted_sql=sql,
            reference_sqls=(SQL, PREDICTIONS[number - 1]),
            schema_sql=SCHEMA,
        )
        for number, sql in enumerate(PREDICTIONS)
    ]
    asked = [(case, DatabaseEvidence(case, None, cache, Limits())) for case in cases]
    alone = [judge.judge(*one) for one in asked]
    assert judge.batch_size > 1
    assert [
        found
        for start in range(0, len(asked), at_once)
        for found in judge.judge_many(asked[start : start + at_once])
    ] == alone
    assert alone[2].outcome is Outcome.UNKNOWN
