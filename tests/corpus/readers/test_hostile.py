"""Hostile documents of every type: each is read or refused with a reason, quickly, and leaks nothing."""

from __future__ import annotations

import gzip
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from fathom.corpus import document_reading as reading
from fathom.corpus.document_reading import Filters, read_file, read_source
from fathom.corpus.readers.sources import FolderCompanions, SourceFile, source_files
from tests.corpus.readers.attacks import KINDS, drawn, good
from tests.corpus.readers.mutations import SECRET, Cases, Sandbox, Tally, read_case, run, unpacked, watched

ACCIDENTS = 60
"""Of each kind; the benchmark tries ten thousand."""
ATTACKS = 6
"""Of each kind, drawn from all of them; the benchmark tries all."""
SLOW = {
    *("form of itself", "a stream that unpacks to much", "a part that unpacks to much", "many cells", "uneven rows"),
    *(
        "xz of a large file",
        "tar.gz of a large file",
        "zip of ten thousand files",
        "many list items",
        "many paragraphs",
    ),
    *("a million rows", "many columns, many rows", "<p> open", "'Table 1. ' repeated", "'.. a::\\n   ' repeated"),
}
"""Attacks that take a second or more; the benchmark tries them."""


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setattr(reading, "MAX_CPU_SECONDS", 60)
    laid = Sandbox(tmp_path)
    yield laid
    laid.close()


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused(kind: str, sandbox: Sandbox) -> None:
    cases = Cases(kind, sandbox)
    first = len(cases.attacks)
    tally = run(cases, range(first, first + ACCIDENTS), sandbox)
    assert tally.faults == []
    assert tally.files == ACCIDENTS
    assert tally.read > ACCIDENTS // 10, "what is always refused at once tests nothing"
    assert tally.refused


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_are_read_or_refused(kind: str, sandbox: Sandbox) -> None:
    cases = Cases(kind, sandbox)
    every = [number for number, (label, _) in enumerate(cases.attacks) if label not in SLOW]
    tally = run(cases, sorted(Random(kind).sample(every, min(ATTACKS, len(every)))), sandbox)
    assert tally.faults == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_undamaged_documents_are_readable(kind: str, sandbox: Sandbox) -> None:
    for files in good(kind):
        (name, content), *beside = files.items()
        for sibling, text in beside:
            (sandbox.inside / sibling).write_bytes(text)
        (sandbox.inside / name).write_bytes(content)
        found = [one for opened in source_files([sandbox.inside / name]) for one in read_source(opened, Filters())[1]]
        assert any(one.document for one in found), found


# The machinery itself: what finds nothing must be able to find something.


class _Faulty:
    """A reader with every fault there is."""

    FORMAT = "faulty"

    def __init__(self, fault: str, sandbox: Sandbox) -> None:
        self._fault = fault
        self._ground = sandbox

    def read(self, content: bytes, name: str, companions: object) -> Iterator[object]:
        match self._fault:
            case "crash":
                raise KeyError("unexpected")
            case "hang":
                while True:
                    pass
            case "tell":
                (self._ground.outside / "secret.txt").read_text()
            case "write":
                (self._ground.inside / "new").write_text("x")
        return iter(())


