"""What CI systems read of a gate: JUnit XML, GitHub's annotations, GitLab's code quality.

Names of cases, reasons and paths may be hostile: they are put on one line, control characters are
escaped, and then what the format itself needs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from sqljury.case import Json
from sqljury.reports.evidence import one_line
from sqljury.reports.words import shortened, visible
from sqljury.runs import Run
from sqljury.uses.evaluate.baseline import CaseKey
from sqljury.uses.evaluate.failures import Failure
from sqljury.uses.gate.decision import GateCase, GateResult, JudgeGate

_LONGEST: Final = 1_000
_MOST_ANNOTATIONS: Final = 10
"""GitHub shows at most ten errors of a step."""


class CasePlace(NamedTuple):
    """The place of a case in its file."""

    path: str
    """Relative to the root of the repository, with slashes."""
    line: int
    """1 if the file has no line for each case."""


def case_places(run: Run, root: Path) -> dict[CaseKey, CasePlace]:
    """The places of a run's cases; without those whose file is not, or no longer, below ``root``.

    Args:
        root: the root of the repository.
    """
    files = run.reading.get("files") or {}
    paths = {name: _below(root, Path(path)) for name, path in files.items()}
    found = {}
    for record in run.records(with_evidence=False):
        # file.json:17; file.json[3], where the whole list is in one line.
        name, _, line = record.case.origin.rpartition(":")
        if not line.isdecimal():
            name, line = re.sub(r"\[\d+\]$", "", record.case.origin), "1"
        if path := paths.get(name):
            found[record.case.key] = CasePlace(path, int(line))
    return found


def _below(root: Path, path: Path) -> str:
    """The path relative to the root; empty if it is not below it, or is no file."""
    whole, top = path.absolute().resolve(), root.absolute().resolve()
    inside = whole.is_relative_to(top) and whole.is_file()
    return whole.relative_to(top).as_posix() if inside else ""


Places = Mapping[CaseKey, CasePlace]


# ---------------------------------------------------------------- JUnit XML


def junit_xml(found: GateResult, places: Places) -> str:
    """A test suite for each judge: a test for its gate, then one for each case.

    Nothing has failed if the gate passes: then newly wrong cases are skipped, as are cases that
    were wrong before, that are new and wrong, or that are not compared.
    """
    root = ET.Element("testsuites", name="sqljury gate")
    for judge in found.judges:
        suite = ET.SubElement(root, "testsuite", name=_plain(judge.name))
        gate = ET.SubElement(suite, "testcase", classname=_plain(judge.name), name="gate")
        if judge.reasons:
            _outcome(gate, "failure", "; ".join(judge.reasons))
        failures = {one.case.key: one for group in judge.newly_wrong.values() for one in group}
        for case in judge.cases:
            test = ET.SubElement(
                suite, "testcase", classname=_plain(judge.name), name=_plain(case.name)
            )
            if place := places.get(case.key):
                test.set("file", _plain(place.path))
                test.set("line", str(place.line))
            _add_outcome(test, case, judge, failures.get(case.key))
        for name in ("failure", "skipped"):
            count = len(suite.findall(f"testcase/{name}"))
            suite.set("failures" if name == "failure" else name, str(count))
        suite.set("tests", str(len(suite)))
        suite.set("errors", "0")
    ET.indent(root)
    return f"{ET.tostring(root, encoding='unicode', xml_declaration=True)}\n"


def _add_outcome(
    test: ET.Element, case: GateCase, judge: JudgeGate, failure: Failure | None
) -> None:
    if failure is not None:
        kind = "failure" if judge.reasons else "skipped"
        _outcome(test, kind, _message(failure), _queries(failure))
    elif not case.is_right:
        outcome = case.now.outcome if case.now is not None else "no verdict"
        _outcome(test, "skipped", f"{case.standing}: {outcome}")


def _outcome(test: ET.Element, kind: str, message: str, text: str = "") -> None:
    element = ET.SubElement(test, kind, message=_plain(message))
    element.text = text


def _queries(failure: Failure) -> str:
    sides = (("reference", next(iter(failure.case.reference_sqls), None)),
             ("predicted", failure.case.predicted_sql))  # fmt: skip
    return "\n".join(f"{side}: {_plain(sql)}" for side, sql in sides if isinstance(sql, str))


# ---------------------------------------------------------------- GitHub


def github_annotations(found: GateResult, places: Places) -> Iterator[str]:
    """Workflow commands: why the gate fails, then newly wrong cases at their line.

    They are errors if the gate of their judge fails, else warnings.
    """
    lines = [
        _command("error", f"{judge.name}: gate", reason, None)
        for judge in found.judges
        for reason in judge.reasons
    ]
    lines += [
        _command(
            "error" if judge.reasons else "warning",
            f"{judge.name}: newly wrong",
            _message(failure),
            places.get(failure.case.key),
        )
        for judge in found.judges
        for group in judge.newly_wrong.values()
        for failure in group
    ]
    yield from lines[:_MOST_ANNOTATIONS]


def _command(kind: str, title: str, message: str, place: CasePlace | None) -> str:
    properties = {"title": title}
    if place is not None:
        properties |= {"file": place.path, "line": str(place.line)}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {told}::{_plain(message).replace('%', '%25')}"


def _property(text: str) -> str:
    return _plain(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------- GitLab


def gitlab_report(found: GateResult, places: Places) -> list[dict[str, Json]]:
    """The wrong cases as code-quality findings; GitLab shows those that the target branch's report
    does not have.

    A fingerprint depends on the judge and the case alone. A case without a place is at line 1 of a
    file that is named after its benchmark.
    """
    report: list[dict[str, Json]] = []
    for judge in found.judges:
        failures = {one.case.key: one for group in judge.newly_wrong.values() for one in group}
        for case in judge.cases:
            if case.now is None or case.now.outcome.left_out or case.is_right:
                continue
            failure = failures.get(case.key)
            place = places.get(case.key) or CasePlace(case.key[0] or "cases", 1)
            told = "\0".join((judge.name, *case.key)).encode("utf-8", "surrogatepass")
            what = _message(failure) if failure else f"{case.name}: {case.now.outcome}"
            report.append(
                {
                    "description": _plain(f"{what} ({judge.name})"),
                    "check_name": _plain(judge.name),
                    "fingerprint": hashlib.sha256(told).hexdigest(),
                    "severity": "major" if failure else "info",
                    "location": {"path": _plain(place.path), "lines": {"begin": place.line}},
                }
            )
    return report


# ---------------------------------------------------------------- texts


def _message(failure: Failure) -> str:
    return f"{failure.case.name}: {failure.cause}: {failure.reason}"


def _plain(text: str) -> str:
    """The text on one line without control characters or any character that XML forbids."""
    safe = re.sub("[\ufffe\uffff]", "\ufffd", visible(one_line(text)))
    return shortened(safe, _LONGEST)
