"""The checks, one file per topic; the registry imports every module of this folder.

The first line of a check's docstring says what it finds. The function yields a finding for each
place where that is so, and nothing for a query without this fault.
"""
