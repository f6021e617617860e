"""The service under load: answers, refusals, seconds, and whether an answer was lost or wrong.

    python bench/serve.py --data FOLDER [--rate 50] [--seconds 20] [--judge execution:strict]

A server of its own is asked for verdicts on candidates of 17 systems for Spider dev:

    steady          so many requests a second
    spike           300 at once
    slow clients    steady, and 50 clients that send a byte of their request a second
    killed workers  steady, and every five seconds one of its workers is killed
    endless queries steady, and each second a caller sends a query that never ends

Requests are sent when they are due, whether or not earlier ones are answered. An answer is lost if
it is neither a verdict nor a refusal (429), and wrong if its outcome is not the one that the same
judge gives without the service. Client and server share the machine. FOLDER: see
docs/reproduce.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqljury as sj

TOKEN = "bench"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
SPIKE = 300


@dataclass(slots=True)
class Found:
    """The answers of one scenario."""

    seconds: list[float] = field(default_factory=list)
    refused: int = 0
    wrong: int = 0
    lost: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """A line of the table."""
        took = sorted(self.seconds)
        p50, p95, most = (1000 * took[int(q * (len(took) - 1))] for q in (0.5, 0.95, 1))
        sent = len(took) + self.refused + len(self.lost)
        return (
            f"{name:16} {sent:6} {len(took):8} {self.refused:5} {len(self.lost):5} {self.wrong:6}"
            f" {p50:8.1f} {p95:8.1f} {most:8.1f}"
        )


def main() -> None:
    """Start the server, run the scenarios, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--judge", default="execution:strict")
    options = parser.parse_args()
    databases = options.data / "spider" / "databases"
    every = sj.read_cases(options.data / "candidates" / "spider-dev-17-systems.jsonl.gz")
    cases = [case for case in every if (databases / case.db_id).is_dir()]
    cases = random.Random(0).sample(cases, 1000)
    with sj.Evaluator(databases, options.judge) as evaluator:
        right = [str(found[options.judge].outcome) for found in evaluator.judge_all(cases)]
    words = ["-d", str(databases), "-j", options.judge, "--rate", "1000000", "--port", "0"]
    server = subprocess.Popen(
        [sys.executable, "-m", "sqljury.cli", "serve", *words, "--limit-seconds", "2"],
        stdout=subprocess.PIPE,
        env={**os.environ, "SQLJURY_SERVE_TOKEN": TOKEN},
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().rpartition(":")[2])
        asyncio.run(scenarios(options, port, server.pid, cases, right))
    finally:
        server.terminate()
        code = server.wait(60)
    print(f"exit code of the server after SIGTERM: {code}")


async def scenarios(
    options: argparse.Namespace, port: int, server: int, cases: list[sj.Case], right: list[str]
) -> None:
    """Run each scenario and print its line."""
    bodies = [
        {
            "predicted_sql": str(case.predicted_sql),
            "reference_sqls": list(case.reference_sqls),
            "db_id": case.db_id,
            "question": case.question or "",
        }
        for case in cases
    ]

    async def one(place: int, found: Found) -> None:
        await asked(port, bodies[place], right[place], options.judge, found)

    async def steady(found: Found) -> None:
        places = (place % len(bodies) for place in range(options.rate * options.seconds))
        began = time.perf_counter()
        async with asyncio.TaskGroup() as tasks:
            for count, place in enumerate(places):
                due = began + count / options.rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                tasks.create_task(one(place, found))

    async def spike(found: Found) -> None:
        await asyncio.gather(*(one(place, found) for place in range(SPIKE)))

    async def with_trouble(found: Found, trouble: Callable[[], Awaitable[None]]) -> None:
        beside = asyncio.ensure_future(trouble())
        await steady(found)
        beside.cancel()
        with suppress(asyncio.CancelledError):
            await beside

    async def slow() -> None:
        await asyncio.gather(*(dripping(port) for _ in range(50)))

    async def killing() -> None:
        while True:
            await asyncio.sleep(5)
            pids = list(workers(server))
            os.kill(random.choice(pids), signal.SIGKILL)

    async def endless() -> None:
        while True:
            await asyncio.sleep(1)
            body = {"predicted_sql": ENDLESS, "reference_sqls": ["SELECT 1"], "db_id": "pets_1"}
            with suppress(OSError):
                await post(port, body)

    print("                   sent answered   429  lost  wrong   p50 ms   p95 ms   max ms")
    await steady(Found())  # opens the databases
    for name, run in (
        ("steady", steady),
        ("spike", spike),
        ("slow clients", lambda found: with_trouble(found, slow)),
        ("killed workers", lambda found: with_trouble(found, killing)),
        ("endless queries", lambda found: with_trouble(found, endless)),
        ("steady again", steady),
    ):
        found = Found()
        await run(found)
        print(found.line(name), flush=True)
        for text in sorted(set(found.lost)):
            print(f"  lost: {text}")


async def asked(port: int, body: dict[str, Any], right: str, judge: str, found: Found) -> None:
    """Send one request, and note its answer."""
    began = time.perf_counter()
    try:
        status, text = await post(port, body)
    except (OSError, ValueError, asyncio.IncompleteReadError) as error:
        found.lost.append(f"{type(error).__name__}: {error}")
        return
    if status == 429:
        found.refused += 1
    elif status != 200:
        found.lost.append(f"{status} {text[:200]}")
    else:
        found.seconds.append(time.perf_counter() - began)
        found.wrong += json.loads(text)["verdicts"][judge]["outcome"] != right


async def post(port: int, body: dict[str, Any]) -> tuple[int, str]:
    """Status and body of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        sent = json.dumps(body).encode()
        writer.write(
            b"POST /judge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(sent)}\r\n\r\n".encode()
            + sent
        )
        head, _, text = (await reader.read()).partition(b"\r\n\r\n")
        return int(head.split(None, 2)[1]), text.decode()
    except IndexError:
        raise ConnectionError("closed without an answer") from None
    finally:
        writer.close()


async def dripping(port: int) -> None:
    """Send a byte of a request a second, again and again."""
    sent = b"POST /judge HTTP/1.1\r\nHost: localhost\r\n" + b"X" * 1000
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            for byte in sent:
                if writer.is_closing():
                    break
                writer.write(bytes([byte]))
                await asyncio.sleep(1)
            writer.close()


def workers(server: int) -> Iterator[int]:
    """The ids of a server's worker processes."""
    for task in Path(f"/proc/{server}/task").iterdir():
        with suppress(OSError):
            yield from map(int, (task / "children").read_text().split())


if __name__ == "__main__":
    main()
