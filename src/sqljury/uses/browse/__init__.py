"""Look at stored runs: an index of the cases, what a case page shows, changed queries."""

from sqljury.uses.browse.cases import CaseView, RunBrowser
from sqljury.uses.browse.index import CaseFilter, CaseIndex, Facets, IndexedCase

__all__ = ["CaseFilter", "CaseIndex", "CaseView", "Facets", "IndexedCase", "RunBrowser"]
