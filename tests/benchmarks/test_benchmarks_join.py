"""Predictions joined to references: nothing is dropped, shifted or guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import MISSING, Missing
from sqljury.errors import InputError

MARK = "\t----- bird -----\t"
SPIDER = [{"question": f"q{i}", "query": f"SELECT {i}", "db_id": "ab"[i % 2]} for i in range(4)]
# As in mini-dev: the ids are neither positions nor in order.
BIRD = [
    {"question_id": id_, "question": "q", "db_id": db_id, "evidence": "", "SQL": "SELECT 1"}
    for id_, db_id in ((2, "x"), (0, "y"), (7, "x"), (1, "y"))
]


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def join(folder: Path, references: Any, predictions: Any) -> tuple[list[Any], tuple[str, ...]]:
    """The predicted SQL by reference, and the warnings."""
    gold = written(folder, "gold.json", references)
    suffix = ".txt" if isinstance(predictions, str) else ".json"
    cases = read_cases(gold, predictions=written(folder, f"system{suffix}", predictions))
    found = list(cases)
    assert [case.source for case in found] == ["system"] * len(references)
    return [case.predicted_sql for case in found], cases.warnings


LINES: list[tuple[str, list[str | Missing | None]]] = [
    ("A\nB\nC\nD\n", ["A", "B", "C", "D"]),
    ("A\nB\nC\nD", ["A", "B", "C", "D"]),
    ("A\r\nB\r\nC\r\nD\r\n", ["A", "B", "C", "D"]),
    ("\ufeffA\nB\nC\nD\n", ["A", "B", "C", "D"]),
    ("A\n\nC\nD\n", ["A", "", "C", "D"]),
    ("A\n  \nC\nD\n", ["A", "", "C", "D"]),
    ("\nB\nC\nD\n", ["", "B", "C", "D"]),
    ("A\nB\nC\n\n", ["A", "B", "C", ""]),
    ("A\nB\nC\nD\n\n\n", ["A", "B", "C", "D"]),
    ("A\nnull\nnot_answerable\nD\n", ["A", None, None, "D"]),
    ("A\ta\nB\tb\nC\ta\nD\tb\n", ["A", "B", "C", "D"]),
    ("A\ta\n\nC\ta\nD\tb\n", ["A", "", "C", "D"]),
    ("A\nB\tx y\nC\nD\n", ["A", "B\tx y", "C", "D"]),
    (f"A{MARK}a\nB{MARK}b\nC{MARK}a\nD{MARK}b\n", ["A", "B", "C", "D"]),
    ("A\x0bA\nB\u2028B\nC\x85C\nD\x1cD\n", ["A\x0bA", "B\u2028B", "C\x85C", "D\x1cD"]),
    ("A\rA\nB\nC\nD\n", ["A\rA", "B", "C", "D"]),
]


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_lines(tmp_path: Path, text: str, expected: list[str | Missing | None]) -> None:
    found, warnings = join(tmp_path, SPIDER, text)
    assert found == expected
    blank = any(not line.strip() for line in text.rstrip("\n").split("\n"))
    assert [warning.partition(": ")[2] for warning in warnings] == [
        "the row holds nothing; it counts as a line all the same."
    ] * blank


def test_fewer_lines_are_missing_and_said(tmp_path: Path) -> None:
    found, warnings = join(tmp_path, SPIDER, "A\nB\n")
    assert found == ["A", "B", MISSING, MISSING]
    assert warnings == (
        "system.txt: no prediction for 2 of 4 references of gold.json (first: 2); "
        "they count as prediction_missing.",
    )


OBJECTS: list[tuple[Any, list[str | Missing | None]]] = [
    # keys that fit as ids only, as positions only, told apart by the database
    ({"2": "A", "0": "B", "7": "C", "1": "D"}, ["A", "B", "C", "D"]),
    ({"0": "A", "1": "B", "2": "C", "3": "D"}, ["A", "B", "C", "D"]),
    ({"0": f"B{MARK}y", "1": f"D{MARK}y"}, [MISSING, "B", MISSING, "D"]),
    ({"0": f"A{MARK}x", "2": f"C{MARK}x"}, ["A", MISSING, "C", MISSING]),
    # all of a larger benchmark
    ({str(i): f"P{i}" for i in range(9)}, ["P2", "P0", "P7", "P1"]),
    ({"7": None, "2": "", "0": 0, "1": "null"}, ["", "", None, None]),
    ({"7": "C"}, [MISSING, MISSING, "C", MISSING]),
    (["A", None, "", "D"], ["A", None, "", "D"]),
    ([{"question_id": 7, "SQL": "C"}, {"question_id": "2", "SQL": "A"}],
     ["A", MISSING, "C", MISSING]),
    ([{"question_id": 7, "predicted_sql": None}, {"question_id": 2}],
     [MISSING, MISSING, None, MISSING]),
    ([{"question_id": 0, "sql": "B"}, {"question_id": 1, "sql": "D"}],
     [MISSING, "B", MISSING, "D"]),
    ([{"sql": "A"}, {"sql": "B"}, {"sql": "C"}, {"sql": "D"}], ["A", "B", "C", "D"]),
]  # fmt: skip


@pytest.mark.parametrize(("predictions", "expected"), OBJECTS)
def test_objects(tmp_path: Path, predictions: Any, expected: list[str | Missing | None]) -> None:
    found, _ = join(tmp_path, BIRD, predictions)
    assert found == expected


REFUSED: list[tuple[Any, Any, str]] = [
    (SPIDER, "A\nB\nC\nD\nE\n",
     "SJ111 system.txt: 5 predictions, but gold.json has 4 references. "
     "Predictions without ids must be in the order of the references."),
    (SPIDER, "A\nB\nC\nD\n\nE\n\n",
     "SJ111 system.txt: 6 predictions, but gold.json has 4 references. "
     "Predictions without ids must be in the order of the references."),
    (SPIDER, "B\tb\nA\ta\n",
     "SJ113 system.txt:1: the prediction is for database 'b', but its reference (0) for 'a'. "
     "Do these predictions belong to gold.json?"),
    (BIRD, {"0": "A", "1": "B"},
     "SJ112 system.json: the keys fit gold.json both as ids and as positions. "
     'Write a list of {"question_id": …, "predicted_sql": …}, or all predictions, '
     "or name the databases: SQL<tab>----- bird -----<tab>db_id."),
    (BIRD, {"11": "A"},
     "SJ112 system.json: the key '11' is not an id of gold.json, and not all keys are positions. "
     "Its 4 ids are 2, 0, 7, 1."),
    (BIRD, {"2": f"A{MARK}z"},
     "SJ113 system.json[\"2\"]: the prediction is for database 'z', but its reference (2) for "
     "'x'. Do these predictions belong to gold.json?"),
    (BIRD, '{"7": "A", "7": "B"}',
     "SJ110 system.txt: the key '7' stands twice in one object. Rename one of the two, or take it out."),
    (BIRD, [{"id": 7, "sql": "A"}, {"id": 7, "sql": "B"}],
     "SJ110 system.json[1]: two predictions for id '7'; the other is at system.json[0]. "
     "Give each system's predictions in a file of its own."),
    (BIRD, [{"id": 7, "text": "A"}],
     'SJ104 system.json[0]: no "predicted_sql" (keys: id, text). Is it the right file, '
     'with a header? --map predicted_sql=KEY names a key that has it.'),
    (BIRD, {"7": ["A", ["B"]]},
     "SJ105 system.json[\"7\"]: '7' must be SQL text or null, not a list. "
     "null is an abstention, an empty text a prediction that cannot run."),
    (BIRD, [], "SJ103 system.json: there are no predictions in the file."),
    (BIRD, "", "SJ103 system.txt: the file is empty."),
]  # fmt: skip


@pytest.mark.parametrize(("references", "predictions", "message"), REFUSED)
def test_refused(tmp_path: Path, references: Any, predictions: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        join(tmp_path, references, predictions)
    assert str(error.value) == message


def test_two_systems_stand_beside_each_other(tmp_path: Path) -> None:
    gold = written(tmp_path, "gold.json", SPIDER)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    systems = [written(tmp_path, f"{name}/dev.txt", "A\nB\nC\nD\n") for name in ("one", "two")]
    found = [(case.id, case.source) for case in read_cases(gold, predictions=systems)]
    assert found == [(str(i), f"{name}/dev") for i in range(4) for name in ("one", "two")]


def test_a_label_belongs_to_its_prediction(tmp_path: Path) -> None:
    """The experts judged the old prediction, not the joined one."""
    rose = [
        {"question_id": 1, "predicted_sql": "OLD", "gold_sql": "G", "label": True, "db_id": "a"},
        {"question_id": 2, "predicted_sql": "OLD", "gold_sql": "G", "label": True, "db_id": "a"},
    ]
    gold = written(tmp_path, "gold.json", rose)
    new = written(tmp_path, "new.json", [{"question_id": 1, "predicted_sql": "N", "label": False}])
    assert [(case.predicted_sql, case.label) for case in read_cases(gold, predictions=new)] == [
        ("N", False),
        (MISSING, None),
    ]


def test_mapping_reaches_the_file_that_has_the_key(tmp_path: Path) -> None:
    gold = written(tmp_path, "gold.csv", "nr,frage,gold_sql\n5,warum?,SELECT 5\n6,wie?,SELECT 6\n")
    new = written(tmp_path, "new.jsonl", '{"nr": 6, "out": "B"}\n{"nr": 5, "out": "A"}\n')
    mapping = {"id": "nr", "question": "frage", "predicted_sql": "out"}
    found = list(read_cases(gold, predictions=new, mapping=mapping))
    assert [(case.id, case.question, case.predicted_sql) for case in found] == [
        ("5", "warum?", "A"),
        ("6", "wie?", "B"),
    ]
