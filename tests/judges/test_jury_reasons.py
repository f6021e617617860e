"""The jury's reasons: sentences that are true of the case, at most three of each side."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.evidence_shapes import ReasonFields, reasons_of, reasons_text
from sqljury.execution import Limits
from sqljury.judges import make_judge
from sqljury.judges.jury_features import Pair, all_groups
from sqljury.judges.jury_reasons import plain_sentence, reasons, subject_of
from sqljury.learning.jury import SHIPPED, load_jury
from sqljury.verdict import Outcome, Verdict

SCHEMA = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER, song_title TEXT);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), year INTEGER);
"""
ROWS = """
INSERT INTO singer VALUES (1,'Joe','France',30,'Sun'), (2,'Rose','France',41,'Love'),
  (3,'Tim','Norway',30,'You'), (4,'Ann',NULL,25,'Sea');
INSERT INTO concert VALUES (1,1,2014), (2,1,2015), (3,2,2014), (4,3,2015);
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("databases") / "stage.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return file


def paired(stage: Path | None, question: str, prediction: str, reference: str) -> Pair:
    case = Case(
        id="1",
        db_id="stage",
        question=question,
        predicted_sql=prediction,
        reference_sqls=(reference,),
        schema_sql=SCHEMA,
    )
    database = open_databases(stage).open("stage") if stage else None
    return Pair(case, DatabaseEvidence(case, database, ExecutionCache(), Limits()))


def judged(pair: Pair) -> Verdict:
    return make_judge("jury:offline").judge(pair.case, pair.evidence)


def told(pair: Pair, feature: str, weight: float) -> str:
    """The sentence about the subject of one feature, if it has all the weight."""
    values = {k: v for group in all_groups() for k, v in group.values(pair).items()}
    (found,) = reasons(pair, {feature: weight}, values, correct=weight > 0)
    return found["text"]


NAMES = "SELECT name FROM singer WHERE country = 'France'"


@pytest.mark.parametrize(
    ("question", "prediction", "reference", "feature", "weight", "sentence"),
    [
        ("", "SELECT name FROM singer WHERE age > 30", NAMES, "execution_strict", -1,
         "The reference has 2 rows, the prediction 1. 1 row is only in the reference (row 1: "
         "('Joe')); the prediction has no row of its own"),
        ("", "SELECT singer.name FROM singer WHERE country = 'France'", NAMES, "execution_bird", 1,
         "Both queries return the same 2 rows"),
        ("", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", "tables_soft_f1", 1,
         "Both queries return the same value, 4"),
        ("", "SELECT age, name FROM singer", "SELECT name, age FROM singer", "execution_rose", 1,
         "Both queries return the same 4 rows but for the order of the columns"),
        ("", "SELECT 1 FROM singer WHERE age > 90", "SELECT 1 FROM singer WHERE age > 91",
         "execution_strict", -1, "Both queries return no rows, which proves little"),
        ("Which singers' song titles are there?", "SELECT name FROM singer",
         "SELECT song_title FROM singer", "differences_output_column_changed", -1,
         "The question names song_title. The prediction returns singer.name, the reference "
         "singer.song_title"),
        ("Show the names.", "SELECT name, age FROM singer", "SELECT name FROM singer",
         "differences_output_column_extra", -1,
         "The prediction returns singer.age, the reference does not, and the question does not "
         "name it"),
        ("", NAMES.replace("France", "Frances"), NAMES, "linking_texts_unsaid_prediction", -1,
         "A check of the prediction: singer.country is never 'Frances'; it holds 'France'"),
        ("", NAMES.replace("France", "Norway"), NAMES, "differences_filter_changed", -1,
         "The prediction requires singer.country = 'Norway', the reference singer.country = "
         "'France'"),
        ("", NAMES, NAMES, "differences_filter_missing", 1,
         "Both queries require singer.country = 'France'"),
        ("Which different countries are there?", "SELECT country FROM singer",
         "SELECT DISTINCT country FROM singer", "differences_distinct_missing", -1,
         "The question says 'different countries'. The reference removes repeated rows with "
         "DISTINCT, the prediction does not"),
        ("", "SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age DESC",
         "differences_sort_key_changed", -1,
         "The prediction sorts by singer.age, the reference singer.age DESC"),
        ("", "SELECT AVG(age) FROM singer", "SELECT AVG(age) FROM singer GROUP BY country",
         "differences_grouping_key_missing", -1,
         "The reference groups by singer.country, the prediction does not"),
        ("", "SELECT name FROM singer",
         "SELECT name FROM singer JOIN concert ON singer.id = concert.singer_id",
         "differences_table_missing", -1,
         "The reference reads concert, the prediction does not (on singer.id = concert.singer_id)"),
        # It reads the table, and has the condition, in a subquery.
        ("", "SELECT year FROM concert WHERE singer_id = (SELECT id FROM singer WHERE name = 'Joe')",
         "SELECT year FROM concert JOIN singer ON singer.id = singer_id WHERE singer.name = 'Joe'",
         "differences_filter_missing", -1,
         "The reference requires singer.name = 'Joe', the prediction does not in the same place"),
        ("", "SELECT country FROM singer", "SELECT name FROM singer", "tables_nulls_more", -1,
         "Only the prediction's result has NULL"),
        ("Singers by age, oldest first", "SELECT name FROM singer ORDER BY age",
         "SELECT name FROM singer ORDER BY age DESC", "asked_reversed_prediction", -4,
         "The prediction sorts the other way round than the question asks"),
        ("", "SELECT name FROM singer WHERE age > 0", "SELECT name FROM singer WHERE age > -1",
         "generated_differ", -1, "On some generated databases the two queries return different rows"),
        # Faults of the reference: shared, followed, or a reason why the rows differ.
        ("", NAMES.replace("France", "Frances"), NAMES.replace("France", "Frances") + " AND age > 1",
         "faults_likely_prediction", -1,
         "A check of both queries: singer.country is never 'Frances'; it holds 'France'"),
        ("", "SELECT name FROM singer WHERE age > 90", NAMES.replace("France", "Frances"),
         "faults_likely_reference", -1, "A check of the reference, whose rows the prediction "
         "returns: singer.country is never 'Frances'; it holds 'France'"),
        ("", NAMES, NAMES.replace("France", "Frances"), "faults_only_reference", 1,
         "A check of the reference: singer.country is never 'Frances'; it holds 'France'"),
        ("How many concerts has each singer?", *2 * ("SELECT name, COUNT(*) FROM singer JOIN concert"
         " ON singer.id = singer_id GROUP BY singer.id",), "faults_inner_count_prediction", -1,
         "Each thing is asked for, and the inner join drops those with none to count"),
        ("", "SELECT a.name FROM singer a JOIN singer b ON a.id = b.id JOIN singer c ON a.id = c.id",
         "SELECT a.name FROM singer a JOIN singer b ON a.age = b.age", "differences_table_extra", -1,
         "The prediction reads singer once more than the reference"),
        ("Whose age is the id?", "SELECT name FROM singer WHERE age = id", "SELECT name FROM singer "
         "WHERE id = age", "faults_likely_prediction", -1,
         "Both queries return no rows, though none of their tables is empty"),
        ("Who is there?", "SELECT name FROM singer", "SELECT name, age FROM singer",
         "differences_filter_missing", 1, "Neither query has a condition"),
    ],
)  # fmt: skip
def test_sentences_name_what_is_in_the_case(
    stage: Path,
    question: str,
    prediction: str,
    reference: str,
    feature: str,
    weight: float,
    sentence: str,
) -> None:
    assert told(paired(stage, question, prediction, reference), feature, weight) == sentence


@pytest.mark.parametrize(
    ("feature", "weight", "sentence"),
    [
        ("tables_columns_prediction", 1, "The question names country, which the prediction returns"),
        ("tables_repeats_prediction", -1, "The result repeats rows"),
        ("linking_quoted_unused_prediction", 1,
         "The question says 'France', which the prediction compares with"),
        ("difficulty_nesting_prediction", -1,
         "Questions like this one are often answered wrong"),
    ],
)  # fmt: skip
def test_sentences_without_a_reference(
    stage: Path, feature: str, weight: float, sentence: str
) -> None:
    pair = paired(stage, "Is 'France' the country?", NAMES.replace("name", "country"), NAMES)
    alone = Pair(replace(pair.case, reference_sqls=()), pair.evidence)
    assert told(alone, feature, weight) == sentence


@pytest.mark.parametrize(
    ("regret", "sentence"),
    [(0.5, "no other query would"), (3.0, "another shape of query would")],
)
def test_what_the_words_of_the_question_make_likelier(
    stage: Path, regret: float, sentence: str
) -> None:
    name = "linking_regret_worst_prediction"
    pair = paired(stage, "Who is from France?", NAMES, NAMES)
    (found,) = reasons(pair, {name: 1.0 - regret}, {name: regret}, correct=regret < 1)
    assert found["text"] == f"By the question's words {sentence} be much likelier"


def test_every_feature_belongs_to_a_subject_with_a_sentence() -> None:
    known = {one.name for group in all_groups() for one in group.features}
    subjects = {name: subject_of(name) for name in known | {*load_jury(SHIPPED["everyday"]).names}}
    assert "other" not in subjects.values()
    for subject in {*subjects.values(), subject_of("elsewhere_number")}:
        for sign in (1, -1):
            assert "_" not in plain_sentence(subject, sign)


def test_reason_and_evidence_say_the_same(stage: Path) -> None:
    pair = paired(stage, "Who is from France?", "SELECT name FROM singer LIMIT 1", NAMES)
    verdict = judged(pair)
    found = reasons_of(verdict.evidence)
    assert verdict.reason == f"probability {verdict.score:.3f}; {reasons_text(found)}"
    sides = [[one for one in found if (one["weight"] > 0) is side] for side in (True, False)]
    assert found == [*sides[0], *sides[1]]
    assert all(len(side) <= 3 for side in sides)
    for side in sides:
        sizes = [abs(one["weight"]) for one in side]
        assert sizes == sorted(sizes, reverse=True)
    weighed = {one["feature"]: one["weight"] for one in verdict.evidence["weights"]}  # type: ignore
    for one in found:
        total = sum(weighed.get(name, 0.0) for name in one["features"])
        assert one["weight"] == pytest.approx(total, abs=0.3)  # tiny weights are left out there


@pytest.mark.parametrize("reference", [NAMES, "SELECT name FROM singer WHERE age < 0"])
def test_the_side_of_the_verdict_has_a_reason(stage: Path, reference: str) -> None:
    verdict = judged(paired(stage, "Who is from France?", NAMES, reference))
    sign = 1 if verdict.outcome is Outcome.CORRECT else -1
    assert any(one["weight"] * sign > 0 for one in reasons_of(verdict.evidence))


def test_texts_of_a_case_stay_on_one_line_and_are_short(stage: Path) -> None:
    hostile = "</script>\n\x1b[31m" + "x" * 5000
    pair = paired(stage, f"Who is '{hostile}'?", NAMES.replace("France", hostile), NAMES)
    verdict = judged(pair)
    assert all(
        "\n" not in one["text"] and len(one["text"]) <= 240 for one in reasons_of(verdict.evidence)
    )


def test_without_a_database_nothing_is_said_of_rows() -> None:
    verdict = judged(paired(None, "Who is from France?", "SELECT age FROM singer", NAMES))
    assert all("row" not in one["text"] for one in reasons_of(verdict.evidence))


def test_sides_are_named_once() -> None:
    one = ReasonFields(subject="rows", text="a", weight=1.0, features=[])
    both = [one, replace_weight(one, -1.0), replace_weight(one, -0.5)]
    assert reasons_text(both) == "for: a; against: a; a"
    assert reasons_text([]) == ""


def replace_weight(one: ReasonFields, weight: float) -> ReasonFields:
    return {**one, "weight": weight}


def test_no_reference_needs_none(stage: Path) -> None:
    pair = paired(stage, "Who is from France?", NAMES, NAMES)
    alone = Pair(replace(pair.case, reference_sqls=()), pair.evidence)
    assert reasons(alone, {"faults_strong_prediction": 1.0}, {}, correct=True) != []
