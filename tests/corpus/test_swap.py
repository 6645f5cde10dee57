"""Swapped names, titles and numbers: spans follow their characters, and replacements are consistent."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap, plan_swap, swap_corpus
from fathom.corpus.swap_names import NameCollector, NameSwap
from fathom.corpus.swap_people import is_name, name_words
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


@pytest.fixture(scope="module", params=["few_citing", "mixed_folder"])
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
        starts = [edit.span.start for edit in edits]
        assert starts == sorted(starts)
        for one, two in zip(before.spans(), after.spans(), strict=True):
            near = edits[bisect_left(starts, one.start) : bisect_right(starts, one.end)]
            inside = [edit for edit in near if edit.span.end <= one.end]
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
            assert author.family == swapping.names.family(was.family) != was.family
            assert author.span.of(after.text) == swapping.names.name(was.span.of(before.text))
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
        assert not swapping.titles.missed(before, swapping.changes(before).titles)
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


def test_the_same_seed_gives_the_same_corpus(tmp_path: Path) -> None:
    generate(tmp_path / "before", Recipe(seed=3, documents=4))
    with Corpus(tmp_path / "before") as corpus:
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

As Muller and Young argue, young people like tides. MULLER ET AL. were right, say I. Müller and colleagues
(see muller@tides.org). OpenAI (2020) agrees. So do (Young, 2019), Young (2019), David Markov and Mullerova.
Young stars, Markov chains, the Adam optimizer (Adam and Young, 2019) and English Jupyter Widgets stay. So does Ann
Young.
We follow Markov & Adam, 2017, and Markov et al. [4]; "Markov (2018)" is another work. See young2019 and young2018.
Young argued so; Dr. English has read Markov's thesis. Adam wins, Young's modulus and Prof. Nobody stay.
The Young lab thanks Ines (Ini) Müller, Kay Young and IM Müller. Müller and Young used SDS YOUNG and Young gels, and
Markov and Adam chains, as Markov and Lee do [4]. K Young thanks the Müller research group, not A Young star.
Young, Lee and Wu (2011), Müller, Lee et al., Young PC (2019) and the Müller and Wu labs agree; in Young, Lee found it.

1. Müller, I. Tides. 2018.
2. K. Young. Tides again. 2019.
3. OpenAI. A report. 2020.
4. David Markov, Jo Adam, Lee English. Chains of Young words. Adam Press, 2017.
5. Jupyter Widgets. English. 2017.
6. ImageNet, Jo Adam. GPT. Nothing. 2017.
7. David. K. Data. 2016.
"""


def _find(words: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return Span(start, start + len(words))


def _entry(number: int, line: str, *authors: str, year: int) -> Reference:
    span = _find(line)
    spans = [Span(line.index(author), line.index(author) + len(author)).shifted(span.start) for author in authors]
    return Reference(number=number, span=span, title=None, authors=tuple(spans), year=year)


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
            _entry(1, "1. Müller, I. Tides. 2018.", "Müller, I.", year=2018),
            _entry(2, "2. K. Young. Tides again. 2019.", "K. Young", year=2019),
            _entry(3, "3. OpenAI. A report. 2020.", "OpenAI", year=2020),
            _entry(
                4,
                "4. David Markov, Jo Adam, Lee English. Chains of Young words. Adam Press, 2017.",
                *("David Markov", "Jo Adam", "Lee English"),
                year=2017,
            ),
            _entry(5, "5. Jupyter Widgets. English. 2017.", "Jupyter Widgets", year=2017),
            _entry(6, "6. ImageNet, Jo Adam. GPT. Nothing. 2017.", "ImageNet", "Jo Adam", "GPT", year=2017),
            _entry(7, "7. David. K. Data. 2016.", "David. K.", year=2016),
        ),
    )


@pytest.fixture
def renaming() -> NameSwap:
    census = NameCollector()
    census.add(_document())
    return census.swap(0)


def test_a_name_is_the_same_with_other_accents_and_capitals(renaming: NameSwap) -> None:
    made_up = renaming.words["muller"]
    assert renaming.family("Müller, MULLER, Muller") == f"{made_up}, {made_up.upper()}, {made_up}"
    assert renaming.family("Mullerova") == "Mullerova"
    assert made_up[0] == "M"


