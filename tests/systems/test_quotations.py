"""Quotations with their places, and what can be read back from them."""

from __future__ import annotations

import pytest

from fathom.records.spans import Span
from fathom.systems.quotations import note_line, quotation, quoted_spans

TEXT = (
    "Alpha grew.\nBeta fell by 3%.\n\n" + "A long list of works: " + ", ".join(f"work {n}" for n in range(60)) + ".\n"
)
LIST = Span(30, len(TEXT) - 1)
BETA = Span(12, 28)


def read_back(text: str) -> list[Span]:
    return list(quoted_spans(text, lambda span: span.of(TEXT), len(TEXT)))


def test_what_is_quoted_can_be_read_back() -> None:
    both = Span(0, 28)
    assert read_back(quotation(both, both.of(TEXT))) == [both]
    noted = [note_line("Article 7", span, span.of(TEXT)) for span in (both, BETA, LIST)]
    assert all("\n" not in line for line in noted)
    assert len(noted[2]) < 150 < len(LIST.of(TEXT))
    assert read_back("Notes:\n" + "\n".join(noted)) == [both, BETA, LIST]


def test_what_is_cut_off_is_lost() -> None:
    line = note_line("Article 7", BETA, BETA.of(TEXT))
    assert read_back(line[:-6]) == [Span(BETA.start, BETA.end - 6)]
    assert read_back(line[:16]) == []
    # The beginning of a note on a long passage is no note on all of it.
    [cut] = read_back(note_line("Article 7", LIST, LIST.of(TEXT))[:-5])
    assert cut.start == LIST.start
    assert cut.end < LIST.start + 70


@pytest.mark.parametrize(
    "text",
    [
        "[0:5000] Everything that you need is here.",
        f"[12:28] {LIST.of(TEXT)[:16]}",
        f"{'a long sentence before a place, ' * 3} [12:28] Beta fell by 3%.",
        "[1] see [12:28] Beta fell by 3%.",
        "[28:12] Beta",
        "[900:950] x",
        "[12:12] ",
        "[1] Smith [2] Jones",
    ],
)
def test_a_text_that_only_imitates_the_form_quotes_nothing(text: str) -> None:
    assert sum(span.end - span.start for span in read_back(text)) <= 1
