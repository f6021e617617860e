"""Imported before all else: ``python -m sqljury.cli`` runs no code of the current folder.

Python looks for modules there before it looks anywhere else, and what lies there may be a benchmark
that was downloaded. The command ``sqljury`` does not look there at all.
"""

import sys


def _leave() -> None:
    if sys.flags.safe_path or sys.argv[:1] != ["-m"] or "-m" not in sys.orig_argv:
        return
    module = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    home = __file__.rpartition("sqljury")[0].rstrip("/\\")  # os.path is a module, too
    if module.split(".")[0] == "sqljury" and sys.path[0] != home:
        del sys.path[0]


_leave()
