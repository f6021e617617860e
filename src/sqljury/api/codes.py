"""Error codes of the Python functions, each with its title and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ315": (
        "no such data profile or assumption",
        "Generated databases are clean, or have nulls, duplicates (equal rows in tables without a "
        "key), foreign_keys_violated, keys_violated or edge_values; several are joined by +: "
        "clean+nulls.",
    ),
    "SJ316": (
        "no schema to compare queries on",
        "Queries are compared on data made for their tables. Give --schema FILE (CREATE TABLE "
        "statements, or Spider's tables.json with --db-id), or --database FILE-OR-URL.",
    ),
    "SJ318": (
        "a query that cannot be read",
        "Its operator tree is built from the text and the schema: every table and column must be "
        "in the schema, and the text must be one SELECT statement.",
    ),
    "SJ319": (
        "no such dialect",
        "Dialects have sqlglot's names: sqlite, postgres, mysql, duckdb, bigquery, snowflake, "
        "tsql, ...",
    ),
    "SJ328": (
        "a server that no counterexample can be run on",
        "`compare --replay` takes the URL of a database on a PostgreSQL, MySQL or MariaDB server: "
        "postgresql://user@host/database. Any database does; nothing in it is read or written.",
    ),
    "SJ329": (
        "no such rewrite rule",
        "`sqljury list rules` lists the rules' names; `plan --canonical --json` prints the same "
        "names.",
    ),
    "SJ320": (
        "no schema of a question's database",
        "Prompts and graphs are made from the schema. Give --databases or --schemas; the message "
        "names the database where only one is missing.",
    ),
    "SJ418": (
        "runs that cannot be compared",
        "Two runs are compared judge by judge and case by case: they need a judge in common, and "
        "cases in common, by benchmark, id and source, by benchmark and id, or by id.",
    ),
    "SJ419": (
        "scores that are no leaderboard",
        "Several runs are printed as one table if each judge judged all of them with the same "
        "version, options and limits. The message shows both signatures.",
    ),
    "SJ347": (
        "a table of features that a jury cannot be trained on",
        "`sqljury train jury` reads tables that `sqljury evaluate --features` wrote as .jsonl, "
        "of cases that have labels.",
    ),
    "SJ355": (
        "a run without answers of models to labelled cases",
        "`sqljury agree --calibrate` reads a run of a jury that asked models, and labels of its "
        "cases: sqljury evaluate cases.json -j jury,models=PROVIDER:MODEL,target=1 --run RUN, then "
        "sqljury agree RUN --labels labels.csv --calibrate mine.json.",
    ),
}
