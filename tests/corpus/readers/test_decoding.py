"""Detection of file encodings."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import decode_declared, decode_lenient, decode_utf8, decode_with_note


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_decides_the_encoding(encoding: str) -> None:
    content = "Sälz\r\nMoos\rEnde".encode(encoding)
    assert decode_utf8(content) == decode_lenient(content) == "Sälz\nMoos\nEnde"


def test_reads_legacy_encodings_if_allowed() -> None:
    old = "Sälz".encode("cp1252")
    assert decode_lenient(old) == "Sälz"
    assert decode_with_note(old) == ("Sälz", "not UTF-8: read as Windows-1252")
    assert decode_declared(old, "windows-1252") == ("Sälz", "")
    with pytest.raises(ReadError, match="not text in UTF-8"):
        decode_utf8(old)


def test_ignores_a_wrong_encoding_declaration() -> None:
    assert decode_declared("盐".encode(), "ascii") == ("盐", "its characters are not in its declared encoding")
    assert decode_declared(b"x", "rot13") == ("x", "")


@pytest.mark.parametrize("read", [decode_utf8, decode_lenient])
def test_a_file_of_null_bytes_is_not_text(read: object) -> None:
    with pytest.raises(ReadError):
        read(bytes(100))  # type: ignore[operator]
