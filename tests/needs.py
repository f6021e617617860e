"""What tests need that may not be installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip where one of these packages is missing; none is imported, which may take seconds.

    Where whole modules need torch and its like: `importorskip` would import it in every process
    that collects tests, also in those that then run others.
    """
    missing = [package for package in packages if not _is_there(package)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a package above it
        return False
