"""Pairs of queries: told apart or not, on what data, and never by chance."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled
from sqljury.judges.pair import PairAnswer
from sqljury.schema import Schema
from sqljury.tables import make_policy
from sqljury.uses.queries import COMPARED_PROFILES, compare_queries
from sqljury.verdict import Verdict

HARBOUR = """
CREATE TABLE boat (
  id INTEGER PRIMARY KEY, name TEXT, berth TEXT, length REAL, year INT,
  owner_id INT REFERENCES owner (id)
);
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT);
CREATE TABLE trip (boat_id INT REFERENCES boat (id), day DATE, miles INT);
"""
SCHEMA = schema_from_ddl(HARBOUR)
ALL = COMPARED_PROFILES + "+keys_violated"


def pairs_of(name: str) -> list[tuple[str, str]]:
    """The pairs of a file, a line each."""
    lines = (Path(__file__).parent / "pairs" / f"{name}.sql").read_text("utf-8").splitlines()
    pairs = (line.partition(" ||| ") for line in lines if not line.startswith("--"))
    return [(left, right) for left, _, right in pairs]


def compare(left: str, right: str, schema: Schema = SCHEMA, **options) -> PairAnswer:
    """By generated databases only, if nothing else is said."""
    options = {"prove": False, "second_opinion": False, **options}
    return compare_queries(left, right, schema=schema, **options)


REFUTED = pairs_of("refuted")


@pytest.mark.parametrize(("left", "right"), REFUTED)
def test_a_clean_database_tells_them_apart(left: str, right: str) -> None:
    found = compare(left, right, profiles="clean")
    assert found.verdict == "refuted"
    assert found.profile == "clean"
    assert found.score is not None
    assert found.score < 0.5
    _replays(found, left, right)


def _replays(found: PairAnswer, left: str, right: str) -> None:
    """The witness, pasted into plain sqlite3, gives both results."""
    assert found.witness is not None
    connection = sqlite3.connect(":memory:")
    connection.executescript(found.witness.sql)
    for sql, table in ((left, found.witness.left), (right, found.witness.right)):
        rows = connection.execute(sql).fetchall()
        assert sorted(map(repr, rows)) == sorted(map(repr, table.rows))
    connection.close()
    assert found.witness.sql.count("INSERT") <= 95


SAME = pairs_of("same")


@pytest.mark.parametrize(("left", "right"), SAME)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_chance_is_no_counterexample(left: str, right: str, seed: int) -> None:
    found = compare(left, right, seed=seed)
    assert found.verdict in ("no_counterexample", "unknown"), found.witness


CHANCE_WITHOUT_KEYS = pairs_of("chance_without_keys")


@pytest.mark.parametrize(("left", "right"), CHANCE_WITHOUT_KEYS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_chance_is_no_counterexample_where_keys_do_not_hold(left, right, seed: int) -> None:
    assert compare(left, right, seed=seed, profiles=ALL).verdict == "no_counterexample"


# Left, right, and the first profile on which they differ; none: on none of them.
PROFILES = [
    ("SELECT count(berth) FROM boat", "SELECT count(*) FROM boat", "nulls"),
    (
        "SELECT id FROM boat WHERE year <> 3",
        "SELECT id FROM boat WHERE NOT coalesce(year = 3, 0)",
        "nulls",
    ),
    (
        "SELECT name FROM owner WHERE id NOT IN (SELECT owner_id FROM boat)",
        "SELECT name FROM owner o WHERE NOT EXISTS (SELECT 1 FROM boat b WHERE b.owner_id = o.id)",
        "nulls",
    ),
    ("SELECT * FROM trip", "SELECT DISTINCT * FROM trip", "duplicates"),
    ("SELECT * FROM boat", "SELECT DISTINCT * FROM boat", "keys_violated"),
    ("SELECT count(*) FROM boat", "SELECT count(DISTINCT id) FROM boat", "keys_violated"),
    ("SELECT count(name) FROM owner", "SELECT count(*) FROM owner", None),
    (
        "SELECT count(*) FROM trip WHERE boat_id IN (SELECT id FROM boat)",
        "SELECT count(boat_id) FROM trip",
        "foreign_keys_violated",
    ),
]


@pytest.mark.parametrize(("left", "right", "profile"), PROFILES)
def test_the_profile_says_what_a_difference_rests_on(left, right, profile) -> None:
    found = compare(left, right, profiles=ALL)
    assert found.profile == profile
    if profile is not None:
        _replays(found, left, right)
        others = "+".join(name for name in ALL.split("+") if name != profile)
        assert compare(left, right, profiles=others).verdict == "no_counterexample"
    else:
        assert found.verdict == "no_counterexample"


# The blind spots of test suites and of a graph network (Zhan et al. 2024, figures 1, 7, 8, 14-16).
TEMPLATES = """
CREATE TABLE Templates (template_id INTEGER PRIMARY KEY, version INT);
CREATE TABLE Documents (
  document_id INTEGER PRIMARY KEY, template_id INTEGER REFERENCES Templates (template_id)
);
"""
CHANNELS = "CREATE TABLE tv_channel (id TEXT PRIMARY KEY, country TEXT, language TEXT);"
CARS_TEXT = "CREATE TABLE cars_data (id INTEGER PRIMARY KEY, mpg TEXT);"
CARS_REAL = "CREATE TABLE cars_data (id INTEGER PRIMARY KEY, mpg REAL);"
CONCERTS = "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, year TEXT);"
FIGURES = {
    "1 and 14: a redundant join": (
        TEMPLATES,
        "SELECT count(DISTINCT template_id) FROM Documents",
        "SELECT count(DISTINCT templates.template_id) FROM templates "
        "INNER JOIN documents ON templates.template_id = documents.template_id",
        "foreign_keys_violated",
    ),
    "7: a cast of a text": (
        CARS_TEXT,
        "SELECT max(CAST(mpg AS DOUBLE)) FROM cars_data",
        "SELECT max(mpg) FROM cars_data",
        "clean",
    ),
    "7: a cast of a number": (
        CARS_REAL,
        "SELECT max(CAST(mpg AS DOUBLE)) FROM cars_data",
        "SELECT max(mpg) FROM cars_data",
        None,
    ),
    "8: more than two, three and more": (
        CHANNELS,
        "SELECT country FROM tv_channel GROUP BY country HAVING count(*) > 2",
        "SELECT country FROM tv_channel GROUP BY country HAVING count(*) >= 3",
        None,
    ),
    "15: groups of a key and more": (
        CHANNELS,
        "SELECT id FROM tv_channel GROUP BY id HAVING count(*) > 2",
        "SELECT id FROM tv_channel GROUP BY country, id HAVING count(*) > 2",
        "keys_violated",
    ),
    "15: groups of a column and more": (
        CHANNELS.replace(" PRIMARY KEY", ""),
        "SELECT id FROM tv_channel GROUP BY id HAVING count(*) > 2",
        "SELECT id FROM tv_channel GROUP BY country, id HAVING count(*) > 2",
        "clean",
    ),
    "16: years as texts": (
        CONCERTS,
        "SELECT count(*) FROM concert WHERE CAST(year AS INTEGER) IN (2014, 2015)",
        "SELECT count(concert_id) FROM concert WHERE year IN ('2014', '2015')",
        "edge_values",
    ),
}


@pytest.mark.parametrize("figure", list(FIGURES))
def test_blind_spots_of_other_methods(figure: str) -> None:
    ddl, left, right, profile = FIGURES[figure]
    found = compare(left, right, schema_from_ddl(ddl), profiles=ALL)
    assert found.profile == profile
    assert found.verdict == ("refuted" if profile else "no_counterexample")


# ---------------------------------------------------------------- what cannot be decided

UNKNOWN = [
    ("SELECT draught FROM boat", "left: no such column: draught"),
    ("SELECT FROM", 'left: near "FROM": syntax error'),
    ("SELECT * FROM nowhere", "left: no such table: nowhere"),
    ("DROP TABLE boat", "left: DROP is not a query"),
    ("SELECT 1; SELECT 2", "left: more than one statement"),
    ("", "left: the statement is empty"),
    ("SELECT '" + "x" * 300_000 + "'", "left: it cannot be read"),
]


@pytest.mark.parametrize(("sql", "reason"), UNKNOWN)
def test_what_does_not_run_is_unknown(sql: str, reason: str) -> None:
    found = compare(sql, "SELECT 1")
    assert (found.verdict, found.reason, found.score) == ("unknown", reason, None)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM " + ", ".join(f"boat b{i}" for i in range(40)),
        "SELECT zeroblob(2000000000) FROM boat",
        "SELECT id FROM boat WHERE load_extension('x') = 1",
        "WITH d AS (SELECT 1) DELETE FROM boat",
        "SELECT id FROM boat WHERE id = 3" + " OR id = 4" * 1500,
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT count(*) FROM pragma_table_info('boat'), sqlite_master",
    ],
)
def test_hostile_queries_end(sql: str) -> None:
    for left, right in ((sql, "SELECT id FROM boat"), ("SELECT id FROM boat", sql)):
        found = compare(left, right, seconds=1.0)
        assert found.verdict in ("unknown", "refuted", "no_counterexample")
        assert found.seconds < 20


def test_a_view_is_unknown() -> None:
    schema = schema_from_ddl("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;")
    viewed = compare("SELECT a FROM v", "SELECT a FROM t", schema)
    assert viewed.verdict == "unknown"


def test_queries_without_tables() -> None:
    assert compare("SELECT 1", "SELECT 2").verdict == "refuted"
    assert compare("SELECT 1", "SELECT 1").verdict == "no_counterexample"


# ---------------------------------------------------------------- policies and scores


@pytest.mark.parametrize(
    ("policy", "left", "right", "verdict"),
    [
        (
            "spider",
            "SELECT name, year FROM boat",
            "SELECT year, name FROM boat",
            "no_counterexample",
        ),
        (
            "spider",
            "SELECT DISTINCT berth FROM boat",
            "SELECT berth FROM boat",
            "no_counterexample",
        ),
        ("bird", "SELECT DISTINCT berth FROM boat", "SELECT berth FROM boat", "no_counterexample"),
        ("bird", "SELECT name FROM boat ORDER BY id", "SELECT name FROM boat", "no_counterexample"),
        ("strict", "SELECT name FROM boat ORDER BY id", "SELECT name FROM boat", "refuted"),
        ("intent", "SELECT name FROM boat", "SELECT name, year FROM boat", "no_counterexample"),
    ],
)
def test_the_policy_says_what_is_the_same(policy, left, right, verdict) -> None:
    assert compare(left, right, policy=make_policy(policy)).verdict == verdict


def test_scores_rank_how_much_pairs_differ() -> None:
    pairs = [
        ("SELECT name FROM boat", "SELECT id FROM owner"),
        (
            "SELECT count(*) FROM trip WHERE boat_id IN (SELECT id FROM boat)",
            "SELECT count(boat_id) FROM trip",
        ),
        ("SELECT max(year) FROM boat", "SELECT year FROM boat ORDER BY year DESC LIMIT 1"),
        ("SELECT count(berth) FROM boat", "SELECT count(*) FROM boat"),
        ("SELECT count(id) FROM boat", "SELECT count(*) FROM boat"),
    ]
    counted = "clean+duplicates+foreign_keys_violated"
    scores = [compare(left, right, profiles=counted).score for left, right in pairs]
    assert scores == sorted(scores, key=lambda score: score or 0.0)
    assert len(set(scores)) == len(scores)


def test_the_same_answer_again() -> None:
    left, right = REFUTED[-1]
    first, again = (compare(left, right).to_json() for _ in range(2))
    assert {**first, "seconds": 0} == {**again, "seconds": 0}


def test_identity_and_proof_are_asked_from_outside() -> None:
    from sqljury.judges.equivalence import data_profiles
    from sqljury.judges.pair import compare_pair

    def ask(left: str, right: str, **hooks) -> PairAnswer:
        evidence = DatabaseEvidence(Case(id="1"), None, ExecutionCache(), Limits())
        return compare_pair(
            left,
            right,
            SCHEMA,
            evidence,
            policy=make_policy("strict"),
            profiles=data_profiles("clean"),
            **hooks,
        )

    same, other = ("SELECT id FROM boat", "SELECT id FROM boat"), ("SELECT 1", "SELECT 2")
    identical = ask(*same, identity=lambda: ["keys hold"])
    assert (identical.verdict, identical.score, identical.tried) == ("proved", 1.0, {})
    assert identical.assumptions == ("keys hold",)
    assert ask(*same, prove=list).verdict == "proved"
    assert ask(*same, prove=lambda: None).verdict == "no_counterexample"
    assert ask(*other, prove=list).verdict == "refuted", "a witness comes before a proof"


# ---------------------------------------------------------------- the shapes of answers


def test_json_of_an_answer() -> None:
    left, right = "SELECT id FROM owner WHERE id > 3", "SELECT id FROM owner WHERE id > 4"
    found = json.loads(json.dumps(compare(left, right).to_json()))
    assert list(found) == [
        "verdict", "assumptions", "rules", "profile", "witness", "contradicted_proof", "tried",
        "seconds",
    ]  # fmt: skip
    assert found["verdict"] == "refuted"
    assert found["assumptions"] == []
    assert found["profile"] == "clean"
    assert (found["witness"]["left"], found["witness"]["right"]) == ([[4]], [])
    assert found["witness"]["sql"].startswith('CREATE TABLE "owner"')
    assert found["tried"]["profiles"]["clean"]["differ"] >= 1


def test_a_second_opinion() -> None:
    pytest.importorskip("duckdb")

    def engines(left: str, right: str) -> tuple[tuple[str, ...], str]:
        found = compare_queries(left, right, schema=SCHEMA, profiles="clean")
        assert found.witness is not None
        return found.witness.engines, found.witness.doubt

    both = engines("SELECT id FROM boat WHERE year > 3", "SELECT id FROM boat WHERE year > 4")
    assert both == (("sqlite", "duckdb"), "")
    # SQLite divides integers as integers, DuckDB does not.
    one = engines("SELECT year / 2 FROM boat", "SELECT year / 2.0 FROM boat")
    assert one[0] == ("sqlite",) or one[1] == ""


def test_a_translated_query_says_so() -> None:
    schema = Schema(dialect="postgres", tables=SCHEMA.tables)
    found = compare(
        "SELECT id FROM boat WHERE name ILIKE 'a%'", "SELECT id FROM boat WHERE year = 3", schema
    )
    assert found.verdict == "unknown"
    assert found.witness is not None
    assert "translated from postgres to SQLite (ILIKE)" in found.reason
    sure = compare("SELECT id FROM boat WHERE year > 3", "SELECT id FROM boat", schema)
    assert sure.verdict == "refuted"
    assert sure.witness is not None
    assert sure.witness.doubt == "translated from postgres to SQLite"


# Equal in DuckDB; SQLite reads the first as a join with a table called SEMI, or cannot say it.
ONLY_IN_DUCKDB = [
    (
        "SELECT name FROM boat SEMI JOIN trip ON boat_id = id",
        "SELECT name FROM boat WHERE id IN (SELECT boat_id FROM trip)",
    ),
    (
        "SELECT name FROM boat ANTI JOIN trip ON boat_id = id",
        "SELECT name FROM boat WHERE NOT EXISTS (SELECT 1 FROM trip WHERE boat_id = id)",
    ),
    ("SELECT x FROM (SELECT 1 UNION ALL SELECT 2) v(x)", "SELECT 2 UNION ALL SELECT 1"),
]


@pytest.mark.parametrize(("left", "right"), ONLY_IN_DUCKDB)
def test_what_is_lost_in_translation_refutes_nothing(left: str, right: str) -> None:
    schema = Schema(dialect="duckdb", tables=SCHEMA.tables)
    found = compare(left, right, schema)
    assert found.verdict == "no_counterexample"
    assert compare(left, right, schema, prove=None).verdict in ("proved", "no_counterexample")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"profiles": "clean+dirty"}, "SJ315"),
        ({"policy": "nonsense"}, "SJ601"),
        ({"schema": None}, "SJ316"),
        ({"schema": "nowhere.sql"}, "SJ206"),
    ],
)
def test_bad_options_say_what_to_do(options, code: str) -> None:
    with pytest.raises(InputError, match=code):
        compare_queries("SELECT 1", "SELECT 1", **{"schema": SCHEMA, **options})


# ---------------------------------------------------------------- as a judge


def ask(predicted, *references: str, spec: str = "equivalence", schema: bool = True) -> Verdict:
    case = Case(
        id="1",
        predicted_sql=predicted,
        reference_sqls=references,
        schema_sql=HARBOUR if schema else None,
    )
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits())
    judge = make_judge(spec)
    return settled(judge, case, evidence) or judge.judge(case, evidence)


def test_refuted_is_incorrect_with_a_database() -> None:
    verdict = ask("SELECT id FROM boat WHERE year > 3", "SELECT id FROM boat WHERE year > 4")
    assert (verdict.outcome, verdict.labels) == ("incorrect", ("refuted",))
    assert "INSERT INTO" in verdict.evidence["witness"]["sql"]
    assert "seconds" not in verdict.evidence, "evidence does not differ from run to run"
    json.dumps(dict(verdict.evidence))


def test_no_counterexample_is_unknown_with_a_score() -> None:
    pair = ("SELECT id FROM boat WHERE year > 3", "SELECT id FROM boat WHERE year >= 4")
    assert ask(*pair).outcome == "correct", "proved"
    verdict = ask(*pair, spec="equivalence,prove=false")
    assert (verdict.outcome, verdict.labels) == ("unknown", ("no_counterexample",))
    assert verdict.score is not None
    assert verdict.score > 0.9


def test_nulls_count_when_asked_for() -> None:
    pair = ("SELECT count(*) FROM boat", "SELECT count(berth) FROM boat")
    assert ask(*pair).outcome == "unknown"
    assert ask(*pair, spec="equivalence,profiles=clean+nulls").outcome == "incorrect"


def test_columns_in_another_order() -> None:
    pair = ("SELECT name, year FROM boat", "SELECT year, name FROM boat")
    assert ask(*pair).outcome == "incorrect"
    assert ask(*pair, spec="equivalence,column_order=any").outcome == "correct"
    assert ask(*pair, spec="equivalence:spider").outcome == "correct"


def test_one_reference_that_agrees_is_enough() -> None:
    verdict = ask(
        "SELECT id FROM boat", "SELECT id FROM owner", "SELECT oops", "SELECT id FROM boat"
    )
    assert verdict.labels == ("proved",)


@pytest.mark.parametrize(
    ("predicted", "reference", "outcome"),
    [
        ("SELECT oops FROM boat", "SELECT id FROM boat", "prediction_error"),
        ("DELETE FROM boat", "SELECT id FROM boat", "prediction_refused"),
        ("SELECT id FROM boat", "SELECT oops FROM boat", "reference_error"),
        ("", "SELECT id FROM boat", "prediction_error"),
        (None, "SELECT id FROM boat", "abstained"),
    ],
)
def test_what_does_not_run_is_said(predicted, reference: str, outcome: str) -> None:
    assert ask(predicted, reference).outcome == outcome


def test_without_a_schema() -> None:
    assert ask("SELECT 1", "SELECT 1", schema=False).outcome == "database_missing"
