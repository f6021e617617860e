"""A server that speaks OpenAI's chat format and does what a script says: also the wrong thing."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
Act = Callable[["Handler", Body], None]
"""What the server does with one request."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ChatServer

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        data = self.rfile.read(length)
        try:
            if self.server.other is not None and not self.path.endswith("/chat/completions"):
                self.server.other(self, data)
                return
            self.server.note(json.loads(data), {k.lower(): v for k, v in self.headers.items()})
            self.server.next_act()(self, json.loads(data))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_GET(self) -> None:
        assert self.server.other is not None
        try:
            self.server.other(self, b"")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class ChatServer(ThreadingHTTPServer):
    """Acts are played one after the other; the last one for ever."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *acts: Act) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._acts = list(acts)
        self._noted = threading.Condition()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.other: Callable[[Handler, bytes], None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, body: dict[str, Any], headers: dict[str, str]) -> None:
        with self._noted:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self._noted.notify_all()

    def wait_for_requests(self, number: int, seconds: float = 30.0) -> int:
        """How many requests came, at least so many or all within the time: a caller that gave one
        up may be further than the thread that reads it."""
        with self._noted:
            self._noted.wait_for(lambda: len(self.requests) >= number, seconds)
            return len(self.requests)

    def next_act(self) -> Act:
        with self._noted:
            return self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def serving(*acts: Act) -> Iterator[ChatServer]:
    """A server for as long as the block lasts."""
    server = ChatServer(*acts)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def completion(content: Any, **changes: Any) -> dict[str, Any]:
    """A chat completion as OpenAI writes it."""
    message = {"role": "assistant", "content": content, "refusal": changes.pop("refusal", None)}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": changes.pop("finish_reason", "stop"),
        "logprobs": changes.pop("logprobs", None),
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [choice],
        "usage": usage,
    } | changes


def says(content: Any, **changes: Any) -> Act:
    """Answer with this text (or object as JSON)."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    return sends(completion(text, **changes))


def sends(raw: Any, status: int = 200, **headers: str) -> Act:
    """Answer with this JSON, or these bytes."""
    body = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    return lambda handler, _: handler.send(status, body, **headers)


def fails(status: int, message: str = "went wrong", **headers: str) -> Act:
    """Answer with an error of OpenAI's form."""
    return sends({"error": {"message": message, "type": "x", "code": None}}, status, **headers)


def late(seconds: float, act: Act) -> Act:
    """Do it, but later."""

    def wait(handler: Handler, body: Body) -> None:
        time.sleep(seconds)
        act(handler, body)

    return wait


def cuts(handler: Handler, _: Body) -> None:
    """Promise a body, send a part of it, and hang up."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "10000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.close_connection = True
    handler.connection.close()


def hangs_up(handler: Handler, _: Body) -> None:
    """Say nothing and hang up."""
    handler.close_connection = True
    handler.connection.close()


def drips(handler: Handler, _: Body) -> None:
    """A byte now and then: no single wait is long."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


# ---------------------------------------------------------------- batches

Result = Mapping[str, Any]
"""What a line of a result says beside the id of its request: ``response`` or ``error``."""


class BatchServer:
    """The part of OpenAI's files and batches that is used, set as :attr:`ChatServer.other`.

    Args:
        answers: from the body of a request to what its line says; by default as ``model`` would.
        model: what a completion says to the body of a request.
        state: what new batches come to at once.
    """

    def __init__(
        self,
        model: Callable[[Body], Any] = lambda _: "",
        *,
        state: str = "completed",
        answers: Callable[[Body], Result] | None = None,
    ) -> None:
        self.answers = answers or (lambda body: replied(completion(model(body))))
        self.state = state
        self.uploads: list[list[dict[str, Any]]] = []
        """The lines of each file."""
        self.batches: dict[str, dict[str, Any]] = {}
        self.hurdles: list[tuple[str, Act]] = []
        """Acts to be played first, each once, for the next request ``METHOD /path…``."""
        self.asked: list[str] = []
        """``METHOD /path`` of each request."""
        self._answered: dict[int, list[dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def __call__(self, handler: Handler, data: bytes) -> None:
        path = handler.path.removeprefix("/v1").partition("?")[0]
        name = f"{handler.command} {path}"
        with self._lock:
            self.asked.append(name)
            hurdle = next((one for one in self.hurdles if name.startswith(one[0])), None)
            if hurdle is not None:
                self.hurdles.remove(hurdle)
        if hurdle is not None:
            hurdle[1](handler, {"data": data})
        else:
            handler.send(200, self.reply(name, data))

    def reply(self, name: str, data: bytes) -> bytes:
        """What a server that does its work says."""
        if name == "POST /files":
            lines = re.findall(rb'^\{"custom_id".*?$', data, re.MULTILINE)
            self.uploads.append([json.loads(line) for line in lines])
            return _json({"id": f"file-{len(self.uploads)}", "object": "file"})
        if name == "POST /batches":
            return _json(self.created(json.loads(data)))
        if name == "GET /batches":
            newest_first = [self.shown(one) for one in reversed(self.batches)]
            return _json({"object": "list", "data": newest_first, "has_more": False})
        if name.startswith("GET /batches/"):
            return _json(self.shown(name.removeprefix("GET /batches/")))
        kind, number = re.findall(r"/files/(\w+)-(\d+)/content", name)[0]
        lines = [
            {"custom_id": line["custom_id"], "response": None, "error": None} | line["said"]
            for line in self.answered(int(number))
            if (kind == "output") == _is_good(line["said"])
        ]
        return "\n".join(json.dumps(line) for line in lines).encode()

    def created(self, asked: Body) -> dict[str, Any]:
        """A new batch."""
        number = asked["input_file_id"].removeprefix("file-")
        self.batches[f"batch-{number}"] = {
            "state": self.state,
            "metadata": asked.get("metadata"),
        }
        return self.shown(f"batch-{number}")

    def answered(self, number: int) -> list[dict[str, Any]]:
        """The results of a file, the last question first: their order means nothing."""
        if number not in self._answered:
            self._answered[number] = [
                {**line, "said": self.answers(line["body"])}
                for line in reversed(self.uploads[number - 1])
            ]
        return self._answered[number]

    def shown(self, batch: str) -> dict[str, Any]:
        """A batch as OpenAI shows it."""
        number, one = int(batch.removeprefix("batch-")), self.batches[batch]
        ended = one["state"] in ("completed", "expired")
        kinds = {_is_good(line["said"]) for line in self.answered(number)} if ended else set()
        return {
            "id": batch,
            "object": "batch",
            "status": one["state"],
            "metadata": one["metadata"],
            "request_counts": {"total": len(self.uploads[number - 1]), "completed": 1, "failed": 0},
            "output_file_id": f"output-{number}" if True in kinds else None,
            "error_file_id": f"error-{number}" if False in kinds else None,
            "errors": {"data": [{"code": "x", "message": one.get("why", "")}]}
            if one["state"] == "failed"
            else None,
        }

    def end(self, state: str = "completed", why: str = "") -> None:
        """All batches under way come to this, and new ones too unless it is a failure."""
        for one in self.batches.values():
            if one["state"] == "in_progress":
                one |= {"state": state, "why": why}


def replied(body: Any, status: int = 200) -> Result:
    """A line on a request that was answered, or refused."""
    return {"response": {"status_code": status, "request_id": "1", "body": body}}


def _is_good(said: Result) -> bool:
    return bool(said.get("response")) and said["response"]["status_code"] == 200


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
