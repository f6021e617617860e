"""What the site adds to the pages of `docs/` when it is built; mkdocs calls these."""

from __future__ import annotations

from pathlib import Path

import reference_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reference, written from the code, and the change log."""
    for path, page in reference_pages.PAGES.items():
        files.append(File.generated(config, path, content=page()))
    changes = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    changes = changes.replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    return files
