"""A proxy before a chat server: it counts what passes, and how much of it at once."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class CountingProxy(ThreadingHTTPServer):
    """Counts the calls that came, those answered, and the most that were open at once."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.came = self.answered = self.most_open = 0
        self._open = 0
        self._changed = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def opened(self) -> None:
        with self._changed:
            self.came += 1
            self._open += 1
            self.most_open = max(self.most_open, self._open)

    def closed(self, answered: bool) -> None:
        with self._changed:
            self._open -= 1
            self.answered += answered
            self._changed.notify_all()

    def wait_for_answers(self, number: int, seconds: float) -> bool:
        """Whether so many calls were answered within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self.answered >= number, seconds)

    def wait_until_quiet(self, seconds: float) -> bool:
        """Whether no call is open any more."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, seconds)

    def handle_error(self, *_: object) -> None:
        pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: CountingProxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.opened()
        status = 0
        try:
            status, answer = self._forwarded(body)
        finally:
            # Before the answer goes out: its reader may ask again faster than this thread goes on.
            self.server.closed(answered=status == 200)
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the caller was killed

    def _forwarded(self, body: bytes) -> tuple[int, bytes]:
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=60)
        try:
            upstream.request("POST", self.path, body, {"content-type": "application/json"})
            response = upstream.getresponse()
            return response.status, response.read()
        finally:
            upstream.close()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def counting(upstream: str) -> Iterator[CountingProxy]:
    """A proxy for as long as the block lasts."""
    proxy = CountingProxy(upstream)
    threading.Thread(target=proxy.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
