"""The annotation app under load: 20 annotators at once, 50,000 marks, no lost update, and the time of page actions.

`python benchmarks/annotate.py` starts a server on the loopback address. Each annotator sends changes over one
connection and waits for each answer, and opens the list and a document of 40,000 words now and then. `--marks 2000` is
quick.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from _measuring import workplace
from fathom.annotate.project import Project
from fathom.annotate.security import cookie_name
from fathom.api.annotating import create_project
from fathom.api.corpora import ingest

WORDS = 40_000
SENTENCE = "The energy fell from ten to five joules on every board that we measured in run {}."


def corpus_in(folder: Path) -> Path:
    """A corpus with one long document and a few short ones."""
    source = folder / "source"
    source.mkdir()
    for name, words in (("long", WORDS), ("short", 600), ("other", 600)):
        sentences = [SENTENCE.format(number) for number in range(words // 15)]
        paragraphs = [" ".join(sentences[start : start + 8]) for start in range(0, len(sentences), 8)]
        (source / f"{name}.md").write_text(
            f"# A {name} document\n\nAda Example\n\n## Results\n\n" + "\n\n".join(paragraphs) + "\n"
        )
    ingest(source, folder / "corpus")
    return folder / "corpus"


class Annotator(threading.Thread):
    """Sends marks one after another, and opens pages now and then."""

    def __init__(self, port: int, token: str, number: int, marks: int, pause: float) -> None:
        super().__init__()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Host": f"127.0.0.1:{port}",
            "Origin": f"http://127.0.0.1:{port}",
            "Content-Type": "application/json",
            "Cookie": f"{cookie_name(port)}={token}",
        }
        self._number = number
        self._marks = marks
        self._pause = pause
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.saved: set[str] = set()
        self.failed: list[str] = []

    def _request(self, kind: str, method: str, path: str, body: object = None) -> dict[str, object] | None:
        begun = time.perf_counter()
        content = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, content, self._headers)
        answer = self._connection.getresponse()
        read = answer.read()
        self.seconds[kind].append(time.perf_counter() - begun)
        if answer.status != 200:
            self.failed.append(f"{kind}: {answer.status} {read[:200]!r}")
            return None
        return json.loads(read) if path.startswith("/api/") else {}

    def run(self) -> None:
        stored = self._request("layer", "GET", "/api/documents/1/layer")
        revision = int(str(stored["revision"])) if stored is not None else 0
        for mark in range(self._marks):
            id = f"c-{self._number}-{mark}"
            start = (mark * 37) % (WORDS * 5)
            values = {id: {"kind": "claim", "span": [start, start + 60]}}
            saved = self._request("mark", "POST", "/api/documents/1/changes", {"revision": revision, "values": values})
            if saved is not None:
                revision = int(str(saved["revision"]))
                self.saved.add(id)
            if mark % 200 == 0:
                self._request("list", "GET", "/")
                self._request("document", "GET", "/documents/1")
            # A person marks a few passages a minute. Without a pause the clients measure their own queue.
            time.sleep(self._pause)
        self._connection.close()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between two marks of one annotator")
    parser.add_argument("--marks", type=int, default=50_000, help="marks of all annotators together")
    given = parser.parse_args()
    with workplace() as folder:
        corpus, project = corpus_in(folder), folder / "project"
        names = [f"annotator {number}" for number in range(given.annotators)]
        create_project(corpus, project, names)
        with Project(project) as opened:
            tokens = {name: opened.token(name) for name in names}
            for name in names:
                opened.attest(name)
        words = [sys.executable, "-m", "fathom", "annotate", str(corpus), "--project", str(project)]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
        try:
            assert server.stdout is not None
            link = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+/enter\S+", line)))
            port = int(link.split(":")[2].split("/")[0])
            browse(link)
            threads = [
                Annotator(port, tokens[name], number, given.marks // given.annotators, given.pause)
                for number, name in enumerate(names)
            ]
            begun = time.perf_counter()
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            wall = time.perf_counter() - begun
        finally:
            server.kill()  # as hard as possible: what was answered must be there
            server.wait()
        return report(project, names, threads, wall)


def browse(link: str) -> None:
    """Open the long document in Chromium, and mark sentences with the keyboard."""
    from playwright.sync_api import sync_playwright

    from tests.browser import CHROMIUM, FLAGS

    if not CHROMIUM.exists():
        print(f"  not opened in a browser: there is no {CHROMIUM}")
        return
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        page = browser.new_page()
        page.goto(link)
        opened, marked = [], []
        for _ in range(5):
            begun = time.perf_counter()
            page.goto(link.split("/enter", maxsplit=1)[0] + "/documents/1")
            page.wait_for_selector("html[data-ready]")
            opened.append(time.perf_counter() - begun)
        for _ in range(30):
            page.keyboard.press("j")
            begun = time.perf_counter()
            page.keyboard.press("c")
            page.wait_for_selector("#saved[data-state=saved]")
            marked.append(time.perf_counter() - begun)
        browser.close()
    print(
        f"  a document of {WORDS:,} words in Chromium: opened in {percentile(opened, 0.5):.2f} s (median of 5), "
        f"marked and saved in {percentile(marked, 0.5) * 1000:.0f} ms (median of 30)"
    )


def report(project: Path, names: list[str], threads: list[Annotator], wall: float) -> int:
    lost = 0
    with Project(project) as opened:
        document = opened.settings.documents[0]
        for name, one in zip(names, threads, strict=True):
            lost += len(one.saved - opened.layer(document, name).elements.keys())
    marks = sum(len(one.saved) for one in threads)
    failed = [message for one in threads for message in one.failed]
    print(f"{len(threads)} annotators, {marks:,} marks in {wall:.0f} s, {len(failed)} refused, {lost} lost")
    slow = False
    for kind in ("mark", "list", "document"):
        values = [value for one in threads for value in one.seconds[kind]]
        shown = {share: percentile(values, share) * 1000 for share in (0.5, 0.95, 0.99)}
        slow |= shown[0.95] > 100
        times = ", ".join(f"p{share * 100:.0f} {value:.1f} ms" for share, value in shown.items())
        print(f"  {kind:9} {len(values):>7,} requests: {times}")
    print("  target: p95 under 100 ms, nothing lost: " + ("MISSED" if slow or lost or failed else "met"))
    return int(slow or lost > 0 or bool(failed))


if __name__ == "__main__":
    sys.exit(main())
