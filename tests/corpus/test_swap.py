"""Swapped names, titles and numbers: spans follow their characters, and replacements are consistent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap, plan_swap, swap_corpus
from fathom.corpus.swap_names import NameCollector, NameSwap, is_name
from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Author, Citation, Document, Fact, Reference
from fathom.records.names import family_name, plain_word
from fathom.records.spans import Span

# Spans move.


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Edit], Span]:
    """A text, edits of it in order and apart, and a span of it."""
    text = draw(st.text("abc ", min_size=1, max_size=40))
    bounds = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    edits = [Edit(span=Span(start, end), text=draw(st.text("XYZ", max_size=5))) for start, end in pairs]
    start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return text, edits, Span(start, end)


@given(edited_texts())
def test_maps_a_span_to_its_edited_text(case: tuple[str, list[Edit], Span]) -> None:
    text, edits, span = case
    moved = OffsetMap(edits).map(span)
    if span.start == span.end:
        assert moved.start == moved.end
        return
    # A span that cuts a changed stretch in two has it whole.
    cut = [edit.span for edit in edits if edit.span.start < span.end and span.start < edit.span.end]
    start, end = min([span.start, *(one.start for one in cut)]), max([span.end, *(one.end for one in cut)])
    inside = [
        Edit(span=edit.span.shifted(-start), text=edit.text)
        for edit in edits
        if start <= edit.span.start and edit.span.end <= end
    ]
    assert moved.of(apply_edits(text, edits)) == apply_edits(text[start:end], inside)


@given(edited_texts())
def test_keeps_adjacent_spans_adjacent(case: tuple[str, list[Edit], Span]) -> None:
    text, edits, span = case
    moves = OffsetMap(edits)
    before, after = moves.map(Span(0, span.start)), moves.map(Span(span.end, len(text)))
    assert before.start == 0
    assert after.end in (after.start, len(apply_edits(text, edits)))
    assert 0 <= before.end <= len(apply_edits(text, edits))


# Whole corpora.


@pytest.fixture(scope="module", params=["small_folder", "mixed_folder"])
def pairs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[CorpusSwap, list[tuple[Document, Document]]]:
    """A generated corpus before and after."""
    folder: Path = request.getfixturevalue(request.param)
    swapped = tmp_path_factory.mktemp("swapped") / "after"
    with Corpus(folder) as before:
        swapping, _ = swap_corpus(before, swapped, 7)
        with Corpus(swapped) as after:
            return swapping, list(zip(before.documents(), after.documents(), strict=True))


def test_every_span_has_its_edited_text(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    swapping, documents = pairs
    for before, after in documents:
        edits = swapping.changes(before).edits
        assert edits or before.kind == "report"
        assert after.text == apply_edits(before.text, edits)
        for one, two in zip(before.spans(), after.spans(), strict=True):
            inside = [edit for edit in edits if one.start <= edit.span.start and edit.span.end <= one.end]
            moved = [Edit(span=edit.span.shifted(-one.start), text=edit.text) for edit in inside]
            assert two.of(after.text) == apply_edits(one.of(before.text), moved)


def test_replaces_every_family_name_of_people(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    swapping, documents = pairs
    old = set(swapping.names.words)
    new = {name.casefold() for name in swapping.names.words.values()}
    assert not old & new
    assert len(new) == len(old)
    seen = 0
    for before, after in documents:
        for was, author in zip(before.authors, after.authors, strict=True):
            assert author.family in author.span.of(after.text)
            assert author.family == swapping.names.name(was.family) != was.family
            seen += 1
        for entry in after.references:
            for span in entry.authors:
                words = family_name(span.of(after.text)).replace("-", " ").split()
                assert not {plain_word(word) for word in words if is_name(word)} & old
    assert seen or all(before.kind == "report" for before, _ in documents)


def test_one_person_gets_one_new_name(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    _, documents = pairs
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for one, two in documents:
        for was, now in zip(one.authors, two.authors, strict=True):
            assert was.person == now.person is not None
            before.setdefault(was.person or "", set()).add(plain_word(was.family).replace("-", " "))
            after.setdefault(was.person or "", set()).add(plain_word(now.family).replace("-", " "))
    assert {person: len(names) for person, names in before.items()} == {p: len(names) for p, names in after.items()}


def test_changes_titles_where_they_are_cited_too(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    swapping, documents = pairs
    titles = {after.id: after.title_text for _, after in documents}
    longer: Counter[int] = Counter()
    for before, after in documents:
        assert after.title_text == swapping.title(before.title_text)
        more = len(after.title_text.split()) - len(before.title_text.split())
        longer[more] += 1
        assert not swapping.titles.missed(before)
        for entry in after.references:
            if entry.document is not None and entry.title is not None:
                cited = entry.title.of(after.text).casefold().split()
                assert cited == titles[entry.document].casefold().split()
    assert len(set(titles.values())) == len({before.title_text for before, _ in documents})
    assert set(longer) == {0, 1}
    assert min(longer.values()) > 0.2 * len(documents)


def test_facts_print_their_new_values(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    _, documents = pairs
    changed = total = 0
    for before, after in documents:
        for was, now in zip(before.facts, after.facts, strict=True):
            if was.value is None or not was.value:
                assert now.value == was.value
                continue
            total += 1
            old, new = was.span.of(before.text), now.span.of(after.text)
            assert now.value is not None
            assert (old == new) == (was.value == now.value)
            # The same power of ten lies between what is printed and what it is worth.
            assert was.value * _digits(new) == now.value * _digits(old)
            changed += was.value != now.value
    assert changed > 0.95 * total > 0


def _digits(printed: str) -> Decimal:
    return Decimal("".join(sign for sign in printed if sign in "0123456789"))


def test_values_of_one_series_change_by_one_factor(pairs: tuple[CorpusSwap, list[tuple[Document, Document]]]) -> None:
    """But for the rounding of the print: so parts still add up, and growth from year to year is what it was."""
    swapping, documents = pairs
    looked = 0
    for before, after in documents:
        for was, now in zip(before.facts, after.facts, strict=True):
            if was.value != now.value:
                factor = swapping.numbers.factors[was.entity, was.attribute]
                old, new = _digits(was.span.of(before.text)), _digits(now.span.of(after.text))
                assert abs(old * factor / 100 - new) <= Decimal("0.5")
                looked += 1
    assert looked > 100


def test_the_same_seed_gives_the_same_corpus(small_folder: Path, tmp_path: Path) -> None:
    with Corpus(small_folder) as corpus:
        for name, seed in (("one", 1), ("two", 1), ("three", 2)):
            swap_corpus(corpus, tmp_path / name, seed)
    prints = []
    for name in ("one", "two", "three"):
        with Corpus(tmp_path / name) as swapped:
            prints.append(swapped.manifest.fingerprint)
            assert swapped.manifest.recipe["command"] == "swap"
    assert prints[0] == prints[1] != prints[2]


# What is a name.

TEXT = """# Young people and the tides

