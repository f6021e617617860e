"""Error codes of benchmark files: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
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
        "Leave the value out if there is no label.",
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
        "it is not clear which prediction belongs to which question",
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
    "SJ120": (
        "no output of ROSE's reference implementation",
        "Its folders hold eval_results.json and, beside it, prover_output.json and "
        "refuter_output.json; docs/rose-recordings.md shows the layout.",
    ),
    "SJ121": (
        "a compressed file whose contents are too large",
        "The contents may have 64 MiB, or 200 times the file's own size if that is more, and at "
        "most 4 GiB: larger contents are mostly meant to fill the memory. Files that are not "
        "compressed have no such limit.",
    ),
    "SJ122": (
        "two files without an id in common",
        "Labels, verdicts, gates and overlays are joined to questions by id (and by the name of "
        "the system, where a row has one): none of the file's ids is among the questions'. It may "
        "be of another benchmark, or its ids may be written otherwise.",
    ),
    "SJ123": (
        "a data set of Hugging Face cannot be read",
        "A folder that `save_to_disk` wrote, one of its splits (FOLDER/validation), or a name for "
        "`load_dataset`: hf:NAME@SPLIT. A data set of several splits needs one named.",
    ),
    "SJ536": (
        "a correction that its author did not sign",
        "`sqljury audit accept --sign-with KEY` signs corrections, and `audit verify --signers "
        "FILE` asks for the signature of whom each line names. FILE has a line for each person: "
        "the name as --by gave it, a blank, the public key (man ssh-keygen, ALLOWED SIGNERS).",
    ),
    "SJ537": (
        "a key that cannot sign",
        "Give the file of a private SSH key (ssh-keygen -t ed25519 makes one), or of a public key "
        "whose private half your SSH agent holds.",
    ),
    "SJ538": (
        "no ssh-keygen",
        "Corrections are signed and checked by OpenSSH's ssh-keygen, version 8.2 or later.",
    ),
}
