"""Find the n-grams that CrystalBLEU leaves out: ``python tools/common_ngrams.py train_gold.sql``.

The file has a query and a database on each line, as Spider's gold files do (.gz too).
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from sqljury.likeness.matching.tokens import most_common, tokens_of

TARGET = Path(__file__).parent.parent / "src/sqljury/likeness/matching/common_ngrams.json"


def main(path: Path) -> None:
    """Write the list beside the code that reads it."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        queries = dict.fromkeys(line.split("\t")[0].strip() for line in file if line.strip())
    corpus = [tokens for sql in queries if (tokens := tokens_of(sql, "sqlite"))]
    lines = ",\n".join(json.dumps(gram) for gram in most_common(corpus))
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(corpus)} queries -> {TARGET.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
