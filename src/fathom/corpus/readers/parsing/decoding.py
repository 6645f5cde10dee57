"""The text of a file: in which encoding it is, with plain line ends."""

from __future__ import annotations

import re

from fathom.corpus.readers.parsed_document import ReadError

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Others decode slowly or are no text at all.
_ENCODINGS = re.compile(
    r"utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|cp125\d|gbk?|gb2312|gb18030|big5|shift[_-]jis|euc-\w\w"
    r"|koi8-[ru]|utf-16(?:[lb]e)?",
    re.IGNORECASE,
)


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8; raises `ReadError` where it is none."""
    text = content.decode(_marked(content) or "utf-8", "replace")
    # A few flipped bytes are forgiven; a hundredth of them is another encoding or no text at all.
    if (text.count("\ufffd") + text.count("\0")) * 100 > len(text):
        raise ReadError("it is not text in UTF-8")
    return _plain(text)


def decoded_leniently(content: bytes) -> str:
    """The text of a file in UTF-8 or, where it is not that, in Windows-1252: old papers are in either."""
    text, _ = decoded_with_doubt(content)
    if text.count("\0") > len(text) // 10:
        raise ReadError("it is not text")
    return _plain(text)


def decoded_with_doubt(content: bytes) -> tuple[str, str]:
    """The text as it stands, and what is doubtful about it."""
    if encoding := _marked(content):
        return content.decode(encoding, "replace"), ""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), "no UTF-8: read as Windows-1252"


def decoded_as(content: bytes, encoding: str) -> tuple[str, str]:
    """The text in the encoding that a document names, and what is doubtful about it."""
    if _marked(content) or not _ENCODINGS.fullmatch(encoding):
        return decoded_with_doubt(content)
    try:
        return content.decode(encoding), ""
    except (LookupError, UnicodeError):
        return decoded_with_doubt(content)[0], "its characters are not in the encoding that it names"


def _marked(content: bytes) -> str:
    """The encoding that the first bytes of a file tell, if they do."""
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "")


def _plain(text: str) -> str:
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
