"""Keywords that are terms."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsing.subjects import first_term


@pytest.mark.parametrize(
    ("keywords", "subject"),
    [
        (["ferns"], "ferns"),
        (["Research Article", "Ecology"], "Ecology"),
        (["Open Access Review"], None),
        (["salt marshes of the North Sea coast"], None),
        (["salt marshes of the northern coast"], "salt marshes of the northern coast"),
        (["Part of the work was presented in Oslo"], None),
        (["© 2020 The Authors", "moss"], "moss"),
        (["Lind et al. See also the supplement", "moss."], "moss"),
        (["本文研究河口"], None),
        (["河口"], "河口"),
        (["12"], None),
        ([], None),
    ],
)
def test_prose_is_not_a_subject(keywords: list[str], subject: str | None) -> None:
    assert first_term(keywords) == subject
