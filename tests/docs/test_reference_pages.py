"""The reference pages of the site hold all that the code has."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

import sqljury
from sqljury.errors import catalogue
from sqljury.faults import all_checks
from sqljury.judges import options_of, registered
from sqljury.judges.jury_features import all_groups

pytest.importorskip("griffe", reason="make docs installs what builds the site")
_SITE = Path(__file__).parents[2] / "tools" / "site"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, _SITE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    return _module("reference_pages")


def test_commands(pages: ModuleType) -> None:
    text = pages.command_line()
    for command in ("sqljury evaluate", "sqljury build pairs", "sqljury runs merge"):
        assert re.search(rf"^#+ {command}$", text, flags=re.MULTILINE)
    assert "`-d, --databases <str>`\n:   Folder (DB_ID/DB_ID.sqlite), file, or URL" in text
    assert "--help" not in text


def test_names(pages: ModuleType) -> None:
    shown = re.findall(r"^::: sqljury\.(\w+)$", pages.python_face(), flags=re.MULTILINE)
    assert sorted(shown) == sorted(sqljury.__all__)


def test_judges(pages: ModuleType) -> None:
    parts = re.split(r"^## (\w+)\n", pages.judges(), flags=re.MULTILINE)
    shown = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert shown.keys() == registered().keys()
    for name, cls in registered().items():
        assert all(f"\n`{option.name}" in shown[name] for option in options_of(cls))


def test_features(pages: ModuleType) -> None:
    shown = re.findall(r"^`(\w+)`$", pages.features(), flags=re.MULTILINE)
    assert shown == [one.name for group in all_groups() for one in group.features]


def test_checks(pages: ModuleType) -> None:
    text = pages.checks()
    shown = dict(re.findall(r"^`(\w+)` \w+\n:   (.+)$", text, flags=re.MULTILINE))
    assert list(shown) == [check.code for check in all_checks()]
    for check in all_checks():
        said = shown[check.code]
        assert pages._escaped(check.title) in said
        assert said.endswith(" A hint.") == check.weak
        assert (f"Right: {check.read[0]} of {check.read[1]} read." in said) == bool(check.read[1])


def test_cases_of_the_demonstration(pages: ModuleType) -> None:
    row = re.compile(r"^\| (\d+) \| .*? \| (yes|no) \|", flags=re.MULTILINE)
    bundled = json.loads(files("sqljury.demo").joinpath("cases.json").read_bytes())
    assert {int(case): right == "yes" for case, right in row.findall(pages.demo_cases())} == {
        case["question_id"]: case["label"] for case in bundled
    }


def test_codes(pages: ModuleType) -> None:
    shown = re.findall(r"^## (\w+)$", pages.errors(), flags=re.MULTILINE)
    assert shown == sorted(catalogue())


def test_files_are_shown_as_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('name,"text, quoted"\n1,2\n')
    shown = _module("inserts").with_tables("See\n[this](a.csv)\n\nEnd.\n", tmp_path)
    assert shown == (
        "See\n[this](a.csv)\n\n| name | text, quoted |\n| --- | --- |\n| 1 | 2 |\n\nEnd.\n"
    )


def test_code_in_tables_has_no_backslash_before_a_bar() -> None:
    shown = _module("inserts").with_bars("| `a\\|b`, \\|c\\| |\n`d\\|e`\n")
    assert shown == "| `a|b`, \\|c\\| |\n`d\\|e`\n"


def test_output_is_shown_as_json() -> None:
    page = '```console\n$ echo \'{"a": [1, 2, 3], "b": 0.12345}\'\n$ echo text\n```\nEnd.\n'
    shown = _module("inserts").with_output(page)
    assert shown.endswith('```\n\n```json\n{"a": [1, …], "b": 0.1235}\n```\nEnd.\n')


def test_marks_in_help_texts_mean_themselves(pages: ModuleType) -> None:
    row = ("`--a`", pages._escaped("a*b <c> [d](e) `f*g`"))
    assert pages._definitions([row]) == "`--a`\n:   a\\*b \\<c> \\[d](e) `f*g`\n"
