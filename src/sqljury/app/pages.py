"""Makes pages of the app from templates, whole or the part that htmx asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from sqljury.errors import SqljuryError
from sqljury.reports.page import TEMPLATES, page_environment

_ROOM = Path(__file__).parent
_ENVIRONMENT = page_environment(_ROOM / "templates")
_CONTENT_TYPES = {
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".js": "text/javascript",
    ".txt": "text/plain",
}
_REPORT_FILES = (
    "report.css",
    "document.css",
    "audit.css",
    "theme.js",
    "theme_button.js",
    "copy.js",
)
"""Files that the static report and the app share."""


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, as HTML.

    Args:
        template: its name without the ending.
    """
    url = request.url
    shown = {"doors": request.app.state.doors, "path": url.path, "is_part": is_part(request)}
    text = _ENVIRONMENT.get_template(f"{template}.html.j2").render({**shown, **values})
    # Half a surrogate pair in a query cannot be sent as UTF-8.
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status_code=status)


def compile_templates() -> None:
    """Read all templates now, so that the first page does not wait for it."""
    for name in _ENVIRONMENT.list_templates(extensions=["j2"]):
        _ENVIRONMENT.get_template(name)


def is_part(request: Request) -> bool:
    """True if htmx asks for a part of the page only, which it then replaces."""
    return "hx-request" in request.headers and "hx-history-restore-request" not in request.headers


def error_page(request: Request, error: Exception) -> Response:
    """The page for an error of ours, with its text."""
    assert isinstance(error, SqljuryError)
    return page(request, "error", status=404 if error.code == "SJ412" else 400, error=str(error))


def static_file(request: Request) -> Response:
    """A script, a style sheet or a licence; those of the static report are shared."""
    name = request.path_params["name"]
    folder = TEMPLATES if name in _REPORT_FILES else _ROOM / "static"
    known = {path.name: path for path in folder.iterdir()}
    path = known.get(name)
    kind = _CONTENT_TYPES.get(path.suffix) if path is not None else None
    if path is None or kind is None:
        return PlainTextResponse("no such file", status_code=404)
    return Response(path.read_bytes(), media_type=kind)
