"""Hostile text everywhere a page shows text: none of it runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fathom.analysis.analyze import Analysis, analyze
from fathom.contexts.files import write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.records.documents import Author, Document, Reference
from fathom.records.files import read_records, write_records
from fathom.records.questions import Question
from fathom.records.spans import Span
from fathom.report.figures import write_figures
from fathom.report.pages import write_page
from fathom.report.sections import all_figures
from fathom.report.site import write_site
from fathom.runs.folder import MANIFEST, RESPONSES
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import MANIFEST as BENCH_MANIFEST
from fathom.tasks.bench_folder import fingerprint_of, hashes_of
from fathom.tasks.building import BuildInputs, build
from tests.report.conftest import Opening, Violations
from tests.report.sample import Player, play

PAYLOADS = (
    "<script>alert('script')</script>",
    "</script><script>alert('closing')</script>",
    "<!--<script>alert('comment')</script>-->",
    "<img src=x onerror=alert('image')>",
    "<svg onload=alert('svg')><animate onbegin=alert('animate')></svg>",
    "<iframe srcdoc=\"<script>parent.alert('frame')</script>\"></iframe>",
    "<a href=\"javascript:alert('link')\">press</a>",
    "<details open ontoggle=alert('details')>",
    "<style>@import 'http://127.0.0.1:9/steal.css';</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/steal.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/gone'>",
    "<base href=http://127.0.0.1:9/>",
    "\"><input autofocus onfocus=alert('focus')>",
    "'-alert('quote')-'",
    "${alert('template')}{{constructor.constructor('alert(1)')()}}",
    "\u2028alert('line')\u2029]]><x>",
    "&lt;script&gt;alert('entity')&lt;/script&gt;&#x3C;b&#x3E;",
    '=HYPERLINK("http://127.0.0.1:9/","press")',
    "{{DATA}}{{SCRIPT}}",
    "__proto__",
    "\u202egnp.exe <mark>turned</mark>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert('math')>",
)


def document(number: int) -> Document:
    """A small document whose title, authors, references and text are all hostile."""
    one, two, three = (
        PAYLOADS[(number * 3 + step) % len(PAYLOADS)].replace("\u2028", " ").replace("\u2029", " ") for step in range(3)
    )
    title = f"Study {number} {one}"
    names = [f"A{number} {two}", f"B{number % 4} Writer"]
    entries = [f"{entry + 1}. Someone, {three}, 20{entry:02}." for entry in range(3 + number % 5)]
    text = f"{title}\n\n"
    authors = []
    for place, name in enumerate(names, start=1):
        authors.append(
            Author(position=place, span=Span(len(text), len(text) + len(name)), given="", family=name, person=None)
        )
        text += f"{name}\n"
    text += f"\nAbstract. {three}\n\nReferences\n"
    references = []
    for place, entry in enumerate(entries, start=1):
        references.append(Reference(number=place, span=Span(len(text), len(text) + len(entry)), title=None))
        text += f"{entry}\n"
    return Document(
        id=f"a-{number}",
        kind="article",
        language="en",
        title=Span(0, len(title)),
        authors=tuple(authors),
        license="CC0-1.0",
        source=one,
        text=text,
        references=tuple(references),
    )


@dataclass(frozen=True)
class Hostile:
    """A folder with runs, and their analysis."""

    folder: Path
    analysis: Analysis


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    """Runs over a bench of hostile documents, with hostile tags, responses, and names of runs, models and systems."""
    folder = tmp_path_factory.mktemp("hostile")
    corpus, bench = folder / "corpus", folder / "bench"
    with CorpusWriter(corpus, {"kind": "hostile"}) as writer:
        for number in range(24):
            writer.add(pack(document(number)))
        writer.finish()
    with Corpus(corpus) as opened:
        write_contexts(opened, SamplingSettings(lengths=(1_200, 2_400), count=3), corpus / "contexts.jsonl")
    build(BuildInputs(corpus, corpus / "contexts.jsonl", {"numeric": {"questions": 6}}, 0), bench)
    _tag(bench)
    for index, payload in enumerate(PAYLOADS[:4]):
        name = f"run-{index} {payload.replace('/', '')}"
        play(
            bench,
            folder / "runs" / name,
            Player(name, "sim/reader?reverse=0.4&miss=0.2", payload, payload, says=f"{payload} Answer: {{}}"),
        )
        _answer(folder / "runs" / name)
    return Hostile(folder, analyze(sorted((folder / "runs").iterdir())))


def _tag(bench: Path) -> None:
    """Give each question hostile tags, tag names and text."""
    tagged = []
    for index, question in enumerate(read_records(bench / "questions.jsonl", Question)):
        payload = PAYLOADS[index % len(PAYLOADS)]
        tags = {
            **question.tags,
            "skill": payload,
            "<b onclick=alert('tag')>tag</b>": PAYLOADS[index % 3],
            "__proto__": "x",
        }
        tagged.append(question.model_copy(update={"tags": tags, "text": f"{question.text} {payload}"}))
    write_records(bench / "questions.jsonl", tagged)
    manifest = json.loads((bench / BENCH_MANIFEST).read_text())
    manifest["fingerprint"], manifest["hashes"] = fingerprint_of(bench), hashes_of(bench)
    (bench / BENCH_MANIFEST).write_text(json.dumps(manifest))
    assert len(Bench(bench).manifest.families) == 1


def _answer(run: Path) -> None:
    """Put a payload into each response and its trace."""
    lines = [json.loads(line) for line in (run / RESPONSES).read_text().splitlines()]
    for index, line in enumerate(lines):
        if line["outcome"] == "answered":
            line["text"] = PAYLOADS[index % len(PAYLOADS)] + "\n" + line["text"]
            line["thinking"] = PAYLOADS[(index + 1) % len(PAYLOADS)]
            line["trace"] = _trace(PAYLOADS[(index + 2) % len(PAYLOADS)])
    (run / RESPONSES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert (run / MANIFEST).exists()


def _trace(payload: str) -> list[dict[str, object]]:
    texts = {"name": payload, "input": payload, "output": payload, "error": payload}
    passages = [
        *({"document": f"a-{number}", "span": [0, 40]} for number in range(24)),
        {"document": payload, "span": [0, 9]},
    ]
    return [{"kind": kind, "passages": passages, **texts} for kind in ("tool", "model", "retrieval")]


_OWN = """
html head meta title link style body a div p span script noscript header main nav section figure figcaption table
caption thead tbody tr th td button select option label input i b h1 h2 h3 h4 ul ol li kbd dialog dl dt dd aside svg g
line path circle rect text pre code article details summary mark sup fieldset legend
"""
OWN = set(_OWN.split())
"""Elements that the page's own scripts create."""


