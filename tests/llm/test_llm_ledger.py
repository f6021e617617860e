"""The ledger: safe for threads and processes, the same bytes for the same contents."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.errors import InfrastructureError, InputError
from sqljury.llm import Entry, Ledger, Message, Request, parse_model

MODEL = parse_model("openai:o3")


def entry(number: int, raw: object = None, **fields: object) -> Entry:
    request = Request(MODEL, (Message("user", f"question {number}"),)).canonical()
    return Entry(request, raw or {"text": number}, "2026-01-01T00:00:00Z", **fields)  # type: ignore[arg-type]


def test_the_first_answer_stays(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        first = entry(1, {"text": "first"}, seconds=1.5, prompt_tokens=3, completion_tokens=4)
        assert ledger.get(first.key) is None
        assert ledger.put(first) == first
        assert ledger.put(entry(1, {"text": "second"})) == first
        assert ledger.get(first.key) == first
        assert len(ledger) == 1


def test_a_rejection_gives_way_to_an_answer_and_to_nothing_else() -> None:
    ledger = Ledger(None)
    rejected = entry(1, {"rejected": {}}, via="rejected")
    answered = entry(1, {"text": "yes"})
    assert ledger.put(rejected) == rejected
    assert ledger.put(entry(1, {"rejected": {"again": 1}}, via="rejected")) == rejected
    assert ledger.put(answered) == answered
    assert ledger.put(rejected) == answered


def test_eight_threads(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:

        def write(thread: int) -> list[int]:
            return [ledger.put(entry(n, {"thread": thread})).raw["thread"] for n in range(50)]

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(write, range(8)))
        assert len(ledger) == 50
        # Everybody is given the answer that was first.
        assert all(one == found[0] for one in found)


_WRITER = """
import sys
import time
from sqljury.llm import Ledger
sys.path.insert(0, sys.argv[3])
from test_llm_ledger import entry
with Ledger(sys.argv[1]) as ledger:
    print([ledger.put(entry(n, {"process": sys.argv[2]})).raw["process"] for n in range(150)])
