"""How many of Spider 2.0's published queries become operator trees.

    python bench/warehouse_reading.py SPIDER2_LITE SPIDER2_SNOW

Takes folders as published, with `resource/databases` (DDL.csv and TABLE.json files),
`spider2-*.jsonl` and `evaluation_suite/gold/sql`. Prints a row for each dialect, then the reasons
why the others have no tree.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from sqljury import read_cases
from sqljury.databases.schemas import read_schemas
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable


def kind_of(found: Unreadable) -> str:
    """The reason without names."""
    text = re.sub(r"the name \S+,", "the name …,", found.reason)
    text = re.sub(r"no (column|table) \S+", r"no \1 …", text)
    return f"{found.kind}: {re.sub(r'[(].*[)]', '(…)', text)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    every = Counter[bool]()
    for folder in options.folders:
        schemas = read_schemas(folder / "resource" / "databases")
        all_, read, why = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for case in read_cases(folder / f"{folder.name}.jsonl", questions=True):
            schema = schemas.get(case.db_id)
            for sql in case.reference_sqls:
                if schema is None or not schema.tables:
                    all_["no schema published"] += 1
                    continue
                all_[schema.dialect] += 1
                found = build_tree(sql, schema, schema.dialect)
                read[schema.dialect] += not isinstance(found, Unreadable)
                every[not isinstance(found, Unreadable)] += 1
                if isinstance(found, Unreadable):
                    why[schema.dialect, kind_of(found)] += 1
        for dialect, n in sorted(all_.items()):
            print(f"{folder.name} {dialect}: {read[dialect]} of {n} ({read[dialect] / n:.1%})")
        for (dialect, reason), n in why.most_common():
            print(f"  {n:3} {dialect} {reason}")
    print(f"together: {every[True]} of {every.total()} ({every[True] / every.total():.1%})")


if __name__ == "__main__":
    main()
