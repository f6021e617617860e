"""Trackers of experiments, a module each: `track` logs a run there and returns where it is.

Trackers of others are functions that packages offer under the entry points ``sqljury.trackers``.
"""
