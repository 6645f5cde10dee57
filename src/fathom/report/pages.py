"""The report page: one file that opens offline, or one with its details in numbered files beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

from fathom.analysis.findings import Findings, ItemFinding
from fathom.analysis.intervals import t_quantile
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import atomic_write
from fathom.records.plurals import counted
from fathom.records.version import __version__
from fathom.report.first_paint import first_paint
from fathom.report.formatting import bench_names
from fathom.report.items import Items
from fathom.report.page_data import LIMIT_LEVELS, TextLimits, pack_json, source_hash
from fathom.report.ranking import in_page_order
from fathom.report.sections import PageSection, sections
from fathom.report.summary import summary

MAX_BYTES = 2_900_000
"""Size limit of a page in one file."""
T_GRID = (1e-6, *(step / 500 for step in range(1, 501)))
"""Inverses of the degrees of freedom for which the page has quantiles of the t distribution."""
MAX_RESPONSES = 60_000
"""Number of responses above which the details are always in separate files."""

SCRIPTS = (
    "elements.js",
    "parts.js",
    "theme.js",
    "tables.js",
    "drawings.js",
    "sections.js",
    "heat.js",
    "intervals.js",
    "pivot.js",
    "pivot_view.js",
    "filters.js",
    "address.js",
    "list.js",
    "trace.js",
    "item.js",
    "keys.js",
    "start.js",
)
"""In the order in which they are joined; each uses only those before it."""


@dataclass(frozen=True)
class WrittenPage:
    """A page that was written."""

    page: Path
    bytes: int
    """The size of the page itself."""
    parts: int
    """Files beside it; 0 if the page contains everything."""
    parts_bytes: int
    items: int
    runs: int
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"page": str(self.page)}

    def describe(self) -> str:
        """A line or two for the terminal."""
        parts = f", and {counted(self.parts, 'file')} beside it" if self.parts else ""
        # Measured times make the size of a small page vary between runs, and its size does not matter.
        total = self.bytes + self.parts_bytes
        size = f" ({total / 1e6:.0f} MB)" if total >= 1_000_000 else ""
        line = f"{self.page}: {self.items:,} items, {counted(self.runs, 'run')}{parts}{size}"
        return "\n".join([line, *(f"  note: {note}" for note in self.notes)])


@dataclass(frozen=True)
class PageOptions:
    """Options of a page."""

    parts: bool | None = None
    """Whether the details are in separate files; None decides by size."""
    corpus: Path | None = None
    """The corpus, if it has been moved."""
    refresh: int | None = None
    """Seconds after which a browser reloads the page, for a run in progress."""


def write_page(
    findings: Findings,
    item_findings: Mapping[str, Sequence[ItemFinding]],
    path: Path,
    title: str,
    options: PageOptions = PageOptions(),  # noqa: B008
) -> WrittenPage:
    """Write the page, with its details in it or beside it; `item_findings` are those about each run's responses."""
    check_page_path(path)
    with file_errors("make the folder", path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    findings = in_page_order(findings)
    items = Items(findings, item_findings, options.corpus)
    parts = options.parts
    page_sections = sections(findings)
    # The index comes first: it numbers the patterns and causes that the parts refer to.
    index = items.index()
    responses = len(items) * max(1, len(items.runs))
    if parts is False or (parts is None and responses <= MAX_RESPONSES):
        for limits in LIMIT_LEVELS:
            if limits is not LIMIT_LEVELS[-1] and items.weight(limits) > MAX_BYTES:
                continue
            parts_inside = [pack_json(part) for part in items.parts(limits)]
            head = _head(findings, items, index, page_sections, limits, title)
            content = _page(findings, head, parts_inside, None, options.refresh)
            if len(content) <= MAX_BYTES or (parts is False and limits is LIMIT_LEVELS[-1]):
                return _write(path, content, (), items)
    return _in_parts(findings, items, index, page_sections, path, title, options.refresh)


def check_page_path(path: Path) -> None:
    """Raise an error if no page can be written there."""
    if path.is_dir():
        raise FathomError(f"Cannot write the page to '{path}': it is a folder. Give a file name such as report.html.")


def _in_parts(
    findings: Findings,
    items: Items,
    index: dict[str, object],
    page_sections: Sequence[PageSection],
    path: Path,
    title: str,
    refresh: int | None,
) -> WrittenPage:
    limits = LIMIT_LEVELS[1]
    folder = path.with_name(f"{path.stem}-parts")
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
        for old_part in folder.glob("[0-9]*.js"):
            old_part.unlink()
    sizes: list[int] = []
    for number, part in enumerate(items.parts(limits)):
        content = f'fathomPart({number},"{pack_json(part)}");\n'.encode()
        with atomic_write(folder / f"{number}.js") as file:
            file.write(content)
        sizes.append(len(content))
    head = _head(findings, items, index, page_sections, limits, title)
    content = _page(findings, head, [], folder.name, refresh)
    return _write(path, content, sizes, items)


def _write(path: Path, content: bytes, sizes: Sequence[int], items: Items) -> WrittenPage:
    with atomic_write(path) as file:
        file.write(content)
    return WrittenPage(path, len(content), len(sizes), sum(sizes), len(items), len(items.runs), tuple(items.notes))


def _head(
    findings: Findings,
    items: Items,
    index: dict[str, object],
    page_sections: Sequence[PageSection],
    limits: TextLimits,
    title: str,
) -> dict[str, object]:
    """The data that the page needs before an item is opened."""
    names = bench_names(findings)
    baselines = [
        [baseline.name, baseline.accuracy.value, baseline.bench]
        for baseline in findings.baselines
        if baseline.kind == "baseline"
    ]
    return {
        "title": title,
        "summary": summary(findings),
        "notes": [*findings.notes, *items.notes, limits.rule()],
        "fathom": __version__,
        "level": findings.level,
        "benches": [
            [names[bench.fingerprint], bench.questions, bench.contexts, bench.documents] for bench in findings.benches
        ],
        "runs": [
            [run.info.name, run.info.model, run.info.system, run.info.prompting, run.info.bench, run.info.is_complete]
            for run in findings.runs
        ],
        "properties": _run_properties(findings),
        "t": [t_quantile(1 / share) for share in T_GRID],
        "baselines": baselines,
        "sections": [
            {
                "id": section.id,
                "title": section.title,
                "introduction": section.introduction,
                "view": section.view,
                # The page makes heat maps of any two tags itself.
                "figures": [figure.for_page() for figure in section.figures[: 1 if section.view == "heat" else None]],
            }
            for section in page_sections
        ],
        "items": index,
    }


def _run_properties(findings: Findings) -> list[tuple[str, list[str]]]:
    """Properties of runs by which the page tabulates, with the value of each run."""
    names = bench_names(findings)
    infos = [run.info for run in findings.runs]
    return [
        ("run", [info.name for info in infos]),
        ("model", [info.model for info in infos]),
        ("system", [info.system for info in infos]),
        ("prompting", [info.prompting for info in infos]),
        ("effort", [str(info.settings.get("reasoning_effort") or "default") for info in infos]),
        ("bench", [names.get(info.bench, info.bench) for info in infos]),
    ]


def _page(
    findings: Findings,
    head: dict[str, object],
    parts_inside: Sequence[str],
    parts_folder: str | None,
    refresh: int | None,
) -> bytes:
    """The whole file. Files beside it are admitted by a nonce that depends on the page's content."""
    data = pack_json(head | {"beside": parts_folder})
    title = str(head["title"])
    return assemble_page(
        title,
        first_paint(findings, title, summary(findings)),
        "".join(f'<script type="text/plain" class="part">{part}</script>\n' for part in parts_inside),
        data,
        SCRIPTS,
        parts_folder is not None,
        refresh,
    )


def assemble_page(
    title: str,
    content: str,
    parts: str,
    data: str,
    scripts: Sequence[str],
    admits_scripts: bool = False,
    refresh: int | None = None,
) -> bytes:
    """A page around its data; its content security policy forbids every request and every script but its own.

    `content` is the HTML that is shown until the script has run.
    """
    style, script = source("theme.css") + source("style.css"), _page_script(tuple(scripts))
    # Derived from the data: no text in the data can contain its own hash.
    nonce = hashlib.sha256(data.encode()).hexdigest()[:32]
    nonce_source = f" 'nonce-{nonce}'" if admits_scripts else ""
    policy = (
        f"default-src 'none'; script-src {source_hash(script)}{nonce_source}; style-src {source_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    pieces = {
        "POLICY": policy,
        "TITLE": escape(title),
        "CONTENT": content,
        "REFRESH": "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh}">\n',
        "STYLE": style,
        "NONCE": nonce if admits_scripts else "",
        "DATA": data,
        "PARTS": parts,
        "SCRIPT": script,
    }
    page = source("page.html")
    head, *pieces_after = page.split("{{")
    return (head + "".join(_fill(piece, pieces) for piece in pieces_after)).encode()


def _fill(piece: str, pieces: dict[str, str]) -> str:
    name, _, after = piece.partition("}}")
    return pieces[name] + after


@cache
def source(name: str) -> str:
    """One of the page's source files."""
    return files("fathom.report").joinpath("page").joinpath(name).read_text("utf-8")


@cache
def _page_script(names: tuple[str, ...]) -> str:
    """The page's script: its files joined in one function scope."""
    return '\n(() => {\n"use strict";\n' + "\n".join(source(name) for name in names) + "\n})();\n"
