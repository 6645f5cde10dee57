"""The page of a document in a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from fathom.annotate.layers import ClaimMark, EvidenceLink, EvidenceMark
from fathom.annotate.project import Project
from fathom.corpus.store import Corpus
from tests.annotate.conftest import Opening, Served, problems, serving_project, wait_saved

CLAIMS = "#marks .claims > li"


def number_of(corpus: Path, words: str) -> int:
    with Corpus(corpus) as opened:
        return next(entry.number for entry in opened.entries() if words in entry.title)


def text_of(corpus: Path, number: int) -> str:
    with Corpus(corpus) as opened:
        return next(opened.text(entry.id) for entry in opened.entries() if entry.number == number)


def drag(page: Any, start: tuple[str, int], end: tuple[str, int]) -> None:
    """Drag the mouse from a character of an element to one of another, as a person does."""
    points = [
        page.evaluate(
            """([selector, offset]) => {
                const element = document.querySelector(selector);
                const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
                let node = walker.nextNode();
                while (offset > node.length) { offset -= node.length; node = walker.nextNode(); }
                const range = document.createRange();
                range.setStart(node, offset); range.setEnd(node, offset);
                const box = range.getBoundingClientRect();
                return [box.left, box.top + box.height / 2];
            }""",
            list(one),
        )
        for one in (start, end)
    ]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move(points[1][0] - 3, points[1][1], steps=4)
    page.mouse.move(*points[1])
    page.mouse.up()


def layer(served: Served, corpus: Path, number: int, name: str = "ada") -> dict[str, Any]:
    with Project(served.folder) as project, Corpus(corpus) as opened:
        id = next(entry.id for entry in opened.entries() if entry.number == number)
        return dict(project.layer(id, name).elements)


def spans(elements: dict[str, Any], text: str) -> dict[str, list[str]]:
    """The marked texts by kind."""
    found: dict[str, list[str]] = {"claim": [], "evidence": []}
    for element in elements.values():
        if isinstance(element, ClaimMark | EvidenceMark):
            found[element.kind].append(element.span.of(text))
    return {kind: sorted(texts) for kind, texts in found.items()}


def test_a_claim_is_dragged_and_evidence_attached_from_another_section(
    served: Served, corpus: Path, opening: Opening
) -> None:
    number = number_of(corpus, "Pruning")
    text = text_of(corpus, number)
    page = opening(served.link("ada"), f"/documents/{number}")
    assert "window.hacked = 1" in page.inner_text("#text h1")
    abstract, results = (f"#b{text.index(words)}" for words in ("We show that", "The energy fell"))
    # The characters before the end are outside of the basic plane: offsets count characters, not UTF-16 units.
    drag(page, (abstract, 0), (abstract, len("We show that 𝛼-pruning 🚀 halves the energy.") + 2))
    page.click("#pop button >> nth=0")
    wait_saved(page)
    # A word or a number that the drag cuts is taken whole.
    drag(page, (results, 7), (results, len("The energy fell from 10.4 J to 5")))
    page.click("#pop button >> nth=1")
    wait_saved(page)
    drag(page, ("#text tr:nth-child(2) td:nth-child(2)", 0), ("#text tr:nth-child(3) td:nth-child(3)", 3))
    page.keyboard.press("e")
    wait_saved(page)
    found = layer(served, corpus, number)
    assert spans(found, text) == {
        "claim": ["We show that 𝛼-pruning 🚀 halves the energy."],
        "evidence": ["10.4 | 5.1 |\n| B | 9.8 | 4.7", "energy fell from 10.4 J to 5.1"],
    }
    assert sum(isinstance(one, EvidenceLink) for one in found.values()) == 2
    # Attributes and notes, and the same evidence for a second claim.
    page.click("#marks .claims button.mark >> nth=0")
    page.select_option("#form select[name=type]", "performance")
    page.select_option("#form select[name=justified]", "no")
    page.fill("#form input[name=note]", "  is it   <b>half</b>?")
    wait_saved(page)
    drag(page, (abstract, 46), (abstract, 61))
    page.keyboard.press("c")
    page.click("#marks .claims ul button.mark >> nth=0")
    page.check(".linked input[type=checkbox] >> nth=1")
    page.select_option(".linked select >> nth=1", "contradicts")
    wait_saved(page)
    found = layer(served, corpus, number)
    first = next(one for one in found.values() if isinstance(one, ClaimMark) and one.type is not None)
    assert (first.type, first.justified, first.note) == ("performance", False, "is it <b>half</b>?")
    links = [one for one in found.values() if isinstance(one, EvidenceLink)]
    assert len(links) == 3
    assert len({link.evidence for link in links}) == 2
    assert sorted(link.polarity for link in links) == ["contradicts", "supports", "supports"]
    # After a reload the page shows the same.
    before = page.inner_text("#marks")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.inner_text("#marks") == before
    assert page.evaluate("CSS.highlights.get('mark-claim').size") == 2


def test_everything_works_with_the_keyboard_alone(served: Served, corpus: Path, opening: Opening) -> None:
    number = number_of(corpus, "faster")
    text = text_of(corpus, number)
    page = opening(served.link("ada"))
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == f"/documents/{number}":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-ready]")
    for key in ["j", "j", "c"]:
        page.keyboard.press(key)
    for key in ["j", "j", "e", "v", "f"]:
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    for key in ["k", "J", "c"]:
        page.keyboard.press(key)
    wait_saved(page)
    found = layer(served, corpus, number)
    assert spans(found, text) == {
        "claim": [
            "Our index is faster than hashing.",
            "We measured it on two machines.\n\n## Results\n\nLookups took 3 ns with our index and 5 ns with hashing.",
        ],
        "evidence": ["Lookups took 3 ns with our index and 5 ns with hashing."],
    }
    assert [one.type for one in found.values() if isinstance(one, EvidenceMark)] == ["primary"]
    # Another type and polarity of the evidence, and another passage.
    for key in ["n", "v", "2", "x", "k", "r"]:
        page.keyboard.press(key)
    wait_saved(page)
    changed = layer(served, corpus, number)
    assert spans(changed, text)["evidence"] == ["We measured it on two machines."]
    assert [one.type for one in changed.values() if isinstance(one, EvidenceMark)] == ["secondary"]
    assert [one.polarity for one in changed.values() if isinstance(one, EvidenceLink)] == ["contradicts"]
    for _ in range(3):
        page.keyboard.press("Control+z")
    wait_saved(page)
    assert layer(served, corpus, number) == found
    for keys, claims in (("Control+z", 1), ("Control+Shift+z", 2), ("n", 2), ("Delete", 1), ("Control+z", 2)):
        page.keyboard.press(keys)
        expect(page.locator(CLAIMS)).to_have_count(claims)
    for key in ["n", "v", "l", "Space"]:
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.wait_for_selector("#done[aria-pressed=true]")
    wait_saved(page)
    page.keyboard.press("/")
    page.keyboard.type("HASHING")
    assert page.inner_text("#search-count") == "2 places"
    page.keyboard.press("Enter")
    assert page.inner_text("#search-count") == "1 of 2 places"
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    assert page.get_attribute("#guidelines", "open") is not None
    with Project(served.folder) as project:
        assert [done for _, _, done in project.counts("ada").values()] == [True]


def test_two_tabs_merge_and_tell_conflicts(served: Served, corpus: Path, opening: Opening) -> None:
    number = number_of(corpus, "faster")
    first = opening(served.link("ada"), f"/documents/{number}")
    second = first.context.new_page()
    second.goto(first.url)
    second.wait_for_selector("html[data-ready]")
    for page, steps in ((first, 2), (second, 3)):
        for _ in range(steps):
            page.keyboard.press("j")
        page.keyboard.press("c")
        wait_saved(page)
    expect(second.locator(CLAIMS)).to_have_count(2)
    first.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(first.locator(CLAIMS)).to_have_count(2)
    assert len(layer(served, corpus, number)) == 2
    # The same mark is changed in both: the one that is stored first stays, and the other tab shows it.
    for page in (first, second):
        page.click("#marks .claims button.mark >> nth=0")
    first.select_option("#form select[name=type]", "result")
    wait_saved(first)
    second.evaluate("window.dispatchEvent = () => true")
    second.select_option("#form select[name=type]", "performance")
    expect(second.locator("#announcer")).to_contain_text("Another tab")
    kinds = {value.type for value in layer(served, corpus, number).values() if isinstance(value, ClaimMark)}
    assert kinds == {"result", None}


def test_what_is_shown_as_saved_survives_a_kill(project: Path, corpus: Path, opening: Opening) -> None:
    number = number_of(corpus, "faster")

    def start() -> tuple[subprocess.Popen[str], str]:
        words = [sys.executable, "-m", "fathom", "annotate", str(corpus), "--project", str(project)]
        started = subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        assert started.stdout is not None
        for line in started.stdout:
            if match := re.search(r"ada: (http\S+)", line):
                return started, match[1]
        raise AssertionError("no link")

    process, link = start()
    page = opening(link, f"/documents/{number}")
    try:
        shown = 0
        page.evaluate(
            """() => { window.stop = false;
                const press = (key) =>
                    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
                (async () => { for (let i = 0; !window.stop; i += 1) {
                press('j');
                press('c');
                if (i % 4 === 3) press('k');
                if (i % 4 === 3) press('k');
                await new Promise((resolve) => setTimeout(resolve, 20)); } })(); }"""
        )
        deadline = time.monotonic() + 120
        while len(layer(Served(0, project), corpus, number)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stdout.close()  # type: ignore[union-attr]
        # Marks are added until saving has failed.
        page.wait_for_selector("#saved[data-state=failed]")
        page.evaluate("window.stop = true")
        shown = page.locator(CLAIMS).count()
        with Project(project) as opened:
            stored = {id for (document, name) in opened.layers() for id in opened.layer(document, name).elements}
        assert 0 < len(stored) <= shown
        # The server is started again on the same port; the page saves what was not saved.
        process, again = start()
        assert again == link
        wait_saved(page)
        assert page.locator(CLAIMS).count() == shown
        after = set(layer(Served(0, project), corpus, number))
        assert stored <= after
        assert len(after) == shown
    finally:
        process.kill()
        process.wait(20)
        process.stdout.close()  # type: ignore[union-attr]


def test_a_server_that_is_away_is_shown_and_nothing_is_lost(project: Path, corpus: Path, opening: Opening) -> None:
    number = number_of(corpus, "faster")
    with serving_project(project, corpus) as served:
        page = opening(served.link("ada"), f"/documents/{number}")
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.wait_for_selector("#saved.failed")
    with serving_project(project, corpus, served.port) as again:
        assert again.port == served.port
        wait_saved(page)
        assert len(layer(again, corpus, number)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_follow_the_rules_of_accessibility(served: Served, corpus: Path, opening: Opening, scheme: str) -> None:
    number = number_of(corpus, "Pruning")
    page = opening(served.link("ada"), color_scheme=scheme)
    assert problems(page) == []
    page.goto(f"http://127.0.0.1:{served.port}/documents/{number}")
    page.wait_for_selector("html[data-ready]")
    for key in ["j", "j", "c", "j", "j", "e"]:
        page.keyboard.press(key)
    wait_saved(page)
    assert problems(page) == []
    page.keyboard.press("n")
    for id in ("guidelines", "keys"):
        page.evaluate("id => { document.getElementById(id).open = true; }", id)
    assert problems(page) == []
    page.goto(f"http://127.0.0.1:{served.port}/documents/999")
    assert problems(page) == []
