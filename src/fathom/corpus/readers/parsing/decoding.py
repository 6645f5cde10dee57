"""Decoding of files: one function for all text readers. Files of unknown encoding are rejected."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.encodings import ENCODINGS, Candidate, is_western, rank, wide_score

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # Before UTF-16, whose mark starts the same way.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
# Declared names, and what files with that declaration really contain: pages in "gb2312" use all of GBK, and pages in
# "iso-8859-1" have the quotation marks of Windows. Other codecs are slow or not for text.
_DECLARED = {
    **dict.fromkeys(("utf8", "utf-8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "ansinew"), "cp1252"),
    **dict.fromkeys(("windows-1252", "cp1252"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "gb-2312", "x-gbk", "cp936", "gb"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "cp950", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("euc-kr", "euckr", "ks_c_5601-1987", "cp949", "windows-949"), "cp949"),
    **dict.fromkeys(("euc-jp", "eucjp", "x-euc-jp"), "euc_jp"),
    **dict.fromkeys(("windows-1254", "cp1254", "iso-8859-9", "latin5"), "cp1254"),
    **{f"windows-125{n}": f"cp125{n}" for n in (0, 1, 3, 5, 6, 7, 8)},
    **{f"cp125{n}": f"cp125{n}" for n in (0, 1, 3, 5, 6, 7, 8)},
    **{f"iso-8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{"latin2": "iso8859-2", "latin9": "iso8859-15", "applemac": "mac_roman", "macintosh": "mac_roman"},
    **{"koi8-r": "koi8-r", "koi8-u": "koi8-u", "iso-2022-jp": "iso2022_jp", "cp866": "cp866", "ibm866": "cp866"},
    **{"utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"},
}

MIN_SCORE = 0.6
"""Smallest share of plausible words for an encoding to be possible."""


class DecodedText(NamedTuple):
    """The text of a file, and how it was decoded."""

    text: str
    encoding: str
    note: str = ""
    """A remark for the report, if the encoding was not stated or is damaged."""


def decode_text(content: bytes, declared: str = "") -> str:
    """Return the text of a file with normalized line ends; raises `ReadError` if it is not text or undecidable."""
    return decode(content, declared).text


def decode(content: bytes, declared: str = "") -> DecodedText:
    """Decode a file by its mark, as UTF-8, in its declared encoding, or in the one its words are plausible in."""
    decoded = _decoded(content, declared.strip().lower())
    text = decoded.text.removeprefix("\ufeff")
    if len(_CONTROLS.findall(text, 0, 100_000)) * 50 > min(len(text), 100_000):
        raise ReadError("it is not text")
    return decoded._replace(text=text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"))


def searchable(content: bytes) -> str:
    """Return bytes as text for a search for ASCII commands only: other characters are not decoded."""
    return content.decode("latin-1")


_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def _decoded(content: bytes, declared: str) -> DecodedText:
    if marked := next((encoding for mark, encoding in _MARKS if content.startswith(mark)), ""):
        return _with_damage(content, marked)
    if b"\x1b$" in content and (text := _strict(content, "iso2022_jp")) is not None:
        return DecodedText(text, "iso2022_jp", "not UTF-8: read as iso2022_jp")
    if b"\0" in content:
        return _wide(content)
    stated = _DECLARED.get(declared, "")
    if (text := _strict(content, "utf-8")) is not None:
        # Seven bits are the same in both; anything else is not UTF-8 by chance.
        wrong = stated not in ("", "utf-8") and not content.isascii()
        return DecodedText(text, "utf-8", "its characters are not in its declared encoding" if wrong else "")
    if stated and stated != "utf-8":
        return _in_declared(content, stated)
    return _mostly_utf8(content) or detect(content)


def _strict(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _with_damage(content: bytes, encoding: str) -> DecodedText:
    if (text := _strict(content, encoding)) is not None:
        return DecodedText(text, encoding)
    text = content.decode(encoding, "replace")
    if text.count("\ufffd") * 100 > len(text):
        raise ReadError(f"it is not text in {encoding.upper()}, as its first bytes say")
    return DecodedText(text, encoding, "a few damaged characters")


def _mostly_utf8(content: bytes) -> DecodedText | None:
    """Return a UTF-8 file with a few damaged characters; None if another encoding is as likely."""
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    whole = sum(not one.isascii() for one in text) - damaged
    return DecodedText(text, "utf-8", "a few damaged characters") if whole >= 10 * damaged else None


def _wide(content: bytes) -> DecodedText:
    """Decode UTF-16 or UTF-32 without a mark. A file with null bytes is in no other encoding."""
    scores: dict[str, tuple[float, str]] = {}
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        even = content[: len(content) - len(content) % (4 if "32" in encoding else 2)]
        if (text := _strict(even, encoding)) is not None and "\0" not in text:
            scores[encoding] = wide_score(text), text
    best = max(scores, key=lambda name: scores[name][0], default="")
    if not best or scores[best][0] < MIN_SCORE:
        raise ReadError("it is not text")
    return DecodedText(scores[best][1], best, f"no byte order mark: read as {best}")


def _in_declared(content: bytes, stated: str) -> DecodedText:
    text = _strict(content, stated)
    if text is not None and stated not in ENCODINGS:
        return DecodedText(text, stated)
    ranked = rank(content)
    score = next((one.score for one in ranked if one.encoding == stated), 0.0)
    if text is not None and score >= MIN_SCORE:
        return DecodedText(text, stated)
    try:
        return _best(ranked)._replace(note="its characters are not in its declared encoding")
    except ReadError:
        if text is None:
            raise
        return DecodedText(text, stated, "its declared encoding is doubtful")


def detect(content: bytes) -> DecodedText:
    """Decode a file in a legacy encoding by its words; raises `ReadError` if two encodings are as likely."""
    return _best(rank(content))


def _best(ranked: list[Candidate]) -> DecodedText:
    possible = [candidate for candidate in ranked if candidate.score >= MIN_SCORE]
    if not possible:
        names = ", ".join(candidate.encoding for candidate in ranked[:3])
        raise ReadError("it is not UTF-8, and its words are in no known encoding" + (f" ({names})" if names else ""))
    best = possible[0]
    # The less there is to judge, the larger the difference must be.
    margin = 0.04 + 1 / best.evidence
    rivals = [
        candidate for candidate in possible[1:] if candidate.text != best.text and candidate.score > best.score - margin
    ]
    if rivals:
        # A foreign name or two in an English text: Windows-1252 is what such files are in.
        western = next((candidate for candidate in (best, *rivals) if candidate.encoding == "cp1252"), None)
        if western is None or not is_western(western.text):
            names = ", ".join(candidate.encoding for candidate in (best, *rivals))
            raise ReadError(f"its encoding is uncertain: convert it to UTF-8 (it could be {names})")
        best = western
    return DecodedText(best.text, best.encoding, f"not UTF-8: read as {best.encoding}")
