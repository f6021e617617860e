"""Errors for users: a stable code, what, where, and what to do.

Exceptions are for what happens to the program; what happens to a case is a
:class:`~sqljury.verdict.Verdict`.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_BELOW_THRESHOLD = 1
EXIT_INPUT = 2
EXIT_INFRASTRUCTURE = 3


class SqljuryError(Exception):
    """An error whose text is written for the user.

    Args:
        code: a stable code out of :data:`CATALOGUE` (``SJ104``).
        message: what is wrong.
        where: ``file:line``, a case id, a database; empty when the message says it.
        hint: what to do, ideally something that can be pasted.
    """

    exit_code = EXIT_INPUT

    def __init__(self, code: str, message: str, *, where: str = "", hint: str = "") -> None:
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.code} {where}{self.message}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders; keyword-only arguments would be lost by default.
        return (_rebuild, (type(self), self.code, self.message, self.where, self.hint))


def _rebuild(
    kind: type[SqljuryError], code: str, message: str, where: str, hint: str
) -> SqljuryError:
    return kind(code, message, where=where, hint=hint)


class InputError(SqljuryError):
    """Usage, or input that cannot be used at all (exit code 2)."""


class InfrastructureError(SqljuryError):
    """A server, an endpoint, a driver or this machine failed (exit code 3)."""

    exit_code = EXIT_INFRASTRUCTURE


class MissingExtraError(InfrastructureError):
    """An optional dependency is not installed; the text prints the pip command."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            "SJ001",
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=f'Run: pip install "sqljury[{extra}]"',
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_plain, (self.code, self.message, self.where, self.hint))


def _rebuild_plain(code: str, message: str, where: str, hint: str) -> InfrastructureError:
    return InfrastructureError(code, message, where=where, hint=hint)


