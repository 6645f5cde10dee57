"""Why a run may end before its last question."""

from __future__ import annotations

INTERRUPTED = "you pressed Ctrl-C"
