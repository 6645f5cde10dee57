"""Screenshots of the annotation app for the docs. `python -m tests.annotate.pictures` takes them again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from fathom.annotate.coding_app import coding_app
from fathom.annotate.error_coding import Code, ErrorCoding
from fathom.annotate.layers import layer_of
from fathom.annotate.project import Project, ProjectSettings
from fathom.annotate.review_app import review_app
from fathom.annotate.study import Study
from fathom.annotate.study_app import study_app
from fathom.annotate.value_check_app import value_check_app
from fathom.annotate.value_checks import ValueChecks
from fathom.api.annotating import create_project
from fathom.api.benches import build
from fathom.api.corpora import generate, ingest
from fathom.api.error_coding import create_coding
from fathom.api.studies import create_study
from fathom.api.value_checks import create_value_check
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.pdf import pdf
from fathom.corpus.store import Corpus
from tests.annotate.conftest import Served, serving, serving_project, wait_saved
from tests.browser import CHROMIUM, FLAGS
from tests.commands import run_command
from tests.tasks.tables.conftest import make_reports
from tests.transcripts import ROOT

PICTURES = ROOT / "docs" / "pictures"
SCHEMES = ("light", "dark")


def entered(browser: Browser, served: Served, name: str, path: str, scheme: str) -> Page:
    """A page of one person, loaded."""
    page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(served.link(name))
    page.goto(f"http://127.0.0.1:{served.port}{path}")
    page.wait_for_load_state("networkidle")
    return page


def take(browser: Browser, served: Served, name: str, path: str, picture: str, ready: str = "main") -> None:
    """A page of one person in both themes."""
    for scheme in SCHEMES:
        page = entered(browser, served, name, path, scheme)
        page.wait_for_selector(ready)
        page.screenshot(path=PICTURES / f"annotate-{picture}-{scheme}.png")
        page.close()


def take_annotation(browser: Browser, folder: Path) -> None:
    """The list of documents, and a document with a claim and its evidence."""
    corpus, project = folder / "corpus", folder / "project"
    generate(corpus, documents=12, seed=4)
    create_project(corpus, project, ["ada", "ben"], adjudicators=["eve"])
    with serving_project(project, corpus) as served:
        take(browser, served, "ada", "/", "start")
        with Project(project) as opened:
            for name in ("ada", "ben", "eve"):
                opened.attest(name)
        page = entered(browser, served, "ada", "/documents/1", "light")
        for key in ["]", "]", "j", "j", "j", "c"]:
            page.keyboard.press(key)
        for key in ["]", "]", "]", "j", "j", "e", "j", "J", "e"]:
            page.keyboard.press(key)
        page.keyboard.press("n")
        page.select_option("#form select[name=type]", "performance")
        wait_saved(page)
        page.keyboard.press("Escape")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.keyboard.press("n")
            page.wait_for_timeout(200)
            page.screenshot(path=PICTURES / f"annotate-document-{scheme}.png")
        with Project(project) as opened, Corpus(corpus) as documents:
            document = documents.document(opened.settings.documents[1])
            for name, claims in (("ada", document.claims), ("ben", document.claims[1:])):
                opened.change(document.id, name, 0, dict(layer_of(claims)), document.text)
                opened.set_done(document.id, name, 1, True)
        page = entered(browser, served, "eve", "/adjudication/2", "light")
        page.locator("button[data-state=accepted]").first.click()
        page.wait_for_selector(".state.accepted")
        page.evaluate("scrollTo(0, document.querySelectorAll('.group')[1].offsetTop - 20)")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_timeout(200)
            page.screenshot(path=PICTURES / f"annotate-adjudication-{scheme}.png")
        take(browser, served, "eve", "/", "agreement")
        take(browser, served, "ada", "/", "list")


def take_pages(browser: Browser, folder: Path) -> None:
    """A claim with evidence on the page of a PDF."""
    papers, corpus, project = folder / "papers", folder / "pdf-corpus", folder / "pdf-project"
    papers.mkdir()
    with Corpus(folder / "corpus") as documents:
        for content in pdf(decompose(next(iter(documents.documents())))).values():
            (papers / "paper.pdf").write_bytes(content)
    ingest(papers, corpus)
    create_project(corpus, project, ["ada"])
    with Project(project) as opened:
        opened.attest("ada")
    with serving_project(project, corpus) as served:
        page = entered(browser, served, "ada", "/documents/1", "light")
        for key in ["]", "j", "j", "j", "c", "j", "j", "e", "t"]:
            page.keyboard.press(key)
        wait_saved(page)
        page.wait_for_selector(".page .w.claim")
        page.wait_for_load_state("networkidle")
        page.locator(".page img").first.evaluate("image => image.decode()")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_timeout(200)
            page.screenshot(path=PICTURES / f"annotate-pages-{scheme}.png")
        page.close()


def take_review(browser: Browser, folder: Path) -> None:
    """An item of a bench with its proof."""
    corpus, bench, project = folder / "corpus", folder / "bench", folder / "review"
    build("claims", corpus, out=bench)
    with Project.create(project, ProjectSettings(corpus="..", corpus_fingerprint="", documents=())) as opened:
        opened.add_annotator("eve", ())
    with serving(project, lambda server: review_app(project, bench, corpus, lambda: server.port)) as served:
        take(browser, served, "eve", "/items/2", "item")
        take(browser, served, "eve", "/", "items")


def take_study(browser: Browser, folder: Path) -> None:
    """A question over tables."""
    corpus, bench, study = folder / "corpus", folder / "numeric", folder / "study"
    with Corpus(corpus) as documents:
        write_contexts(documents, SamplingSettings(lengths=(65_536,), count=1), corpus / FILE_NAME)
    build("numeric", corpus, out=bench)
    create_study(bench, study, "family", 3, people=["ada"], answers=1, controls=0, show="tables", time_limit=600)
    with serving(study, lambda server: study_app(study, corpus, lambda: server.port)) as served:
        take(browser, served, "ada", "/", "study-start")
        with Study(study) as opened:
            opened.attest("ada")
        take(browser, served, "ada", "/", "study")
        page = entered(browser, served, "ada", "/", "light")
        while page.locator("#give-up").count():
            page.click("#give-up")
            with page.expect_navigation():
                page.click("#confirm-give-up")
        page.close()
        take(browser, served, "ada", "/", "study-end")
        take(browser, served, "ada", "/none", "error")


def take_coding(browser: Browser, folder: Path) -> None:
    """The categories and cases of a coder, and an incorrect response."""
    corpus, run, coding = folder / "corpus", folder / "run", folder / "coding"
    assert run_command("run", folder / "numeric", "--model", "sim/reader?miss=0.7", "--out", run).returncode == 0
    categories = ("Miscounts: counts a thing twice, or not at all", "Misses a document", "Misreads the question")
    plan = create_coding([run], coding, "skill", 2, coders=["ada", "ben"], categories=categories)
    with serving(coding, lambda server: coding_app(coding, corpus, lambda: server.port)) as served:
        with ErrorCoding(coding) as opened:
            opened.attest("ada")
            for index in range(0, len(plan.cases), 2):
                opened.code(Code(coder="ada", place=index, category="Misses a document", note="not the last one"))
        take(browser, served, "ada", "/", "coding")
        take(browser, served, "ada", "/cases/1", "case")


def take_values(browser: Browser, folder: Path) -> None:
    """A value beside its document, and the page after the last value."""
    make_reports(folder / "reports")
    bench, checks = folder / "reports" / "bench", folder / "checks"
    create_value_check(bench, checks, "domain", 20, people=["ada", "ben"])
    corpus = folder / "reports" / "corpus"
    with serving(checks, lambda server: value_check_app(checks, corpus, lambda: server.port)) as served:
        take(browser, served, "ada", "/", "value-start")
        with ValueChecks(checks) as opened:
            opened.attest("ada")
        take(browser, served, "ada", "/", "value", "html[data-ready]")
        page = entered(browser, served, "ada", "/", "light")
        while page.locator("button[data-verdict=correct]").count():
            with page.expect_navigation():
                page.click("button[data-verdict=correct]")
        page.close()
        take(browser, served, "ada", "/", "value-end")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        for one in (take_annotation, take_pages, take_review, take_study, take_coding, take_values):
            one(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