# What `sqljury explain CODE` prints: code -> (title, explanation). One block a room.
CATALOGUE: dict[str, tuple[str, str]] = {
    # --- SJ0xx: the program itself
    "SJ001": (
        "an optional dependency is missing",
        "The core installs light; engines and formats come as extras. Run the pip command that "
        "the message prints, or `sqljury doctor` to see all extras at once.",
    ),
    "SJ002": ("not a size", "Sizes are a number with an optional unit: 268435456, 256MiB, 1GiB."),
    "SJ003": (
        "not one of the choices",
        "--unknown says what a case without a score counts as in `agree`: no (the default), or "
        "exclude, which leaves it out of kappa, accuracy, MCC and F1.",
    ),
    "SJ005": (
        "a threshold is wrong",
        "`agree --fail-under` takes a statistic and a fraction: kappa=0.75, f1=0.9. Statistics are "
        "the keys of `agree --json`.",
    ),
    "SJ006": (
        "options that do not go together",
        "The message says which option needs which other one.",
    ),
    "SJ007": (
        "a fault of sqljury",
        "Something happened that nobody foresaw. What was judged until then is kept, and the same "
        "command goes on. SQLJURY_DEBUG=1 prints the place in the code: please report it.",
    ),
    "SJ004": ("no such code", "Codes are printed at the start of each error, such as SJ104."),
    # --- SJ010 to SJ019: the demonstration (demo/)
    "SJ010": (
        "a file is in the way of the demonstration",
        "The demonstration replaces only files that it wrote itself and that nobody changed "
        "since. Move the file away, or choose another folder; nothing was written.",
    ),
    # --- SJ020 to SJ029: trained models (learning/)
    "SJ020": (
        "a model file that cannot be used",
        "Models are files that `sqljury train` wrote, of the version that reads them; they hold "
        "numbers and text only, and nothing in them can run.",
    ),
    "SJ021": (
        "too little to train on",
        "A detector needs questions of both kinds, answerable and not (or SQL that is right and "
        "SQL that is wrong), at least five of each. A graph network needs pairs of both labels for "
        "training and, of other databases, for validation.",
    ),
    "SJ022": (
        "a language model that cannot be loaded",
        "It is the folder of a causal language model as transformers writes it (config.json, "
        "tokenizer, weights), of a PEFT adapter whose base model is where it was, or, where a hub "
        "can be reached, a model's name.",
    ),
    "SJ023": (
        "a tokenizer without single tokens for Yes and No",
        "A verifier's score is the probability of one token. Nearly all published models have "
        "them; for others train with --objective bce, which ends in a number.",
    ),
    "SJ024": (
        "memory does not suffice for a model",
        "Batches are halved as long as they do not fit; this is a single prompt.",
    ),
    "SJ025": (
        "nothing that can be calibrated",
        "Calibration compares scores with labels: one finite score and one label for each case.",
    ),
    "SJ026": (
        "a verifier that cannot be used, or a folder that holds another one",
        "`sqljury train verifier` writes a folder with verifier.json, and goes on with what it "
        "finds there if base, data and settings are the same; otherwise give another --out. A "
        "verifier is read with the prompt that it was trained with.",
    ),
    "SJ027": (
        "too little to train a verifier on",
        "It needs candidates with labels, right and wrong ones, of at least ten questions: some "
        "questions are kept back for validation.",
    ),
    "SJ028": (
        "a representation that does not exist",
        "Detectors turn texts into vectors by lsa, embeddings[,model=FOLDER] or "
        "hidden,model=FOLDER[,layer=N][,pooling=mean|last]: a sentence model, or the hidden states "
        "of a language model, from a folder on this machine.",
    ),
    "SJ029": (
        "a file of pairs that cannot be used",
        "`sqljury train graph-match` reads what `sqljury build pairs` writes: a JSON object a "
        "line with db_id, reference, prediction, label (0 or 1) and split (train or validation). "
        "Schemas come from --databases or --schemas.",
    ),
    # --- SJ1xx: benchmark files (benchmarks/)
    "SJ101": (
        "no such file",
        "Paths are relative to where the command runs. Files of a similar name in the same folder "
        "are suggested.",
    ),
    "SJ102": (
        "not a file that can be read",
        "Give files, not folders: the questions first, predictions with --predictions, databases "
        "with --databases.",
    ),
    "SJ103": (
        "an empty file",
        "The file has no text, or a list without elements, or a table without rows.",
    ),
    "SJ104": (
        "a key that is needed is not there",
        "The message lists the keys that the file has. Name the right one with "
        "--map FIELD=KEY, such as --map predicted_sql=sql; docs/formats.md lists the fields and "
        "the names that are recognised.",
    ),
    "SJ105": (
        "a value of the wrong type",
        "Queries and questions are text, ids text or whole numbers. A prediction may be null: "
        "then the system abstains. An empty text is a prediction that cannot run.",
    ),
    "SJ106": (
        "a file that is broken, or built in a way that is not read",
        "JSON, CSV, Parquet or compression are damaged at the place that the message names, or "
        "the file must be unpacked first. Often a file was cut off while it was copied.",
    ),
    "SJ107": (
        "text that is not UTF-8",
        "Files are read as UTF-8, or as UTF-16 if they begin with its byte order mark. Convert "
        "others: iconv -f latin1 -t utf-8 FILE > NEW.",
    ),
    "SJ108": (
        "the wrong kind of file for its place",
        "Predictions are given with --predictions, after the file with the questions; results for "
        "`agree` are a list or a table with a score in each row.",
    ),
    "SJ109": (
        "not a label",
        "Labels say whether a prediction is right: true/false, yes/no, correct/incorrect or 1/0. "
        "Leave the value out where nobody has said anything.",
    ),
    "SJ110": (
        "the same id twice",
        "A case is known by benchmark, id and source. Give each benchmark and each system a file "
        "of its own, or a column `source`.",
    ),
    "SJ111": (
        "predictions and references do not match in number",
        "Predictions without ids belong to the references line by line. Fewer are allowed: the "
        "rest is prediction_missing. More cannot be right. A blank line is an empty prediction.",
    ),
    "SJ112": (
        "it cannot be told which prediction belongs to which question",
        "Keys of a prediction file are ids of the references or their positions from 0, whichever "
        "fits all of them and contradicts no database. Write a list of objects with question_id "
        "and predicted_sql to be sure.",
    ),
    "SJ113": (
        "a prediction for another database than its question",
        "The predictions are of another benchmark, or in another order than the questions.",
    ),
    "SJ114": (
        "a mapping that cannot be used",
        "Write --map FIELD=KEY,FIELD=KEY: our field first, then the file's key.",
    ),
    "SJ115": (
        "no such format",
        "Without --format it is found out from the contents of the file; docs/formats.md lists "
        "the formats.",
    ),
    "SJ116": (
        "not a score, or not an outcome",
        "Scores are numbers, or null where there is none; outcomes are those of docs/json.md.",
    ),
    "SJ118": (
        "two keys that could both be meant",
        "Say which: --map FIELD=KEY.",
    ),
    "SJ119": (
        "a format that is only read",
        "Cases are written as sqljury (nothing is lost) or rose.",
    ),
    "SJ121": (
        "a compressed file that holds too much",
        "A compressed file may hold 64 MiB, or 200 times its own size where that is more, and at "
        "most 4 GiB: what unpacks to more is mostly meant to fill memory. Files that are not "
        "compressed have no such limit.",
    ),
    "SJ120": (
        "no output of ROSE's reference implementation",
        "Its folders hold eval_results.json and, beside it, prover_output.json and "
        "refuter_output.json; docs/rose-recordings.md shows the layout.",
    ),
    # --- SJ2xx: databases (databases/)
    "SJ201": (
        "no such place to look for databases",
        "A place is a folder with DB_ID/DB_ID.sqlite or DB_ID.sqlite in it (also .db, .sqlite3, "
        ".duckdb), one database file, or a URL with {db_id}, such as postgresql://host/{db_id}. "
        "Several are separated by commas. Relative paths start where the command runs.",
    ),
    "SJ202": (
        "a place without any database",
        "The folder is there, but neither DB_ID/DB_ID.sqlite nor DB_ID.sqlite is in it (also .db, "
        ".sqlite3, .duckdb). Often the databases are one folder deeper: database/ in Spider, "
        "dev_databases/ in BIRD.",
    ),
    "SJ203": (
        "no such folder of descriptions",
        "Column descriptions come from a folder with BIRD's DB_ID/database_description/*.csv or "
        "ROSE's DB_ID_schema.json. Without the option, those beside each database are used.",
    ),
    "SJ204": (
        "a description file that cannot be read",
        "A DB_ID_schema.json holds an object: a list of columns for each table, each column an "
        "object with column_name and, if known, column_description and value_description.",
    ),
    "SJ205": (
        "a database file that cannot be read",
        "The file was there when the databases were listed, but cannot be read now: it was "
        "removed, or its permissions forbid it. The message says which.",
    ),
    "SJ206": (
        "a file of schemas that is not there",
        "Schemas come from SQL with CREATE TABLE statements (one database), or from JSON laid out "
        "as Spider's tables.json (many).",
    ),
    "SJ207": (
        "a file of schemas that cannot be understood",
        "SQL needs at least one CREATE TABLE that SQLite or sqlglot can read. JSON is a list of "
        "objects with db_id, table_names_original, column_names_original, column_types, "
        "primary_keys and foreign_keys, as in Spider's tables.json.",
    ),
    "SJ208": (
        "a folder of test suites that is not there, or has none in it",
        "A folder of suites holds DB_ID/*.sqlite or DB_ID.tar.xz (also .tar.gz, .tar): several "
        "databases for each name. Spider's distilled suites are in the folder database/ of their "
        "archive.",
    ),
    "SJ209": (
        "an archive that is no test suite",
        "An archive holds .sqlite files, each name once, of 4 GiB together at most. Paths, links "
        "and other files in it are not looked at.",
    ),
    "SJ210": (
        "an archive of databases cannot be unpacked",
        "Archives are unpacked into sqljury/suites under the cache folder ($XDG_CACHE_HOME, else "
        "~/.cache), which must be writable and have room. Unpacked folders need no cache.",
    ),
    "SJ211": (
        "a SQLite database that cannot be opened",
        "The file is not a SQLite database, cannot be read, or was left in the middle of a "
        "transaction. The message says which; nothing was changed.",
    ),
    "SJ221": (
        "a DuckDB database that cannot be opened",
        "The file is not a DuckDB database, was written by a newer DuckDB, or another process "
        "holds it open for writing. Nothing was changed.",
    ),
    "SJ251": (
        "not the URL of a database server",
        "Write postgresql://user:password@host:port/{db_id} (mysql:// and mariadb:// likewise); "
        "in a password, the characters / ? # @ are written %2F %3F %23 %40.",
    ),
    "SJ252": (
        "a PostgreSQL server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ262": (
        "a MySQL or MariaDB server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ263": (
        "an unknown option in the URL of a MySQL or MariaDB server",
        "Known are unix_socket, ssl_ca, ssl_cert and ssl_key: mysql://user@/{db_id}?unix_socket=…",
    ),
    "SJ272": (
        "a database that SQLAlchemy cannot use",
        "The URL's dialect or its driver is not installed, or the database is not reachable. The "
        "message is the driver's; the password is never shown.",
    ),
    # --- SJ3xx: judges (judges/)
    "SJ301": (
        "no such judge",
        "`sqljury judges` lists what there is. A judge of your own is named by the module or file "
        "that holds it and its class: my_pkg.my_judge:Mine, or judges/mine.py:Mine.",
    ),
    "SJ302": (
        "not a judge",
        "A judge is an object with name, version, needs and judge(case, evidence); see "
        "docs/judges.md for one in twenty lines.",
    ),
    "SJ303": (
        "a judge cannot be imported",
        "The module must be importable from the working directory, or the path must lead to a "
        "Python file; the class is named after a colon.",
    ),
    "SJ304": (
        "a judge's option is wrong",
        "Judges are written NAME[:VARIANT][,key=value...], such as "
        "execution:strict,tolerance=1e-6. `sqljury judges` shows the options.",
    ),
    "SJ305": (
        "no chat model in this run",
        "A judge asked a chat model without declaring that it needs one: its `needs` must hold "
        "Needs.LLM.",
    ),
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
    "SJ317": (
        "not a verdict",
        "`compare --fail-on` takes proved, refuted, no_counterexample and unknown, joined by "
        "commas.",
    ),
    "SJ318": (
        "a query that cannot be read",
        "Its operator tree is built from the text and the schema: every table and column must be "
        "in the schema, and the text must be one SELECT statement.",
    ),
    "SJ319": (
        "no such dialect",
        "Dialects are called as sqlglot calls them: sqlite, postgres, mysql, duckdb, bigquery, "
        "snowflake, tsql, ...",
    ),
    "SJ328": (
        "a server that no counterexample can be run on",
        "`compare --replay` takes the URL of a database on a PostgreSQL, MySQL or MariaDB server: "
        "postgresql://user@host/database. Any database does; nothing in it is read or written.",
    ),
    "SJ329": (
        "no such rewrite rule",
        "Rules are called as `sqljury rules` lists them and `plan --canonical --json` names them.",
    ),
    "SJ345": (
        "no such check",
        "`sqljury audit --checks` takes codes of checks, or beginnings of them, joined by +: "
        "AU101+AU3. The message lists the codes that there are.",
    ),
    "SJ348": (
        "no such group of features",
        "`sqljury features --groups` takes names of groups, joined by +: execution+faults. The "
        "message lists the groups that there are.",
    ),
    "SJ349": (
        "a table of features cannot be written to such a file",
        "`sqljury features --out` takes the form of the table from the file's ending: .csv, "
        ".jsonl or .parquet (needs sqljury[parquet]).",
    ),
    # --- SJ350 to SJ359: judges that ask a model
    "SJ350": (
        "a judge that asks a model was not told which",
        "Write --judge rose,model=PROVIDER:MODEL, such as model=openai:o3-2025-04-16 (names that "
        "carry their date keep scores of different versions apart), or name a server of your own "
        "with model_options=base_url=http://localhost:8000/v1.",
    ),
    "SJ351": (
        "options of a model that cannot be read",
        "Written key=value, several joined by semicolons: model_options=temperature=0;seed=7.",
    ),
    "SJ352": (
        "a panel that cannot vote",
        "models=A+B+C names two or more different models; member says which judge each of "
        "them is (rose, prover, flex, ...).",
    ),
    "SJ353": (
        "recorded judgements that cannot be told apart, or are not there",
        "A recording is an output folder of ROSE's reference implementation. In a tree of them "
        "name one with metric=… and model=…: --judge recorded,dir=output,model=o3,metric=ROSE.",
    ),
    "SJ358": (
        "a judge of token log-probabilities without them",
        "logprobs=FILE is an object by question id, or rows with an id and logprobs: a list of "
        "numbers, or OpenAI's list of objects with logprob and top_logprobs.",
    ),
    "SJ357": (
        "nothing to demonstrate with",
        "demos=FILE is a file of cases with questions: answerable ones with a reference, others "
        "with answerable=false or the reference null.",
    ),
    "SJ356": (
        "a detector without its model",
        "The judge detector needs a model file: detector,model=PATH, made by `sqljury train "
        "detector`.",
    ),
    # --- SJ4xx: runs (runs/)
    "SJ401": ("not a run", "A run is the folder that --run named; it holds run.sqlite."),
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
    "SJ408": ("a judge twice", "Each judge can be asked for once in a run."),
    "SJ409": ("no cases", "The files hold no case that could be judged."),
    "SJ410": (
        "no database at all",
        "None of the databases that the cases name was found, so that nothing could be learnt. "
        "One missing database is no error: its cases end as database_missing.",
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
        "DB_ID/*.sqlite or DB_ID.tar.xz in it. `sqljury suite build` makes some.",
    ),
    "SJ416": (
        "verdicts are missing",
        "The judge could not be had for some cases: a server was gone, a database file is damaged, "
        "a model gave no answer that can be used, or a run was stopped. Such cases are not in the "
        "denominator, so no threshold is held against the score: the exit code is 3. The same "
        "command judges what is missing, and only that.",
    ),
    "SJ417": (
        "a run or a ledger that another process holds",
        "Two commands want to write one file at the same time. Ledgers can be shared; a run is "
        "judged by one command at a time.",
    ),
    "SJ411": (
        "a judge in the main script",
        "Workers are processes of their own and import judges by name; what is defined in the "
        "script that is being run, or in a notebook, has none.",
    ),
    "SJ420": (
        "a database changed while it was judged",
        "Its file was replaced or written to during the run. Verdicts that were found before are "
        "kept, none that may be about the new contents is; the same command again judges anew "
        "what depends on it.",
    ),
    "SJ421": (
        "the server does not answer any more",
        "It was asked again and again for some seconds. What was judged is kept: when the server "
        "is back, the same command goes on.",
    ),
    "SJ412": ("no such case in the run", "Case ids are in the first columns of --export."),
    # --- SJ5xx: uses: evaluate, agree (uses/)
    "SJ501": (
        "an id occurs twice in one input of agree",
        "A case is known by benchmark and id, and counts once. Give two systems or two runs two "
        "names (A=FILE B=FILE), and two benchmarks two files (A=FILE,FILE).",
    ),
    "SJ502": (
        "a score is not a finite number",
        "NaN and infinity cannot be ranked or averaged. A case without a score has null.",
    ),
    "SJ503": (
        "an input of agree has no label",
        "Agreement needs what people say of at least one case: name the column with --label, or "
        "a file that has it with --labels.",
    ),
    "SJ504": (
        "no such dimension to cut by",
        "Rows can be cut by what their file or run says of each case: db_id, difficulty, ...",
    ),
    "SJ505": (
        "a judge gave a number out of range",
        "A verdict's score is in [0, 1], or None; its measures are finite. Fix the judge and "
        "raise its version, so that what it said before is judged anew.",
    ),
    "SJ506": (
        "--fail-under is not a fraction",
        "Scores are fractions: 80 % is 0.8.",
    ),
    "SJ508": (
        "--max-left-out is neither a number nor a share",
        "It says how many cases may be outside the denominator of a score before the exit code "
        "is 1: 3 is a number of cases, 0.02 and 2% are shares. With --fail-under it is 0. Verdicts "
        "that are missing (judge_unavailable) are never allowed: they end with exit code 3.",
    ),
    "SJ507": (
        "no such statistic",
        "Thresholds are set on what `agree` prints: kappa, accuracy, mcc, f1, precision, recall, "
        "auc, and the correlations.",
    ),
    "SJ510": ("an input of agree names no file", "Write RUN, FILE, or NAME=FILE,FILE."),
    "SJ511": (
        "two inputs of agree with one name",
        "Each input is a judge of its own and needs a name: NAME=FILE.",
    ),
    "SJ512": (
        "no label file for a benchmark",
        "Ids repeat from benchmark to benchmark. Where several results files are pooled, give "
        "--labels once for each, with paths that differ in the same parts as the results' do.",
    ),
    "SJ513": (
        "labels that do not say whose answer they are about",
        "The run or results file holds the answers of several systems to a question, and the label "
        "stands for the question alone. Name the system in a column source of the labels, or "
        "judge one system in a run.",
    ),
    "SJ520": (
        "nothing to tell stability from",
        "Stability compares two or more runs of one judge over the same cases.",
    ),
    "SJ521": (
        "recordings without their cases",
        "A recording is joined to labelled cases by id and predicted SQL, since ids repeat from "
        "set to set. Give the files of all the sets that were recorded.",
    ),
    "SJ522": (
        "the same recording twice",
        "A model's metric counts once for each set. Repeated runs are folders of their own, such "
        "as ROSE and ROSE-thread-4.",
    ),
    "SJ523": (
        "no recorded methods",
        "A folder of methods holds, for each of them, NAME/EX-…/eval_results.json and "
        "NAME/o3-…/eval_results.json; docs/rose-recordings.md shows the layout.",
    ),
    "SJ524": (
        "a table of methods that cannot be read",
        "methods.csv has the columns folder, method, base_model, kind, released (yyyy-mm) and, "
        "where figures were published, ex, rose, ex_simple, rose_simple, …",
    ),
    "SJ525": (
        "nothing to diagnose",
        "Diagnoses are labels that a judge gives (gold_fault, ambiguous_question, "
        "ambiguous_schema): judge with rose, refuter or recorded.",
    ),
    "SJ530": (
        "nothing to audit",
        "An audit looks at references, and the files have none: name the files that hold the "
        "reference SQL, or say with --map which key it has.",
    ),
    "SJ531": (
        "not an overlay",
        "An overlay holds one correction of a reference a line, as `sqljury audit accept` writes "
        "them. A line whose seal does not fit it was changed or cut after it was accepted.",
    ),
    "SJ532": (
        "the benchmark is not what the overlay was made for",
        "A correction is made for one question, its hint and one reference, to the letter. Where "
        "one of them has changed since, nobody decided about it: audit the new version.",
    ),
    "SJ533": (
        "two corrections contradict each other",
        "Overlays are merged by putting their lines together. Where two people decided otherwise "
        "about one reference, one of the lines must go.",
    ),
    "SJ534": (
        "a decision that is none",
        "In a review file each finding that was decided has a decision: replace, ambiguous or "
        "exclude. replace takes the finding's proposal, or a new_sql that stands beside it.",
    ),
    "SJ535": (
        "nothing to score anew",
        "`sqljury audit rescore` compares a run before and after corrections, and the overlay "
        "corrects none of its references; it may be of another benchmark.",
    ),
    "SJ540": (
        "not a penalty",
        "A penalty says how many right answers a wrong one costs: a number from 0 on, or N for "
        "the number of questions.",
    ),
    "SJ541": (
        "decisions that cannot be scored",
        "`trust` takes one decision for each question: a row with question_id, answerable, "
        "predicted_sql (null: abstained) and correct, or a run.",
    ),
    "SJ542": (
        "an answer that nobody judged",
        "Whether an answer is right comes from a column `correct`, from a file of verdicts "
        "(--verdicts), from a run, or from a judge that is asked now (--judge, --databases).",
    ),
    "SJ543": (
        "a gate or a threshold that cannot be used",
        "A gate is a judge of the run or a file with recorded answers, with >=T where its "
        "threshold is not 0.5. Thresholds are found on decisions with confidences.",
    ),
    "SJ550": (
        "no suite can be built",
        "Building needs references, and for some of them a SQLite database; --databases names "
        "the folder.",
    ),
    "SJ551": (
        "a database from which no suite can be built",
        "Suites are made of SQLite databases whose tables SQLite can make anew, and whose rows "
        "fit the limits.",
    ),
    "SJ552": (
        "a folder that holds something else than a suite",
        "A suite replaces the one that was built in the same place before, and nothing else: "
        "--out names a new folder, or one of an earlier build.",
    ),
    "SJ560": (
        "a benchmark that cannot be built",
        "`build trust` takes questions with their reference SQL, databases or schemas, and kinds "
        "out of column-surface, column-related, column-unrelated, non-sql, out-of-domain.",
    ),
    "SJ580": (
        "no pairs of queries can be built",
        "`build pairs` takes references with their databases, or pairs of a reference and a "
        "prediction; some pairs of each label have to be left.",
    ),
    "SJ561": (
        "a review file that cannot be used",
        "`build trust --ask` writes review.jsonl, a question a line. A review changes `status` "
        "from review to accepted or rejected; it may reword `question`, and take lines out.",
    ),
    "SJ581": (
        "a line that is no pair of a queue",
        "`build pairs --reviewed` takes its own review.jsonl back, with labels (0 or 1) filled in.",
    ),
    "SJ570": (
        "there is no such strategy",
        "Strategies are first, random, execution, majority, verifier, verifier-majority, "
        "judge:NAME, system:NAME, oracle.",
    ),
    "SJ571": (
        "strategies without the results they look at",
        "`select` runs candidates where --databases says where. Pools with result_hash, num_rows "
        "and evaluation for each candidate need no database.",
    ),
    "SJ572": (
        "nothing, or too much, says which candidates are right",
        "What is right is said by a judge (--judge, with references) or by a field of the "
        "candidates (--label FIELD).",
    ),
    "SJ573": ("a strategy was asked for twice", "Name each strategy once."),
    "SJ574": (
        "a question's candidates in several places",
        "Candidates are read one question after the other, so that files may be large.",
    ),
    "SJ590": (
        "candidates that cannot be sampled",
        "`generate` takes questions with a database or a schema for each, and appends to a file "
        "that it wrote with the same questions and settings; the message says what does not fit.",
    ),
    "SJ591": (
        "a pool in which no candidate has a label",
        "`label` takes pools whose candidates run, and a judge that decides: references for "
        "execution, databases that are there.",
    ),
    # --- SJ6xx: result tables and policies (tables/)
    "SJ601": (
        "there is no such policy",
        "A policy says when two result tables are equal. Named ones: strict, spider, bird, rose, "
        "intent; change single settings of one with make_policy(name, setting=value).",
    ),
    "SJ602": (
        "a setting of a policy is unknown or has an impossible value",
        "The message lists what is possible.",
    ),
    "SJ603": (
        "two settings of a policy exclude each other",
        "Extra columns can only be told apart where columns may stand in any order; texts have "
        "no numeric tolerance; duplicates=odd (the policy rose) knows neither rows nor columns.",
    ),
    "SJ604": (
        "not a table",
        "compare_tables takes a list of tuples or lists, a ResultTable, or an object with "
        "columns and itertuples, as pandas data frames have.",
    ),
    "SJ605": (
        "rows of unequal length",
        "Every row of a table has one cell for each column. A ragged table has lost or gained "
        "cells on its way; comparing it would compare the wrong columns.",
    ),
    # --- SJ7xx: queries (queries/)
    # --- SJ8xx: reports (reports/)
    "SJ801": (
        "a file cannot be written",
        "The file is written under a temporary name beside its place and renamed when it is "
        "complete, so the folder must exist and allow new files.",
    ),
    "SJ802": (
        "the disk is full, or fails",
        "Files are renamed to their place when they are complete: what was there before is left as "
        "it was. Make room (or raise the limit on the size of files) and run the same command.",
    ),
    # --- SJ9xx: chat models (llm/)
    "SJ901": (
        "not a model",
        "Models are named PROVIDER:MODEL, such as openai:o3-2025-04-16. Any endpoint that speaks "
        "OpenAI's format is openai: with the model option base_url.",
    ),
    "SJ902": (
        "a model option is unknown or has an impossible value",
        "Options are base_url, temperature, top_p, seed, max_tokens, effort and json_schema; "
        "docs/llm.md says what each means.",
    ),
    "SJ903": (
        "the model does not offer what is asked of it",
        "Reasoning models take no temperature, some endpoints report no logprobs or know no "
        "seeds. What cannot be had is never silently left out.",
    ),
    "SJ904": (
        "a replay lacks an answer",
        "A ledger knows an answer by everything that can change it: model, options, prompts, "
        "schema and attempt. The case was asked differently, or not at all, when it was recorded.",
    ),
    "SJ905": (
        "a ledger cannot be used",
        "A ledger is an SQLite file that sqljury wrote, or, for a replay, its export as .jsonl.",
    ),
    "SJ906": (
        "a line of an exported ledger is broken",
        "Each line is a JSON object with its request and the sha256 of the request as its key. "
        "A changed request no longer fits its key.",
    ),
    "SJ907": (
        "a key or an address is missing",
        "Keys are read from the environment and never written anywhere. Servers of your own "
        "mostly need none.",
    ),
    "SJ908": (
        "an endpoint does not let us in",
        "It refused the key, does not know the model, or the account has no money left: no other "
        "question would fare better, so the run stops. What was answered is in the ledger.",
    ),
    "SJ909": (
        "an endpoint fails persistently",
        "Several questions in a row failed in spite of retries, or the server asks to come back "
        "much later. The run stops and can be resumed.",
    ),
    "SJ910": (
        "the budget is reached",
        "The next call could cost more than is left of --max-cost: its prompt and the longest "
        "answer that the model may give. Everything paid for is in the ledger.",
    ),
    "SJ911": (
        "a price is not known",
        "A budget can only be kept where prices are known. Give a table with --prices; "
        "docs/llm.md shows its form. Set max_tokens where a model's longest answer is not known.",
    ),
    "SJ912": (
        "a price table cannot be used",
        "It is a JSON object: PROVIDER:MODEL to input and output, in dollars per million tokens, "
        "and max_output, the most tokens of one answer.",
    ),
    "SJ913": (
        "a scripted model cannot be used",
        "scripted:MODULE:FUNCTION is given the request and returns a text or an object; "
        'scripted:FILE.jsonl has lines {"when": [texts], "answer": text or object}.',
    ),
    "SJ914": (
        "batches cannot be used",
        "Batches need a ledger, and a provider that takes them (openai). Their ids are kept in "
        "the ledger, so an interrupted command can be run again.",
    ),
    "SJ915": (
        "a setting of the client is impossible",
        "Rates, timeouts and counts must be above zero; a replay needs the ledger it reads.",
    ),
}
