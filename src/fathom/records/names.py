"""Names as people type them."""

from __future__ import annotations

import unicodedata

# Letters that do not come apart into a base letter and an accent.
_PLAIN = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "ı": "i"}
)


def without_accents(name: str) -> str:
    """The name as an ASCII-minded typist writes it."""
    decomposed = unicodedata.normalize("NFD", name.translate(_PLAIN))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
