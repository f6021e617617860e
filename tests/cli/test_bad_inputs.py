"""What a newcomer gets wrong: every message says what, and where; exit code 2, no traceback.

``test_broken_files.py`` has exact messages of files; here are whole commands.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from io import BytesIO
from pathlib import Path
from sqlite3 import connect

import pytest

from commands import run

pytestmark = pytest.mark.slow

GOOD = [{"id": "1", "db_id": "d", "gold_sql": "SELECT 1", "predicted_sql": "SELECT 1"}]
DEV = [{"question": "?", "query": "SELECT 1", "db_id": "d"} for _ in range(3)]
E = "evaluate"
AT_D = ("-d", "d.sqlite")


def workbook() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    return out.getvalue()


def changed(**fields: object) -> str:
    return json.dumps([{**GOOD[0], **fields}])


def lacking(*fields: str) -> str:
    return json.dumps([{k: v for k, v in GOOD[0].items() if k not in fields}])


# A file's name and content, and what the message must hold beside its name.
FILES: list[tuple[str, str | bytes, str]] = [
    ("empty.json", "", "empty"),
    ("spaces.json", "  \n ", "empty"),
    ("list.json", "[]", "no cases"),
    ("object.json", "{}", "no cases"),
    ("cut.json", '[{"id": "1", "gold_sql": "SELECT', ":1"),
    ("comma.json", '[{"id": "1"},]', ":1"),
    ("quotes.json", "[{'id': '1'}]", ":1"),
    ("deep.json", "[" * 100_000, "nested"),
    ("numbers.json", "[1, 2, 3]", "object"),
    ("texts.json", '["SELECT 1", "SELECT 2"]', "object"),
    ("lists.json", '[["a", "b"]]', "object"),
    ("null.json", "[null]", "object"),
    ("nested.json", '{"cases": [{"id": 1}]}', "keys: cases"),
    ("keys.json", '[{"a": 1, "b": 2}]', "keys: a, b"),
    ("config.json", '{"model": "x", "temperature": 0}', "keys: model"),
    ("number.json", changed(predicted_sql=5), "predicted_sql"),
    ("yes.json", changed(predicted_sql=True), "predicted_sql"),
    ("object_sql.json", changed(predicted_sql={"sql": "SELECT 1"}), "predicted_sql"),
    ("list_sql.json", changed(predicted_sql=["SELECT 1"]), "predicted_sql"),
    ("gold_number.json", changed(gold_sql=5), "reference"),
    ("gold_list.json", changed(gold_sql=[5]), "reference"),
    ("label.json", changed(label="maybe"), "maybe"),
    ("label_number.json", changed(label=7), "7"),
    ("id_null.json", changed(id=None), "id"),
    ("id_list.json", changed(id=[1]), "id"),
    ("id_empty.json", changed(id=""), "empty"),
    ("id_half.json", changed(id=1.5), "id"),
    ("question.json", changed(question=["?"]), "question"),
    ("db.json", changed(db_id=["d"]), "db_id"),
    ("db_object.json", changed(db_id={}), "db_id"),
    ("twice.json", json.dumps(GOOD * 2), "already read"),
    ("two_golds.json", changed(gold_query="SELECT 2"), "--map"),
    ("two_predictions.json", changed(pred="SELECT 2"), "--map"),
    ("some_ids.json", json.dumps([*GOOD, {"gold_sql": "SELECT 1", "db_id": "d"}]), "id"),
    ("no_sql.json", lacking("gold_sql", "predicted_sql"), "predicted_sql"),
    ("broken.jsonl", '{"id": "1", "gold_sql": "SELECT 1"}\n{"id": \n', ":2"),
    ("text.jsonl", '{"id": "1", "gold_sql": "SELECT 1"}\nnot json\n', ":2"),
    ("array.jsonl", '{"id": "1", "gold_sql": "SELECT 1"}\n[1]\n', ":2"),
    ("twice.jsonl", '{"id": "1", "gold_sql": "SELECT 1"}\n' * 2, ":2"),
    ("header.csv", "id,gold_sql\n", "no cases"),
    ("long.csv", "id,gold_sql\n1,SELECT a, b\n", ":2"),
    ("quote.csv", 'id,gold_sql\n1,"SELECT 1\n', "CSV"),
    ("columns.csv", "a,b\n1,2\n", "keys: a, b"),
    ("double.csv", "id,id,gold_sql\n1,1,SELECT 1\n", "twice"),
    ("semicolons.csv", "a;b\n1;2\n", "keys: a, b"),
    ("headless.csv", "1,SELECT 1\n2,SELECT 2\n", "keys: 1"),
    ("latin.json", '[{"id": "é"}]'.encode("latin-1"), "iconv"),
    ("latin.csv", "id,gold_sql\né,SELECT 1\n".encode("latin-1"), ":2"),
    ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64), "binary"),
    ("pickle.pkl", b"\x80\x04\x95\0\0\0\0\0\0\0\0]\x94.", "binary"),
    ("table.xlsx", workbook(), "Excel"),
    ("archive.zip", b"PK\x03\x04" + bytes(40), "zip"),
    ("file.bz2", b"BZh91AY&SY" + bytes(20), "bunzip2"),
    ("file.zst", b"\x28\xb5\x2f\xfd" + bytes(20), "zstd"),
    ("half.json.gz", gzip.compress(json.dumps(GOOD).encode())[:30], "compressed"),
    ("data.sqlite", b"SQLite format 3\0" + bytes(84), "--databases"),
    ("broken.parquet", b"PAR1" + bytes(30), "Parquet"),
    ("readme.md", "# My project\n\nIt makes SQL.\n", "no line begins as a query"),
    ("log.txt", "step 1 loss 0.3\nstep 2 loss 0.2\n", "no line begins as a query"),
    ("page.html", "<html><body>404</body></html>\n", "no line begins as a query"),
    ("settings.yaml", "model: x\ntemperature: 0\n", "keys: model"),
    ("settings.txt", "model: x\ntemperature: 0\n", "no line begins as a query"),
]


def check(done: object, *parts: str) -> None:
    """Exit code 2, one sentence that holds all these, no traceback, nothing printed as a result."""
    assert done.returncode == 2, (done.stdout, done.stderr)  # type: ignore[attr-defined]
    said = done.stderr  # type: ignore[attr-defined]
    assert "Traceback" not in said
    assert "error: SJ007" not in said
    for part in parts:
        assert part in said, said
    assert "%" not in done.stdout  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bad")
    with connect(made / "d.sqlite") as database:
        database.execute("CREATE TABLE t (a)")
    (made / "good.json").write_text(json.dumps(GOOD))
    (made / "dev.json").write_text(json.dumps(DEV))
    (made / "asked.json").write_text(json.dumps([{"id": "1", "question": "?", "db_id": "d"}]))
    (made / "answers.json").write_text(json.dumps({"1": "SELECT 1"}))
    (made / "empty_folder").mkdir()
    return made


@pytest.mark.parametrize(("name", "content", "told"), FILES, ids=[name for name, *_ in FILES])
def test_files(folder: Path, name: str, content: str | bytes, told: str) -> None:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    check(run(E, name, *AT_D, cwd=folder), name, told)


# Prediction files for dev.json, which has three questions of the database d.
PREDICTIONS: list[tuple[str, str, str]] = [
    ("strange.json", json.dumps({"x": "SELECT 1"}), "'x'"),
    ("beyond.json", json.dumps({"7": "SELECT 1"}), "'7'"),
    ("long.json", json.dumps(["SELECT 1"] * 4), "long.json"),
    ("other.sql", "SELECT 1\tother\n" * 3, "other"),
    ("number.json", json.dumps({"0": 5}), "number.json"),
    ("object.json", json.dumps({"0": {"sql": 5}}), "object.json"),
    ("repeat.json", '{"0": "SELECT 1", "0": "SELECT 2"}', "twice"),
    ("keys.json", json.dumps([{"a": 1}]), "keys: a"),
    ("twice.json", json.dumps([{"id": "0", "sql": "SELECT 1"}] * 2), "'0'"),
]


@pytest.mark.parametrize(
    ("name", "content", "told"), PREDICTIONS, ids=[name for name, *_ in PREDICTIONS]
)
def test_predictions(folder: Path, name: str, content: str, told: str) -> None:
    (folder / f"p_{name}").write_text(content)
    check(run(E, "dev.json", "-p", f"p_{name}", *AT_D, cwd=folder), told)


COMMANDS: list[tuple[tuple[str, ...], str]] = [
    ((E, "god.json", *AT_D), "Did you mean 'good.json'"),
    ((E, "nowhere/dev.json", *AT_D), "no folder"),
    ((E, "empty_folder", *AT_D), "directory"),
    ((E, "good.json", "-d", "nowhere"), "nowhere"),
    ((E, "good.json", "-d", "empty_folder"), "empty_folder"),
    ((E, "good.json", "-d", "good.json"), "good.json"),
    ((E, "good.json"), "--databases"),
    ((E, "good.json", *AT_D, "-j", "exection"), "Did you mean 'execution'"),
    ((E, "good.json", *AT_D, "-j", "execution:strickt"), "Did you mean 'strict'"),
    ((E, "good.json", *AT_D, "-j", "execution,tolerence=1"), "tolerance"),
    ((E, "good.json", *AT_D, "-j", "execution,tolerance=high"), "high"),
    ((E, "good.json", *AT_D, "-j", "execution", "-j", "execution"), "execution"),
    ((E, "good.json", *AT_D, "-j", "mine.py:Judge"), "mine.py"),
    ((E, "good.json", *AT_D, "-j", "rose"), "model"),
    ((E, "good.json", *AT_D, "-j", "rose,model=gpt-4o"), "PROVIDER"),
    ((E, "good.json", *AT_D, "--format", "spidr"), "Did you mean 'spider'"),
    ((E, "good.json", *AT_D, "--map", "question"), "question"),
    ((E, "good.json", *AT_D, "--map", "querstion=q"), "Did you mean 'question'"),
    ((E, "good.json", *AT_D, "--map", "question=q"), '"q"'),
    ((E, "good.json", *AT_D, "--fail-under", "80"), "0.8"),
    ((E, "good.json", *AT_D, "--limit-bytes", "much"), "256MiB"),
    ((E, "good.json", *AT_D, "--limit-seconds", "0"), "limit-seconds"),
    ((E, "good.json", *AT_D, "--workers", "0"), "workers"),
    ((E, "good.json", *AT_D, "--wait"), "--batch"),
    ((E, "good.json", *AT_D, "--max-left-out", "few"), "few"),
    ((E, "good.json", "good.json", *AT_D), "already read"),
    ((E, "dev.json", "good.json", "-p", "good.json", *AT_D), "one file of references"),
    (("agree", "nowhere"), "nowhere"),
    (("agree", "good.json"), "good.json"),
    (("agree", "good.json", "--fail-under", "kapa=1"), "kapa"),
    (("report", "empty_folder", "--case", "1"), "empty_folder"),
    (("report", "nowhere"), "nowhere"),
    (("report", "nowhere", "--latex", "--markdown"), "give one"),
    ((E, "asked.json", "-p", "answers.json", *AT_D), 'no "reference_sqls"'),
    (("select", "dev.json", *AT_D), "none of the 3 questions has a candidate"),
    (("diff", "SELECT 1", "SELECT 2", "-d", "d.sqlite", "--dialect", "postgress"), "'postgres'?"),
    ((E, "good.json", "-d", "mysql//root@localhost/d"), "mysql://"),
    (("audit", "verify", "good.json", "dev.json"), "it has no 'decision'"),
    (("runs", "empty_folder"), "empty_folder"),
    (("report", "nowhere", "--against", "nowhere"), "nowhere"),
    (("list", "codes", "SJ000"), "SJ000"),
    (("list", "judges", "exection"), "Did you mean 'execution'"),
    (("diff", "SELECT 1", "SELECT 2", "--schema", "nowhere.sql"), "nowhere.sql"),
    (("diff", "SELECT x", "SELECT", "-d", "d.sqlite"), "reference"),
]


@pytest.mark.parametrize(("arguments", "told"), COMMANDS, ids=[" ".join(c) for c, _ in COMMANDS])
def test_commands(folder: Path, arguments: tuple[str, ...], told: str) -> None:
    check(run(*arguments, cwd=folder), told)


def test_there_are_a_hundred() -> None:
    assert len(FILES) + len(PREDICTIONS) + len(COMMANDS) >= 100
