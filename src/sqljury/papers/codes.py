"""Error codes of the papers' tables: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ521": (
        "recordings without their cases",
        "A recording is joined to labelled cases by id and predicted SQL, since ids repeat from "
        "set to set. Give the files of all the sets that were recorded.",
    ),
    "SJ522": (
        "the same recording twice",
        "A model's metric counts once for each set. Repeated runs are folders of their own, such "
        "as ROSE and ROSE-thread-4.",
    ),
    "SJ523": (
        "no recorded methods",
        "A folder of methods holds, for each of them, NAME/EX-…/eval_results.json and "
        "NAME/o3-…/eval_results.json; docs/rose-recordings.md shows the layout.",
    ),
    "SJ524": (
        "a table of methods that cannot be read",
        "methods.csv has the columns folder, method, base_model, kind, released (yyyy-mm) and, "
        "where figures were published, ex, rose, ex_simple, rose_simple, …",
    ),
}
