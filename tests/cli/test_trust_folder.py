"""What a folder that somebody else made may have sqljury do: nothing beyond reading, until trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run

CASE = {"id": "a", "schema_sql": "CREATE TABLE t (x)", "gold_sql": "SELECT 1", "pred": "SELECT 1"}
EVIL = """
import pathlib
pathlib.Path("sprung").touch()
from sqljury import Judge, Needs, Outcome, Verdict
class Mine(Judge):
    name, version, needs = "mine", 1, Needs.NOTHING
    def judge(self, case, evidence):
        return Verdict(outcome=Outcome.CORRECT, score=1.0)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("SQLJURY_TRUST_FOLDER", raising=False)
    found = tmp_path / "benchmark"
    found.mkdir()
    (found / "cases.json").write_text(json.dumps([CASE]))
    (found / "evil.py").write_text(EVIL)
    return found


def tell(folder: Path, *lines: str) -> None:
    told = ["[evaluate]", 'files = ["cases.json"]', *lines]
    (folder / "sqljury.toml").write_text("\n".join(told))


CODE = 'judge = ["evil.py:Mine"]'


@pytest.mark.parametrize("command", ["label-cases", "view"])
def test_labels_that_a_command_writes_need_trust(folder: Path, command: str) -> None:
    told = [f"[{command}]", 'labels = "../authorized_keys"']
    if command == "label-cases":
        told += ['cases = ["cases.json"]', 'annotators = "a,b"']
    (folder / "sqljury.toml").write_text("\n".join(told))
    done = run(command, cwd=folder)
    assert done.returncode == 2
    assert f"write files: {command}.labels = '../authorized_keys'" in done.stderr
    assert not (folder.parent / "authorized_keys").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (CODE, "run code: evaluate.judge = 'evil.py:Mine'"),
        ('judge = ["sub.evil:Mine"]', "run code: evaluate.judge = 'sub.evil:Mine'"),
        ('model-option = ["base_url=http://there.example/"]', "name an endpoint"),
        ('judge = ["rose,model=openai:o3"]', "name a model"),
        ('databases = "postgresql://there.example/{db_id}"', "connect to a server"),
        ('databases = "oracle:there"', "connect to a server"),
        ('executor = "ray:there:10001"', "evaluate.executor = 'ray:there:10001'"),
        ('html = "../report.html"', "write files: evaluate.html"),
        ('run = "../kept"', "write files: evaluate.run"),
        ('ledger = "answers.sqlite"', "write files: evaluate.ledger"),
        (
            'system = "evil:answer"',
            "call a system (code, an endpoint or a command): evaluate.system",
        ),
    ],
)
def test_what_needs_trust_is_said_and_not_done(folder: Path, line: str, said: str) -> None:
    tell(folder, line)
    before = sorted(folder.parent.rglob("*"))
    done = run("evaluate", cwd=folder)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert "SJ009" in done.stderr and "sqljury trust-folder" in done.stderr
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.parametrize(
    "line", ['judge = ["exact_match"]', 'fail-under = 0.5\nformat = "records"']
)
def test_harmless_settings_need_none(folder: Path, line: str) -> None:
    tell(folder, line)
    done = run("evaluate", "-j", "exact_match", cwd=folder)
    assert "SJ009" not in done.stderr


def test_what_is_trusted_is_the_folder_as_it_was(folder: Path) -> None:
    tell(folder, CODE)
    told = run("trust-folder", cwd=folder)
    assert "run code: evaluate.judge = 'evil.py:Mine'" in told.stdout
    assert not (folder / "sprung").exists(), "it is read, not run"
    kept = folder.parent / "config" / "sqljury" / "trusted.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert run("evaluate", cwd=folder).returncode == 0
    with (folder / "evil.py").open("a") as file:
        file.write("# other code\n")
    assert run("evaluate", cwd=folder).returncode == 2
    run("trust-folder", folder)
    assert run("evaluate", cwd=folder).returncode == 0
    tell(folder, CODE, 'html = "report.html"')
    assert run("evaluate", cwd=folder).returncode == 2


@pytest.mark.parametrize(
    "system", ["python evil.py {question}", "./program '{question}'", "sh -c ./run.sh"]
)
def test_the_files_of_a_command_are_part_of_what_is_trusted(folder: Path, system: str) -> None:
    tell(folder, f'system = "{system}"')
    (folder / "program").touch(0o755)
    (folder / "run.sh").touch()
    run("trust-folder", cwd=folder)
    assert "SJ009" not in run("evaluate", cwd=folder).stderr
    for name in ("evil.py", "program", "run.sh"):
        if name in system:
            (folder / name).write_text("raise SystemExit")
    assert "SJ009" in run("evaluate", cwd=folder).stderr


def test_code_that_is_spelled_otherwise_is_part_of_what_is_trusted(folder: Path) -> None:
    tell(folder, 'judge = ["ev\\u0069l.py:Mine"]')
    run("trust-folder", cwd=folder)
    assert run("evaluate", cwd=folder).returncode == 0
    (folder / "evil.py").write_text("raise SystemExit")
    assert "SJ009" in run("evaluate", cwd=folder).stderr


def test_trust_is_of_one_place(folder: Path) -> None:
    tell(folder, CODE)
    run("trust-folder", cwd=folder)
    other = folder.rename(folder.with_name("elsewhere"))
    assert run("evaluate", cwd=other).returncode == 2


def test_one_command_may_be_trusted(folder: Path) -> None:
    tell(folder, CODE)
    assert run("--trust-folder", "evaluate", cwd=folder).returncode == 0
    assert run("evaluate", cwd=folder, SQLJURY_TRUST_FOLDER="1").returncode == 0
    assert run("evaluate", cwd=folder, SQLJURY_TRUST_FOLDER="0").returncode == 2
    assert run("evaluate", cwd=folder).returncode == 2, "nothing was remembered"


def test_what_a_user_types_is_his_own_act(folder: Path) -> None:
    assert run("evaluate", "cases.json", "-j", "evil.py:Mine", cwd=folder).returncode == 0


def test_other_commands_and_help_go_on(folder: Path) -> None:
    tell(folder, CODE)
    assert run("list", "formats", cwd=folder).returncode == 0
    assert run("evaluate", "--help", cwd=folder).returncode == 0
    assert not (folder / "sprung").exists()


def test_entry_points_that_a_folder_brings_along(folder: Path) -> None:
    offers = folder / "evil-1.0.dist-info"
    offers.mkdir()
    (offers / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (offers / "entry_points.txt").write_text(
        "[sqljury.formats]\nmine = evil:Mine\n[sqljury.judges]\nmine = evil:Mine\n"
    )
    for words in (
        ("list", "formats"),
        ("list", "judges"),
        ("evaluate", "cases.json", "-j", "exact_match"),
    ):
        assert run(*words, cwd=folder, PYTHONPATH=str(folder)).returncode == 0
    done = run("list", "judges", "mine", cwd=folder)
    assert (done.returncode, "run code: evil:Mine" in done.stderr) == (2, True)
    assert not (folder / "sprung").exists()
    run("trust-folder", cwd=folder)
    assert run("list", "judges", "mine", cwd=folder).stdout.startswith("mine: ")
