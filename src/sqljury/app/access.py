"""Who may talk to the app: a browser that knows the token, under a name of this machine.

The token is in the address that is printed. The first request with it sets a cookie, so that the
addresses of pages do not carry it. The Host header is checked, so that a page elsewhere cannot
reach the server by a name of its own (DNS rebinding); Origin is checked where something is changed.
Every answer forbids scripts, styles and requests that are not the app's own.
"""

from __future__ import annotations

import secrets
from http.cookies import SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sqljury.serving import same_token

LOOPBACK: Final = "127.0.0.1"
_HOSTS: Final = (LOOPBACK, "localhost", "[::1]")
_PARAMETER: Final = "token"
_SAFE_METHODS: Final = ("GET", "HEAD")
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # Without a referrer, browsers send forms of our own pages with the origin "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def new_token() -> str:
    """A random token, for the address."""
    return secrets.token_urlsafe(24)


class Access:
    """ASGI middleware that answers those who know the token, and sets the headers of safety.

    Args:
        port: the server's port; cookies of servers on other ports have other names.
    """

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"sqljury_{port}"
        self._hosts = {f"{host}:{port}" for host in _HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in, or that brings the token; else None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("Unknown host.", status_code=421)
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(fields).get(_PARAMETER)
        if given is not None and same_token(given, self._token):
            rest = urlencode([field for field in fields if field[0] != _PARAMETER])
            answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
            return answer
        cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        if cookie is None or not same_token(cookie.value, self._token):
            return PlainTextResponse(
                "Open the address that sqljury printed: it carries the token.", status_code=403
            )
        if scope["method"] not in _SAFE_METHODS and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("The request comes from another page.", status_code=403)
        return None