"""


def test_two_processes_that_begin_at_once(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), name, str(Path(__file__).parent)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    outputs = [writer.communicate(timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    with Ledger(path, read_only=True) as ledger:
        assert len(ledger) == 150


def test_a_killed_writer_loses_nothing_that_it_had_put(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    script = _WRITER + "    sys.stdout.flush()\n    import os; os.kill(os.getpid(), 9)\n"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), "a", str(Path(__file__).parent)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9
    with Ledger(path, read_only=True) as ledger:
        assert len(ledger) == 150


# ---------------------------------------------------------------- export and import


def test_an_export_is_sorted_and_the_same_to_the_byte(tmp_path: Path) -> None:
    with Ledger(tmp_path / "a.sqlite") as a, Ledger(tmp_path / "b.sqlite") as b:
        entries = [entry(n, {"é": [1.0, None, "\ud800"], "n": n}, seconds=n) for n in range(20)]
        for one in entries:
            a.put(one)
        for one in reversed(entries):
            b.put(one)
        assert a.export_jsonl(tmp_path / "a.jsonl") == 20
        b.export_jsonl(tmp_path / "b.jsonl")
        written = (tmp_path / "a.jsonl").read_bytes()
        assert written == (tmp_path / "b.jsonl").read_bytes()
        keys = [json.loads(line)["key"] for line in written.splitlines()]
        assert keys == sorted(one.key for one in entries)
    with Ledger(tmp_path / "c.sqlite") as c:
        assert c.import_jsonl(tmp_path / "a.jsonl") == 20
        assert c.import_jsonl(tmp_path / "a.jsonl") == 0
        c.export_jsonl(tmp_path / "c.jsonl")
        assert (tmp_path / "c.jsonl").read_bytes() == written
    with Ledger(tmp_path / "c.jsonl", read_only=True) as replayed:
        assert replayed.get(entries[3].key) == entries[3]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(raw=st.dictionaries(st.text(), json_values, max_size=3), text=st.text())
def test_whatever_a_model_said_comes_back(raw: dict[str, object], text: str) -> None:
    request = Request(MODEL, (Message("user", text),)).canonical()
    one = Entry(request, raw, "2026-01-01T00:00:00Z")
    with Ledger(None) as ledger:
        assert ledger.put(one).raw == raw
        assert ledger.get(one.key) == one


BROKEN = {
    "no JSON": "{",
    "a list": "[]",
    "no key": '{"request": {}}',
    "an unknown field": '{"key": "k", "request": {}, "raw": {}, "at": "", "colour": 1}',
    "another key": '{"key": "k", "request": {}, "raw": {}, "at": ""}',
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with Ledger(None) as ledger:
        ledger.put(entry(1))
        ledger.export_jsonl(path)
    path.write_text(path.read_text() + line + "\n")
    with Ledger(None) as ledger:
        with pytest.raises(InputError, match=r"SJ906 .*x.jsonl:2: "):
            ledger.import_jsonl(path)
        assert len(ledger) == 0  # all of it or nothing


# ---------------------------------------------------------------- files that are none


def test_files_that_are_no_ledgers(tmp_path: Path) -> None:
    text, other, newer = tmp_path / "text", tmp_path / "other", tmp_path / "newer"
    text.write_text("no ledger at all, but long enough to be looked at " * 40)
    for path, change in ((other, "PRAGMA user_version = 1"), (newer, "PRAGMA user_version = 9")):
        if path is newer:
            Ledger(path).close()
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE IF NOT EXISTS mine (x)")
        database.execute(change)
        database.commit()
        database.close()
    before = [path.read_bytes() for path in (text, other, newer)]
    for path in (text, other, newer, tmp_path):
        for read_only in (False, True):
            with pytest.raises(InputError, match=r"SJ905|SJ801"):
                Ledger(path, read_only=read_only)
    assert [path.read_bytes() for path in (text, other, newer)] == before
    with pytest.raises(InputError, match=r"SJ905 there is no ledger"):
        Ledger(tmp_path / "none.sqlite", read_only=True)
    with pytest.raises(InputError, match=r"SJ905.*can only be replayed"):
        Ledger(tmp_path / "new.jsonl")


def test_a_ledger_with_a_trigger_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    Ledger(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON reply BEGIN DELETE FROM reply; END")
        database.commit()
    for read_only in (False, True):
        with pytest.raises(InputError, match=r"SJ905.*'t' is no plain table"):
            Ledger(path, read_only=read_only)


def test_a_ledger_in_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    with Ledger(folder / "l.sqlite") as ledger:
        ledger.put(entry(1))
    folder.chmod(0o500)
    try:
        with Ledger(folder / "l.sqlite", read_only=True) as ledger:
            assert ledger.get(entry(1).key) == entry(1)
    finally:
        folder.chmod(0o700)
    assert [path.name for path in folder.iterdir()] == ["l.sqlite"]


def test_a_replay_reads_what_another_process_is_writing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as writing:
        writing.put(entry(1))
        with Ledger(tmp_path / "l.sqlite", read_only=True) as reading:
            assert reading.get(entry(1).key) == entry(1)


# ---------------------------------------------------------------- one file is the whole truth


def copied(path: Path) -> Ledger:
    """The one file, taken while it is written to, and read by who has nothing else."""
    copy = path.with_name(f"copy-{time.monotonic_ns()}") / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    return Ledger(copy, read_only=True)


def in_the_file(path: Path) -> int:
    """How many answers a copy of the one file has."""
    with copied(path) as copy:
        return len(copy)


def test_an_open_ledger_is_in_its_one_file_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqljury.storage._SECONDS", 0.05)
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger, Ledger(path) as other:
        assert in_the_file(path) == 0
        for number in range(40):
            (ledger if number % 2 else other).put(entry(number))
        deadline = time.monotonic() + 30
        found = 0
        while found < 40:
            assert time.monotonic() < deadline
            time.sleep(0.1)
            with suppress(InputError):  # copied in the very moment in which it is written
                found = in_the_file(path)


def test_a_closed_ledger_is_one_file_though_others_have_it_open(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path):
        with Ledger(path) as ledger:
            ledger.put(entry(1))
        assert in_the_file(path) == 1
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["l.sqlite"]


_KILLED = """
import os, signal, sys
from sqljury.llm import Entry, Ledger
ledger = Ledger(sys.argv[1])
for n in range(30):
    ledger.put(Entry(f'["{n}"]', {"text": n}, "2026-01-01T00:00:00Z"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_beside_the_file_is_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    assert path.with_name("l.sqlite-wal").exists()
    Ledger(path).close()
    assert [one.name for one in tmp_path.iterdir()] == ["l.sqlite"]
    with Ledger(path, read_only=True) as ledger:
        assert len(ledger) == 30


def test_a_full_disk_and_a_damaged_answer_are_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        found = ledger.put(entry(1))
        ledger._database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(InfrastructureError, match="SJ802"):
            for number in range(2, 100):
                ledger.put(entry(number, {"text": "x" * 9000}))
        assert ledger.get(found.key) == found
        ledger._database.execute("UPDATE reply SET raw = '{'")
        with pytest.raises(InputError, match="SJ905"):
            ledger.get(found.key)
