"""A sample that the report tests share, and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fathom.analysis.analyze import Analysis, analyze
from fathom.report.pages import WrittenPage, write_page
from fathom.report.ranking import in_page_order
from tests.browser import TIMEOUT, browser
from tests.report.sample import PLAYERS, bench_in, play

__all__ = ["browser"]

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclass(frozen=True)
class Sample:
    """A bench, its runs, their analysis, and its report page."""

    folder: Path
    bench: Path
    runs: tuple[Path, ...]
    analysis: Analysis
    """With its runs in the order of the page."""
    page: Path
    written: WrittenPage


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Six simulated runs over a small bench. Do not write to it."""
    folder = tmp_path_factory.mktemp("report")
    bench = bench_in(folder)
    runs = tuple(play(bench, folder / "runs" / player.name, player) for player in PLAYERS)
    analysis = analyze(runs)
    page = folder / "page.html"
    written = write_page(analysis.findings, analysis.items, page, "The sample")
    findings = in_page_order(analysis.findings)
    items = {run.info.name: analysis.items[run.info.name] for run in findings.runs}
    return Sample(folder, bench, runs, replace(analysis, findings=findings, items=items), page, written)


@dataclass
class Violations:
    """What a page did that it should not."""

    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def nothing(self) -> bool:
        return not (self.requests or self.dialogs or self.errors)


Opening = Callable[..., Any]


@pytest.fixture
def opening(browser: Browser) -> Opening:
    """Opens a page from disk, offline, and records violations."""

    @contextmanager
    def opened(path: Path, anchor: str = "", **settings: Any) -> Iterator[tuple[Page, Violations]]:
        chosen: dict[str, Any] = {
            "viewport": {"width": 1280, "height": 900},
            "reduced_motion": "reduce",
            "offline": True,
        }
        chosen.update(settings)
        context: Any = browser.new_context(**chosen)
        seen = Violations()
        context.set_default_timeout(TIMEOUT)
        page: Any = context.new_page()
        page.on("request", lambda request: _on_request(request.url, path, seen))
        page.on("dialog", lambda dialog: _on_dialog(dialog, seen))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
        page.goto(path.as_uri() + anchor)
        page.wait_for_selector("html[data-ready]")
        yield page, seen
        context.close()

    return opened


def _on_dialog(dialog: Any, seen: Violations) -> None:
    seen.dialogs.append(dialog.message)
    dialog.dismiss()


def _on_request(address: str, path: Path, seen: Violations) -> None:
    """Record requests, except for the page itself, its parts and its own data."""
    own = path.parent.as_uri()
    if not address.startswith(("data:", "blob:", own)):
        seen.requests.append(address)
