"""The query in what a model wrote."""

import pytest

from sqljury.extraction import sql_in, statement_in

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
    "a label before": ("SQL: SELECT a FROM t", "SELECT a FROM t"),
    "a label and inline code": ("The query is: `SELECT a FROM t`.", "SELECT a FROM t"),
    "inline code": ("Run `SELECT a FROM t`, then look.", "SELECT a FROM t"),
    "prose after a semicolon": ("SELECT a FROM t; This is why.", "SELECT a FROM t"),
    "a block on one line": ("It is ```sql SELECT 1``` here.", "SELECT 1"),
    "a query, then an index": (
        "```sql\nSELECT 1\n```\n```sql\nCREATE INDEX i ON t (a)\n```",
        "SELECT 1",
    ),
    "a query, then the wish to abstain": (
        "```sql\nSELECT 1\n```\n```sql\nnot_answerable\n```",
        None,
    ),
    "thoughts with an opening tag": ("<think>SELECT 0?\n</think>\nSELECT 1", "SELECT 1"),
    "thoughts without an end": ("<think>SELECT 0?\nSELECT 1", ""),
    "prose that begins with With": ("With this schema:\nSELECT a FROM t", "SELECT a FROM t"),
    "prose that begins with Select": ("Select the name so:\nSELECT a FROM t", "SELECT a FROM t"),
    "a fence in a literal": ("So:\n```sql\nSELECT '```' AS a\n```\nDone.", "SELECT '```' AS a"),
    "a tag in a literal": ("So:\n```sql\nSELECT '</think>'\n```", "SELECT '</think>'"),
    "a write before the query": ("Sure:\nDELETE FROM t;\nSELECT 1", "DELETE FROM t;\nSELECT 1"),
    "an empty line in the query": ("So:\nSELECT a\n\nFROM t", "SELECT a\n\nFROM t"),
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
    for part in ("'", '"', "`", "```sql SELECT '", "\n\n", ";", "/*", "(", "select ", "a:"):
        statement_in(f"SELECT 1;{part * 50_000}")
        statement_in(f"So: {part * 50_000}")


AS_WRITTEN = [
    "",
    "SELECT 1;",
    "  SELECT 1\n",
    "SELECT a\n\nFROM t\n\n\nWHERE b = 1;\n",
    "SELECT\n\na,\n\nb FROM t",
    "SELECT '```' FROM t WHERE a LIKE '<think>%</think>'",
    "SELECT 'So:\n```sql\nSELECT 2\n```\n\nThis is why' FROM t",
    "-- It's a comment\nSELECT 1 -- don't\n\n/* ``` */",
    "SELECT 1; DROP TABLE t",
    "SELECT 1;\n\nDELETE FROM t;",
    "DROP TABLE t;\nSELECT 1",
    "WITH -- It's first\n\n  x AS (SELECT 1)\n\n-- then\nSELECT * FROM x",
    "(SELECT 1) UNION SELECT 2",
    "FROM t SELECT a",
    "PRAGMA writable_schema = 1;\nSELECT 1",
    "Select a From t",
    "SELECT 'unclosed FROM t\n\nThis is why",
    "I cannot select that.",
    "There is no answer: the table is missing.",
    "```\n```",
    "SELECT ```sql name FROM t ```",
    "SELECT",
    "null",
    "```sql\nnot_answerable\n```",
    "<think>SELECT 1",
]


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_what_is_sql_or_only_prose_stays_as_it_is(text: str) -> None:
    assert statement_in(text) == text


TAKEN_OUT = [
    ("SELECT 1\n```\nThis is why.", "SELECT 1"),
    ("SELECT a FROM t;\n\nThis counts; it's right.", "SELECT a FROM t"),
    ("SELECT a FROM t\n\n**Explanation**", "SELECT a FROM t"),
    ("SELECT a FROM t\nQuestion: next", "SELECT a FROM t"),
    ("sql\nSELECT 1", "SELECT 1"),
    ("SELECT 1;<|im_end|>", "SELECT 1"),
    ("SELECT ```sql SELECT '\\'s' ```", "SELECT '\\'s'"),
    ("Sure!\n```sql\nDELETE FROM t\n```", "DELETE FROM t"),
]


@pytest.mark.parametrize(
    ("text", "sql"), [*TAKEN_OUT, *(pair for pair in SAID.values() if pair[1])]
)
def test_a_prediction_is_taken_out(text: str, sql: str) -> None:
    assert statement_in(text) == sql


@pytest.mark.parametrize(
    "second",
    [
        "COMMIT; DROP TABLE t",
        "commit; drop table t",
        "GRANT ALL ON t TO x",
        "DO sleep(1)",
        "LOAD 'x'",
        "kill 5",
        "exec xp_cmdshell 'x'",
        "set x = 1;",
        "use mysql; drop table t;",
        "DROP USER x",
        "/* x */ LOCK TABLES t WRITE",
    ],
)
def test_a_second_statement_is_no_prose(second: str) -> None:
    for between in ("; ", ";\n", ";\n\n"):
        assert statement_in(f"SELECT 1{between}{second}").rstrip("; ").endswith(second.rstrip("; "))


@pytest.mark.parametrize(
    "prose",
    ["use this query to see it", "set in lower case, it is fine.", "Commit this to memory."],
)
def test_prose_behind_a_semicolon_is_no_statement(prose: str) -> None:
    assert statement_in(f"SELECT 1; {prose}") == "SELECT 1"
