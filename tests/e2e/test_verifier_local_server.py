"""The verifier by a real server: log-probabilities of one token, kept in the ledger.

The model is random (see tiny_gguf.py) but for two words: it would rather say Yes or No than
anything else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_rose_local_server import _wait_until_healthy

from needs import needs

pytestmark = [pytest.mark.slow, needs("xllamacpp", "gguf", "openai")]

_SERVE = """
import sys
sys.path.insert(0, {folder!r})
import tiny_gguf
tiny_gguf._PAIRS += ["Yes", "No"]
liking = tiny_gguf._liking
tiny_gguf._liking = lambda token: 14.0 if token in ("Yes", "No") else liking(token)
tiny_gguf.serve(0)
"""
_JUDGE = "verifier,model=llamacpp:tiny"


def test_scores_of_a_server_and_of_its_ledger(tmp_path, monkeypatch):
    cases = tmp_path / "cases.jsonl"
    with cases.open("w") as file:
        for number in range(6):
            line = {"id": number, "db_id": "d", "question": f"How many cost {number}?"}
            sql = f"SELECT count(*) FROM songs WHERE price = {number}"
            file.write(json.dumps({**line, "predicted_sql": sql, "schema_sql": _DDL}) + "\n")
    code = _SERVE.format(folder=str(Path(__file__).parent))
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        _wait_until_healthy(f"{url}/health")
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{url}/v1")
        first = judged(cases, tmp_path, "first", "--ledger", tmp_path / "ledger.sqlite")
    finally:
        server.kill()
        server.wait()
    assert len({row["score"] for row in first}) > 1
    assert all(0 < row["score"] < 1 and row["outcome"] != "unknown" for row in first)
    assert all(0.5 < row["measures"]["answer_mass"] <= 1 for row in first)
    replay = judged(cases, tmp_path, "replay", "--replay", tmp_path / "ledger.sqlite")
    assert replay == first


_DDL = "CREATE TABLE songs (name TEXT, price INTEGER)"


def judged(cases: Path, folder: Path, name: str, *more: object) -> list[dict]:
    export = folder / f"{name}.jsonl"
    command = [sys.executable, "-m", "sqljury.cli", "evaluate", cases, "-j", _JUDGE]
    command += ["--run", folder / name, "--export", export, *more]
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in export.read_text().splitlines()]