def check(page: Any, seen: Violations) -> None:
    """Check that there is no dialog, request, element or attribute that is not the page's own."""
    result = page.evaluate(FOUND)
    assert set(result["names"]) <= OWN, set(result["names"]) - OWN
    assert result["handlers"] == []
    assert all(link.startswith(("#", "bench-")) for link in result["links"]), result["links"]
    assert (result["scripts"], result["others"]) == (1, 1)
    assert seen.nothing(), seen


FOUND = """() => {
    const all = [...document.querySelectorAll("*")];
    return {
        names: [...new Set(all.map((one) => one.localName))],
        handlers: all.flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith("on")),
        links: [...document.querySelectorAll("a")].map((one) => one.getAttribute("href")),
        scripts: document.querySelectorAll("script:not([type])").length,
        others: document.querySelectorAll("link, base").length,
    };
}"""
"""Elements, event handlers, links, scripts of the page, and links to other files."""
CHOOSE = """(name) => {
    const values = [...document.querySelectorAll(`${name} option`)].map((one) => one.value);
    for (const value of values) {
        const select = document.querySelector(name);
        select.value = value;
        select.dispatchEvent(new Event("change"));
    }
    return values.length;
}"""
"""Chooses every option of a control, one after the other."""


def test_hostile_text_is_shown_and_never_run(hostile: Hostile, opening: Opening) -> None:
    analysis = hostile.analysis
    path = hostile.folder / "page.html"
    written = write_page(analysis.findings, analysis.items, path, PAYLOADS[1])
    with opening(path) as (page, seen):
        assert page.title() == PAYLOADS[1]
        check(page, seen)
        for control in ("#choose-breakdowns", "#choose-correlates", "#choose-comparisons"):
            assert page.evaluate(CHOOSE, control) > 1
        for control in ("#pivot-rows", "#pivot-columns", "#pivot-where"):
            assert page.evaluate(CHOOSE, control) > 1
            page.click("#pivot-add")
        check(page, seen)
        while page.locator("#tables .chip").count():
            page.locator("#tables .chip").first.click()
        for toggle in page.locator(".tools button", has_text="Table").all():
            toggle.click()
        for row in page.locator(".mark").all()[:8]:
            row.focus()
        check(page, seen)
        for number in range(min(written.items, len(PAYLOADS) + 2)):
            page.evaluate("number => { location.hash = ''; }", number)
            page.keyboard.press("j")
            if number == 0:
                page.keyboard.press("Enter")
            page.wait_for_selector("#sheet .question")
            page.wait_for_selector("#sheet .response")
            page.evaluate("() => document.querySelectorAll('#sheet details').forEach((one) => { one.open = true; })")
            check(page, seen)
        shown = page.inner_text("#sheet .question")
        assert any(payload.strip() in shown for payload in PAYLOADS)
        page.keyboard.press("Escape")
        page.fill("#search", "<mark>turned</mark>")
        page.wait_for_function("() => document.querySelector('.status').textContent.includes(' of ')")
        check(page, seen)


def test_hostile_figures_are_valid_files(hostile: Hostile, tmp_path: Path, opening: Opening) -> None:
    written = write_figures(all_figures(hostile.analysis.findings), tmp_path)
    drawings = [path for path in written if path.suffix == ".svg"]
    assert drawings
    for path in drawings:
        assert "<script" not in path.read_text()
    for path in written:
        if path.suffix == ".csv":
            assert not any(cell.startswith("=") for line in path.read_text().splitlines() for cell in line.split(","))
    path = tmp_path / "frame.html"
    path.write_text("<html data-ready>" + "".join(drawing.read_text().partition("?>")[2] for drawing in drawings))
    with opening(path) as (page, seen):
        assert page.locator("svg").count() == len(drawings)
        assert page.locator("script, img, iframe, foreignObject, a").count() == 0
        assert seen.nothing(), seen


def test_hostile_text_on_a_site_is_only_text(hostile: Hostile, opening: Opening) -> None:
    analysis, site = hostile.analysis, hostile.folder / "site"
    write_site(analysis.findings, analysis.items, site, PAYLOADS[0])
    with opening(site / "index.html") as (page, seen):
        assert PAYLOADS[0] in page.inner_text("h1")
        check(page, seen)
