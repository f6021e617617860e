"""Our own processes: how they start, what they may do, how they communicate."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.isolation.folders import TemporaryFolder
    from sqljury.isolation.mapping import mapped
    from sqljury.isolation.messages import (
        SentError,
        from_plain,
        receive,
        receive_bytes,
        send,
        send_bytes,
        to_plain,
    )
    from sqljury.isolation.sandbox import Sandbox, missing, own_uid, runs_as_root, without_secrets
    from sqljury.isolation.start import (
        end_with_parent,
        import_plugin,
        leave_at_once,
        private_streams,
        start_ahead,
        start_isolated,
        started_ahead,
    )
else:
    __getattr__ = lazily(__name__)

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
    "start_ahead",
    "start_isolated",
    "started_ahead",
    "to_plain",
    "without_secrets",
]
