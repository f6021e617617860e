"""What the client for chat models costs beside the models themselves.

    python bench/replay.py [--cases 20000] [--workers 1 2] [--delay 0.2]

First: cases per second when ROSE is replayed from a ledger that a scripted model filled; the
cases are the demonstration's with a question of their own each, so that no answer serves twice.
Then: what one call costs in the client. Last: time per question with 1, 2, 4 and 8 calls at once
to a server that answers after a fixed delay; linear would be the delay divided by their number.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import sqljury
from sqljury.case import Case
from sqljury.demo import write_demo
from sqljury.llm import Client, ClientSettings, Message, Request, parse_model
from sqljury.verdict import Outcome

_SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "boolean"}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
_YES = {
    "expected_answer": "A list.",
    "sql_description": "It lists.",
    "reason": "It answers the question.",
    "evidence": "All rows.",
    "verdict": True,
    "judgement": "It stands.",
    "gold_correct": True,
    "ambiguity": "na",
}


def main() -> None:
    """Measure, print."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        _replay(Path(folder), options.cases, options.workers)
        _overhead(Path(folder), options.calls)
    _concurrency(options.delay, options.questions)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--delay", type=float, default=0.2)
    return parser.parse_args()


# ---------------------------------------------------------------- replay


def _replay(folder: Path, count: int, workers: Sequence[int]) -> None:
    demo = write_demo(folder / "demo")
    cases = _many(list(sqljury.read_cases([demo.cases])), count)
    judge = f"rose,model=scripted:{_script(folder)},dated=2611"
    kept = ClientSettings(ledger=str(folder / "ledger.sqlite"))
    seconds, _ = _judged(cases, judge, demo.databases, folder / "filling", 1, kept)
    print(f"scripted model, ledger filled   {count / seconds:8,.0f} cases/s ({count:,} cases)")
    for number in workers:
        settings = replace(kept, replay=True)
        run = folder / f"replay{number}"
        seconds, rate = _judged(cases, judge, demo.databases, run, number, settings)
        print(
            f"replay, {number} worker(s)             {count / seconds:8,.0f} cases/s in all, "
            f"{rate:,.0f} in the steady state"
        )


def _many(demo: Sequence[Case], count: int) -> list[Case]:
    # The cases that run into a limit measure the limit.
    usable = [case for case in demo if "RECURSIVE" not in str(case.predicted_sql).upper()]
    found = []
    for number in range(count):
        case = usable[number * len(usable) // count]
        question = f"{case.question} (Request {number}.)"
        found.append(replace(case, id=str(number), question=question))
    return found


def _script(folder: Path) -> Path:
    """A model that says yes to everything, in the fields of whatever it is asked for."""
    path = folder / "yes.jsonl"
    path.write_text(json.dumps({"when": [], "answer": _YES}) + "\n")
    return path


def _judged(
    cases: Sequence[Case],
    judge: str,
    databases: Path,
    run: Path,
    workers: int,
    settings: ClientSettings,
) -> tuple[float, float]:
    """Seconds in all, and cases per second between a fifth and nine tenths of the verdicts."""
    seen: list[tuple[float, int]] = []

    def on_progress(done: int, total: int) -> None:
        if 0.2 * total <= done <= 0.9 * total:
            seen.append((time.perf_counter(), done))

    start = time.perf_counter()
    with sqljury.evaluate(
        cases, [judge], databases, run=run, workers=workers, llm=settings, on_progress=on_progress
    ) as found:
        seconds = time.perf_counter() - start
        unanswered = [
            record.verdict.reason
            for record in found.records()
            if record.verdict.outcome is Outcome.JUDGE_UNAVAILABLE
        ]
    assert not unanswered, unanswered[0]
    (begin, first), (end, last) = seen[0], seen[-1]
    return seconds, (last - first) / (end - begin)


# ---------------------------------------------------------------- one call


def _overhead(folder: Path, calls: int) -> None:
    """The client without model and network: ledger, limits, parsing."""
    model = f"scripted:{_script(folder)}"
    settings = ClientSettings(ledger=str(folder / "calls.sqlite"))
    for name, kept in (("new", settings), ("from the ledger", replace(settings, replay=True))):
        with Client(kept) as client:
            start = time.perf_counter()
            for number in range(calls):
                client.ask(_question(model, {}, number), case=str(number))
            seconds = time.perf_counter() - start
        print(f"overhead of a call, {name:16s} {seconds / calls * 1e6:8,.0f} µs")


def _question(model: str, options: dict[str, str], number: int) -> Request:
    text = f"Question {number}: does the query answer it? " + "CREATE TABLE t (a, b); " * 100
    return Request(parse_model(model, options), (Message("user", text),), schema=_SCHEMA)


# ---------------------------------------------------------------- calls at once


def _concurrency(delay: float, questions: int) -> None:
    with _slow_server(delay) as url:
        alone = 0.0
        for number in (1, 2, 4, 8):
            per_question = _per_question(url, number, questions)
            alone = alone or per_question
            print(
                f"{number} call(s) at once, {delay:g} s each   {per_question * 1e3:8.1f} ms per "
                f"question, {alone / per_question:.2f} x as fast, "
                f"{delay / number / per_question:.0%} of linear"
            )


def _per_question(url: str, concurrency: int, questions: int) -> float:
    settings = ClientSettings(concurrency=concurrency)
    with Client(settings) as client, ThreadPoolExecutor(concurrency) as threads:

        def ask(number: int) -> bool:
            request = _question("llamacpp:slow", {"base_url": url}, number)
            return client.ask(request, case=str(number)).value is not None

        # The first call imports the SDK, and opens the connections.
        assert all(threads.map(ask, range(-concurrency, 0)))
        start = time.perf_counter()
        assert all(threads.map(ask, range(questions)))
        return (time.perf_counter() - start) / questions


@contextmanager
def _slow_server(delay: float) -> Iterator[str]:
    content = json.dumps({"reason": "It does.", "verdict": True})
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    body = json.dumps({"model": "slow", "choices": [choice], "usage": usage}).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            time.sleep(delay)
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
