"""Optional external PDF converters, which read figures and formulas better than the layout rules."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from fathom.corpus.readers.parsed_document import NoCompanions, ParsedDocument, ReadError

_Conversion = Callable[[bytes, str], Iterator[ParsedDocument]]
"""Converts the content of a PDF, with its file name, to documents."""
_TIMEOUT = 600
"""Seconds that a converter may take for one document."""


def converter() -> _Conversion | None:
    """Return the converter named by FATHOM_PDF ("marker", "docling" or "grobid:URL"); None for the layout rules."""
    choice = os.environ.get("FATHOM_PDF", "").strip()
    if not choice or choice == "fathom":
        return None
    if choice.startswith("grobid:"):
        address = choice.removeprefix("grobid:").rstrip("/")
        return lambda content, name: _from_grobid(content, name, address)
    commands = {"marker": "marker_single", "docling": "docling"}
    if choice not in commands:
        raise ReadError(f"FATHOM_PDF is {choice!r}. Set it to marker, docling or grobid:URL")
    command = shutil.which(commands[choice])
    if command is None:
        raise ReadError(f"FATHOM_PDF is {choice}, but the command {commands[choice]} is not installed")
    return lambda content, name: _from_command(content, name, command, choice)


def _from_command(content: bytes, name: str, command: str, choice: str) -> Iterator[ParsedDocument]:
    from fathom.corpus.readers.markdown import reader as markdown

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "document.pdf"), Path(folder, "converted")
        source.write_bytes(content)
        options = (
            ["--output_dir", str(target), "--output_format", "markdown"]
            if choice == "marker"
            else ["--to", "md", "--output", str(target)]
        )
        try:
            subprocess.run([command, str(source), *options], check=True, capture_output=True, timeout=_TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise ReadError(f"{choice} took longer than {_TIMEOUT} seconds") from error
        except (subprocess.CalledProcessError, OSError) as error:
            raise ReadError(f"{choice} could not convert it: {error}") from error
        written = sorted(target.rglob("*.md"))
        if not written:
            raise ReadError(f"{choice} wrote no Markdown")
        yield from markdown.read(written[0].read_bytes(), name, NoCompanions())


def _from_grobid(content: bytes, name: str, address: str) -> Iterator[ParsedDocument]:
    from fathom.corpus.readers.tei import reader as tei

    if not re.match(r"https?://", address):
        raise ReadError("the URL in FATHOM_PDF=grobid:URL must start with http:// or https://")
    boundary = "fathom-form-boundary"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="input"; filename="document.pdf"\r\n'
        "Content-Type: application/pdf\r\n\r\n"
    )
    extra = (
        f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="includeRawCitations"\r\n\r\n1\r\n--{boundary}--\r\n'
    )
    request = urllib.request.Request(
        f"{address}/api/processFulltextDocument",
        data=head.encode() + content + extra.encode(),
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "application/xml"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            tei_xml = response.read(100_000_000)
    except (OSError, ValueError) as error:
        raise ReadError(f"GROBID at {address} did not respond: {error}") from error
    yield from tei.read(tei_xml, name, NoCompanions())
