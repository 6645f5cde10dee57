"""How the store compresses what it keeps; so small a module that a worker which needs no more starts at once."""

from __future__ import annotations

import zstandard

_LEVEL = 6
"""Half again as small as level 3, and read at the same speed."""


def compressed(content: bytes) -> bytes:
    """With a checksum: a flipped bit must never be shown as a document's words."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(content)
