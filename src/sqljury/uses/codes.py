"""Error codes of uses of verdicts: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
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
        "no such column to give scores by",
        "--by COLUMN takes a column of the input that is none of ours (team, model_size, …), as "
        "the input spells it. Scores by database, difficulty and system are given anyway.",
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
    "SJ514": (
        "too few labels to correct a score by",
        "`sqljury agree RUN --labels FILE --corrected` needs labels of at least two cases of the "
        "run, joined by id (and source). `sqljury agree RUN --plan --count 50 --out FILE` draws"
        " some.",
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
    "SJ525": (
        "nothing to diagnose",
        "Diagnoses are labels that a judge gives (gold_fault, ambiguous_question, "
        "ambiguous_schema): judge with rose, refuter or recorded.",
    ),
    "SJ526": (
        "a review of flags that cannot be read",
        "`sqljury audit --from RUN --review FILE` writes a line for each flagged reference. A "
        "person sets `confirmed` to true or false; code, benchmark and id stay as they are.",
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
        "no decisions to score",
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
    "SJ561": (
        "a review file that cannot be used",
        "`build trust --ask` writes review.jsonl, a question a line. A review changes `status` "
        "from review to accepted or rejected; it may reword `question`, and take lines out.",
    ),
    "SJ562": (
        "nobody agrees on any case",
        "`sqljury build consensus` keeps the cases that enough people labelled, all alike. Labels "
        "are joined to cases by id, and by source where cases have one; --each says how many.",
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
        "a line that is no pair of a queue",
        "`build pairs --reviewed` takes its own review.jsonl back, with labels (0 or 1) filled in.",
    ),
    "SJ590": (
        "a file with candidates of other questions or settings",
        "`generate` goes on with a file that it wrote for the same questions with the same "
        "settings. Name another file with --out.",
    ),
    "SJ591": (
        "a pool in which no candidate has a label",
        "`label` takes pools whose candidates run, and a judge that decides: references for "
        "execution, databases that are there.",
    ),
    "SJ592": (
        "sampling settings that are not possible",
        "The message says which, and what can be asked for.",
    ),
    "SJ544": (
        "several files or judges where one is needed",
        "Give each system's decisions by themselves, and verdicts of one judge.",
    ),
    "SJ545": (
        "no such judge in the run",
        "The message lists the judges that the run has verdicts of.",
    ),
    "SJ546": (
        "a question that is decided twice",
        "A file has one row a question; several systems have a column `source`, or files.",
    ),
    "SJ547": (
        "a risk that is no share",
        "The share of answers that may be wrong, and the probability of being misled, are "
        "above 0 and below 1.",
    ),
    "SJ548": (
        "no validation decisions of a system",
        "Thresholds are chosen on validation decisions of the same name, or on a single list of "
        "them for all systems.",
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