def test_only_people_are_renamed_and_only_where_they_are_named(renaming: NameSwap) -> None:
    assert renaming.words.keys() == {"muller", "young", "markov", "adam", "english", "david"}
    swapped = CorpusSwap(renaming, swap_of(_document()).titles, swap_of(_document()).numbers).apply(_document())
    names = {word.capitalize(): new for word, new in renaming.words.items()}
    expected = TEXT.replace("Ines Müller and K. Young", "Ines {Muller} and K. {Young}")
    for old, new in (
        ("MULLER ET AL.", "{MULLER} ET AL."),
        ("say I. Müller and", "say I. {Muller} and"),
        ("(Young, 2019), Young (2019), David Markov", "({Young}, 2019), {Young} (2019), David {Markov}"),
        ("(Adam and Young, 2019)", "({Adam} and {Young}, 2019)"),
        ("Markov & Adam, 2017, and Markov et al.", "{Markov} & {Adam}, 2017, and {Markov} et al."),
        ("As Muller and Young argue", "As {Muller} and {Young} argue"),
        ("young2019", "{young}2019"),
        ("Young argued so; Dr. English has", "{Young} argued so; Dr. {English} has"),
        ("read Markov's thesis", "read {Markov}'s thesis"),
        ("The Young lab thanks Ines (Ini) Müller, Kay", "The {Young} lab thanks Ines (Ini) {Muller}, Kay"),
        ("and IM Müller. Müller and Young used", "and IM {Muller}. {Muller} and {Young} used"),
        ("K Young thanks the Müller research group", "K {Young} thanks the {Muller} research group"),
        ("Young, Lee and Wu (2011), Müller, Lee et al.", "{Young}, Lee and Wu (2011), {Muller}, Lee et al."),
        ("and the Müller and Wu labs", "and the {Muller} and Wu labs"),
        ("1. Müller, I.", "1. {Muller}, I."),
        ("2. K. Young.", "2. K. {Young}."),
        ("4. David Markov, Jo Adam, Lee English.", "4. David {Markov}, Jo {Adam}, Lee {English}."),
        ("6. ImageNet, Jo Adam.", "6. ImageNet, Jo {Adam}."),
        ("7. David. K.", "7. {David}. K."),
    ):
        assert expected.count(old) == 1, old
        expected = expected.replace(old, new)
    other = {name.upper(): new.upper() for name, new in names.items()} | {"young": names["Young"].lower()}
    title = swapped.title_text  # one of its words changes
    assert swapped.text == expected.format(**names, **other).replace("Young people and the tides", title)


def test_given_names_stay(renaming: NameSwap) -> None:
    assert renaming.name("K. Young") == f"K. {renaming.words['young']}"
    assert renaming.name("David Young (2)") == f"David {renaming.words['young']} (2)"
    assert renaming.name("Adam, David") == f"{renaming.words['adam']}, David"


def test_coined_names_and_particles_stay() -> None:
    words = ("van", "K", "OpenAI", "ImageNet", "ChatGPT", "McDonald", "LeCun", "XUE", "Li", "Ōmori")
    assert [word for word in words if is_name(word)] == ["McDonald", "LeCun", "XUE", "Li", "Ōmori"]
    assert name_words("van der Berg") == ["berg"]
    assert name_words("Le") == ["le"]
    assert name_words("El-Amrani") == ["amrani"]


# Titles.


def _titled(id: str, title: str, body: str, cited: str = "") -> Document:
    text = f"# {title}\n\n{body}\n"
    start = text.index(cited) if cited else 0
    entry = Reference(number=1, span=Span(start, start + len(cited)), title=None, document="b-0")
    return Document(
        id=id,
        kind="article",
        language="en",
        title=Span(2, 2 + len(title)),
        license="CC0-1.0",
        source="test",
        text=text,
        references=(entry,) if cited else (),
    )


OLD = "Robust Tidal Forecasting in shallow Estuaries: A survey"
FORMS = (
    OLD,
    OLD.upper(),
    "*Robust tidal **forecasting*** in shallow\nestuaries",
    "“Robust Tidal Fore-\ncasting in Shal-\nlow Estuaries”",
    "{R}obust {T}idal Forecasting in shallow Estuaries – a Survey",
    "the robust tidal forecasting in shallow estuaries, surveyed",
)


@pytest.mark.parametrize("form", FORMS)
def test_the_old_title_is_visible_nowhere(form: str) -> None:
    other = _titled("b-1", "Migration and Settlement of Molluscs", f"Before.\n\nSee {form}, 2019. We forecast tides.")
    works = (
        _titled("b-0", OLD, f"{form} is what this is about."),
        other,
        _titled("b-2", "Sediments of Deltas", "None."),
    )
    swap = swap_of(*works)
    for work in works:
        letters = re.sub(r"[\W_]", "", swap.apply(work).text.casefold())
        assert "robusttidalforecastinginshallowestuaries" not in letters
    assert "We forecast tides." in swap.apply(other).text


def test_an_additional_word_does_not_precede_the_old_title() -> None:
    works = [_titled("b-0", "Origin of it", "None."), _titled("b-1", "Margin of that", "None.")]
    for seed in range(8):
        shelf: Any = _Shelf(*works)
        swap = plan_swap(shelf, seed)[0]
        assert "origin of it" not in swap.title("Origin of it").casefold()


def test_a_short_title_changes_only_where_it_is_a_title() -> None:
    cited = "Lind, K. Adamant. 2019."
    other = _titled("b-1", "Migration of Molluscs", f"An adamant mollusc.\n\n{cited}", cited)
    swap = swap_of(_titled("b-0", "Adamant", "None."), other)
    assert swap.title("Adamant") != "Adamant"
    text = swap.apply(other).text
    assert "An adamant mollusc." in text
    assert "K. Adamant." not in text


def test_a_title_of_one_word_with_hyphens_may_be_a_name() -> None:
    cited = "Lind, K. Salt-build-core. 2019."
    other = _titled("b-1", "Migration of Molluscs", f"We use salt-build-core for molluscs.\n\n{cited}", cited)
    text = swap_of(_titled("b-0", "Salt-build-core", "None."), other).apply(other).text
    assert "We use salt-build-core" in text
    assert "K. Salt-build-core." not in text


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
