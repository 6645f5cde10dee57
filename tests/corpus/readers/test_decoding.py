"""The encodings that files are in."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import decoded, decoded_as, decoded_leniently, decoded_with_doubt


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_decides_the_encoding(encoding: str) -> None:
    content = "Sälz\r\nMoos\rEnde".encode(encoding)
    assert decoded(content) == decoded_leniently(content) == "Sälz\nMoos\nEnde"


def test_reads_legacy_encodings_if_allowed() -> None:
    old = "Sälz".encode("cp1252")
    assert decoded_leniently(old) == "Sälz"
    assert decoded_with_doubt(old) == ("Sälz", "no UTF-8: read as Windows-1252")
    assert decoded_as(old, "windows-1252") == ("Sälz", "")
    with pytest.raises(ReadError, match="not text in UTF-8"):
        decoded(old)


def test_ignores_a_wrong_encoding_declaration() -> None:
    assert decoded_as("盐".encode(), "ascii") == ("盐", "its characters are not in the encoding that it names")
    assert decoded_as(b"x", "rot13") == ("x", "")


@pytest.mark.parametrize("read", [decoded, decoded_leniently])
def test_a_file_of_null_bytes_is_not_text(read: object) -> None:
    with pytest.raises(ReadError):
        read(bytes(100))  # type: ignore[operator]
