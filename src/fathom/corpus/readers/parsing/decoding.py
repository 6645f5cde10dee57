"""Decoding of files: encoding detection and normalized line ends."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsed_document import ReadError

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Other codecs are slow or not for text.
_ENCODINGS = re.compile(
    r"utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|cp125\d|gbk?|gb2312|gb18030|big5|shift[_-]jis|euc-\w\w"
    r"|koi8-[ru]|utf-16(?:[lb]e)?",
    re.IGNORECASE,
)


def decode_utf8(content: bytes) -> str:
    """Return the text of a UTF-8 file; raises `ReadError` if it is not UTF-8."""
    text = content.decode(_marked(content) or "utf-8", "replace")
    # A few damaged bytes are accepted. One percent means another encoding or a binary file.
    if (text.count("\ufffd") + text.count("\0")) * 100 > len(text):
        raise ReadError("it is not text in UTF-8")
    return _plain(text)


def decode_lenient(content: bytes) -> str:
    """Return the text of a file in UTF-8 or else Windows-1252, as in old papers."""
    text, _ = decode_with_note(content)
    if text.count("\0") > len(text) // 10:
        raise ReadError("it is not text")
    return _plain(text)


def decode_with_note(content: bytes) -> tuple[str, str]:
    """Return the text, and a note if its encoding is uncertain."""
    if encoding := _marked(content):
        return content.decode(encoding, "replace"), ""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), "not UTF-8: read as Windows-1252"


def decode_declared(content: bytes, encoding: str) -> tuple[str, str]:
    """Return the text in its declared encoding, and a note if that is wrong."""
    if _marked(content) or not _ENCODINGS.fullmatch(encoding):
        return decode_with_note(content)
    try:
        return content.decode(encoding), ""
    except (LookupError, UnicodeError):
        return decode_with_note(content)[0], "its characters are not in its declared encoding"


def _marked(content: bytes) -> str:
    """Return the encoding of the byte order mark; empty if there is none."""
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")


def _plain(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