Ines Müller and K. Young

As Muller and Young argue, young people like tides. MULLER was right, says Müller (see muller@tides.org).
OpenAI (2020) agrees. So do (Young, 2019) and Mullerova.

1. Müller, I. Tides. 2018.
2. K. Young. Tides again. 2019.
3. OpenAI. A report. 2020.
"""


def _find(words: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return Span(start, start + len(words))


def _document() -> Document:
    return Document(
        id="a-1",
        kind="article",
        language="en",
        title=_find("Young people and the tides"),
        authors=(
            Author(position=1, span=_find("Ines Müller"), given="Ines", family="Müller", person=None),
            Author(position=2, span=_find("K. Young"), given="K.", family="Young", person=None),
        ),
        license="CC0-1.0",
        source="test",
        text=TEXT,
        citations=(
            Citation(
                span=_find("Young, 2019"), group=_find("(Young, 2019)"), reference=2, style="author-year", authors=None
            ),
        ),
        references=(
            Reference(number=1, span=_find("1. Müller, I. Tides. 2018."), title=None, authors=(_find("Müller, I."),)),
            Reference(
                number=2, span=_find("2. K. Young. Tides again. 2019."), title=None, authors=(_find("K. Young", 1),)
            ),
            Reference(number=3, span=_find("3. OpenAI. A report. 2020."), title=None, authors=(_find("OpenAI", 1),)),
        ),
    )


@pytest.fixture
def renaming() -> NameSwap:
    census = NameCollector()
    census.add(_document())
    return census.swap(0)


def test_a_name_is_the_same_with_other_accents_and_capitals(renaming: NameSwap) -> None:
    made_up = renaming.words["muller"]
    assert renaming.prose("Müller, MULLER, Muller's") == f"{made_up}, {made_up.upper()}, {made_up}'s"
    assert renaming.prose("Mullerova") == "Mullerova"
    assert made_up[0] == "M"


def test_a_name_that_is_also_a_word_changes_only_inside_names(renaming: NameSwap) -> None:
    assert renaming.ordinary == {"young"}
    assert renaming.prose("Young stars") == "Young stars"
    assert renaming.name("K. Young") == f"K. {renaming.words['young']}"
    swapped = CorpusSwap(renaming, swap_of(_document()).titles, swap_of(_document()).numbers).apply(_document())
    young, muller = renaming.words["young"], renaming.words["muller"]
    assert f"Ines {muller} and K. {young}" in swapped.text
    assert f"({young}, 2019)" in swapped.text
    assert f"As {muller} and Young argue, young people" in swapped.text
    assert "OpenAI (2020)" in swapped.text


def test_coined_names_and_particles_stay(renaming: NameSwap) -> None:
    assert set(renaming.words) == {"muller", "young"}
    assert [word for word in ("van", "K", "OpenAI", "McDonald", "XUE", "Li") if is_name(word)] == [
        "McDonald",
        "XUE",
        "Li",
    ]


class _Shelf:
    """As much of a corpus as a plan_swap asks for."""

    def __init__(self, *documents: Document) -> None:
        self._documents = documents

    def documents(self) -> Iterator[Document]:
        return iter(self._documents)


def swap_of(*documents: Document) -> CorpusSwap:
    shelf: Any = _Shelf(*documents)
    return plan_swap(shelf, 0)[0]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Lind, K.", "Lind"),
        ("K. A. Lind", "Lind"),
        ("Karin Lind", "Lind"),
        ("Lind KA", "Lind"),
        ("Jan van der Berg", "van der Berg"),
        ("van der Berg, J.", "van der Berg"),
        ("Martin Luther King Jr.", "King"),
        ("J.-L. E. Désormeaux", "Désormeaux"),
        ("OpenAI", "OpenAI"),
        ("", ""),
        ("...", ""),
    ],
)
def test_finds_family_names(name: str, family: str) -> None:
    assert family_name(name) == family


# Numbers.


@pytest.mark.parametrize(
    ("printed", "value"),
    [("3,214", "3214"), ("0.35", "0.35"), ("(1,204)", "-1204"), ("3.2", "3200000"), ("1 204,5", "1204.5")],
)
def test_numbers_keep_their_format(printed: str, value: str) -> None:
    text = f"# Report\n\nSales were {printed} that year.\n"
    span = Span(text.index(printed), text.index(printed) + len(printed))
    fact = Fact(entity="Acme", attribute="sales", value=Decimal(value), unit="EUR", span=span)
    title = Span(2, 8)
    report = Document(
        id="r-1", kind="report", language="en", title=title, license="CC0-1.0", source="test", text=text, facts=(fact,)
    )
    swapped = swap_of(report).apply(report)
    (now,) = swapped.facts
    swapped_text = now.span.of(swapped.text)
    assert now.value is not None
    assert swapped_text != printed
    assert now.value != fact.value
    assert [sign for sign in swapped_text if not sign.isdigit()] == [sign for sign in printed if not sign.isdigit()]
    assert now.value * _digits(printed) == Decimal(value) * _digits(swapped_text)


@pytest.mark.parametrize("printed", ["three", "0", "1/2"])
def test_numbers_not_printed_in_digits_stay(printed: str) -> None:
    text = f"# Report\n\nThere were {printed} of them.\n"
    span = Span(text.index(printed), text.index(printed) + len(printed))
    value = {"three": Decimal(3), "0": Decimal(0), "1/2": Decimal("0.5")}[printed]
    fact = Fact(entity="Acme", attribute="sites", value=value, unit="", span=span)
    report = Document(
        id="r-1",
        kind="report",
        language="en",
        title=Span(2, 8),
        license="CC0-1.0",
        source="test",
        text=text,
        facts=(fact,),
    )
    assert swap_of(report).apply(report) == report
