"""Error codes of adapters for other tools: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ850": (
        "an assertion has nothing to judge by",
        "`assert_sql` compares the prediction with reference=, or judges it by a judge that needs "
        "no reference: judge='faults'. `sqljury list judges` says what each judge needs. With "
        "a folder as database= it needs db_id=.",
    ),
    "SJ851": (
        "a reward cannot be computed from this",
        "A reward is the weighted mean of its judges' scores: every weight is a number above 0. "
        "OpenRLHF's labels are JSON objects with a reference and a db_id.",
    ),
    "SJ852": (
        "there is no such tracker",
        "--track takes mlflow[:EXPERIMENT] and wandb[:PROJECT]. A package adds one by an entry "
        "point in the group sqljury.trackers; docs/trackers.md says how.",
    ),
    "SJ853": (
        "a tracker does not take a run",
        "Its server cannot be reached, or refuses the login or the data. The verdicts are in the "
        "run's folder; `sqljury report RUN --track …` logs them later.",
    ),
    "SJ854": (
        "this judge asks a chat model, which a service does not",
        "`sqljury serve` and `sqljury mcp` judge without models, so that no caller spends money. "
        "`sqljury list judges` says what each judge needs.",
    ),
    "SJ855": (
        "there are no databases that callers may use",
        "Callers name databases, and may only use those that the server was given and can list: a "
        "folder, a file, a URL of a server, or --schemas with CREATE TABLE statements.",
    ),
    "SJ856": (
        "the caller names a database that the server was not given",
        "db_id is one of the names that --databases and --schemas have. With one database it may "
        "be left out.",
    ),
    "SJ857": (
        "a DSPy field is missing",
        "Predictions of the program have the query in the field sql (or predicted_sql, query, "
        "answer), examples the reference in reference (or reference_sqls, query, gold, sql).",
    ),
}
