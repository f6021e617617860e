"""Spider 2.0's files and folders of predictions, made small in the shape of the published ones."""

from __future__ import annotations

import json
import tarfile

import pytest

import sqljury as sj
from sqljury.benchmarks.result_tables import MOST_BYTES, read_table
from sqljury.benchmarks.spider2 import columns_that_count
from sqljury.case import MISSING, Case
from sqljury.errors import InputError

QUESTIONS = [
    {"instance_id": "bq001", "db": "shop", "question": "Which?", "external_knowledge": "shop.md"},
    {"instance_id": "local002", "db": "harbour", "question": "How many?"},
    {"instance_id": "sf003", "db": "PORT", "question": "When?", "external_knowledge": None},
    {"instance_id": "bq004", "db": "shop", "question": "Who?"},
]
STANDARDS = [
    {"instance_id": "bq001", "condition_cols": [[0], [1]], "ignore_order": True, "toks": "9"},
    {"instance_id": "local002", "condition_cols": [], "ignore_order": False},
    {"instance_id": "sf003", "condition_cols": [1], "ignore_order": True},
    {"instance_id": "bq004", "condition_cols": [], "ignore_order": True},
]
RESULTS = {
    "bq001_a": "id,name\n1,Ann\n2,Bob\n",
    "bq001_b": "n,id\n7,1\n7,2\n",
    "local002": "n\n1\n2\n",
    "sf003_a": "day,n\n2020-01-01,5\n2020-01-02,\n",
}


@pytest.fixture
def lite(tmp_path):
    return make(tmp_path, "lite")


