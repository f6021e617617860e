"""Error codes of uses of verdicts: what is wrong, and what to do about it."""

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
    "SJ539": (
        "an overlay that was made elsewhere",
        "`sqljury view --findings` writes its overlay anew after each decision, from the log next "
        "to it. Name an overlay that does not exist, or one that it made.",
    ),
    "SJ553": (
        "a labelling project that cannot be made",
        "Annotators have different names, each case is labelled by at most as many people as there "
        "are, and there is at least one case. A case's weight is a number above 0.",
    ),
    "SJ554": (
        "not a file of labels",
        "`sqljury label-cases CASES --labels FILE` makes the file, and appends a line for each "
        "label. --import also reads exports with --all-votes, and with --annotator any file of "
        "cases with labels.",
    ),
    "SJ555": (
        "a label that cannot be stored",
        "Only an annotator to whom a case is assigned labels it; only cases on which annotators "
        "disagree are decided, and a decided case keeps its labels.",
    ),
    "SJ450": (
        "no databases to run a changed query on",
        "The browser app runs queries only where it is told to: sqljury view RUN --databases "
        "FOLDER.",
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
    "SJ501": (
        "an id occurs twice in one input of agree",
        "A case is identified by benchmark and id, and counts once. Give two systems or runs two "
        "names (A=FILE B=FILE), and two benchmarks two files (A=FILE,FILE).",
    ),
    "SJ502": (
        "a score is not a finite number",
        "NaN and infinity cannot be ranked or averaged. A case without a score has null.",
    ),
    "SJ503": (
        "an input of agree has no label",
        "Agreement needs the human label of at least one case: name its column with --label, or "
        "a file that has it with --labels.",
    ),
    "SJ504": (
        "no such dimension to slice by",
        "Rows can be sliced by the fields that their file or run has: db_id, difficulty, ...",
    ),
    "SJ505": (
        "a judge gave a number out of range",
        "A verdict's score is in [0, 1], or None; its measures are finite. Fix the judge and "
        "raise its version, so that its earlier verdicts are judged again.",
    ),
    "SJ506": (
        "--fail-under is not a fraction",
        "Scores are fractions: 80 % is 0.8.",
    ),
    "SJ507": (
        "no such statistic",
        "Thresholds are set on what `agree` prints: kappa, accuracy, mcc, f1, precision, recall, "
        "auc, and the correlations.",
    ),
    "SJ508": (
        "--max-left-out is neither a number nor a share",
        "It says how many cases may be outside the denominator of a score before the exit code "
        "is 1: 3 is a number of cases, 0.02 and 2% are shares. With --fail-under it is 0. Verdicts "
        "that are missing (judge_unavailable) are never allowed: they end with exit code 3.",
    ),
    "SJ509": (
        "no such column to slice scores by",
        "--by COLUMN takes one of the input's own columns (team, model_size, …), spelt as in the "
        "input. Scores by database, difficulty and system are always given.",
    ),
    "SJ510": ("an input of agree names no file", "Write RUN, FILE, or NAME=FILE,FILE."),
    "SJ511": (
        "two inputs of agree have the same name",
        "Each input is a judge and needs a name of its own: NAME=FILE.",
    ),
    "SJ512": (
        "no label file for a benchmark",
        "Ids repeat from benchmark to benchmark. Where several results files are pooled, give "
        "--labels once for each, with paths that differ in the same parts as the results' do.",
    ),
    "SJ514": (
        "too few labels to correct a score with",
        "`sqljury agree RUN --labels FILE --corrected` needs labels of at least two cases of the "
        "run, joined by id (and source). `sqljury agree RUN --plan --count 50 --out FILE` draws"
        " some.",
    ),
    "SJ513": (
        "labels do not say which system's answer they are for",
        "The run or results file has the answers of several systems to a question, and the label "
        "names the question only. Name the system in a column `source` of the labels, or judge "
        "one system per run.",
    ),
    "SJ515": (
        "no baseline",
        "`sqljury gate --baseline` takes the folder of a run, or the file of JSON lines that "
        "`sqljury gate RUN --write-baseline FILE` or `pytest --sqljury-write-baseline FILE` wrote. "
        "Where a merge left two versions of a line, write the file again.",
    ),
    "SJ516": (
        "the baseline was judged otherwise",
        "Verdicts of another version of a judge, under other options or limits, cannot tell "
        "whether the predictions got worse. Judge the former predictions again as the new ones "
        "are judged, and write a new baseline from that run. Another version of the engine or of "
        "sqljury, or other data, is printed and compared all the same.",
    ),
    "SJ517": (
        "a limit of the gate cannot be used",
        "--max-drop is in points, from 0 to 100; --alpha is in [0, 1]; --threshold names a judge "
        "of the run and a fraction: execution:strict=0.8. At least one of --baseline, --threshold "
        "and --write-baseline is needed.",
    ),
    "SJ520": (
        "too few runs or cases to measure stability",
        "Stability compares two or more runs of one judge over the same cases.",
    ),
    "SJ525": (
        "nothing to diagnose",
        "Diagnoses are labels that a judge gives (gold_fault, ambiguous_question, "
        "ambiguous_schema): judge with rose, refuter or recorded.",
    ),
    "SJ526": (
        "a review file of flags cannot be read",
        "`sqljury audit --from RUN --review FILE` writes a line for each flagged reference. A "
        "person sets `confirmed` to true or false; code, benchmark and id stay as they are.",
    ),
    "SJ530": (
        "nothing to audit",
        "An audit checks references, and the files have none: name the files with the reference "
        "SQL, or its key with --map.",
    ),
    "SJ531": (
        "not an overlay",
        "An overlay has one correction of a reference per line, as `sqljury audit accept` writes "
        "it. A line whose `seal` does not match was changed or cut after it was accepted.",
    ),
    "SJ532": (
        "the benchmark is not what the overlay was made for",
        "A correction applies to exactly one text of question, hint and reference. If one of "
        "them has changed since, the correction may be wrong: audit the new version.",
    ),
    "SJ533": (
        "two corrections contradict each other",
        "Overlays are merged by joining their lines. If two people decided differently on one "
        "reference, remove one of the lines.",
    ),
    "SJ534": (
        "not a valid decision",
        "In a review file the decision on a finding is replace, ambiguous or exclude. replace "
        "uses the finding's proposal, or its new_sql if that is given.",
    ),
    "SJ535": (
        "nothing to score again",
        "`sqljury audit rescore` compares a run before and after corrections, but the overlay "
        "corrects none of its references; it may be for another benchmark.",
    ),
    "SJ540": (
        "not a penalty",
        "A penalty says how many right answers a wrong one costs: a number from 0 on, or N for "
        "the number of questions.",
    ),
    "SJ541": (
        "no decisions to score",
        "`trust` takes one decision for each question: a row with question_id, answerable, "
        "predicted_sql (null: abstained) and correct, or a run.",
    ),
    "SJ542": (
        "an answer without a verdict",
        "Whether an answer is right comes from a column `correct`, from a file of verdicts "
        "(--verdicts), from a run, or from a judge (--judge, --databases).",
    ),
    "SJ543": (
        "a gate or a threshold cannot be used",
        "A gate is a judge of the run or a file with recorded answers, with >=T if its threshold "
        "is not 0.5. Thresholds are chosen on decisions with confidences.",
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
        "the folder has other content than a suite",
        "Building replaces an earlier suite, but no other files: name a new folder with --out, "
        "or that of an earlier build.",
    ),
    "SJ560": (
        "a benchmark that cannot be built",
        "`build trust` takes questions with their reference SQL, databases or schemas, and kinds "
        "out of column-surface, column-related, column-unrelated, non-sql, out-of-domain.",
    ),
    "SJ561": (
        "a review file that cannot be used",
        "`build trust --ask` writes review.jsonl, a question a line. A review changes `status` "
        "from review to accepted or rejected; it may reword `question`, and take lines out.",
    ),
    "SJ562": (
        "people agree on no case",
        "`sqljury build consensus` keeps the cases to which at least --each people gave a label, "
        "all the same one. Labels are joined to cases by id, and by source if cases have one.",
    ),
    "SJ563": (
        "fewer people than each case needs",
        "Name at least as many people with --people as --each asks for.",
    ),
    "SJ570": (
        "there is no such strategy",
        "Strategies are first, random, execution, majority, verifier, verifier-majority, "
        "judge:NAME, system:NAME, oracle.",
    ),
    "SJ571": (
        "a strategy needs results of candidates, and there are none",
        "`select` runs candidates on the databases of --databases. Pools with result_hash, "
        "num_rows and evaluation for each candidate need no database.",
    ),
    "SJ572": (
        "no way, or several, to know which candidates are right",
        "Give either a judge (--judge, with references) or a field of the candidates (--label "
        "FIELD).",
    ),
    "SJ573": ("a strategy is named twice", "Name each strategy once."),
    "SJ574": (
        "a question's candidates are not adjacent",
        "Files are read one question at a time, as they may be large: sort the candidates by "
        "question.",
    ),
    "SJ575": (
        "nothing to select from",
        "`select` picks one of several candidates for each question: a pool has them in one file, "
        "and each file of --predictions has one for each question.",
    ),
    "SJ580": (
        "no pairs of queries can be built",
        "`build pairs` takes references with their databases, or pairs of a reference and a "
        "prediction; some pairs of each label have to be left.",
    ),
    "SJ581": (
        "a line is not a pair for review",
        "`build pairs --reviewed` takes the review.jsonl that it wrote, with labels (0 or 1).",
    ),
    "SJ590": (
        "the file has candidates of other questions or settings",
        "`generate` continues a file only if it wrote it for the same questions and settings. "
        "Name another file with --out.",
    ),
    "SJ591": (
        "a pool in which no candidate has a label",
        "`label` takes pools whose candidates run, and a judge that decides: references for "
        "execution, databases that are there.",
    ),
    "SJ592": (
        "sampling settings that are not possible",
        "The message says which, and what is possible.",
    ),
    "SJ544": (
        "several files or judges where one is needed",
        "Give one file of decisions per system, and the verdicts of one judge.",
    ),
    "SJ545": (
        "no such judge in the run",
        "The message lists the judges that the run has verdicts of.",
    ),
    "SJ546": (
        "a question has two decisions",
        "A file has one row a question; several systems have a column `source`, or files.",
    ),
    "SJ547": (
        "a risk is not between 0 and 1",
        "The share of answers that may be wrong, and the probability that the guarantee fails, "
        "are above 0 and below 1.",
    ),
    "SJ548": (
        "a system has no validation decisions",
        "Thresholds are chosen on the system's own validation decisions (same name), or on a "
        "single list for all systems.",
    ),
    "SJ349": (
        "a table of features cannot be written to such a file",
        "`sqljury evaluate --features` takes the form of the table from the file's ending: .csv, "
        ".jsonl or .parquet (needs sqljury[parquet]).",
    ),
    "SJ803": (
        "no data frame",
        "Frames are made by pandas or polars, whichever is installed; sqljury needs neither.",
    ),
}