@pytest.mark.parametrize(
    ("fault", "found"), [("crash", "KeyError"), ("hang", "longer"), ("tell", "opened"), ("write", "opened")]
)
def test_the_checks_detect_every_fault(
    fault: str, found: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_CPU_SECONDS", 1)
    monkeypatch.setattr(reading, "reader_of", lambda name, content: _Faulty(fault, sandbox))
    tally = Tally()
    read_case(Cases("csv", sandbox).made(0), sandbox, tally)
    assert [found in one for one in tally.faults] == [True]


def test_detects_a_leaked_secret(sandbox: Sandbox) -> None:
    cases = Cases("latex", sandbox)
    cases.attacks[0] = ("the document itself contains it", lambda: {"a.tex": f"\\title{{A}}{SECRET}".encode()})
    tally = Tally()
    read_case(cases.made(0), sandbox, tally)
    assert tally.leaked


def test_detects_a_network_call(sandbox: Sandbox) -> None:
    import socket

    host, _, port = sandbox.places[3].removeprefix("http://").partition("/")[0].partition(":")
    socket.create_connection((host, int(port))).close()
    assert sandbox.was_contacted()
    assert not sandbox.was_contacted()


def test_the_same_number_makes_the_same_file(sandbox: Sandbox) -> None:
    one, two = Cases("rst", sandbox).made(5_000), Cases("rst", sandbox).made(5_000)
    assert one.files == two.files
    assert one.files != Cases("rst", sandbox, seed=1).made(5_000).files


# What these attacks have taught.


def _interrupted_after(seconds: float, call: Callable[[], object]) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_interrupted_pdf_does_not_affect_the_next(sandbox: Sandbox) -> None:
    attacks = dict(KINDS["pdf"](sandbox.places))
    endless = attacks["form of itself"]()["paper.pdf"]
    with pytest.raises(KeyboardInterrupt):
        _interrupted_after(1, lambda: read_file(SourceFile("endless.pdf", endless, None), Filters()))
    text = ((72, 660 - 14 * n, 10, f"It has line {n} of its text.") for n in range(20))
    lines = [(72, 700, 20, "Another paper"), (72, 680, 13, "1 Introduction"), *text]
    [found] = read_file(SourceFile("other.pdf", drawn(lines), None), Filters())[1]
    assert found.document


@pytest.mark.parametrize(
    ("kind", "label", "reason"),
    [
        ("latex", "deep footnotes", "its footnotes are nested more than 10 deep"),
        ("latexml", "many attributes", "a tag has more than 2,000 attributes"),
        ("ixbrl", "many attributes", "an element has more than 1,000 attributes"),
        ("csv", "a million columns", "it has more than 500,000 cells"),
        # Which limit it meets first depends on the machine.
        (
            "pdf",
            "form of itself",
            "it made the PDF library crash|one of its pages took longer than 5 seconds|"
            "it needs more than 1 GB of memory",
        ),
        ("archives", "gz of a large file", "it unpacks to more than 256 MB"),
    ],
)
def test_refuses_what_would_take_forever(kind: str, label: str, reason: str, sandbox: Sandbox) -> None:
    [(name, content)] = list(dict(KINDS[kind](sandbox.places))[label]().items())[:1]
    (sandbox.inside / name).write_bytes(content)
    [opened] = source_files([sandbox.inside / name])
    assert read_source(opened, Filters())[1][0].error in reason.split("|")


def test_does_not_follow_links_in_a_folder(sandbox: Sandbox) -> None:
    (sandbox.inside / "round").symlink_to(sandbox.inside)
    (sandbox.inside / "out").symlink_to(sandbox.outside)
    (sandbox.inside / "paper.md.gz").write_bytes(gzip.compress(b"# A\n\nSome text.\n"))
    with watched(sandbox) as seen:
        sources = [one.source for one in source_files([sandbox.inside]) if not getattr(one, "unread_kind", "")]
        beside = FolderCompanions(sandbox.inside)
        assert [beside.get(f"{place}.txt") for place in (*sandbox.places, "out/secret")] == [None] * 6
    assert [Path(source).name for source in sources] == ["paper.md.gz"]
    assert seen == []


def test_the_time_limit_is_reset(sandbox: Sandbox) -> None:
    before = signal.getsignal(signal.SIGPROF)
    run(Cases("csv", sandbox), range(20, 22), sandbox)
    assert signal.getsignal(signal.SIGPROF) is before


def test_filing_headers_may_be_anywhere() -> None:
    [(name, content)] = good("ixbrl")[0].items()
    header = b'<div style="display:none">unseen<ix:header></ix:header>unseen as well</div>'
    filing = content.replace(b"<h2>", b"<ix:header></ix:header>" * 9 + header + b"<h2>")
    [found] = read_file(SourceFile(name, filing, None), Filters())[1]
    assert found.document is not None
    text = unpacked(found.document.text)
    assert "Item 1. Flour" in text
    assert "unseen" not in text
