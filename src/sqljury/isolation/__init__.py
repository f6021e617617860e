"""Processes of our own: how they start, what they may do, how they speak."""

from sqljury.isolation.failures import SentError
from sqljury.isolation.folders import TemporaryFolder
from sqljury.isolation.frames import receive, receive_bytes, send, send_bytes
from sqljury.isolation.mapping import mapped
from sqljury.isolation.plain import from_plain, to_plain
from sqljury.isolation.plugins import import_plugin
from sqljury.isolation.sandbox import Sandbox, missing, own_uid, runs_as_root, without_secrets
from sqljury.isolation.start import (
    end_with_parent,
    leave_at_once,
    private_streams,
    start_isolated,
)

__all__ = [
    "Sandbox",
    "SentError",
    "TemporaryFolder",
    "end_with_parent",
    "from_plain",
    "import_plugin",
    "leave_at_once",
    "mapped",
    "missing",
    "own_uid",
    "private_streams",
    "receive",
    "receive_bytes",
    "runs_as_root",
    "send",
    "send_bytes",
    "start_isolated",
    "to_plain",
    "without_secrets",
]
