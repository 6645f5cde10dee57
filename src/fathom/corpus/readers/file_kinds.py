"""What a file is, if it is not a document: a README or license beside documents, or a kind that no reader reads."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from fathom.corpus.readers.parsing.text_cleanup import strip_compression, word_set
from fathom.corpus.readers.tabular.known_json import refusal

# Files of a repository or a package, by their names. Those in the second list are documents unless in capitals.
_REPOSITORY_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a README", re.compile(r"read[-_ ]?me(?:[-_. ].*)?", re.IGNORECASE)),
    ("a changelog", re.compile(r"change[-_]?logs?(?:[-_.].*)?|release[-_]notes(?:[-_.].*)?", re.IGNORECASE)),
    ("a license", re.compile(r"licen[cs]e(?:s)?(?:[-_. ].*)?|copying(?:[-_.].*)?|unlicense(?:\..*)?", re.IGNORECASE)),
    (
        "a file of a repository",
        re.compile(
            r"contributing(?:[-_.].*)?|code[-_]of[-_]conduct(?:[-_.].*)?|citation\.cff|pull_request_template.*|"
            r"issue_template.*|agents\.md|claude\.md|codeowners|makefile|dockerfile|robots\.txt",
            re.IGNORECASE,
        ),
    ),
    (
        "a package file",
        re.compile(
            r"package(?:-lock)?\.json|composer\.json|tsconfig.*\.json|manifest\.(?:json|txt|in)|cmakelists\.txt|"
            r"(?:dev-)?(?:requirements|constraints)[-_\w]*\.txt|requirements\.in|(?:md5|sha\d+)(?:sums?)?(?:\.txt)?|"
            r"checksums?(?:\..*)?|top_level\.txt|entry_points\.txt|sources\.txt",
            re.IGNORECASE,
        ),
    ),
    (
        "a file of a repository",
        re.compile(
            r"(?:HISTORY|NEWS|CHANGES|INSTALL|TODO|NOTICE|AUTHORS|CONTRIBUTORS|MAINTAINERS|SECURITY|SUPPORT|CREDITS|"
            r"COPYRIGHT|VERSION|MANIFEST|ROADMAP|GOVERNANCE)(?:\.(?:md|txt|rst))?"
        ),
    ),
)
_LIST_NAME = re.compile(
    r"(?:.*[-_.])?(?:meta-?data|manifest|index|catalog(?:ue)?|inventory|file-?list|files|papers|articles|documents|sources|"
    r"records|bibliography|labels|splits?|train|dev|test)(?:[-_.].*)?"
)
_LIST_COLUMNS = word_set(
    "title doi author authors year id pmid pmcid pmc arxiv arxiv_id file filename file_name path url link license"
    " journal abstract date published venue split label source document_id paper_id sha256 md5"
)
LISTS = (".csv", ".tsv", ".json", ".xlsx")
"""Suffixes of files that may list the files beside them."""
_DOCUMENTS = word_set("pdf xml nxml md markdown txt html htm xhtml docx epub tex rst tar tgz zip xz gz")
"""Suffixes of documents that are not tables, and of archives, which have documents."""
_ID_COLUMN = re.compile(r"(?:.*[_ -])?(?:ids?|doi|pmid|pmcid|arxiv|pep|file|filename|path|url)|[A-Za-z]+ID")
"""Columns that refer to documents."""


def reason_left_out(name: str, head: bytes, siblings: Sequence[str]) -> str:
    """Return why a file in a folder or archive is not a document; empty if it may be one.

    `siblings`: names of the files in its folder. A list of files is one only beside the files that it lists.
    """
    base = PurePosixPath(strip_compression(name)).name
    for reason, pattern in _REPOSITORY_NAMES:
        if pattern.fullmatch(base):
            return reason
    suffix = PurePosixPath(base).suffix.lower().lstrip(".")
    if not base.lower().endswith(LISTS):
        return ""
    documents = [
        one
        for one in siblings
        if PurePosixPath(one).suffix.lower().lstrip(".") in _DOCUMENTS
        and not _is_repository_file(one)
        and strip_compression(one) != base
    ]
    return _reason_of_list(base, suffix, head, documents) if documents else ""


def _is_repository_file(name: str) -> bool:
    return any(pattern.fullmatch(name) for _, pattern in _REPOSITORY_NAMES)


def _reason_of_list(base: str, suffix: str, head: bytes, documents: list[str]) -> str:
    text = head.decode("utf-8", "replace") if suffix != "xlsx" else ""
    stems = {PurePosixPath(one).stem for one in documents if len(PurePosixPath(one).stem) > 2}
    if stems and sum(stem in text for stem in stems) * 2 >= len(stems) and len(stems) > 1:
        return "a list of the files beside it"
    is_list = _LIST_NAME.fullmatch(PurePosixPath(base).stem.lower())
    columns = {word.strip(" \"'").lower() for word in re.split(r"[,;\t|]", text.partition("\n")[0][:5_000])}
    keys = set(re.findall(r'"([a-z_]{2,20})"\s*:', text[:20_000].lower())) if suffix == "json" else columns
    if is_list and (suffix == "xlsx" or len(keys & _LIST_COLUMNS) > 1 or suffix == "json"):
        return "metadata of the documents beside it"
    header = [word.strip(" \"'\ufeff") for word in re.split(r"[,;\t|]", text.partition("\n")[0][:5_000])]
    if suffix in ("csv", "tsv") and any(_ID_COLUMN.fullmatch(name) for name in header):
        return "a table about the documents beside it"
    return ""


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
_SUFFIXES = {
    **dict.fromkeys(word_set("doc dot"), "Word document before 2007"),
    **dict.fromkeys(word_set("xls xlt"), "Excel workbook before 2007"),
    **dict.fromkeys(word_set("ppt pps pptx ppsx key"), "PowerPoint slides"),
    **dict.fromkeys(word_set("odt ods odp ott fodt"), "OpenDocument"),
    **dict.fromkeys(word_set("pages numbers"), "Apple document"),
    **dict.fromkeys(word_set("mobi azw azw3 kfx fb2 lit"), "e-book of another format"),
    **dict.fromkeys(word_set("png jpg jpeg gif svg tif tiff bmp webp ico eps heic"), "image"),
    **dict.fromkeys(word_set("mp3 mp4 wav avi mov mkv ogg flac m4a webm"), "audio or video"),
    **dict.fromkeys(word_set("ipynb"), "notebook"),
    **dict.fromkeys(
        word_set("py js ts c h cpp cc java r jl m go rs rb php pl sh bat ps1 sql scala css scss"), "source code"
    ),
    **dict.fromkeys(word_set("yml yaml toml ini cfg conf cff lock properties env"), "settings"),
    **dict.fromkeys(word_set("log out err"), "log"),
    **dict.fromkeys(word_set("bib bbl bst cls sty ris enw"), "bibliography or style"),
    **dict.fromkeys(word_set("parquet feather arrow orc avro"), "Parquet table"),
    **dict.fromkeys(word_set("sav dta rds rdata sas7bdat por mat npy npz h5 hdf5 nc"), "statistics data"),
    **dict.fromkeys(word_set("pkl pickle pt pth ckpt safetensors onnx bin joblib"), "array or model"),
    **dict.fromkeys(word_set("7z rar bz2 zst tar zip gz xz jar whl"), "archive"),
    **dict.fromkeys(word_set("ttf otf woff woff2"), "font"),
    **dict.fromkeys(word_set("eml mbox msg"), "e-mail"),
    **dict.fromkeys(word_set("adoc asciidoc org textile mediawiki wiki"), "markup of another format"),
}
_CONVERT = "convert to docx, PDF, HTML, Markdown or plain text"
_ADVICE = {
    **dict.fromkeys(
        (
            *("RTF document", "Word document before 2007", "OpenDocument", "Apple document", "PowerPoint slides"),
            *("e-book of another format", "PostScript", "DjVu scan", "markup of another format", "e-mail"),
            *("Office document before 2007", "notebook"),
        ),
        _CONVERT,
    ),
    **dict.fromkeys(
        (
            "Excel workbook before 2007",
            "Parquet table",
            "Arrow table",
            "SQLite database",
            "statistics data",
            "HDF5 data",
        ),
        "convert to CSV or xlsx",
    ),
    "archive": "unpack, or use tar, zip, gz or xz",
    "XML of no known schema": "JATS, TEI, or HTML are read",
    "JSON Lines of no known fields": "convert to JSON or CSV",
    "text of no known format": "rename to .txt or .md if it is a document",
}


def unread_kind(name: str, head: bytes) -> str:
    """Return what a file is that no reader reads, by its first bytes and its suffix."""
    suffix = PurePosixPath(strip_compression(name).lower()).suffix.lstrip(".")
    if not head.strip():
        return "empty file"
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(suffix, head)
    magic = next((kind for mark, kind in _MAGIC if head.startswith(mark)), "")
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
