"""PDF pages read per second of CPU time, compared with other libraries in the same run.

Our reader extracts title, authors, headings, paragraphs, references and citations; the others extract plain text.
Targets: faster than the two that are written in Python, and at most three times what pdfium takes, which it uses. The
PDFs are those given on the command line, else those in the shared data, else one that the tests draw.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from _measuring import cpu_seconds_of, fastest_total
from fathom.corpus.readers.parsed_document import NoCompanions
from fathom.corpus.readers.pdf import reader as pdf
from fathom.corpus.readers.pdf.child_process import _own_process, extract_lines

ROUNDS = 7


def main() -> None:
    documents = _documents()
    pages = sum(len(extract_lines(content).page_sizes) for content in documents)
    print(f"{len(documents)} documents, {pages} pages, each document in the fastest of {ROUNDS} rounds")
    ours = _measured("fathom", _ours, documents, pages)
    alone = _measured("pdfium", _pdfium, documents, pages)
    print(f"fathom takes {ours / alone:.1f} times what pdfium alone takes (goal: 3)")
    others = [
        _measured(name, extract, documents, pages)
        for name, module, extract in (("pypdf", "pypdf", _pypdf), ("pdfminer.six", "pdfminer", _pdfminer))
        if _is_there(name, module)
    ]
    for other in others:
        print(f"fathom reads {other / ours:.1f} times as many pages a second" if other > ours else "slower: look why")


def _documents() -> list[bytes]:
    named = [Path(word) for word in sys.argv[1:]]
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    paths = named or [*sorted(beside.glob("*/pdf/*.pdf")), *sorted(beside.glob("*/*.pdf"))]
    if paths:
        return [path.read_bytes() for path in paths]
    from tests.corpus.readers.test_pdf import paper

    return [paper()] * 20


def _measured(name: str, extract: Callable[[bytes], int], documents: list[bytes], pages: int) -> float:
    """Seconds for all documents, each in the fastest of several rounds."""
    characters = 0
    rounds = []
    for _ in range(ROUNDS):
        timed = [_timed(extract, content) for content in documents]
        characters = sum(count for count, _ in timed)
        rounds.append([seconds for _, seconds in timed])
    seconds = fastest_total(rounds)
    print(f"{name:>14}: {pages / seconds:8.1f} pages a second, {characters:,} characters")
    return seconds


def _timed(extract: Callable[[bytes], int], content: bytes) -> tuple[int, float]:
    start = _cpu_seconds()
    count = extract(content)
    return count, _cpu_seconds() - start


def _cpu_seconds() -> float:
    """CPU seconds of this process and of the one that extracts lines."""
    child = _own_process()._running_process()
    return time.process_time() + cpu_seconds_of(child.pid)


def _is_there(name: str, module: str) -> bool:
    if find_spec(module) is not None:
        return True
    print(f"{name:>14}: not installed; to compare with it: .venv/bin/python -m pip install {name}")
    return False


def _ours(content: bytes) -> int:
    (found,) = pdf.read(content, "document.pdf", NoCompanions())
    return len(found.title) + sum(len(str(block)) for block in found.body)


def _pdfium(content: bytes) -> int:
    return sum(len(page.get_textpage().get_text_range()) for page in import_module("pypdfium2").PdfDocument(content))


def _pypdf(content: bytes) -> int:
    reader = import_module("pypdf").PdfReader(io.BytesIO(content))
    return sum(len(page.extract_text()) for page in reader.pages)


def _pdfminer(content: bytes) -> int:
    return len(import_module("pdfminer.high_level").extract_text(io.BytesIO(content)))


if __name__ == "__main__":
    main()
