"""JSON files with a document on each line: no line is lost."""

from __future__ import annotations

import json

import pytest

from fathom.corpus.document_reading import Filters, read_file
from fathom.corpus.readers.parsed_document import ParsedDocument, ReadError
from fathom.corpus.readers.parsing import json_objects as json_lines
from fathom.corpus.readers.parsing.json_objects import JsonObject, read_objects
from fathom.corpus.readers.sources import SourceFile


def titled(one: JsonObject, number: int) -> ParsedDocument:
    if "title" not in one:
        raise ReadError("it has no title")
    return ParsedDocument(f"{number}", title=one["title"])


def titles_and_faults(text: str) -> list[tuple[str, str]]:
    return [(found.title, found.refusal.partition(" (")[0]) for found in read_objects(text, "a.jsonl", titled)]


def test_every_line_is_read_or_refused() -> None:
    lines = ['{"title": "A"}', "", "[1]", "{broken", '{"title": "B\u2028C"}', "{}"]
    faults = ["", "its JSON is not an object", "it is not JSON", "", "it has no title"]
    assert titles_and_faults("\n".join(lines)) == list(zip(["A", "", "", "B\u2028C", ""], faults, strict=True))
    refused = [found.refusal[-8:] for found in read_objects("\n".join(lines), "a.jsonl", titled) if found.refusal]
    assert refused == ["(line 3)", "(line 4)", "(line 6)"]


def test_one_object_may_take_many_lines() -> None:
    assert titles_and_faults(json.dumps({"title": "A", "year": 2001}, indent=1)) == [("A", "")]


@pytest.mark.parametrize("text", ["", "\n\n", "{broken", json.dumps({"title": "A", "year": 2001}, indent=1)[:-2]])
def test_a_file_without_objects_is_refused_once(text: str) -> None:
    with pytest.raises(ReadError):
        titles_and_faults(text)


def test_gives_up_on_a_file_of_bad_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_REFUSED", 2)
    assert len(titles_and_faults("{\n{")) == 2
    with pytest.raises(ReadError, match="more than 2 of its lines"):
        titles_and_faults("{\n{\n{")


def test_bad_lines_are_counted_and_named_when_a_corpus_is_read() -> None:
    paper = {"title": "Salt", "markdown": "# Salt\n\n## 1 Waves\n\nSalt is old.\n"}
    work = {"id": "bib1", "arxiv_id": "2001.00002", "title": "", "sections": [{"name": "", "text": ""}]}
    lines = [json.dumps(paper), '{"markdown": ', json.dumps({**paper, "references": [work]})]
    reads = read_file(SourceFile("a.jsonl", "\n".join(lines).encode()), Filters()).documents
    assert [bool(one.error) for one in reads] == [False, True, False, True]
    assert reads[1].error.startswith("it is not JSON (") and reads[1].error.endswith("(line 2)")
    assert reads[3].error == "it has no text (the cited work 2001.00002)"
