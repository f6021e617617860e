"""Imported first, so that ``python -m sqljury`` imports no module from the current folder.

With ``-m``, Python searches the current folder for modules first, and that folder may be a
benchmark that was downloaded. The command ``sqljury`` does not search it at all.
"""

import sys


def _leave() -> None:
    """Remove the current folder from the module search path, if ``python -m sqljury`` put it there.

    It imports nothing but ``sys``, as any other import could already come from that folder.
    """
    if sys.flags.safe_path or sys.argv[:1] != ["-m"] or "-m" not in sys.orig_argv:
        return
    module = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    home = __file__.rpartition("sqljury")[0].rstrip("/\\")  # os.path would be imported
    if module.split(".")[0] == "sqljury" and sys.path[0] != home:
        del sys.path[0]


_leave()
