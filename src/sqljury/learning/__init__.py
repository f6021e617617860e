"""Trained models: they are stored in files and score plain values; nothing here depends on judges.

Training needs ``sqljury[learning]``; scoring with what is here needs the core only.
"""
