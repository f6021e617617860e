"""YAML, and SQL scripts whose statements go over several lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqljury as sj
from sqljury.benchmarks.texts import statements_of
from sqljury.errors import InputError


@pytest.mark.parametrize(
    ("script", "queries"),
    [
        ("SELECT a\nFROM t;\n\nSELECT ';'\n;", ["SELECT a\nFROM t", "SELECT ';'"]),
        ("-- 1\nSELECT a\nUNION\nSELECT b;\n/* 2;\n */ SELECT c", ["SELECT a\nUNION\nSELECT b", "SELECT c"]),
        ("WITH x AS (\nSELECT 1\n)\nSELECT * FROM x;", ["WITH x AS (\nSELECT 1\n)\nSELECT * FROM x"]),
        ("SELECT a WHERE b IN (\nSELECT d)\n;", ["SELECT a WHERE b IN (\nSELECT d)"]),
        ("SELECT 'it''s;'\nFROM t;", ["SELECT 'it''s;'\nFROM t"]),
    ],
)  # fmt: skip
def test_statements_go_over_lines(script: str, queries: list[str]) -> None:
    found = statements_of(script)
    assert found is not None
    assert [one.text for one in found] == queries


@pytest.mark.parametrize(
    "lines",
    [
        "SELECT a;\nSELECT b;\n",
        "SELECT a\nFROM t\n",
        "SELECT a;\nI do not know\nSELECT b;",
        "SELECT a;\nSELECT b\nSELECT c\nFROM d;",
        "SELECT a FROM t WHERE b = ';'\tdb\nSELECT c\tdb\n",
        "",
    ],
    ids=["one a line", "no end", "an answer that is no query", "two without an end", "gold", "empty"],
)  # fmt: skip
def test_what_may_be_one_query_a_line_is(lines: str) -> None:
    assert statements_of(lines) is None


def test_a_script_of_predictions_is_joined_by_place(tmp_path: Path) -> None:
    (tmp_path / "gold.sql").write_text("SELECT 1\tdb\nSELECT 2\tdb\n")
    (tmp_path / "system.sql").write_text("-- first\nSELECT\n  1;\n-- second\nSELECT\n  3;\n")
    cases = list(sj.read_cases(tmp_path / "gold.sql", predictions=tmp_path / "system.sql"))
    assert [one.predicted_sql for one in cases] == ["SELECT\n  1", "SELECT\n  3"]
    assert not [w for w in sj.read_cases(tmp_path / "system.sql").warnings if "row" in w]


YAML = """# three plants
- id: 1
  question: Which bloomed on 2012-08-25?
  day: 2012-08-25
  reference_sql: |
    SELECT name FROM plant
    WHERE day = '2012-08-25'
  predicted_sql: SELECT name FROM plant
- {id: 2, question: "How many: all?", reference_sql: SELECT 2, predicted_sql: null}
"""


def test_yaml_is_read_as_json_is(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(YAML)
    first, second = sj.read_cases(tmp_path / "cases.yaml")
    assert first.reference_sqls[0].splitlines()[1] == "WHERE day = '2012-08-25'"
    assert (first.extra["day"], first.origin) == ("2012-08-25", "cases.yaml:2")
    assert (second.predicted_sql, second.origin) == (None, "cases.yaml:9")


def test_yaml_predictions_by_id(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(YAML)
    (tmp_path / "system.yml").write_text("1: SELECT 5\n2: SELECT 6\n")
    cases = sj.read_cases(tmp_path / "cases.yaml", predictions=tmp_path / "system.yml")
    assert [one.predicted_sql for one in cases] == ["SELECT 5", "SELECT 6"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- id: 1\n  question: a: b: c\n", "SJ106 cases.yaml:2: broken YAML"),
        ("- &a [x, x]\n- [*a, *a]\n", "SJ106 cases.yaml:2: broken YAML: an alias"),
        ("- !!python/object/apply:os.system [ls]\n", "SJ106 cases.yaml:1: broken YAML"),
        ("1: SELECT 1\n1: SELECT 2\n", "SJ110 cases.yaml:2: the key '1' stands twice"),
        ("[" * 1500, "SJ106 cases.yaml:1: broken YAML: nested more than 100 levels deep"),
        ("- " * 1500 + "a", "SJ106 cases.yaml:1: broken YAML: nested more than 100 levels deep"),
        ("- \n", "SJ10"),
        ("", "SJ103"),
        ("just text", "SJ106"),
    ],
)
def test_broken_yaml_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "cases.yaml").write_text(text)
    with pytest.raises(InputError, match=r".*") as caught:
        list(sj.read_cases(tmp_path / "cases.yaml"))
    assert str(caught.value).startswith(said)
