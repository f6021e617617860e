"""Enhanced tree matching: the published rules on the syntax tree, and nothing beyond them.

Two queries match where their normal forms are the same syntax tree. The rules are weaker than
those of :mod:`sqljury.equivalence.canonical` and not all sound (a tie at LIMIT 1 is overlooked, a
number in quotes is the number): this is here to be compared with.

Source: Ascoli et al. 2025, "ETM: Modern Insights into Perspective on Text-to-SQL Evaluation in the
Age of Large Language Models", section 3.3; the numbers of the rules are those of its program.
"""

from sqljury.equivalence.etm.queries import etm_form

__all__ = ["etm_form"]
