"""Data on its way into a page: small, and unable to be taken for anything but data."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib

_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def packed(value: object) -> str:
    """JSON, deflated, in letters and digits alone: nothing in it can end a script or begin an element."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone half of a character is legal in a JSON string and in no UTF-8.
    return base64.b64encode(zlib.compress(written.encode("utf-8", "replace"), 9)).decode()


def plain(value: object) -> str:
    """JSON that may stand inside a script element as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_MARKUP)


def source_hash(content: str) -> str:
    """How a content security policy names an inline script or style."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"
