"""ROSE over the demonstration with a real server: killed, resumed, replayed, to the byte.

The model is random (see tiny_gguf.py), so its verdicts are too: two runs agree only if the second
one asks nobody.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from counting_proxy import CountingProxy, counting

from needs import needs
from sqljury.demo import DemoFiles, write_demo
from sqljury.llm import Ledger

pytestmark = [pytest.mark.slow, needs("xllamacpp", "gguf", "openai")]

_TINY = Path(__file__).with_name("tiny_gguf.py")
_JUDGE = "rose,model=llamacpp:tiny,dated=2611,model_options=temperature=1;max_tokens=600"
_CALLS_AT_ONCE = 8
_NOBODY = "http://127.0.0.1:9/v1"  # the discard port: nothing answers there


@contextmanager
def local_server() -> Iterator[str]:
    """The address of a server with the tiny model; it is gone after the block."""
    command = [sys.executable, str(_TINY), "serve", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            assert url, "the server did not start"
            _wait_until_healthy(f"{url}/health")
            yield url
        finally:
            server.kill()


def _wait_until_healthy(url: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)


def evaluate(demo: DemoFiles, run: Path, url: str, *more: str) -> subprocess.Popen[str]:
    """The command, started; its export goes beside the run's folder."""
    command = [sys.executable, "-m", "sqljury.cli", "evaluate", str(demo.cases)]
    command += ["-d", str(demo.databases), "-j", _JUDGE, "--run", str(run), *more]
    command += ["--limit-seconds", "2", "--limit-rows", "100000", "--json"]
    command += ["--concurrency", str(_CALLS_AT_ONCE), "--export", str(_export(run))]
    return subprocess.Popen(
        command,
        env=os.environ | {"LLAMACPP_BASE_URL": url, "PYTHONHASHSEED": "random"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out


def killed_in_the_middle(process: subprocess.Popen[str], proxy: CountingProxy, after: int) -> None:
    assert proxy.wait_for_answers(after, 180), "too few calls"
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert workers
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while any(Path("/proc", worker).exists() for worker in workers):  # alone they end themselves
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
    assert proxy.wait_until_quiet(60)


def _export(run: Path) -> Path:
    return run.with_suffix(".jsonl")


def test_killed_resumed_and_replayed_with_the_server_gone(tmp_path):
    demo = write_demo(tmp_path / "demo")
    kept = tmp_path / "answers.sqlite"
    first, again, replay = (tmp_path / name for name in ("first", "again", "replay"))
    with local_server() as server, counting(server) as proxy:
        killed_in_the_middle(
            evaluate(demo, first, proxy.url, "--ledger", str(kept)), proxy, after=30
        )
        before = _entries(kept)
        assert len(before) > 0
        assert not _export(first).exists()

        came = proxy.came
        summary = finished(evaluate(demo, first, proxy.url, "--ledger", str(kept)))
        after = _entries(kept)
        assert before.items() <= after.items()  # nothing lost, nothing asked again
        assert proxy.came - came == len(after) - len(before) > 0
        # A call that was open when the run was killed is paid for twice, and no other is.
        assert proxy.came - len(after) <= _CALLS_AT_ONCE
        assert 1 < proxy.most_open <= _CALLS_AT_ONCE

        came = proxy.came
        finished(evaluate(demo, first, proxy.url, "--ledger", str(kept)))
        finished(evaluate(demo, again, proxy.url, "--ledger", str(kept)))
        assert proxy.came == came

    replayed = finished(evaluate(demo, replay, _NOBODY, "--replay", str(kept)))
    assert _export(first).read_bytes() == _export(again).read_bytes()
    assert _export(first).read_bytes() == _export(replay).read_bytes()
    assert json.loads(summary)["judges"] == json.loads(replayed)["judges"]
    assert _entries(kept) == after

    records = [json.loads(line) for line in _export(replay).read_text().splitlines()]
    cases = json.loads(demo.cases.read_text())
    assert [record["id"] for record in records] == [str(case["question_id"]) for case in cases]
    # The model is random: it says yes and no, and everything was really asked.
    assert {"correct", "incorrect"} <= {record["outcome"] for record in records}
    assert len(after) >= len(cases) / 2


def test_a_replay_without_the_answer_names_the_case(tmp_path):
    demo = write_demo(tmp_path / "demo")
    kept = tmp_path / "empty.sqlite"
    Ledger(kept).close()
    process = evaluate(demo, tmp_path / "run", _NOBODY, "--replay", str(kept))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert "SJ904" in err
    named = re.search(r"SJ904 cases/(\d+): ", err)
    assert named, err
    cases = json.loads(demo.cases.read_text())
    assert int(named[1]) in {case["question_id"] for case in cases}


def _entries(path: Path) -> dict[str, str]:
    with Ledger(path) as ledger:
        return {entry.key: json.dumps(entry.raw, sort_keys=True) for entry in ledger.entries()}
