"""Encoding of data in a page: small, and impossible to mistake for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib


def packed(value: object) -> str:
    """JSON, deflated and in base64: nothing in it can end a script or begin an element."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate is legal in a JSON string but not in UTF-8.
    return base64.b64encode(zlib.compress(written.encode("utf-8", "replace"), 9)).decode()


def source_hash(content: str) -> str:
    """The hash that names an inline script or style in a content security policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"
