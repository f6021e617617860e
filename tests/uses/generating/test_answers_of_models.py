"""The query in what a model wrote."""

import pytest

from sqljury.extraction import sql_in
from sqljury.uses.generating import MODES

SAID = {
    "a fenced block": ("It is this:\n```sql\nSELECT 1;\n```\nDone.", "SELECT 1"),
    "the last of several": ("```sql\nSELECT 1\n```\nNo:\n```sql\nSELECT 2\n```", "SELECT 2"),
    "a block with a dialect": ("```sqlite\nSELECT 1\n```", "SELECT 1"),
    "an unmarked block": ("```\nSELECT 1\n```", "SELECT 1"),
    "an unmarked block of something else": ("```\nname\n```\nSELECT a FROM t;", "SELECT a FROM t"),
    "a block that was cut": ("```sql\nSELECT a FROM", "SELECT a FROM"),
    "nothing else": ("SELECT a FROM t", "SELECT a FROM t"),
    "prose before": ("The answer:\nselect a\nfrom t;\nThis is why.", "select a\nfrom t"),
    "prose after an empty line": ("SELECT a FROM t\n\nQuestion: next", "SELECT a FROM t"),
    "WITH": ("WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x"),
    "thoughts": ("I SELECT\n```sql\nSELECT 0\n```</think>SELECT 1", "SELECT 1"),
    "a semicolon in a text": ("SELECT a FROM t WHERE b = ';'", "SELECT a FROM t WHERE b = ';'"),
    "no query": ("I cannot do that.", ""),
    "nothing": ("", ""),
    "the words not_answerable": ("```sql\nnot_answerable\n```", None),
    "the bare words": (" not_answerable\n", None),
    "after a name": ("Answer: not_answerable", None),
    "as a sentence": ("Not answerable.", None),
    "in a plain fence": ("The answer is\n```\nnot_answerable\n```", None),
    "in a comment of an SQL fence": ("```sql\n-- not_answerable: no such column\n```", None),
    "NULL": ("SQL: NULL", None),
    "NULL in a fence": ("```sql\nNULL;\n```", None),
    "prose": ("With this schema, the question cannot be answered.", None),
    "prose beside a query": ("This is not answerable as asked, so:\nSELECT 1", "SELECT 1"),
    "before another question": ("not_answerable\n\nQuestion: next\nSELECT 1", None),
    "a query before another question": ("SELECT 1\n\nQuestion: next\nnot_answerable", "SELECT 1"),
    "a column of that name": ("SELECT unanswerable FROM t", "SELECT unanswerable FROM t"),
    "a null in a query": ("SELECT NULL", "SELECT NULL"),
}


@pytest.mark.parametrize("name", SAID)
def test_it_is_found(name: str) -> None:
    said, sql = SAID[name]
    assert sql_in(said) == sql


def test_a_long_text_takes_no_long_time() -> None:
    assert sql_in("``` " * 300_000 + "a\n" * 300_000 + "```sql\nSELECT 1\n```") == "SELECT 1"
    assert sql_in("\n" * 1_000_000 + "select 1") == "select 1"
    assert sql_in("answer" * 30_000 + " \n" * 50_000) == ""
    assert sql_in("with " * 40_000) == ""


NO = {"sql": None, "mark": "incorrect", "withheld": "SELECT 1"}
YES = {"sql": "SELECT 1", "mark": "correct"}
MARKED = [
    ("```sql\nSELECT 1 # correct\n```", YES),
    ("```sql\nSELECT 1;\n# correct.\n```", YES),
    ("```sql\nSELECT 1 -- INCORRECT\n```", NO),
    ("```sql\nSELECT 1\n```\n# incorrect", NO),
    ("SELECT 1 # incorrect", NO),
    ("SELECT 1", {"sql": "SELECT 1"}),
    ("SELECT '# correct' FROM t", {"sql": "SELECT '# correct' FROM t"}),
    ("```sql\nnot_answerable\n```", {"sql": None, "abstained": "not_answerable"}),
    ("Answer: null", {"sql": None, "abstained": "null"}),
    ("It cannot be answered.", {"sql": None, "abstained": "in words"}),
    ("I cannot.", {"sql": ""}),
]


@pytest.mark.parametrize(("text", "candidate"), MARKED)
def test_a_mark_is_no_part_of_the_query(text: str, candidate: dict[str, str | None]) -> None:
    assert MODES["verbal"].read(text) == candidate
