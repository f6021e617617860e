"""What the site adds to the pages of `docs/` when it is built; mkdocs calls these."""

from __future__ import annotations

from pathlib import Path

import inserts
import reference_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reference, written from the code, and the change log."""
    for path, page in reference_pages.PAGES.items():
        files.append(File.generated(config, path, content=page()))
    changes = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    changes = changes.replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Show CSV files as tables, and the JSON that the commands of its page print."""
    if page.file.src_uri == "json.md":
        return inserts.with_output(markdown)
    return inserts.with_tables(inserts.with_bars(markdown), _ROOT / "docs")