def make(folder, name):
    gold = folder / "evaluation_suite" / "gold"
    (gold / "exec_result").mkdir(parents=True)
    (gold / "sql").mkdir()
    (gold / "sql" / "bq001.sql").write_text("SELECT id FROM `shop.people`")
    lines(gold / f"spider2{name}_eval.jsonl", STANDARDS)
    for key, text in RESULTS.items():
        (gold / "exec_result" / f"{key}.csv").write_text(text)
    documents = folder / "resource" / "documents"
    documents.mkdir(parents=True)
    (documents / "shop.md").write_text("A shop sells.")
    return lines(folder / f"spider2-{name}.jsonl", QUESTIONS)


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def submission(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_text(text)
    return folder


def said(found, judge):
    """The outcome and the reason of a judge's verdicts."""
    verdicts = [record.verdict for record in found.records() if record.judge == judge]
    return [(str(verdict.outcome), verdict.reason) for verdict in verdicts]


def test_questions_and_results(lite):
    first, second, third, fourth = sj.read_cases(lite)
    assert (first.id, first.db_id, first.hint) == ("bq001", "shop", "A shop sells.")
    assert first.reference_sqls == ("SELECT id FROM `shop.people`",)
    assert [(t.name, t.counted, t.ordered) for t in first.reference_tables] == [
        ("bq001_a.csv", (0,), False),
        ("bq001_b.csv", (1,), False),
    ]
    assert first.reference_tables[0].rows == (("1", "Ann"), ("2", "Bob"))
    assert second.reference_tables[0].ordered
    assert third.reference_tables[0].counted == (1,)
    assert fourth.reference_tables[0].problem == "no result is published"
    assert first.benchmark == "spider2-lite"
    assert all(case.predicted_sql is MISSING for case in (first, second, third, fourth))


def test_cases_survive_json(lite, tmp_path):
    found = list(sj.read_cases(lite, predictions=submission(tmp_path / "s", bq001_csv="id\n1\n")))
    assert [Case.from_dict(json.loads(json.dumps(case.to_dict()))) for case in found] == found
    prints = {case.fingerprint() for case in found}
    assert len(prints) == len(found)


def test_a_submission_of_results(lite, tmp_path):
    folder = submission(
        tmp_path / "mine",
        bq001_csv="id\n2\n1\n",
        local002_csv="n\n2\n1\n",
        sf003_csv="x,y\n2020-01-01,0\n2020-01-02,5\n",
    )
    names = ("execution:spider2", "execution:strict", "execution:intent", "soft_f1")
    found = sj.evaluate(lite, predictions=folder, judges=names, workers=0)
    scores = {name: [outcome for outcome, _ in said(found, name)] for name in names}
    left = "reference_error"
    assert scores["execution:spider2"] == ["correct", "incorrect", "correct", left]
    assert scores["execution:strict"] == ["correct", "incorrect", "incorrect", left]
    assert scores["execution:intent"] == ["correct", "incorrect", "incorrect", left]
    assert scores["soft_f1"][0] == "correct"


def test_judges_that_read_sql_say_so(lite, tmp_path):
    folder = submission(tmp_path / "mine", bq001_csv="id\n1\n", local002_sql="SELECT 1")
    found = sj.evaluate(lite, predictions=folder, judges=["exact_match"], workers=0)
    assert said(found, "exact_match") == [
        ("unknown", "the prediction is a result table, and exact_match reads SQL"),
        *[("reference_missing", "no reference SQL, only a result table")] * 3,
    ]


def test_a_file_of_sql_is_taken_as_it_is_but_for_a_fence(lite, tmp_path):
    script = "DECLARE n INT64;\nSET n = 1;\nSELECT n"
    fenced = f"My query:\n```sql\n{script}\n```"
    folder = submission(tmp_path / "mine", bq001_sql=script, local002_sql=fenced)
    cases = sj.read_cases(lite, predictions=folder)
    assert [case.predicted_sql for case in cases][:2] == [script, script]


def test_sql_needs_a_database(lite, tmp_path):
    folder = submission(tmp_path / "mine", bq001_sql="SELECT 1")
    with pytest.raises(InputError, match="SJ413"):
        sj.evaluate(lite, predictions=folder, judges=["execution:spider2"], workers=0)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", "a,b\n1\n1,2,3\n", "row 2 has 3 cells, the header 2"),
        ("a.csv", b"a\n\xff\n", "utf-8"),
        ("a.json", "[1, 2]", "a row is a list or an object"),
        ("a.json", '{"a": 1}', "a list of rows"),
        ("a.json", "[" * 100_000, "not a table"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, text, problem):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert problem in read_table(path).problem


def test_tables_in_files(tmp_path):
    (tmp_path / "a.csv").write_text('a,a\n1\n\n  \n"x\ny",""\n')
    found = read_table(tmp_path / "a.csv")
    assert (found.columns, found.rows) == (("a", "a"), (("1", ""), ("x\ny", "")))
    for text in ('[{"a": 1}, {"a": null}]', '{"columns": ["a"], "rows": [[1], [null]]}'):
        (tmp_path / "a.json").write_text(text)
        found = read_table(tmp_path / "a.json")
        assert (found.columns, found.rows, found.is_text) == (("a",), ((1,), (None,)), False)
    (tmp_path / "a.json").write_text("[[1, 2]]")
    assert read_table(tmp_path / "a.json").rows == ((1, 2),)


def test_a_file_that_is_too_large(tmp_path):
    with (tmp_path / "a.csv").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert read_table(tmp_path / "a.csv").too_large


def test_a_link_out_of_the_folder_is_not_followed(lite, tmp_path):
    folder = submission(tmp_path / "mine", local002_csv="n\n1\n2\n")
    (tmp_path / "secret.csv").write_text("n\n1\n")
    (folder / "bq001.csv").symlink_to(tmp_path / "secret.csv")
    case = next(iter(sj.read_cases(lite, predictions=folder)))
    assert case.predicted_table.problem == "a link out of the folder"


def test_two_files_for_one_id(lite, tmp_path):
    folder = submission(tmp_path / "mine", bq001_csv="n\n1\n", bq001_sql="SELECT 1")
    with pytest.raises(InputError, match="SJ110"):
        sj.read_cases(lite, predictions=folder)


@pytest.mark.parametrize(
    ("stated", "results", "single", "expected"),
    [
        ([], 2, False, [[], []]),
        ([[]], 2, False, [[], []]),
        (None, 1, True, [[]]),
        ([1, 2], 2, False, [[1, 2], [1, 2]]),
        ([1, 2], 1, True, [[1, 2]]),
        ([1, 2], 1, False, [1]),
        ([[1], [2]], 2, False, [[1], [2]]),
        ([[1], [2], [3]], 2, False, [[1], [2]]),
        ([[1]], 2, False, [[1], None]),
    ],
)
def test_columns_that_count(stated, results, single, expected):
    assert columns_that_count(stated, results, is_single=single) == expected


def test_the_scripts_of_lite_and_snow_differ_in_a_lone_zero(tmp_path):
    for name, expected in {"lite": (0, 1), "snow": (0,)}.items():
        folder = tmp_path / name
        folder.mkdir()
        path = make(folder, name)
        standards = [dict(one, condition_cols=[0]) for one in STANDARDS]
        lines(folder / "evaluation_suite" / "gold" / f"spider2{name}_eval.jsonl", standards)
        third = list(sj.read_cases(path))[2]
        assert third.reference_tables[0].counted == expected


# ---------------------------------------------------------------- as published


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["lite", "snow"])
def test_every_published_result_is_right_against_itself(data_dir, tmp_path, name):
    with tarfile.open(data_dir / "spider2" / f"spider2-{name}.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    path = tmp_path / f"spider2-{name}" / f"spider2-{name}.jsonl"
    own = {case.id: case.reference_tables[0] for case in sj.read_cases(path)}
    gold = path.parent / "evaluation_suite" / "gold" / "exec_result"
    folder = tmp_path / "mine"
    folder.mkdir()
    for key, table in own.items():
        if not table.problem:
            (folder / f"{key}.csv").write_bytes((gold / table.name).read_bytes())
    judges = ["execution:spider2", "execution:strict"]
    found = sj.evaluate(path, predictions=folder, judges=judges, workers=0)
    for judge in judges:
        outcomes = [outcome for outcome, _ in said(found, judge)]
        assert (outcomes.count("correct"), outcomes.count("reference_error")) == (546, 1)
