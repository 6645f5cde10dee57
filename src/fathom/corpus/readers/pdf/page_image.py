"""The image of one page of a PDF, drawn in a child process, which may crash or be killed."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from typing import Any

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.pdf.child_process import limit_memory
from fathom.corpus.readers.pdf.line_extraction import limit_page_time, open_document

MAX_PIXELS = 2_400
"""Maximum pixels of the longer side, since a page may have any size."""
MAX_SECONDS = 60.0
SCALE = 2.0
"""Pixels for each point: twice as sharp as the page is shown."""


def page_image(content: bytes, page: int) -> bytes:
    """A page as PNG; raises `ReadError` if it cannot be drawn."""
    command = [sys.executable, "-c", "from fathom.corpus.readers.pdf.page_image import main; main()", str(page)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, check=False, timeout=MAX_SECONDS, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise ReadError(f"the page took longer than {MAX_SECONDS:.0f} seconds") from error
    if done.returncode or not done.stdout.startswith(b"\x89PNG"):
        raise ReadError("the page cannot be drawn")
    return done.stdout


def main() -> None:
    """Draw the page named by the argument of the PDF on standard input. Main function of the child process."""
    limit_memory()
    limit_page_time()
    document = open_document(sys.stdin.buffer.read())
    page = document[int(sys.argv[1])]
    scale = min(SCALE, MAX_PIXELS / max(1.0, *page.get_size()))
    sys.stdout.buffer.write(_png(page.render(scale=scale, rev_byteorder=True)))


def _png(bitmap: Any) -> bytes:
    """The bitmap as PNG: rows without filters, compressed."""
    width, height, stride, channels = bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels
    content = bytes(bitmap.buffer)
    rows = b"".join(b"\0" + content[row * stride : row * stride + width * channels] for row in range(height))
    color = {1: 0, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
