"""What the site changes in docstrings, which are written for the terminal as well.

``:func:`name``` becomes plain code, and an example becomes a block of its own.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):`~?([^`]+)`")
_EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class Docstrings(Extension):
    """Makes Markdown of what docstrings hold besides."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of whatever has been read."""
        if obj.docstring is not None:
            text = _ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub("```pycon\n\\g<0>\n```", text)
