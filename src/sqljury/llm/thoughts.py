"""What a reasoning model thought aloud before it answered."""

from __future__ import annotations

import re

# Local servers leave a reasoning model's thoughts in the text, often without the opening tag.
_THOUGHTS = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL)


def without_thoughts(text: str) -> str:
    """The text after the thoughts, or all of it where there are none.

    >>> without_thoughts("Hm. 2, then.</think>2")
    '2'
    """
    return _THOUGHTS.sub("", text, count=1)
