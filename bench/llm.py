"""What the client adds to a model's time, and how threads share the wait: python bench/llm.py

A server in a process of its own answers after a fixed delay. The floor of a call is the same
request by the SDK alone, in the same run.
"""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import openai

from sqljury.llm import Client, ClientSettings, Message, Model, Request, fence, parse_model

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "boolean"}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
CALLS = 300
DELAY = 0.5
QUESTIONS = 32


class Handler(BaseHTTPRequestHandler):
    """Waits as long as the model's name says, and answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        time.sleep(float(body["model"]))
        text = json.dumps({"reason": "because it is so " * 20, "verdict": True})
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1500, "completion_tokens": 90}
        reply = json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def serve(ready: Connection) -> None:
    """Run the server for as long as the process lives."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready.send(f"http://127.0.0.1:{server.server_address[1]}/v1")
    server.serve_forever()


def request(model: Model, number: int) -> Request:
    """A question of a usual size: 6,000 characters."""
    text = fence("Question", f"{number}: " + "SELECT name FROM town " * 270)
    return Request(model, (Message("system", "You judge."), Message("user", text)), SCHEMA)


def milliseconds(start: float, count: int) -> float:
    """Per call, since the start."""
    return (time.perf_counter() - start) / count * 1000


def per_call(url: str, folder: Path) -> None:
    """One thread, a server that does not wait."""
    model = parse_model("vllm:0", {"base_url": url})
    asked = [request(model, number) for number in range(CALLS)]
    sdk = openai.OpenAI(api_key="none", base_url=url, max_retries=0)
    bodies: list[dict[str, Any]] = [
        {"messages": [{"role": m.role, "content": m.content} for m in one.messages]}
        for one in asked
    ]
    sdk.chat.completions.create(model="0", **bodies[0])
    start = time.perf_counter()
    for body in bodies:
        sdk.chat.completions.create(model="0", **body)
    floor = milliseconds(start, CALLS)
    settings = ClientSettings(ledger=str(folder / "ledger.sqlite"), requests_per_minute=10**9)
    with Client(settings) as client:
        start = time.perf_counter()
        for one in asked:
            client.ask(one, case="1")
        whole = milliseconds(start, CALLS)
    with Client(ClientSettings(ledger=settings.ledger, replay=True)) as client:
        start = time.perf_counter()
        for one in asked:
            client.ask(one, case="1")
        replay = milliseconds(start, CALLS)
    print(f"a call by the SDK alone   {floor:8.2f} ms")
    print(f"a call by the client      {whole:8.2f} ms   {whole / floor:5.2f} of the SDK's")
    print(f"an answer on replay       {replay:8.2f} ms   {1000 / replay:5.0f} per second")


def by_concurrency(url: str) -> None:
    """Seconds per question against the number of threads."""
    print(f"\nseconds per question, the model takes {DELAY} s")
    model = parse_model(f"vllm:{DELAY}", {"base_url": url})
    first = 0.0
    for threads in (1, 2, 4, 8):
        count = QUESTIONS if threads > 1 else QUESTIONS // 4
        with Client(ClientSettings(concurrency=threads)) as client:
            with ThreadPoolExecutor(threads) as pool:
                start = time.perf_counter()
                asked = [request(model, number) for number in range(count)]
                list(pool.map(lambda one: client.ask(one, case="1"), asked))
            seconds = (time.perf_counter() - start) / count
        first = first or seconds
        print(f"{threads} threads   {seconds:7.4f} s   {first / seconds:5.2f} times as fast")


def main() -> None:
    """Both."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        per_call(url, Path(folder))
    by_concurrency(url)
    server.terminate()


if __name__ == "__main__":
    main()
