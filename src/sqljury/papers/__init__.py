"""Reproduces one paper's tables from its recordings; so far ROSE's.

Only the command that prints the tables uses this package, so it could be removed.
"""
