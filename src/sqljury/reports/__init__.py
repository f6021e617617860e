"""Reports: what people read, from the values that runs and uses give.

``terminal`` prints tables, ``html`` writes one self-contained file, ``tabular`` and ``jsonl``
write what other programs read.
"""

__all__ = ["html", "jsonl", "tabular", "terminal"]
