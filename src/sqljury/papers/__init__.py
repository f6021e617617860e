"""What replays one paper's tables from its recordings: ROSE's, so far.

Nothing but the command that prints them knows of this package: it could be taken away.
"""
