"""Whether differences name the damage in Spider 2.0's published queries.

    python bench/warehouse_differences.py SPIDER2_LITE SPIDER2_SNOW

Takes folders as published. Each query that has a tree is damaged by our mutations, six times; its
differences from what it was are found as ``sqljury diff`` finds them. Counted by dialect: queries
that can be damaged, damaged ones with a tree, those with another tree, those of which a difference
is named; by kind of mistake, those without one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from sqljury import read_cases
from sqljury.databases.schemas import read_schemas
from sqljury.equivalence.canonical import canonical_query
from sqljury.likeness.differences import differences
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable
from sqljury.variants import mutations

MOST = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    counts: dict[str, Counter[str]] = {}
    silent, unread = Counter[str](), Counter[str]()
    for folder in parser.parse_args().folders:
        schemas = read_schemas(folder / "resource" / "databases")
        for case in read_cases(folder / f"{folder.name}.jsonl", questions=True):
            schema = schemas.get(case.db_id)
            if schema is None or schema.dialect == "sqlite":
                continue
            for sql in case.reference_sqls:
                dialect = schema.dialect
                if isinstance(build_tree(sql, schema, dialect), Unreadable):
                    continue
                count = counts.setdefault(dialect, Counter())
                count["queries"] += 1
                whole = canonical_query(sql, schema, dialect)
                assert not isinstance(whole, Unreadable)
                made = mutations(sql, schema, most=MOST, dialect=dialect)
                count["damaged queries"] += bool(made)
                for variant in made:
                    kind = f"{dialect} {variant.kinds[0]}"
                    count["variants"] += 1
                    damaged = canonical_query(variant.sql, schema, dialect)
                    if isinstance(damaged, Unreadable):
                        unread[f"{kind}: {damaged.kind}"] += 1
                        continue
                    count["with a tree"] += 1
                    if damaged.relation == whole.relation:
                        continue
                    count["with another tree"] += 1
                    if differences(damaged.relation, whole.relation):
                        count["named"] += 1
                    else:
                        silent[kind] += 1
    for dialect, count in sorted(counts.items()):
        print(dialect, ", ".join(f"{name}: {n}" for name, n in count.items()))
        print(f"  named: {count['named'] / count['with another tree']:.1%}")
    for title, found in (("no difference named", silent), ("no tree", unread)):
        for kind, n in found.most_common():
            print(f"  {title}: {n:3} {kind}")


if __name__ == "__main__":
    main()
