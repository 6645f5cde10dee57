"""Kinds of files that are not documents: READMEs and licenses beside documents, and unsupported formats."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from fathom.corpus.readers.parsing.text_cleanup import strip_compression, word_set
from fathom.corpus.readers.tabular.known_json import refusal
from fathom.corpus.readers.words import read_words, word_pattern

_DATA = read_words("file_kinds")


_REPOSITORY_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((reason, word_pattern(names)) for reason, names in _DATA["names"].items()),
    *((reason, word_pattern(names, 0)) for reason, names in _DATA["names_in_capitals"].items()),
)
_TABLES = _DATA["tables"]
_LIST_NAME, _ID_COLUMN = word_pattern(_TABLES["name"]), word_pattern(_TABLES["id_column"], 0)
_LIST_COLUMNS, _DOCUMENTS = word_set(_TABLES["columns"]), word_set(_TABLES["documents"])
_COLUMN_SETS = tuple(map(word_set, (*_TABLES["pairs"], *_TABLES["facts"])))
_LISTS = word_set("csv tsv json xlsx")
_DESCRIPTIONS = word_set("md markdown txt rst")


def may_describe(name: str) -> bool:
    """Return whether a file may list or describe the files beside it, by its suffix."""
    return _suffix(name) in _LISTS | _DESCRIPTIONS


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower().lstrip(".")


def reason_left_out(name: str, head: bytes, siblings: Sequence[str]) -> str:
    """Return why a file in a folder or archive is not a document; empty if it may be one.

    `siblings`: names of the files in its folder and of its subfolders, which end in "/". A list of files is one only
    beside the files that it lists.
    """
    base = PurePosixPath(strip_compression(name)).name
    for reason, pattern in _REPOSITORY_NAMES:
        if pattern.fullmatch(base):
            return reason
    documents = [
        sibling
        for sibling in siblings
        if _suffix(sibling) in _DOCUMENTS and not _is_repository_file(sibling) and strip_compression(sibling) != base
    ]
    folders = [sibling.rstrip("/") for sibling in siblings if sibling.endswith("/")]
    if _suffix(base) in _DESCRIPTIONS:
        return "a description of the files beside it" if _describes(base, head, documents, folders) else ""
    return _reason_of_list(base, head, documents) if (documents or folders) and _suffix(base) in _LISTS else ""


def _is_repository_file(name: str) -> bool:
    return any(pattern.fullmatch(name) for _, pattern in _REPOSITORY_NAMES)


_INCLUDED = re.compile(r"^[ \t]*\.\. +(?:literal)?include::.*$", re.MULTILINE)
"""A file that is shown as a part of a page: naming it does not describe it."""


def _describes(base: str, head: bytes, documents: Sequence[str], folders: Sequence[str]) -> bool:
    """Return whether a text names two documents of other formats beside it, or one if its own name is in capitals."""
    text = _INCLUDED.sub("", head.decode("utf-8", "replace"))
    named = sum(_suffix(document) != _suffix(base) and len(document) > 5 and document in text for document in documents)
    if PurePosixPath(base).stem.isupper():
        # The names of folders are often words of a text: "figures".
        return named + sum(len(folder) > 3 and folder in text for folder in folders) >= 1
    return named >= 2


def _reason_of_list(base: str, head: bytes, documents: list[str]) -> str:
    suffix = _suffix(base)
    text = head.decode("utf-8", "replace") if suffix != "xlsx" else ""
    stems = {PurePosixPath(document).stem for document in documents if len(PurePosixPath(document).stem) > 2}
    if stems and sum(stem in text for stem in stems) * 2 >= len(stems) and len(stems) > 1:
        return "a list of the files beside it"
    header = [word.strip(" \"'\ufeff") for word in re.split(r"[,;\t|]", text.partition("\n")[0][:5_000].rstrip("\r"))]
    columns = {word.lower() for word in header}
    keys = set(re.findall(r'"([a-z_]{2,20})"\s*:', text[:20_000].lower())) if suffix == "json" else columns
    is_list = _LIST_NAME.fullmatch(PurePosixPath(base).stem.lower())
    if is_list and (suffix == "xlsx" or len(keys & _LIST_COLUMNS) > 1 or suffix == "json"):
        return "metadata of the documents beside it"
    refers = any(map(_ID_COLUMN.fullmatch, header)) or any(names <= columns for names in _COLUMN_SETS)
    is_about = documents and suffix in ("csv", "tsv") and refers
    return "a table about the documents beside it" if is_about else ""


# Kinds that no reader reads.

_MAGIC: tuple[tuple[bytes, str], ...] = (
    *((mark, "image") for mark in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM", b"\0\0\x01\0")),
    (b"{\\rtf", "RTF document"),
    (b"\xd0\xcf\x11\xe0", "Office document before 2007"),
    (b"PAR1", "Parquet table"),
    (b"ARROW1", "Arrow table"),
    (b"SQLite format 3", "SQLite database"),
    (b"\x89HDF", "HDF5 data"),
    (b"\x93NUMPY", "array or model"),
    (b"%!PS", "PostScript"),
    (b"AT&TFORM", "DjVu scan"),
    *((mark, "archive") for mark in (b"7z\xbc\xaf", b"Rar!", b"BZh", b"\x28\xb5\x2f\xfd", b"\x1f\x8b", b"\xfd7zXZ")),
    *((mark, "audio or video") for mark in (b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"RIFF")),
    *((mark, "program") for mark in (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe")),
    *((mark, "font") for mark in (b"wOFF", b"wOF2", b"OTTO", b"\0\x01\0\0")),
)
_SUFFIXES: dict[str, str] = {
    suffix: kind for kind, suffixes in _DATA["suffixes"].items() for suffix in suffixes.split()
}
_ADVICE: dict[str, str] = {kind: advice for advice, kinds in _DATA["advice"].items() for kind in kinds}


def unread_kind(name: str, head: bytes) -> str:
    """Return what a file is that no reader reads, by its first bytes and its suffix."""
    suffix = PurePosixPath(strip_compression(name).lower()).suffix.lstrip(".")
    if not head.strip():
        return "empty file"
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(suffix, head)
    magic = next((kind for mark, kind in _MAGIC if head.startswith(mark)), "")
    if magic == "Office document before 2007" and suffix in ("docx", "docm", "xlsx", "xlsm", "pptx"):
        return "password-protected Office document"  # encryption wraps the newer formats in the older container
    if magic == "Office document before 2007" and suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if magic and not (magic == "image" and suffix in _SUFFIXES):
        return magic
    if b"ftyp" in head[4:12]:
        return "audio or video"
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if suffix in ("xml", "nxml") or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return "XML of no known schema"
    if suffix in ("jsonl", "ndjson"):
        return _json_lines_kind(head)
    printable = sum(byte >= 32 or byte in (9, 10, 12, 13) for byte in head[:4_000])
    return "text of no known format" if printable * 100 >= 97 * len(head[:4_000]) else "binary file"


def advice(kind: str) -> str:
    """Return what to do with files of a kind that no reader reads; empty if nothing helps."""
    return _ADVICE.get(kind, "")


def _zip_kind(suffix: str, head: bytes) -> str:
    if b"opendocument" in head[:200]:
        return "OpenDocument"
    if b"ppt/" in head or suffix in ("pptx", "ppsx"):
        return "PowerPoint slides"
    return _SUFFIXES.get(suffix, "archive")


def _json_lines_kind(head: bytes) -> str:
    try:
        named = refusal(json.loads(head.partition(b"\n")[0]))
    except (ValueError, RecursionError):
        named = ""
    return named or "JSON Lines of no known fields"
