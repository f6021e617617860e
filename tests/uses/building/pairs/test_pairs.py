"""Pairs of queries: what is proposed, excluded, labelled, kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.schema import Column, Schema, Table
from sqljury.uses.building.pairs import (
    Exclusion,
    LabelledPair,
    QueryPair,
    by_equivalence,
    by_rows,
    chosen,
    decisions_of,
    exclusion_of,
    propose,
    splits,
    tables_of_schemas,
    tree_form,
    with_people,
    with_second,
)
from sqljury.uses.building.pairs.card import keyword_shares
from sqljury.uses.building.pairs.proposals import canonical_form, text_form
from sqljury.uses.building.pairs.values import column_values, one_table_queries
from sqljury.verdict import Outcome, Verdict

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(
            name="boat",
            columns=(
                Column(name="id", type="INTEGER", nullable=False),
                Column(name="name", type="TEXT"),
                Column(name="year", type="INT"),
            ),
            primary_key=("id",),
        ),
    ),
)
OTHER = Schema(
    dialect="sqlite",
    tables=(Table(name="boat", columns=(Column(name="id", type="INT"),)),),
)
REFERENCES = [
    "SELECT name FROM boat WHERE year > 3",
    "SELECT T1.name FROM boat AS T1 WHERE T1.year >= 4",  # the same
    "SELECT COUNT(*) FROM boat",
    "SELECT name FROM boat GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
]


# ---------------------------------------------------------------- values of a database


def test_queries_of_one_table(tmp_path: Path) -> None:
    path = tmp_path / "port.sqlite"
    with closing(sqlite3.connect(path)) as port:
        port.executescript(
            'CREATE TABLE boat (id INTEGER PRIMARY KEY, "full name" TEXT, length REAL, note BLOB);'
            "INSERT INTO boat VALUES (1, 'Ann', 7.5, x'00'), (2, 'It''s', 9, NULL), (3, '', 9, 1)"
        )
    database = open_databases(tmp_path).open("port")
    assert database is not None
    with closing(database):
        values = column_values(database)
        assert values["boat", "full name"] == ("Ann", "It's")
        assert values["boat", "length"] == (7.5, 9.0)
        queries = one_table_queries(database.schema(), values, most=30, seed="a")
        assert queries == one_table_queries(database.schema(), values, most=30, seed="a")
        assert len(set(queries)) == 30
        assert all(database.execute(sql, Limits()).ok for sql in queries)
        assert one_table_queries(database.schema(), {}, most=30, seed="a") == []
        found = propose("port", queries, database.schema(), Exclusion(), values=values)
        more = propose("port", queries, database.schema(), Exclusion(), values=values, rounds=3)
    assert len(more.pairs) > 2 * len(found.pairs)
    assert "value" in {kind for pair in found.pairs for kind in pair.kinds}


# ---------------------------------------------------------------- forms and exclusion


def test_forms() -> None:
    one, other = (
        "SELECT name FROM boat WHERE year > 3",
        "select t.NAME from Boat t where 4 <= t.year",
    )
    assert canonical_form(one, SCHEMA) == canonical_form(other, SCHEMA)
    assert tree_form(one, SCHEMA) != tree_form(other, SCHEMA)
    assert text_form(one) != text_form(other)
    assert text_form("SELECT a FROM t WHERE b = 'Ann'") == text_form(
        'select  A from T where b="ann";'
    )
    assert canonical_form(one, None) == text_form(one)


def excluded(sql: str, schema: Schema | None = SCHEMA) -> Exclusion:
    cases = [Case(id="1", db_id="x", reference_sqls=(sql,))]
    return exclusion_of(cases, lambda _: schema, tables_of_schemas([SCHEMA]))


# what is evaluated on, on which schema, a query of training, whether it is left out
EXCLUDED = [
    (
        "SELECT name FROM boat WHERE year > 3",
        SCHEMA,
        "select b.name from boat b where b.year >= 4",
        True,
    ),
    ("SELECT name FROM boat WHERE year > 3", SCHEMA, "SELECT name FROM boat WHERE year > 4", False),
    # No schema, or another: the text is compared all the same.
    ("SELECT name FROM boat WHERE year > 3", None, "select NAME from boat where year > 3", True),
    ("SELECT name FROM boat WHERE year > 3", None, "SELECT name FROM boat WHERE year >= 4", False),
    ("SELECT COUNT(*) FROM boat", OTHER, "select count(*) from boat;", True),
    ("SELECT COUNT(*) FROM boat", OTHER, "SELECT COUNT(1) FROM boat", False),
]


@pytest.mark.parametrize(("sql", "schema", "query", "expected"), EXCLUDED)
def test_excluded(sql: str, schema: Schema | None, query: str, expected: bool) -> None:
    assert excluded(sql, schema).has(query, SCHEMA) is expected


def test_predictions_and_own_schemas_are_excluded_too() -> None:
    case = Case(
        id="1",
        reference_sqls=("SELECT 1",),
        predicted_sql="SELECT COUNT(*) FROM boat",
        schema_sql="CREATE TABLE boat (id INTEGER, name TEXT, year INT)",
    )
    found = exclusion_of([case], lambda _: None, tables_of_schemas([SCHEMA]))
    assert found.has("SELECT COUNT(1) FROM boat", SCHEMA)
    broken = Case(id="2", reference_sqls=("SELECT 2",), schema_sql="CREATE TABLE (")
    assert exclusion_of([broken], lambda _: None, frozenset()).has("select 2", SCHEMA)


# ---------------------------------------------------------------- proposals


def test_no_pair_has_an_excluded_query_and_equal_references_count_once() -> None:
    everything = propose("x", REFERENCES, SCHEMA, Exclusion())
    assert (everything.references, everything.excluded) == (3, 0)
    exclusion = excluded("SELECT name FROM boat WHERE year >= 4")
    found = propose("x", REFERENCES, SCHEMA, exclusion)
    assert (found.references, found.excluded) == (3, 1)
    assert found.pairs
    assert not any(
        exclusion.has(sql, SCHEMA)
        for pair in found.pairs
        for sql in (pair.reference, pair.prediction)
    )
    # A mutation of another reference may be an excluded query: it is left out as well.
    near = excluded("SELECT COUNT(DISTINCT boat.id) FROM boat")
    for one in propose("x", REFERENCES[2:3], SCHEMA, near).pairs:
        assert not near.has(one.prediction, SCHEMA), one


def test_the_same_seed_the_same_pairs() -> None:
    assert propose("x", REFERENCES, SCHEMA, Exclusion(), seed=1) == propose(
        "x", REFERENCES, SCHEMA, Exclusion(), seed=1
    )
    assert propose("x", REFERENCES, SCHEMA, Exclusion(), seed=1) != propose(
        "x", REFERENCES, SCHEMA, Exclusion(), seed=2
    )


# ---------------------------------------------------------------- labels

PAIR = QueryPair("x", "SELECT 1", "SELECT 2", "mutation", ("constant",))
REWRITTEN = QueryPair("x", "SELECT 1", "SELECT 1 + 0", "rewrite", ("average",))


def verdict(
    outcome: Outcome, label: str = "", reason: str = "", score: float | None = None
) -> Verdict:
    return Verdict(outcome=outcome, score=score, reason=reason, labels=(label,) if label else ())


ROWS = [
    (PAIR, verdict(Outcome.INCORRECT), (False, "rows")),
    (PAIR, verdict(Outcome.INCORRECT, "limit_cuts_tie"), None),
    (REWRITTEN, verdict(Outcome.INCORRECT), None),
    (PAIR, verdict(Outcome.CORRECT), None),
    (PAIR, verdict(Outcome.PREDICTION_ERROR), (None, "prediction_error")),
    (PAIR, verdict(Outcome.DATABASE_MISSING), (None, "database_missing")),
]


@pytest.mark.parametrize(("pair", "said", "expected"), ROWS)
def test_labels_by_rows(
    pair: QueryPair, said: Verdict, expected: tuple[object, str] | None
) -> None:
    found = by_rows(pair, said)
    assert (None if found is None else (found.label, found.how)) == expected


OUTCOMES = {"proved": Outcome.CORRECT, "refuted": Outcome.INCORRECT}
# pair, what the judge says: a label, a reason, a score; whether rows are the same; label and how
EQUIVALENCE = [
    (PAIR, "proved", "the same canonical form", None, True, True, "identity"),
    (PAIR, "proved", "proved", None, True, True, "proved"),
    (PAIR, "proved", "proved", None, False, None, "proved, but different rows"),
    (PAIR, "refuted", "other rows on a database", None, True, False, "refuted"),
    (PAIR, "refuted", "other rows; no row against a row of nothing", None, True, None, "slight"),
    (PAIR, "no_counterexample", "", 0.999, True, None, "no_counterexample"),
    (REWRITTEN, "no_counterexample", "", 0.999, True, True, "tested"),
    (REWRITTEN, "no_counterexample", "", 0.9, True, None, "no_counterexample"),
    (REWRITTEN, "no_counterexample", "", 0.999, False, None, "no_counterexample"),
    (REWRITTEN, "no_counterexample", "", 0.7, True, None, "no_counterexample"),
    (PAIR, "", "", None, False, None, "reference_error"),
]


@pytest.mark.parametrize(
    ("pair", "said", "reason", "score", "same_rows", "label", "how"), EQUIVALENCE
)
def test_labels_by_equivalence(
    pair: QueryPair,
    said: str,
    reason: str,
    score: float | None,
    same_rows: bool,
    label: bool | None,
    how: str,
) -> None:
    outcome = OUTCOMES.get(said, Outcome.UNKNOWN if said else Outcome.REFERENCE_ERROR)
    found = by_equivalence(pair, verdict(outcome, said, reason, score), same_rows=same_rows)
    assert (found.label, found.how) == (label, how)


def test_a_second_opinion_that_differs_leaves_the_pair_to_people() -> None:
    labelled = [LabelledPair(PAIR, False, "refuted"), LabelledPair(REWRITTEN, True, "proved")]
    agrees = {PAIR.id: Verdict.incorrect(), REWRITTEN.id: Verdict.correct()}
    assert with_second(labelled, agrees) == labelled
    assert with_second(labelled, {}) == labelled
    unable = {PAIR.id: verdict(Outcome.JUDGE_UNAVAILABLE)}
    assert with_second(labelled, unable) == labelled
    found = with_second(labelled, {PAIR.id: Verdict.correct()})
    assert [(one.label, one.how) for one in found] == [
        (None, "disagreement: refuted"),
        (True, "proved"),
    ]
    decided = with_people(found, {PAIR.id: True})
    assert [(one.label, one.how) for one in decided] == [(True, "people"), (True, "proved")]


def test_decisions_are_read_from_the_queue() -> None:
    lines = [
        Case(
            id="a", db_id="x", reference_sqls=("SELECT 1",), predicted_sql="SELECT 2", label=False
        ),
        Case(id="b", db_id="x", reference_sqls=("SELECT 1",), predicted_sql="SELECT 3"),
    ]
    assert decisions_of(lines) == {PAIR.id: False}
    with pytest.raises(InputError, match="SJ581"):
        decisions_of([Case(id="a", label=True)])


# ---------------------------------------------------------------- choice


def form(db_id: str, sql: str) -> str:
    return sql.strip().casefold()


def some(label: bool, n: int, how: str, db_id: str = "x") -> list[LabelledPair]:
    return [
        LabelledPair(
            QueryPair(db_id, "SELECT 0", f"SELECT {how} {label} {i}", "mutation"), label, how
        )
        for i in range(n)
    ]


def test_as_many_equivalent_pairs_as_others_and_a_quarter_of_them_hard() -> None:
    labelled = [
        *some(True, 300, "identity"),
        *some(True, 80, "proved"),
        *some(False, 250, "rows"),
        LabelledPair(PAIR, None, "no_counterexample"),
    ]
    kept = chosen(labelled, form, most=400, seed=0)
    assert len(kept) == 400
    assert sum(one.label is True for one in kept) == 200
    assert sum(one.how == "proved" for one in kept) == 50
    assert kept == chosen(labelled[::-1], form, most=400, seed=0), (
        "the order of the input is nothing"
    )
    assert kept != chosen(labelled, form, most=400, seed=1)
    few = chosen(labelled, form, most=10_000, seed=0)
    assert len(few) == 500, "no more of one label than of the other"


def test_what_does_the_same_in_the_same_way_is_kept_once_or_not_at_all() -> None:
    def pair(prediction: str, label: bool) -> LabelledPair:
        return LabelledPair(QueryPair("x", "select 0", prediction, "rewrite"), label, "identity")

    labelled = [pair("SELECT 1", True), pair("select 1 ", True), pair("SELECT 0", True)]
    labelled += [pair("SELECT 2", False), pair("SELECT 3", False)]
    kept = chosen(labelled, form, most=100, seed=0)
    assert sorted(form("x", one.pair.prediction) for one in kept if one.label) == ["select 1"]
    assert len(kept) == 2


def test_given_pairs_are_all_kept() -> None:
    given = [
        LabelledPair(QueryPair("x", "SELECT 0", f"SELECT {i}", "given"), True, "proved")
        for i in range(7)
    ]
    kept = chosen([*given, LabelledPair(PAIR, False, "rows")], form, most=4, seed=0)
    assert sorted(one.pair.id for one in kept) == sorted(one.pair.id for one in given)


def test_whole_databases_are_held_out() -> None:
    labelled = [one for n in range(30) for one in some(True, 10, "identity", f"db{n}")]
    found = splits(labelled, seed=0)
    held = [name for name, split in found.items() if split == "validation"]
    assert len(held) == 3
    assert found == splits(labelled[::-1], seed=0)
    assert splits(some(True, 10, "identity"), seed=0) == {"x": "train"}


def test_keywords() -> None:
    found = keyword_shares(
        [
            "SELECT COUNT(*) FROM a JOIN b ON a.x = b.x WHERE a.y LIKE '%z%'",
            "SELECT a FROM t UNION SELECT DISTINCT b FROM s ORDER BY 1 LIMIT 1",
            "SELECT a FROM t WHERE b IN (SELECT MAX(c) FROM s GROUP BY d)",
            "SELECT (",
        ]
    )
    assert {name for name, share in found.items() if share == 50} == {"Where", "Aggregation"}
    assert found["Join"] == found["Regex Filter"] == found["Union"] == found["Subquery"] == 25
    assert found["Cast"] == 0
