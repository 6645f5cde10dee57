"""Parts of a document that is a zip archive (docx, xlsx, epub), with limits on their size."""

from __future__ import annotations

import io
import lzma
import posixpath
import zipfile
import zlib

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.xml_trees import Element, local, parse_xml

MAX_PART_BYTES = 64 * 1024 * 1024
"""Maximum size of one part."""
MAX_TOTAL_BYTES = 256 * 1024 * 1024
"""Maximum size of all parts that are read."""
MAX_RATIO = 400
"""Maximum compression of a part larger than a megabyte. Text shrinks to a tenth or so."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError)
"""What `zipfile` raises for a damaged archive, or for one in a form that it does not know."""


class ZipParts:
    """The parts of a document by name. Nothing is unpacked that is not asked for."""

    def __init__(self, content: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
            self._members = {member.filename: member for member in self._archive.infolist()}
        except _DAMAGED as error:
            raise ReadError("it is a damaged archive") from error
        self._room = MAX_TOTAL_BYTES

    def names(self) -> list[str]:
        return list(self._members)

    def get(self, name: str) -> bytes | None:
        """Return a part; None if there is none. Raises `ReadError` if it is damaged, encrypted or too large."""
        member = self._members.get(name.lstrip("/"))
        if member is None:
            return None
        # The declared size may be wrong, so no more than the limit is unpacked.
        limit = min(MAX_PART_BYTES, self._room)
        if member.file_size > max(1 << 20, MAX_RATIO * member.compress_size):
            raise ReadError("it is too large when unpacked")
        try:
            with self._archive.open(member) as stream:
                content = stream.read(limit + 1)
        except _DAMAGED as error:
            raise ReadError("it is a damaged archive") from error
        except RuntimeError as error:
            raise ReadError("it is protected by a password") from error
        if len(content) > limit:
            raise ReadError("it is too large when unpacked")
        self._room -= len(content)
        return content

    def tree(self, name: str) -> Element | None:
        """Return the root element of an XML part; None if there is no such part."""
        content = self.get(name)
        return parse_xml(content) if content is not None else None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the parts that a part of an Office document refers to, by id: the type's last word, and the path."""
        folder, base = posixpath.split(name)
        root = self.tree(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for one in () if root is None else root:
            kind, target = one.get("Type", "").rpartition("/")[2], one.get("Target", "")
            if one.get("TargetMode") != "External":
                target = (
                    target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
                )
            found[one.get("Id", "")] = kind, target
        return found

    def main_part(self, default: str) -> str:
        """Return the name of the main part of an Office document."""
        return next((target for kind, target in self.relations("").values() if kind == "officeDocument"), default)


def attribute(element: Element | None, name: str) -> str:
    """Return an attribute by its name without namespace; empty if it is missing."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def child(element: Element | None, *path: str) -> Element | None:
    """Return the first descendant on a path of names; None if there is none."""
    for name in path:
        element = next((one for one in element if local(one) == name), None) if element is not None else None
    return element


def is_on(element: Element | None) -> bool:
    """Return whether a switch of Office is on: present, and not "0" or "false"."""
    return element is not None and attribute(element, "val").lower() not in ("0", "false", "off", "none")
