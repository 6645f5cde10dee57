"""Keys of the family `citations` recomputed from the files that were ingested.

The text around each hidden citation is found in the file of the citing article. The number that the file prints there
leads to an entry of its list, and the entry to the file of the cited work, in which the text of one candidate occurs.
Nothing here uses the citations and spans that the readers found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fathom.contexts.layout import render
from fathom.scoring.answers import Assignment, Choice
from fathom.tasks.bench import Bench
from tests.tasks.damaged_corpora import REFERENCES, Damage, Recomputed, plain

AROUND = 60
"""Characters before and after a hidden citation that identify its place."""

Articles = dict[str, str]
"""The text of each file by title."""


def recompute_citations(bench_folder: Path, articles: Path, damage: Damage) -> Recomputed:
    """Every key of a bench of `citations` over articles of `damaged_corpora.write_articles`."""
    bench, result = Bench(bench_folder), Recomputed()
    files = {_title(text): text for text in (path.read_text() for path in sorted(articles.glob("*.md")))}
    with bench.open_corpus() as corpus:
        for context, items in bench.by_context():
            shown = re.split(r"^===== .*$", render(context, corpus).decode(), flags=re.MULTILINE)
            citing, *candidates = [piece for piece in shown if piece.strip()]
            for item in items:
                result.questions += 1
                title, found = _answer(citing, candidates, files)
                if title in damage.removed["references"]:
                    result.touching.append(item.question.id)
                wanted = item.key.answer
                assert isinstance(wanted, Choice | Assignment)
                options = [wanted.option] if isinstance(wanted, Choice) else list(wanted.options)
                line = f"{item.question.id} key {options}, by the files {found}"
                if any(one not in (None, option) for one, option in zip(found, options, strict=True)):
                    result.wrong.append(line)
                elif None in found:
                    result.undecided.append(line)
    return result


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _answer(citing: str, candidates: Sequence[str], files: Articles) -> tuple[str, list[int | None]]:
    """The title of the citing article, and the number of the candidate that each hidden citation cites."""
    title = _file_of(citing, files)
    sources = [_file_of(candidate, files) for candidate in candidates]
    found: list[int | None] = []
    for mask in re.finditer(r"\[\[CITATION(?: \d+)?\]\]", citing):
        entry = plain(_entry(citing, mask, files[title]))
        fitting = [number for number, source in enumerate(sources, start=1) if plain(source).strip() in entry]
        found.append(fitting[0] if len(fitting) == 1 else None)
    return title, found


def _file_of(shown: str, files: Articles) -> str:
    """The title of the file that has the most lines of a shown text."""
    lines = [line for line in shown.splitlines() if len(line) > 60 and "[[" not in line]
    return max(files, key=lambda title: sum(line in files[title] for line in lines))


def _entry(citing: str, mask: re.Match[str], file: str) -> str:
    """The entry that the file cites where the shown text hides a citation; empty if the place is not clear."""
    before = citing[max(0, mask.start() - AROUND) : mask.start()].rpartition("]]")[2].rpartition("\n")[2]
    after = "".join(citing[mask.end() : mask.end() + AROUND].partition("[[")[0].partition("\n")[:2])
    file = re.sub("</?sup>", "", file)  # not shown; a hidden number has a space before it
    printed = re.findall(f"{re.escape(before.rstrip())} ?([^\\n]{{1,80}}?){re.escape(after)}", file)
    entries = file.partition(REFERENCES)[2].strip().splitlines()
    cited = {line for line in entries for citation in printed if _is_cited(line, citation)}
    return cited.pop() if len(cited) == 1 else ""


def _is_cited(entry: str, citation: str) -> bool:
    """Whether a line of the list is the entry of "[26]", "(Mensah et al., 2014a)" or "Mensah & Lind (2014a)"."""
    if number := re.search(r"(\d+)\]?$", citation):
        return entry.startswith(f"[{number[1]}] ")
    named = re.match(r"\(?(.+?)(?: (?:and|&) (.+?)|( et al\.))?(?:, | \()(\d{4}[a-z]?)\)$", citation)
    if not named:
        return False
    first, second, others, year = named.groups()
    names, printed_year, _ = entry.partition(f" ({year})")
    authors = names.count("., ") + 1
    return (
        bool(printed_year)
        and names.partition("] ")[2].casefold().startswith(f"{first}, ".casefold())  # "Van Lind" at a sentence start
        and (authors > 2 if others else authors == 2 and second in names if second else authors == 1)
    )
