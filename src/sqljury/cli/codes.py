"""Error codes of the command line, each with its title and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ002": ("not a size", "Sizes are a number with an optional unit: 268435456, 256MiB, 1GiB."),
    "SJ003": (
        "not one of the choices",
        "The message lists the choices that this option has.",
    ),
    "SJ004": ("no such code", "Codes are printed at the start of each error, such as SJ104."),
    "SJ005": (
        "a threshold is wrong",
        "`agree --fail-under` takes a statistic and a fraction: kappa=0.75, f1=0.9. Statistics are "
        "the keys of `agree --json`.",
    ),
    "SJ006": (
        "options or inputs that do not go together",
        "The message says which needs, or excludes, which.",
    ),
    "SJ007": (
        "a fault of sqljury",
        "An unexpected error. What was judged until then is kept, and the same command resumes. "
        "SQLJURY_DEBUG=1 prints the place in the code: please report it.",
    ),
    "SJ008": (
        "a project file that is not understood",
        "sqljury.toml has a table for each command ([evaluate], [audit.run]) whose keys are the "
        "command's long options without the dashes, and files. A typed option overrides it.",
    ),
    "SJ009": (
        "a folder that is not trusted",
        "A sqljury.toml, or a package in the current folder, may come with a benchmark that "
        "somebody else made. Settings that run code, name an endpoint or a server, or write a file "
        "are used only after `sqljury trust-folder`, which prints them and trusts the folder until "
        "its files change; --trust-folder before the command, or SQLJURY_TRUST_FOLDER=1, trusts it "
        "for one command.",
    ),
    "SJ011": (
        "a compiled Python file that is cut off",
        "Python keeps compiled modules in __pycache__ folders. If the disk is full, or files may "
        "not grow, it leaves one that is cut off. Delete the file that the message names.",
    ),
    "SJ317": (
        "not a verdict",
        "`compare --fail-on` takes proved, refuted, no_counterexample and unknown, joined by "
        "commas.",
    ),
    "SJ412": ("no such case in the run", "Case ids are in the first columns of --export."),
}
