"""What cannot be read, and what the user is told: a table of files and exact messages."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sqljury.benchmarks import parse_mapping, read_cases, read_labels, read_results, write_cases
from sqljury.errors import InputError, catalogue

NO_LABEL = "Labels are true/false, yes/no, correct/incorrect or 1/0."
NO_SQL = "null is an abstention, an empty text a prediction that cannot run."

BROKEN: list[tuple[str, str | bytes, str]] = [
    # --- nothing in it
    ("a.json", "", "SJ103 a.json: the file is empty."),
    ("a.jsonl", " \n\n", "SJ103 a.jsonl: the file is empty."),
    ("a.json", "[]", "SJ103 a.json: there are no cases in the file."),
    ("a.json", "{}", "SJ103 a.json: there are no cases in the file."),
    ("a.csv", "id,gold_sql\n", "SJ103 a.csv: there are no cases in the file."),
    # --- broken JSON
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S"',
        "SJ106 a.json:1:27: broken JSON: Expecting ',' delimiter. The file ends too early.",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S"},]',
        "SJ106 a.json:1:29: broken JSON: a comma before the end of the list.",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S"} {}]',
        "SJ106 a.json:1:29: broken JSON: Expecting ',' delimiter.",
    ),
    ("a.json", "[] x", "SJ106 a.json:1:4: broken JSON: Extra data."),
    (
        "a.jsonl",
        '{"id": 1, "gold_sql": "S"}\n{"id": 2,\n',
        "SJ106 a.jsonl:2:10: broken JSON: Expecting property name enclosed in double quotes. "
        "The file ends too early.",
    ),
    ("a.json", "[" * 100_000, "SJ106 a.json: the JSON is nested too deeply."),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "more": ' + "[" * 300 + "]" * 300 + "}]",
        "SJ106 a.json[0]: the JSON is nested too deeply.",
    ),
    (
        "a.json",
        '[{"id": 1, "candidates": [{"sql": "S", "more": ' + "[" * 300 + "]" * 300 + "}]}]",
        "SJ106 a.json[0]: the JSON is nested too deeply.",
    ),
    (
        "a.json",
        '{"a": "S", "a": "T"}',
        "SJ110 a.json: the key 'a' stands twice in one object. Rename one of the two, or take it out.",
    ),
    # --- broken tables
    (
        "a.csv",
        "id,gold_sql\n1,S,T\n",
        "SJ106 a.csv:2: 3 cells, but the header has 2. "
        "Quote cells that contain the delimiter or a line end.",
    ),
    ("a.csv", "id,id\n1,2\n", "SJ106 a.csv:1: the header names 'id' twice."),
    ("a.csv", 'id,gold_sql\n1,"S\n', "SJ106 a.csv:2: broken CSV: unexpected end of data."),
    # --- other kinds of files
    (
        "a.json.gz",
        gzip.compress(b'[{"id": 1, "gold_sql": "S"}]', mtime=0)[:-10],
        "SJ106 a.json.gz: the compressed file is broken: "
        "Compressed file ended before the end-of-stream marker was reached.",
    ),
    (
        "a.json.xz",
        lzma.compress(b"[" + b" " * 9999)[:-12],
        "SJ106 a.json.xz: the compressed file is broken: "
        "Compressed file ended before the end-of-stream marker was reached.",
    ),
    (
        "a.json",
        b"PK\x03\x04",
        "SJ106 a.json: the file is a zip archive. Unpack it and give the file inside.",
    ),
    (
        "a.sqlite",
        b"SQLite format 3\0",
        "SJ106 a.sqlite: the file is a SQLite database, not a benchmark file. "
        "Give it as --databases.",
    ),
    # --- encodings
    (
        "a.json",
        b'[{"id": 1,\n"gold_sql": "caf\xe9"}]',
        "SJ107 a.json:2: byte 0xe9 at position 27 is not utf-8. "
        "Run: iconv -f latin1 -t utf-8 a.json > NEW",
    ),
    (
        "a.csv",
        b'\xef\xbb\xbfid,gold_sql\n1,"\xff"\n',
        "SJ107 a.csv:2: byte 0xff at position 18 is not utf-8. "
        "Run: iconv -f latin1 -t utf-8 a.csv > NEW",
    ),
    # --- keys
    (
        "a.jsonl",
        '{"question": "Q", "sql": "S"}\n',
        'SJ104 a.jsonl:1: no "predicted_sql" (keys: question, sql). Use --map predicted_sql=sql.',
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S"}, {"gold_sql": "S"}]',
        'SJ104 a.json[1]: no "id" (keys: gold_sql).',
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "query": "T"}]',
        "SJ118 a.json[0]: both 'gold_sql' and 'query' could be reference_sqls. "
        "Use --map reference_sqls=gold_sql or --map reference_sqls=query.",
    ),
    (
        "a.json",
        '{"version": "1", "data": []}',
        "SJ108 a.json: the object holds neither a case nor queries by id (keys: version, data). "
        "Give a list of cases.",
    ),
    (
        "a.json",
        '{"0": "S\\t----- bird -----\\tdb"}',
        "SJ108 a.json: these are predictions; the file with the questions is needed too. "
        "Run: sqljury evaluate dev.json --predictions a.json",
    ),
    # --- values
    ("a.json", '["S"]', "SJ105 a.json[0]: a case must be an object, not text."),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S"},\n 7]',
        "SJ105 a.json:2: a case must be an object, not a number.",
    ),
    (
        "a.json",
        '[{"id": 1.5, "gold_sql": "S"}]',
        "SJ105 a.json[0]: 'id' must be text or a whole number, not a number.",
    ),
    (
        "a.json",
        '[{"id": true, "gold_sql": "S"}]',
        "SJ105 a.json[0]: 'id' must be text or a whole number, not true or false.",
    ),
    (
        "a.json",
        '[{"id": "", "gold_sql": "S"}]',
        "SJ105 a.json[0]: 'id' must be text or a whole number, not empty.",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": 7}]',
        "SJ105 a.json[0]: a reference must be SQL text, not a number.",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "predicted_sql": NaN}]',
        f"SJ105 a.json[0]: 'predicted_sql' must be SQL text or null, not NaN. {NO_SQL}",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "predicted_sql": ["S"]}]',
        f"SJ105 a.json[0]: 'predicted_sql' must be SQL text or null, not a list. {NO_SQL}",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "question": {"en": "Q"}}]',
        "SJ105 a.json[0]: 'question' must be text, not an object.",
    ),
    (
        "a.jsonl",
        '{"id": 1, "gold_sql": "S"}\n{"id": 2, "gold_sql": "S", "label": "maybe"}\n',
        f"SJ109 a.jsonl:2: 'maybe' is not a label. {NO_LABEL}",
    ),
    (
        "a.json",
        '[{"id": 1, "gold_sql": "S", "label": 2}]',
        f"SJ109 a.json[0]: 2 is not a label. {NO_LABEL}",
    ),
    (
        "a.csv",
        "id,gold_sql,label\n1,S,NaN\n",
        f"SJ109 a.csv:2: 'NaN' is not a label. {NO_LABEL}",
    ),
    (
        "a.jsonl",
        '{"id": 1, "gold_sql": "S"}\n{"id": 2, "gold_sql": "S"}\n{"id": 1, "gold_sql": "S"}\n',
        "SJ110 a.jsonl:3: the case 'a/1' was already read at a.jsonl:1. "
        "Cases are known by benchmark, id and source.",
    ),
    (
        "a.jsonl",
        '{"question": "Q", "candidates": "S", "gold_sql": "S"}\n',
        "SJ105 a.jsonl:1: 'candidates' must be a list of objects.",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_message(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        list(read_cases(path))
    assert str(caught.value) == message


def test_broken_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"^SJ106 a.parquet: broken Parquet: .*\."):
        list(read_cases(path))


CALLS: list[tuple[Callable[[Path], object], str]] = [
    (
        lambda folder: read_cases(folder / "cases.jso"),
        "SJ101 {}/cases.jso: no such file. Did you mean 'cases.json'?",
    ),
    (
        lambda folder: read_cases(folder / "no/cases.json"),
        "SJ101 {}/no/cases.json: no such file. There is no folder '{}/no' either.",
    ),
    (lambda folder: read_cases(folder), "SJ102 {}: a directory. Give a file."),
    (lambda _: read_cases([]), "SJ101 no file is given."),
    (
        lambda folder: read_cases(folder / "cases.json", format="rosy"),
        "SJ115 there is no format 'rosy'. Did you mean 'rose'?",
    ),
    (
        lambda folder: read_cases(folder / "cases.json", mapping={"predicted_sql": "sql"}),
        'SJ104 cases.json[0]: no "sql" (keys: id, gold_sql). --map predicted_sql=sql names it.',
    ),
    (
        lambda folder: read_cases(folder / "cases.json", mapping={"predictedsql": "gold_sql"}),
        "SJ114 there is no field 'predictedsql' to map. Did you mean 'predicted_sql'?",
    ),
    (
        lambda folder: read_cases(folder / "cases.json", mapping={"gold_sql": "reference_sqls"}),
        "SJ114 there is no field 'gold_sql' to map. Write reference_sqls=gold_sql.",
    ),
    (
        lambda _: parse_mapping("question"),
        "SJ114 expected FIELD=KEY, got 'question'. Example: question=q,predicted_sql=sql",
    ),
    (
        lambda folder: read_cases([folder / "cases.json"] * 2, predictions=folder / "cases.json"),
        "SJ111 predictions belong to one file of references, 2 are given. "
        "Read each file with its predictions.",
    ),
    (
        lambda folder: read_results(folder / "cases.json"),
        'SJ104 cases.json[0]: no "score" (keys: id, gold_sql). Results of a judge are wanted here: '
        "`sqljury evaluate --export FILE` writes them.",
    ),
    (
        lambda folder: read_labels(folder / "cases.json", "human"),
        'SJ104 cases.json[0]: no "human" (keys: id, gold_sql). Use --label COLUMN.',
    ),
    (
        lambda folder: write_cases([], folder / "out.json", format="bird"),
        "SJ119 cases cannot be written as 'bird'. Use sqljury or rose.",
    ),
    (
        lambda folder: write_cases([], folder / "no/out.jsonl"),
        "SJ801 cannot write {}/no/out.jsonl: No such file or directory. "
        "Name a file in a folder that exists and that you may write to.",
    ),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_call(tmp_path: Path, call: Callable[[Path], object], message: str) -> None:
    (tmp_path / "cases.json").write_text('[{"id": 1, "gold_sql": "SELECT 1"}]')
    with pytest.raises(InputError) as caught:
        call(tmp_path)
    assert str(caught.value) == message.replace("{}", str(tmp_path))


RESULTS = [
    ("a.json", '[{"id": 1, "score": "high"}]', "SJ116 a.json[0]: 'high' is not a score."),
    (
        "a.json",
        '[{"id": 1, "score": Infinity}]',
        "SJ116 a.json[0]: a score must be a number, not an infinite number.",
    ),
    (
        "a.json",
        '[{"id": 1, "score": [1]}]',
        "SJ116 a.json[0]: a score must be a number, not a list.",
    ),
    (
        "a.csv",
        "id,score\n1,inf\n",
        "SJ116 a.csv:2: a score must be a number, not an infinite number.",
    ),
    (
        "a.json",
        '[{"id": 1, "score": 1, "label": "x"}]',
        f"SJ109 a.json[0]: 'x' is not a label. {NO_LABEL}",
    ),
    (
        "a.txt",
        "SELECT 1\n",
        "SJ108 a.txt: results must be a list or a table of rows, not text. "
        "ROSE's eval_results.json, --export FILE.jsonl, or a CSV with score and label.",
    ),
    ("a.json", "[]", "SJ103 a.json: there are no rows in the file."),
]


@pytest.mark.parametrize(("name", "content", "message"), RESULTS)
def test_results(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        read_results(tmp_path / name)
    assert str(caught.value) == message


def test_every_code_is_explained() -> None:
    source = Path(read_cases.__code__.co_filename).parent
    codes = {
        code
        for path in source.glob("*.py")
        for code in re.findall(r'"(SJ1\d\d)"', path.read_text(encoding="utf-8"))
    }
    assert codes == {code for code in catalogue() if code.startswith("SJ1")}


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text('[{"id": 1, "gold_sql": "S"}, {"id": 1, "gold_sql": "S"}]')
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    with pytest.raises(InputError, match="SJ110"):
        write_cases(read_cases(path), out)
    assert out.read_text() == "precious"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cases.json", "out.jsonl"]
