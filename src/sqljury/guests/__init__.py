"""Adapters for other tools (pytest, reward functions), which use sqljury's public API only."""
