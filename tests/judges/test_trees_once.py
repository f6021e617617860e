"""Trees, canonical trees and graphs are found once for all judges of a case."""

from __future__ import annotations

from collections import Counter

import pytest

from sqljury import Case
from sqljury.equivalence import canonical
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge
from sqljury.schema import Schema
from sqljury.trees import forget_trees, from_sql
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Relation

JUDGES = ("relpm", "canonical", "tree_match", "codebleu:operator", "voting,by=canonical")
CASE = Case(
    id="1",
    schema_sql="CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT);"
    "CREATE TABLE c (x REAL, p_id INTEGER REFERENCES p (id))",
    predicted_sql="SELECT n FROM c JOIN p ON p.id = c.p_id WHERE 3 < x ORDER BY x",
    reference_sqls=("SELECT n FROM p JOIN c ON c.p_id = p.id WHERE x > 3 ORDER BY x",),
    pool=("SELECT n FROM c JOIN p ON p.id = c.p_id WHERE 3 < x ORDER BY x",),
)


@pytest.mark.parametrize("network", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_once(monkeypatch: pytest.MonkeyPatch, network: bool) -> None:
    if network:
        pytest.importorskip("torch")
    read: Counter[str] = Counter()
    rewritten: Counter[tuple[Relation, frozenset[Assumption], bool]] = Counter()
    build, rewrite = from_sql._build, canonical._canonical

    def building(sql: str, schema: Schema, dialect: str) -> Relation:
        read[sql] += 1
        return build(sql, schema, dialect)

    def rewriting(relation: Relation, context: Context) -> canonical.Canonical:
        rewritten[relation, context.assuming, context.converts] += 1
        return rewrite(relation, context)

    monkeypatch.setattr(from_sql, "_build", building)
    monkeypatch.setattr(canonical, "_canonical", rewriting)
    forget_trees()
    evidence = DatabaseEvidence(CASE, None, ExecutionCache(), Limits())
    for judge in (*JUDGES, "graph_match") if network else JUDGES:
        make_judge(judge).judge(CASE, evidence)
    assert read == dict.fromkeys((str(CASE.predicted_sql), *CASE.reference_sqls), 1)
    assert set(rewritten.values()) == {1}
    # What the judges may assume differs, but there is nothing to assume in these two.
    assert max(Counter(converts for *_, converts in rewritten).values()) <= 4
