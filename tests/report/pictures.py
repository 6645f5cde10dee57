"""Screenshots of the report for the docs. `python -m tests.report.pictures` takes them again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from fathom.analysis.analyze import analyze
from fathom.report.pages import write_page
from tests.browser import CHROMIUM, FLAGS
from tests.report.sample import PLAYERS, bench_in, play
from tests.transcripts import ROOT

PICTURES = ROOT / "docs" / "pictures"


def opened(browser: Browser, path: Path, scheme: str, width: int, height: int, anchor: str = "") -> Page:
    """The page, loaded."""
    settings = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "reduced_motion": "reduce"}
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    page.goto(path.as_uri() + anchor)
    page.wait_for_selector("html[data-ready]")
    return page


def take(browser: Browser, path: Path, item: int) -> None:
    """Light and dark, wide and narrow, the page and one item."""
    for scheme in ("light", "dark"):
        opened(browser, path, scheme, 1180, 760).screenshot(path=PICTURES / f"report-{scheme}.png")
    opened(browser, path, "light", 380, 760).screenshot(path=PICTURES / "report-narrow.png")
    page = opened(browser, path, "light", 1180, 860, f"#item-{item}")
    page.wait_for_selector("#sheet .passage")
    page.screenshot(path=PICTURES / "report-item.png")
    page.evaluate("() => document.querySelector('#sheet .context').scrollIntoView()")
    page.screenshot(path=PICTURES / "report-passages.png")
    page = opened(browser, path, "dark", 1180, 760)
    for name in ("heat", "causes"):
        page.locator(f"#{name}").screenshot(path=PICTURES / f"report-{name}.png")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        place = Path(folder)
        bench = bench_in(place, documents=160, count=16)
        runs = [play(bench, place / "runs" / player.name, player) for player in PLAYERS]
        analysis = analyze(runs)
        write_page(analysis.findings, analysis.items, place / "page.html", "bench: 6 runs")
        shown = next(
            number
            for number, item in enumerate(analysis.items["meadow"], start=1)
            if item.candidates and not item.unclear and analysis.items["harbor-large"][number - 1].outcome == "correct"
        )
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        take(browser, place / "page.html", shown)
        browser.close()


if __name__ == "__main__":
    main()
