"""A folder in which every name that Python or a package of ours may look for is code of its own."""

from __future__ import annotations

import sys
from pathlib import Path

_PACKAGES = (
    *("numpy", "scipy", "sqlglot", "sqlglotc", "rich", "typer", "click", "jinja2", "duckdb"),
    *("psycopg", "pymysql", "sqlalchemy", "sklearn", "torch", "z3", "openai", "anthropic", "pytz"),
    *("pyarrow", "markupsafe", "pygments", "sitecustomize", "usercustomize"),
)
# Python looks for these itself, before it runs what `python -m` names.
LOADED_BY_RUNPY = frozenset({"importlib", "contextlib", "warnings", "types", "functools"})
LOADED_BY_RUNPY |= {"collections", "operator", "keyword", "reprlib", "re", "enum", "copyreg"}


def set_traps(folder: Path, log: Path, *, without: frozenset[str] = frozenset()) -> None:
    """Modules that write their name and process to the log when they are imported."""
    names = [name for name in sys.stdlib_module_names if not name.startswith("_")]
    for name in {*names, *_PACKAGES} - without:
        code = f"import os\nopen({str(log)!r}, 'a').write('{name} %d\\n' % os.getpid())\n"
        package = folder / name if len(name) % 2 else None
        if package is not None:
            package.mkdir()
        place = folder / f"{name}.py" if package is None else package / "__init__.py"
        place.write_text(code)


def sprung(log: Path) -> list[str]:
    """The traps that something ran into: names and processes."""
    return log.read_text().splitlines() if log.exists() else []
