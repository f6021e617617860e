"""The Action, and the workflows of `.github/` and of the page: their steps are run one by one, as
GitHub and GitLab run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pages import blocks

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/actions/gate/action.yml"
WORKFLOW = ROOT / ".github/workflows/gate.yml"
PAGE = ROOT / "docs/gate.md"
# What installs sqljury; the tests' own environment has it.
INSTALLS = re.compile(r"(?:python -m )?pip install (?:--quiet )?\S+(?: &&)?")


class Job:
    """A folder in which steps are run with GitHub's variables and the programs of this environment.

    ``gh`` is a script that keeps what it was asked to do, and knows the comment that it made.
    """

    def __init__(self, folder: Path, event: str = "pull_request") -> None:
        self.folder, self.event = folder, event
        self.ran: list[str] = []
        self.log = ""
        self.failed = False
        (folder / "bin").mkdir()
        known = 'case "$*" in *--jq*) grep -q "pr comment" gh.log && echo 42;; esac; exit 0'
        (folder / "bin/gh").write_text(f'#!/bin/sh\necho "$@" >> gh.log\n{known}\n')
        (folder / "bin/gh").chmod(0o755)

    def use(self, step: dict[str, Any], inputs: dict[str, str] | None = None) -> None:
        """Run one step; a step of a composite action runs that action's steps."""
        if not self._is_wanted(step.get("if"), inputs or {}):
            return
        if "/.github/actions/gate" in step.get("uses", ""):
            action = yaml.safe_load(ACTION.read_text())
            given = {name: one.get("default", "") for name, one in action["inputs"].items()}
            given |= step.get("with", {})
            assert not set(step.get("with", {})) - set(action["inputs"])
            for inner in action["runs"]["steps"]:
                self.use(inner, given)
        elif "run" in step:
            self._run(step, inputs or {})
        else:
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])

    def _is_wanted(self, condition: str | None, inputs: dict[str, str]) -> bool:
        """GitHub's rule: without a status function a step runs only if none before has failed."""
        if condition is None or "always()" not in condition:
            return not self.failed
        text = condition.replace("always()", "True").replace("&&", "and")
        text = text.replace("github.event_name", repr(self.event))
        return bool(eval(re.sub(r"inputs\.([\w-]+)", lambda m: repr(inputs[m[1]]), text)))

    def _value(self, text: str, inputs: dict[str, str]) -> str:
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {
            "github.action_path": str(ACTION.parent),
            "github.token": "t",
            "github.repository": "me/mine",
            "github.event.number": "7",
        }
        return re.sub(r"\$\{\{ *(.+?) *\}\}", lambda m: known[m[1]], text)

    def _run(self, step: dict[str, Any], inputs: dict[str, str]) -> None:
        assert "${{" not in step["run"], "inputs reach a script as variables only"
        script = INSTALLS.sub("", step["run"]).strip()
        if not script:
            return
        (self.folder / "step.sh").write_text(script)
        environment = {
            **os.environ,
            **{name: self._value(value, inputs) for name, value in step.get("env", {}).items()},
            "PATH": os.pathsep.join(
                [str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.folder),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        self.ran.append(step.get("name", script))
        self.log += done.stdout + done.stderr
        if done.returncode and not step.get("continue-on-error"):
            self.failed = True


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


@pytest.mark.slow
def test_the_workflow_of_this_repository(job: Job) -> None:
    shutil.copytree(ROOT / ".github", job.folder / ".github")
    workflow = yaml.safe_load(WORKFLOW.read_text())
    for step in workflow["jobs"]["gate"]["steps"]:
        job.use(step)
    assert not job.failed, (
        "verdicts on the demonstration have changed; if that is meant, do what the workflow does "
        f"and write .github/gate-baseline.jsonl again (--write-baseline):\n{job.log}"
    )
    assert job.ran[1:] == ["Judge", "Compare with the baseline"]
    assert (job.folder / "summary.md").read_text().startswith("## sqljury gate: passed\n")
    assert (job.folder / "sqljury-gate/junit.xml").is_file()


def test_words_of_inputs_run_nothing(job: Job) -> None:
    """What an input says is a word for sqljury, whatever it looks like to a shell."""
    evil = "$(touch pwned) `touch pwned`; touch pwned #"
    step = {
        "uses": "./.github/actions/gate",
        "with": dict.fromkeys(
            ("cases", "predictions", "databases", "judges", "baseline", "reports"), evil
        ),
    }
    job.use(step)
    assert job.failed
    assert not list(job.folder.rglob("pwned"))


SYSTEM = """
def answer(question, schema):
    return "SELECT name FROM item" + (" WHERE price > 2" if "wrong" in question else "")
"""


@pytest.fixture
def project(job: Job) -> Job:
    """A repository with the files that the page names, and a baseline that was committed."""
    tests = job.folder / "tests"
    (tests / "databases/shop").mkdir(parents=True)
    with sqlite3.connect(tests / "databases/shop/shop.sqlite") as database:
        database.executescript("CREATE TABLE item (name TEXT, price REAL);")
        database.executemany("INSERT INTO item VALUES (?, ?)", [("pen", 1.5), ("ink", 9)])
    (job.folder / "my_pkg.py").write_text(SYSTEM)
    write_questions(tests / "cases.jsonl")
    return job


def write_questions(file: Path) -> None:
    case = {"db_id": "shop", "reference_sqls": ["SELECT name FROM item"]}
    lines = [{**case, "id": str(n), "question": f"Which, {n}?"} for n in range(8)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def pages_yaml(name: str) -> dict[str, Any]:
    (text,) = (one.text for one in blocks(PAGE.read_text("utf-8")) if f"# {name}" in one.text)
    return yaml.safe_load(text)


def test_the_pages_workflow_for_github(project: Job) -> None:
    workflow = pages_yaml(".github/workflows/sql.yml")
    assert workflow["permissions"]["pull-requests"] == "write"
    for step in workflow["jobs"]["sql"]["steps"]:
        project.use(step)
    assert not project.failed, project.log
    written = project.folder / "sqljury-gate/baseline.jsonl"
    written.rename(project.folder / "tests/baseline.jsonl")
    code = project.folder / "my_pkg.py"
    code.write_text(code.read_text().replace('"wrong" in question', '"3" in question'))
    for step in workflow["jobs"]["sql"]["steps"]:
        project.use(step)
    assert project.failed
    assert project.ran[-2:] == ["Compare with the baseline", "Comment on the pull request"]
    assert "There is no baseline yet" in project.log
    # What a command prints about cases stands between lines that stop workflow commands.
    assert len(re.findall(r"^::stop-commands::(\w{32})\n(?:.*\n)+?::\1::$", project.log, re.M)) == 4
    assert "newly wrong,file=tests/cases.jsonl,line=4::3: extra filter" in project.log
    # The first comment was made, the second replaces it.
    asked = (project.folder / "gh.log").read_text()
    assert "pr comment 7 --repo me/mine --body-file sqljury-gate/comment.md" in asked
    assert "PATCH repos/me/mine/issues/comments/42" in asked
    assert "gate: FAILED" in (project.folder / "sqljury-gate/comment.md").read_text()
    assert not written.exists(), "a run that fails is no baseline"


@pytest.mark.slow
def test_the_pages_job_for_gitlab(project: Job) -> None:
    job = pages_yaml(".gitlab-ci.yml")["sql"]
    # As the page says: once, to have a baseline.
    *_, evaluate, gate = job["script"]
    for line in (evaluate, "sqljury gate run --write-baseline tests/baseline.jsonl"):
        project.use({"run": line})
    assert not project.failed, project.log
    for line in job["script"]:
        project.use({"run": line})
    assert not project.failed, project.log
    (project.folder / "my_pkg.py").write_text("def answer(question):\n    return 'SELECT 1'\n")
    for line in (evaluate, gate):
        project.use({"run": line})
    assert project.failed
    for kind, file in job["artifacts"]["reports"].items():
        assert (project.folder / file).stat().st_size > 100, kind
