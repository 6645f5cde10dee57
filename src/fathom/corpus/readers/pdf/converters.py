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
_TIMEOUT = 600


def converter() -> _Conversion | None:
    """Return the converter named by FATHOM_PDF ("marker", "docling" or "grobid:URL"); None for the layout rules."""
    wanted = os.environ.get("FATHOM_PDF", "").strip()
    if not wanted or wanted == "fathom":
        return None
    if wanted.startswith("grobid:"):
        address = wanted.removeprefix("grobid:").rstrip("/")
        return lambda content, name: _from_grobid(content, name, address)
    commands = {"marker": "marker_single", "docling": "docling"}
    if wanted not in commands:
        raise ReadError(f"FATHOM_PDF is {wanted!r}. Set it to marker, docling or grobid:URL")
    command = shutil.which(commands[wanted])
    if command is None:
        raise ReadError(f"FATHOM_PDF is {wanted}, but the command {commands[wanted]} is not installed")
    return lambda content, name: _from_command(content, name, command, wanted)


def _from_command(content: bytes, name: str, command: str, wanted: str) -> Iterator[ParsedDocument]:
    from fathom.corpus.readers.markdown import reader as markdown

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "document.pdf"), Path(folder, "converted")
        source.write_bytes(content)
        options = (
            ["--output_dir", str(target), "--output_format", "markdown"]
            if wanted == "marker"
            else ["--to", "md", "--output", str(target)]
        )
        try:
            subprocess.run([command, str(source), *options], check=True, capture_output=True, timeout=_TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise ReadError(f"{wanted} took longer than {_TIMEOUT} seconds") from error
        except (subprocess.CalledProcessError, OSError) as error:
            raise ReadError(f"{wanted} could not convert it: {error}") from error
        written = sorted(target.rglob("*.md"))
        if not written:
            raise ReadError(f"{wanted} wrote no Markdown")
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
