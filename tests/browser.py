"""A real browser for tests of pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path(os.environ.get("FATHOM_CHROMIUM", "/usr/bin/chromium"))
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

TIMEOUT = 120_000
"""Milliseconds until a page that does not change is a failure."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; closed with the module, since its event loop must not run during other tests."""
    if not CHROMIUM.exists():
        missing = f"The page is not tested: there is no {CHROMIUM} (Debian, Ubuntu: apt-get install chromium)"
        if os.environ.get("FATHOM_BROWSER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=TIMEOUT)  # the default of five seconds is too short on a busy machine

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield opened
        opened.close()


def problems(page: Page, exclude: str = "") -> list[str]:
    """The rules of axe-core that a page violates, each with an element."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_load_state()  # A page that loads again has no styles at first.
    found = Axe().run(page, context={"exclude": [[exclude]]} if exclude else None).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]
