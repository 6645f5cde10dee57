"""Linking 30,000 references with typos to 5,000 documents, and the memory per document.

The baseline compares each reference with the title of every document, and links the most similar with a ratio of at
least 90. Target: three times faster on one core with 5,000 documents (the baseline grows with their number, this
hardly does), recall of at least 0.97 and precision of at least 0.999 on known truth, and memory that grows with the
documents only, not with their references. The titles are generated from few words, so that many are nearly the same:
harder than real titles. One in ten references has its DOI, where the work has one, and titles have up to three typos
each.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from random import Random

from rapidfuzz import fuzz, process

from _measuring import cost_of
from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.world import ArticlePlan, Work, World
from fathom.corpus.linking import LinkableDocument, Linker, ReferenceData
from fathom.corpus.normalization import normal_title
from fathom.records.rng import rng_for

DOCUMENTS = 5_000
REFERENCES = 30_000
SAMPLE = 300
"""References on which the baseline is measured; its time is proportional to their number."""


def slipped(title: str, rng: Random) -> str:
    """The title with up to three letters left out, doubled, exchanged or mistyped."""
    letters = list(title)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        place = rng.choice([at for at in range(1, len(letters) - 1) if letters[at].isalpha()])
        match rng.randrange(4):
            case 0:
                del letters[place]
            case 1:
                letters.insert(place, letters[place])
            case 2:
                letters[place], letters[place - 1] = letters[place - 1], letters[place]
            case _:
                letters[place] = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def named(work: Work, rng: Random) -> ReferenceData:
    """The work as an entry of an inaccurate reference list."""
    return ReferenceData(
        title=slipped(work.title, rng),
        ids={"doi": work.doi} if work.doi and rng.random() < 0.1 else {},
        year=work.year + rng.choice((0, 0, 0, 0, 1)),
        authors=tuple(f"{person.family}, {person.given[0]}." for person in work.people[:3]),
    )


def entry(plan: ArticlePlan, references: tuple[ReferenceData, ...] = ()) -> LinkableDocument:
    work = plan.work
    return LinkableDocument(
        id=work.document or "",
        title=work.title,
        ids={"doi": work.doi} if work.doi else {},
        year=work.year,
        families=tuple(person.family for person in work.people),
        references=references,
    )


def main() -> None:
    plans = list(islice(World(7, SUBJECTS, "short").plans(), DOCUMENTS))
    rng = rng_for(7, "slips")
    cited = [list(plan.cited) for plan in plans]
    # Letters cite few works, so each is cited again, with other typos, until there are enough references.
    total = sum(map(len, cited))
    for number in cycle(range(DOCUMENTS)):
        if total >= REFERENCES:
            break
        cited[number].extend(plans[number].cited)
        total += len(plans[number].cited)
    asked = list(zip(plans, cited, strict=True))
    entries = [entry(plan, tuple(named(work, rng) for work in works)) for plan, works in asked]

    start = time.process_time()
    linker = Linker()
    for one in entries:
        linker.add(one)
    linker.link(LinkableDocument(entries[0].id, ""))
    ready = time.process_time() - start
    matches = [linker.link(one) for one in entries]
    seconds = time.process_time() - start

    tally: Counter[str] = Counter()
    for (_, works), found in zip(asked, matches, strict=True):
        for work, match in zip(works, found, strict=True):
            tally["inside"] += work.document is not None
            tally["linked"] += match.document is not None
            tally["right"] += match.document is not None and match.document == work.document
    plain, plain_right, plain_linked = plain_way(entries, [work for works in cited for work in works])
    print(f"{REFERENCES:,} references, {tally['inside']:,} of them to {DOCUMENTS:,} articles")
    print(f"linked in {seconds:.1f} s of CPU, of which {ready:.1f} s to be ready; the baseline {plain:.0f} s")
    print(f"ratio {plain / seconds:.1f}; precision of the baseline {plain_right / plain_linked:.3f}")
    print(f"recall {tally['right'] / tally['inside']:.4f}, precision {tally['right'] / tally['linked']:.4f}")
    print("methods " + ", ".join(f"{method} {count:,}" for method, count in linker.report().items()))
    few, many, long = (cost_of(sys.executable, __file__, *words) for words in ((5_000, 4), (30_000, 4), (30_000, 40)))
    print(f"{(many.peak_megabytes - few.peak_megabytes) * 1024 / 25_000:.1f} KB an article")
    print(f"30,000 articles: {many.peak_megabytes:.0f} MB with 4 references each, {long.peak_megabytes:.0f} MB with 40")
    print(f"{long.cpu:.0f} s of CPU for 30,000 articles with 40 references each, making them up included")


def plain_way(entries: list[LinkableDocument], works: list[Work]) -> tuple[float, int, int]:
    """Seconds for all references, extrapolated from a sample; how many of it were linked correctly, and at all."""
    titles = [normal_title(one.title) for one in entries]
    references = [reference for one in entries for reference in one.references]
    step = len(references) // SAMPLE
    right = linked = 0
    start = time.process_time()
    for reference, work in zip(references[::step], works[::step], strict=True):
        found = process.extractOne(normal_title(reference.title), titles, scorer=fuzz.ratio, score_cutoff=90)
        linked += found is not None
        right += found is not None and entries[found[2]].id == work.document
    return (time.process_time() - start) * step, right, linked


# Memory is measured in a separate process, which generates titles as needed.

SYLLABLES = [f"{one}{two}" for one in ("sta", "ri", "mon", "gle", "fu", "que") for two in ("vel", "to", "grax", "dum")]
VOCABULARY = [f"{one}{two}" for one in SYLLABLES for two in SYLLABLES]


def made_up(documents: int, references: int) -> Iterator[LinkableDocument]:
    for number in range(documents):
        rng = Random(number)
        cited = (Random(rng.randrange(4 * documents)) for _ in range(references))
        yield LinkableDocument(
            id=f"a-{number:06d}",
            title=_title(Random(number)),
            ids={"doi": f"10.5555/{number}"},
            year=2000 + number % 20,
            families=(f"{VOCABULARY[number % 360]}son", f"{VOCABULARY[number % 310]}sen"),
            references=tuple(
                ReferenceData(title=_title(one), authors=(rng.choice(VOCABULARY),), year=2010) for one in cited
            ),
        )


def _title(rng: Random) -> str:
    return " ".join(rng.choices(VOCABULARY, k=9))


def fill(documents: int, references: int) -> None:
    linker = Linker()
    for one in made_up(documents, 0):
        linker.add(one)
    for one in made_up(documents, references):
        linker.link(one)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        fill(int(sys.argv[1]), int(sys.argv[2]))
    else:
        main()
