"""Proposes a pack about articles: results of their own methods that several of them report on the same data set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId
from fathom.tasks.tables.figures import own_results
from fathom.tasks.tables.pack_text import escaped, field_name, kind_of, unused

MIN_ARTICLES = 4
MAX_FIELDS = 40
MAX_PAIRS = 12
"""Pairs of data sets on which the same quantity is compared."""


class MeasuredResult(NamedTuple):
    """A quantity that was measured on a data set, or under another condition."""

    quantity: str
    part: str


def draft_results(corpus: Corpus, name: str) -> str | None:
    """The TOML text of a pack with a field for every result that four articles report; None if there are no two."""
    reported: dict[MeasuredResult, set[DocumentId]] = defaultdict(set)
    units: dict[MeasuredResult, Counter[str]] = defaultdict(Counter)
    for document in corpus.documents():
        for fact in own_results(document) if document.kind == "article" else ():
            result = MeasuredResult(fact.attribute, fact.part)
            reported[result].add(document.id)
            units[result][fact.unit] += 1
    chosen = [result for result in reported if len(reported[result]) >= MIN_ARTICLES and len(units[result]) == 1]
    chosen = sorted(chosen, key=lambda result: (-len(reported[result]), result))[:MAX_FIELDS]
    if len(chosen) < 2:
        return None
    names: dict[MeasuredResult, str] = {}
    for measured in chosen:
        names[measured] = unused(
            field_name(f"{measured.quantity} {measured.part.removeprefix('the ')}"), names.values()
        )
    pairs = [
        (left, right)
        for left, right in combinations(chosen, 2)
        if left.quantity == right.quantity and len(reported[left] & reported[right]) >= MIN_ARTICLES
    ]
    pairs = sorted(pairs, key=lambda pair: -len(reported[pair[0]] & reported[pair[1]]))[:MAX_PAIRS]
    lines = _lines(name, names, pairs, {result: units[result].most_common(1)[0][0] for result in chosen}, reported)
    return "\n".join(lines)


def _lines(
    name: str,
    names: dict[MeasuredResult, str],
    pairs: list[tuple[MeasuredResult, MeasuredResult]],
    units: dict[MeasuredResult, str],
    reported: dict[MeasuredResult, set[DocumentId]],
) -> Iterator[str]:
    yield "# A draft: remove results that are not worth comparing, and correct the nouns."
    yield ""
    yield f'name = "{name}"'
    yield 'summary = "Results that several articles of a corpus report"'
    yield 'en = { noun = "article", plural = "articles" }'
    yield 'about = "document"'
    if pairs:
        yield "comparable = ["
        yield from (f'    ["{names[left]}", "{names[right]}"],' for left, right in pairs)
        yield "]"
    for result, field in names.items():
        yield ""
        yield f"[fields.{field}]  # in {len(reported[result])} articles"
        yield f'attributes = ["{escaped(result.quantity)}"]'
        yield f'part = "{escaped(result.part)}"'
        yield f'kind = "{kind_of(units[result], all_whole=False)}"'
        yield "additive = false"
        yield f'en = ["{escaped(f"{result.quantity} of the proposed method on {result.part}")}"]'
    yield ""
