"""The entry point: every command is imported here, and errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import typer

from sqljury.cli.app import app
from sqljury.errors import EXIT_OK, SqljuryError

_EXIT_INTERRUPTED = 130

# In the order in which `sqljury --help` lists their commands, and the commands of each group.
for _name in (
    "evaluate",
    "agree",
    "trust",
    "select",
    "two_queries",
    "explain_match",
    "runs",
    "rose",
    "demo",
    "about",
    "generate",
    "label",
    "train_detector",
    "train_graph_match",
    "train_verifier",
    "build_trust",
    "build_pairs",
    "suite",
    "ledger",
):
    import_module(f"sqljury.cli.{_name}")


def main() -> NoReturn:
    """The entry point: errors become one line and an exit code."""
    try:
        result = app(standalone_mode=False)
        if result == _EXIT_INTERRUPTED:  # how newer typers say KeyboardInterrupt
            raise KeyboardInterrupt
        sys.exit(result if isinstance(result, int) else EXIT_OK)
    except SqljuryError as error:
        _fail(f"error: {error}", error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped; what was judged is kept, the same command goes on.", _EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(EXIT_OK)
    except Exception as error:
        # Usage errors: typer carries click inside it, so their class has no public name.
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            error.show()
            sys.exit(error.exit_code)
        raise


def _fail(text: str, code: int) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(code)
