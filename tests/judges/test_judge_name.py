"""Names of judges: read and written in one place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.errors import InputError
from sqljury.judge_name import JudgeName

KEYS = st.text(st.characters(exclude_characters=",;="), min_size=1, max_size=5)
OPTIONS = st.dictionaries(KEYS, st.text(max_size=9), max_size=3).map(lambda d: tuple(d.items()))
KNOWN = st.builds(
    JudgeName,
    st.text(st.characters(exclude_characters=',;:./"'), min_size=1, max_size=5),
    st.text(max_size=9),
    OPTIONS,
)
IMPORTED = st.builds(
    JudgeName, st.text(max_size=9).map(lambda text: f"my.judges:{text}"), st.just(""), OPTIONS
)
FILES = st.builds(
    JudgeName, st.text(max_size=9).map(lambda text: f"{text}/one.py:Mine"), st.just(""), OPTIONS
)


@given(name=KNOWN | IMPORTED | FILES, separator=st.sampled_from(",;"))
def test_what_is_written_is_read_as_the_same(name: JudgeName, separator: str) -> None:
    assert JudgeName.parse(name.text(separator), separator) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("soft_f1", JudgeName("soft_f1")),
        ("execution:", JudgeName("execution")),
        ("execution:spider", JudgeName("execution", "spider")),
        (
            "execution:strict,tolerance=1e-6,values=exact",
            JudgeName("execution", "strict", (("tolerance", "1e-6"), ("values", "exact"))),
        ),
        ("verifier,model=a:b/c=d", JudgeName("verifier", "", (("model", "a:b/c=d"),))),
        ("my_pkg.mine:Mine,k=v", JudgeName("my_pkg.mine:Mine", "", (("k", "v"),))),
        ("./mine.py:Mine", JudgeName("./mine.py:Mine")),
        ('"a, b/mine.py:Mine",k=', JudgeName("a, b/mine.py:Mine", "", (("k", ""),))),
        (
            'rose,criteria="a, b",rows=5',
            JudgeName("rose", "", (("criteria", "a, b"), ("rows", "5"))),
        ),
        ('rose,criteria="the ""best"""', JudgeName("rose", "", (("criteria", 'the "best"'),))),
        ('rose,criteria=the "best"', JudgeName("rose", "", (("criteria", 'the "best"'),))),
        ('execution:"a/b"', JudgeName("execution", "a/b")),
        ("rose,rows=1,rows=2", JudgeName("rose", "", (("rows", "2"),))),
    ],
)
def test_names(text: str, name: JudgeName) -> None:
    assert JudgeName.parse(text) == name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("execution,keep_distinct", "is not an option key=value"),
        ("execution,", "is not an option key=value"),
        ('rose,"criteria=a, b"', "is not an option key=value"),
        ('rose,criteria="a, b', "does not end"),
        ('rose,criteria="a", b', "is not an option key=value"),
        ('rose,criteria="a"b,rows=5', "does not end"),
        ('"a.py:Mine', "does not end"),
    ],
)
def test_what_is_no_name(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as found:
        JudgeName.parse(text)
    assert found.value.code == "SJ304"


def test_one_name_inside_another() -> None:
    inner = JudgeName("execution", "strict", (("column_order", "any"),))
    outer = JudgeName("results").with_options(match=inner.text(";"))
    assert str(outer) == "results,match=execution:strict;column_order=any"
    match = JudgeName.parse(str(outer)).option("match")
    assert JudgeName.parse(match or "", ";") == inner
