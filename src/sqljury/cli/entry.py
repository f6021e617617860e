"""The entry point: runs the typed command, and turns errors into messages and exit codes."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from importlib import import_module
from typing import NoReturn

from sqljury.cli.commands import DECLARED, plain_command, typed_modules
from sqljury.cli.streams import SafeOutput, make_safe
from sqljury.errors import EXIT_INFRASTRUCTURE, EXIT_OK, SqljuryError
from sqljury.secrets import learn_from_environment, learn_from_urls, redacted
from sqljury.trusted import PROJECT_FILE
from sqljury.writing import unwritable

_EXIT_INTERRUPTED = 130
_DEBUG = "SQLJURY_DEBUG"
_COMPLETE = "_SQLJURY_COMPLETE"
"""A shell asks for completions."""


def main() -> NoReturn:
    """Run the command line; an error is printed as one line and sets the exit code."""
    output = make_safe()
    learn_from_environment()
    learn_from_urls(*sys.argv)
    code = _exit_code()
    sys.exit(_written(output, code))


def main_of_module() -> NoReturn:
    """Run :func:`main` for ``python -m``, and exit with 130 after an interrupt.

    Under ``-m``, Python kills itself by the signal, whatever the exit code, if the interrupt came
    while text was compiled and run, as happens when data classes are imported.
    """
    try:
        main()
    except SystemExit as stop:
        if stop.code == _EXIT_INTERRUPTED:
            atexit._run_exitfuncs()
            sys.stderr.flush()
            os._exit(_EXIT_INTERRUPTED)
        raise


def _exit_code() -> int:
    """Run the command, print its error if it has one, and return the exit code."""
    try:
        return EXIT_OK if _run_plain() else _run_by_typer()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_OK
    except SqljuryError as error:
        return _said(f"error: {error}", error.exit_code)
    except KeyboardInterrupt:
        return _interrupted()
    except EOFError as error:
        return _cut_off(error)
    except Exception as error:
        # Typer's abort is an interrupt, or the end of a file.
        if type(error).__name__ == "Abort" and not isinstance(error.__cause__, EOFError):
            return _interrupted()
        if isinstance(error.__cause__, EOFError):
            return _cut_off(error.__cause__)
        if _is_interrupt(error):
            return _interrupted()
        # Usage errors: typer carries click inside it, so their class has no public name.
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            from sqljury.cli.project import from_project_file

            error.show()
            if from_project_file(error):
                _say(f"The value stands in {PROJECT_FILE}.")
            return int(error.exit_code)
        return _unforeseen(error)


def _run_plain() -> bool:
    """Run the command without typer; False if the command line needs it."""
    typed = plain_command()
    if not typed or sys.argv[1] != typed or os.name == "nt" or _COMPLETE in os.environ:
        return False
    from sqljury.cli.flags import call
    from sqljury.cli.quick import values_of

    (module,) = typed_modules()
    import_module(f"sqljury.cli.{module}")
    function = next((one.function for one in DECLARED if one.name == typed and not one.group), None)
    given = None if function is None else values_of(function, sys.argv[2:])
    if function is None or given is None:
        return False
    call(function, given)
    return True


def _run_by_typer() -> int:
    from sqljury.cli.app import root_command

    result = root_command(typed_modules())(standalone_mode=False)
    if result == _EXIT_INTERRUPTED:  # how newer typers say KeyboardInterrupt
        raise KeyboardInterrupt
    return result if isinstance(result, int) else EXIT_OK


def _interrupted() -> int:
    said = "stopped; what was written is kept, the same command goes on."
    return _said(said, _EXIT_INTERRUPTED)


def _cut_off(error: EOFError) -> int:
    """Print that a compiled module is incomplete, as Python leaves it on a full disk."""
    files = (
        frame.f_locals.get("bytecode_path") for frame, _ in traceback.walk_tb(error.__traceback__)
    )
    path = next(filter(None, files), None)
    if path is None:
        return _unforeseen(error)
    return _said(
        f"error: SJ011 {path} is cut off, probably because a disk was full. Delete it: "
        "Python makes it again.",
        EXIT_INFRASTRUCTURE,
    )


def _is_interrupt(error: BaseException | None) -> bool:
    """True if an interrupt caused the error, as when one comes while Python makes a class."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def _unforeseen(error: Exception) -> int:
    """Print an error that no other handler knows in one line; return the exit code.

    The traceback is printed only with SQLJURY_DEBUG, and the code is never that of a gate.
    """
    if os.environ.get(_DEBUG):
        _say("".join(traceback.format_exception(error)))
    if isinstance(error, OSError) and error.filename:
        found = unwritable(error.filename, error)
        what = found.message.replace("cannot write", "cannot use")
        return _said(f"error: {found.code} {what}", found.exit_code)
    what = f"{type(error).__name__}: {error}".partition("\n")[0]
    return _said(
        f"error: SJ007 {what[:500]} This is a fault of sqljury; what was judged is kept. Set "
        f"{_DEBUG}=1 for the place in the code, and report it with the command.",
        EXIT_INFRASTRUCTURE,
    )


def _written(output: SafeOutput | None, code: int) -> int:
    """Flush standard output; return the exit code, raised to 3 if the output was not written."""
    sys.stdout.flush()
    failure = None if output is None else output.failure
    # A reader that closes the pipe, as `head` does, has what it wants.
    if failure is None or isinstance(failure, BrokenPipeError):
        return code
    why = failure.strerror or str(failure)
    return max(code, _said(f"error: SJ802 cannot write the output: {why}.", EXIT_INFRASTRUCTURE))


def _said(text: str, code: int) -> int:
    _say(text)
    return code


def _say(text: str) -> None:
    print(redacted(text), file=sys.stderr)
