"""Documents and contexts with inconsistent parts are invalid."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fathom.records.contexts import Context, Place
from fathom.records.documents import Citation, Document, Reference
from fathom.records.spans import Span

TEXT = "# Tides\n\nInes Arce\n\nTides rise [1, 2] and fall [2].\n\n[1] One.\n[2] Two.\n"


def find(words: str, nth: int = 0) -> Span:
    """The span of the n-th occurrence of `words` in the text."""
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return Span(start, start + len(words))


def document(**changes: Any) -> Document:
    fields: dict[str, Any] = {
        "id": "a-1",
        "kind": "article",
        "language": "en",
        "title": find("Tides"),
        "license": "CC0-1.0",
        "source": "test",
        "text": TEXT,
        "references": (
            Reference(number=1, span=find("[1] One."), title=find("One"), document="a-2"),
            Reference(number=2, span=find("[2] Two."), title=find("Two"), document="a-2"),
        ),
        "citations": (
            Citation(span=find("1"), group=find("[1, 2]"), reference=1, style="numeric"),
            Citation(span=find("2"), group=find("[1, 2]"), reference=2, style="numeric"),
            Citation(span=find("2", 1), group=find("[2]"), reference=2, style="numeric"),
        ),
    }
    return Document(**{**fields, **changes})


def test_parts_slice_to_their_text() -> None:
    sound = document()
    assert sound.title_text == "Tides"
    assert [citation.span.of(TEXT) for citation in sound.citations] == ["1", "2", "2"]
    assert [citation.span.of(TEXT) for citation in sound.single_citations()] == ["2"]
    assert sound.cited == ("a-2",)


STRAY = Citation(span=find("1"), group=find("[2]"), reference=1, style="numeric")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"title": Span(2, 7000)}, "past the text"),
        ({"text": " " + TEXT}, "visible character"),
        ({"text": TEXT.rstrip()}, "one newline"),
        ({"text": TEXT + "\n"}, "one newline"),
        ({"text": ""}, "visible character"),
        ({"text": TEXT.replace("\n", "\r\n")}, "carriage return"),
        ({"text": TEXT.replace("rise", "ri\0e")}, "NUL"),
        ({"text": TEXT.replace("rise", "ri\ud800")}, "lone surrogate"),
        ({"title": Span(2, 2)}, "title is empty"),
        ({"license": ""}, "license"),
        (
            {"citations": (Citation(span=find("1"), group=find("[2]"), reference=1, style="numeric"),)},
            "outside its group",
        ),
        ({"id": "a-2"}, "cites itself"),
        ({"references": ()}, "points to reference"),
        ({"references": (Reference(number=2, span=find("[1] One."), title=None),)}, "not numbered"),
        ({"kind": "novel"}, "article"),
    ],
)
def test_refuses_an_invalid_document(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        document(**changes)


def place(id: str, start: int, end: int) -> Place:
    return Place(document=id, span=Span(start, end), token=0)


@pytest.mark.parametrize(
    ("places", "tokens", "fault"),
    [
        ((place("a", 0, 5), place("a", 6, 9)), 8, "twice"),
        ((place("a", 0, 5), place("b", 4, 9)), 8, "overlap"),
        ((place("a", 0, 5),), 11, "more than"),
    ],
)
def test_refuses_an_invalid_context(places: tuple[Place, ...], tokens: int, fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        Context(id="c", layout="x", length=10, tokens=tokens, tokenizer="t", sampling="random", places=places)
