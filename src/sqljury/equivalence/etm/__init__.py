"""Enhanced tree matching (ETM): exactly the published rules on the syntax tree.

Two queries match if their normal forms are the same syntax tree. The rules are weaker than those of
:mod:`sqljury.equivalence.canonical`, and not all are sound: they ignore ties at LIMIT 1 and take a
number in quotes for the number. They are here as a published baseline to compare with.

Source: Ascoli et al. 2025, "ETM: Modern Insights into Perspective on Text-to-SQL Evaluation in the
Age of Large Language Models", section 3.3; the numbers of the rules are those of its program.
"""

from sqljury.equivalence.etm.queries import etm_form

__all__ = ["etm_form"]
