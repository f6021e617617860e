"""Error codes of runs: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ401": ("not a run", "A run is the folder that --run named; it contains run.sqlite."),
    "SJ402": (
        "the run's store cannot be used",
        "run.sqlite in the run's folder is damaged, not writable, or not SQLite. Name another "
        "--run folder; nothing in the old one is changed.",
    ),
    "SJ403": (
        "a run of another version",
        "The store's layout changed. Start a new run; verdicts cannot be carried over.",
    ),
    "SJ404": (
        "two cases with one key",
        "A case is known by benchmark, id and prediction source. Give ids that differ, or name "
        "the column that tells the cases apart with --map id=COLUMN or --map source=COLUMN.",
    ),
    "SJ405": ("a worker cannot be started", "The system refused a new process; see its message."),
    "SJ406": (
        "workers die at once",
        "Several workers ended before judging anything: a broken installation, or a judge of "
        "your own that ends the process when imported.",
    ),
    "SJ407": ("no judge", "Ask for at least one: --judge execution."),
    "SJ408": ("a judge twice", "Each judge can be named only once in a run."),
    "SJ409": ("no cases", "The files have no case that can be judged."),
    "SJ410": (
        "no database at all",
        "None of the databases that the cases name was found, so that nothing could be learnt. "
        "One missing database is no error: its cases end as database_missing.",
    ),
    "SJ411": (
        "a judge in the main script",
        "Workers are processes of their own and import judges by name; what is defined in the "
        "script that is being run, or in a notebook, has none.",
    ),
    "SJ413": (
        "no databases were named",
        "Judges that execute need databases: a folder, a file, or a URL with {db_id}. Those that "
        "look at texts alone (exact_match, exact_set_match) do not.",
    ),
    "SJ414": (
        "no schema known",
        "The judge compares queries without running them, but must know tables and columns. They "
        "come from --databases, from --schema (CREATE TABLE statements for one database, Spider's "
        "tables.json for many), or from the cases themselves (schema_sql).",
    ),
    "SJ415": (
        "a judge needs test suites",
        "It looks at several databases for each case: name their folder with --suites, with "
        "DB_ID/*.sqlite or DB_ID.tar.xz in it. `sqljury build suite` makes some.",
    ),
    "SJ416": (
        "verdicts are missing",
        "The judge could not be had for some cases: a server was gone, a database file is damaged, "
        "a model gave no answer that can be used, or a run was stopped. Such cases are not in the "
        "denominator, so no threshold is held against the score: the exit code is 3. The same "
        "command judges what is missing, and only that.",
    ),
    "SJ420": (
        "a database changed while it was judged",
        "Its file was replaced or written to during the run. Verdicts from before are kept; "
        "those that may be about the new contents are not. Run the same command again: it judges "
        "again what depends on the database.",
    ),
    "SJ421": (
        "the server does not answer any more",
        "Several attempts in some seconds failed. What was judged is kept: when the server "
        "is back, the same command goes on.",
    ),
    "SJ422": (
        "no Ray cluster",
        "Start one with `ray start --head` and `ray start --address HOST:6379` on the other nodes; "
        "--executor ray:HOST:6379 names it, RAY_ADDRESS does too.",
    ),
    "SJ423": (
        "another version on a node",
        "Nodes judge with the sqljury that is installed there: install the driver's version.",
    ),
    "SJ424": (
        "databases that cannot be sent",
        "A node without the folder that the run names is sent its files. Several folders joined by "
        "commas are not: name one, put it on a disk that all nodes share, or name a server.",
    ),
    "SJ425": (
        "a database or a test suite is another on a node",
        "Its contents or the engine's version differ from those where the run was started, so that "
        "its verdicts could be others. What was found before is kept.",
    ),
    "SJ426": (
        "all nodes are lost",
        "Each was handed cases and died or could not be reached any more. What was found is kept: "
        "the same command goes on.",
    ),
    "SJ427": ("no such executor", "`local`, or `ray` with the address of a cluster."),
    "SJ428": ("no such shard", "--shard takes I/N: 2/8 is the second of eight parts of the input."),
    "SJ430": (
        "a run's folder that was named for other cases",
        "A folder holds the run of one input, which may change: cases that are still in it keep "
        "their verdicts. Where none of its cases is left it is another input, whose run needs a "
        "folder of its own.",
    ),
    "SJ429": (
        "runs that cannot be merged",
        "One run is made of all shards of one input, each once, or of runs over several inputs. "
        "They must be by the same judges and version, within the same limits, and over the same "
        "contents of the databases that they share; it goes into a folder with nothing in it.",
    ),
}
