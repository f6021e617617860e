"""How many public queries have an operator tree, of those that SQLite accepts.

    python bench/tree_coverage.py --data FOLDER [--only "Spider dev gold"] [--show 10]

SQLite accepts a query that it prepares on an empty database made from the schema. Queries without
a tree are counted by reason, and --show prints some of them. FOLDER is laid out as
docs/reproduce.md says.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from checks.public_queries import Coverage, corpora, coverage


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--only", help="the corpora whose name contains this")
    parser.add_argument("--show", type=int, default=0, help="this many failures of each")
    options = parser.parse_args()
    if not (options.data / "pairs").exists():
        sys.exit(f"{options.data}: no pairs/: pass --data FOLDER (docs/reproduce.md)")
    print(f"{'':28}{'queries':>8}{'accepted':>9}{'with tree':>10}{'share':>9}  reasons")
    for name, corpus in corpora(options.data).items():
        if (options.only or "").lower() in name.lower():
            show(name, coverage(corpus), options.show)


def show(name: str, found: Coverage, most: int) -> None:
    """One line, and failures below."""
    reasons = ", ".join(f"{kind} {n}" for kind, n in found.reasons.most_common())
    print(
        f"{name:28}{found.queries:8}{found.accepted:9}{found.read:10}{found.share:9.2%}  {reasons}"
    )
    for reason, sql in found.failures[:most]:
        print(f"    {reason}\n        {' '.join(sql.split())[:300]}")


if __name__ == "__main__":
    main()
