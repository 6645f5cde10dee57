"""JSON files with a document on each line: no line is lost."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from fathom.corpus.document_reading import AttachedSource, Filters, read_attached, read_source
from fathom.corpus.readers.sources import source_files


def test_bad_lines_are_counted_and_named_when_a_corpus_is_read(tmp_path: Path) -> None:
    paper = {"title": "Salt", "markdown": "# Salt\n\n## 1 Waves\n\nSalt is old.\n"}
    work = {"id": "bib1", "arxiv_id": "2001.00002", "title": "", "sections": [{"name": "", "text": ""}]}
    lines = [json.dumps(paper), '{"markdown": ', json.dumps({**paper, "references": [work]})]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    [part] = map(partial(read_source, filters=Filters()), source_files([path]))
    [work_read] = [read_attached(AttachedSource(part.source, part.format, 4, one.content)) for one in part.attached]
    reads = [*part.documents, work_read]
    assert [bool(one.error) for one in reads] == [False, True, False, True]
    assert reads[1].error.startswith("it is not JSON (") and reads[1].error.endswith("(line 2)")
    assert reads[3].error == "it has no text (the cited work 2001.00002)"
