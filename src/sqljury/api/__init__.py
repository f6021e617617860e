"""The Python face: what the command line does, as functions on values.

What is used most has a name in :mod:`sqljury` itself.
"""
