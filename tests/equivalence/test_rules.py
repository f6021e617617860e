"""The rewrite rules: how they are found, what they say of themselves, `sqljury rules`."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sqljury as sj
from sqljury.cli.app import app
from sqljury.equivalence import rules
from sqljury.equivalence.rules import order
from sqljury.equivalence.rules.base import Rule
from sqljury.trees import nodes

RULES = sj.rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind.name}-{rule.name}")
def test_says_what_it_rewrites_and_assumes(rule: Rule) -> None:  # type: ignore[type-arg]
    said = " ".join((inspect.getdoc(rule.apply) or "").split())
    before, _, after = rule.rewrites.partition(" → ")
    assert before and after
    assert [each.value for each in rule.assumes if each.value not in said] == []
    named = [place for place in rule.at if place[0].isupper() and not place.isupper()]
    assert [place for place in named if not hasattr(nodes, place)] == []


def test_each_has_a_name_of_its_own_among_its_kind() -> None:
    assert max(Counter((rule.kind.name, rule.name) for rule in RULES).values()) == 1


def test_every_file_of_rules_is_found() -> None:
    written = {path.stem for path in Path(rules.__file__).parent.glob("*.py")}
    of_rules = written - {"__init__", "base", "order", "registry"}
    assert of_rules == {rule.apply.__module__.rpartition(".")[2] for rule in RULES}


def test_they_are_tried_in_the_order_that_is_written_down() -> None:
    assert tuple(rule.function for rule in RULES) == order.RULES


def test_command_lists_them() -> None:
    run = CliRunner().invoke
    listed = run(app, ["list", "rules"]).stdout
    assert listed.count(" → ") >= len(RULES)
    assert "exists_to_join (relation)" in listed
    assert run(app, ["list", "rules", "exists_to_join"]).stdout.splitlines()[2:] == [
        "    may assume: primary key"
    ]
    (found,) = json.loads(run(app, ["list", "rules", "distinct_rows", "--json"]).stdout)["rules"]
    assert (found["kind"], found["assumes"]) == ("relation", ["primary key"])


def test_no_such_rule() -> None:
    with pytest.raises(sj.InputError) as raised:
        sj.rules("distinct")
    assert raised.value.code == "SJ329"


def test_no_rule_changes_a_scan() -> None:
    """The engine does not try any there."""
    assert not [rule.name for rule in RULES if rule.kind.name == "relation" and "Scan" in rule.at]
