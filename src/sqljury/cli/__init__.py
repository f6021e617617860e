"""The command line: a thin shell over :mod:`sqljury.uses`.

One command, or a few that belong together, a file. Heavy imports stay inside the commands, so that
``sqljury --help`` answers at once.
"""

try:
    from sqljury.cli.entry import main
except KeyboardInterrupt:
    # Stopped while the command was imported: nothing has begun.
    raise SystemExit(130) from None

__all__ = ["main"]
