"""Options and arguments that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[
    list[Path], typer.Argument(help="Case files: references with or without predictions.")
]
RunFolder = Annotated[Path, typer.Argument(help="The folder of a run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a self-contained HTML report.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write a line per case and judge as CSV.")]
Export = Annotated[
    Path | None, typer.Option("--export", help="Write a line per case and judge as JSONL.")
]
Schema = Annotated[
    Path | None, typer.Option("--schema", help="CREATE TABLE statements, or tables.json.")
]
Database = Annotated[
    str | None, typer.Option("--database", "-d", help="File or URL to take the schema from.")
]
DbId = Annotated[str, typer.Option("--db-id", help="Which one, where there are several.")]
