"""References are linked to the document they cite and no other: by id, by title, by a similar title."""

from __future__ import annotations

import csv
import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.linking import LinkableDocument, Linker, ReferenceData, ReferenceMatch, linkable
from fathom.corpus.normalization import base_id, normal_id, normal_title, similarity
from fathom.corpus.store import Corpus
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from tests.corpus.readers.conftest import SHARED

TIDES = LinkableDocument(
    "a-1", "Tidal mixing over a rough sea floor", {"doi": "10.5555/tides"}, None, 2015, ("Lind", "Wu")
)
EELS = LinkableDocument(
    "a-2", "Silver eels on their way to the sea", {"pmid": "123", "arxiv": "1501.00001"}, None, 2016, ("Okoro",)
)
FUSION = LinkableDocument("a-3", "Membrane fusion", {}, None, 2003, ("Jahn", "Lang"))
CITING = LinkableDocument("a-9", "A review of everything that moves", {}, None, 2020, ("Santos",))


def linked(
    *references: ReferenceData, documents: Sequence[LinkableDocument] = (TIDES, EELS, FUSION)
) -> list[ReferenceMatch]:
    linker = Linker()
    for entry in (*documents, CITING):
        linker.add(entry)
    return list(linker.link(LinkableDocument(CITING.id, CITING.title, references=references)))


# Ids.


@pytest.mark.parametrize(
    ("scheme", "written", "wanted"),
    [
        ("doi", "https://doi.org/10.5555/ABC.1", "doi:10.5555/abc.1"),
        ("doi", "http://dx.doi.org/10.5555%2Fabc", "doi:10.5555/abc"),
        ("DOI", "doi: 10.5555/abc.).", "doi:10.5555/abc"),
        ("doi", "10.1016/S0092-8674(00)80404-8", "doi:10.1016/s0092-8674(00)80404-8"),
        ("doi", "10.48550/arXiv.2101.00001v3", "arxiv:2101.00001"),
        ("doi", "www.example.org", None),
        ("arxiv", "arXiv:2101.00001v12", "arxiv:2101.00001"),
        ("arxiv", "https://arxiv.org/pdf/math.GT/0309136v1.pdf", "arxiv:math/0309136"),
        ("arxiv", "soon", None),
        ("pmid", " 00123 ", "pmid:123"),
        ("pmcid", "PMC123.2", "pmcid:123"),
        ("pmcid", "123", "pmcid:123"),
        ("pmid", "٣", None),
        ("pep", "PEP 0484", "pep:484"),
        ("isbn", " 978-X ", "isbn:978-x"),
        ("isbn", " ", None),
    ],
)
def test_normalizes_ids(scheme: str, written: str, wanted: str | None) -> None:
    assert normal_id(scheme, written) == wanted


def test_an_id_is_enough() -> None:
    assert linked(
        ReferenceData(ids={"doi": "https://doi.org/10.5555/TIDES."}),
        ReferenceData(ids={"pmid": "123"}),
        ReferenceData(text="Okoro A. Silver eels. arXiv:1501.00001v2 (2015)"),
        ReferenceData(text="Lind, tides, https://doi.org/10.5555/tides."),
        ReferenceData(ids={"doi": "10.5555/other"}),
    ) == [("a-1", "doi"), ("a-2", "pmid"), ("a-2", "arxiv"), ("a-1", "doi"), (None, "unmatched")]


def test_a_letter_about_an_article_is_not_the_article() -> None:
    """A decision letter is listed under its document's title, with the name of the editor and a DOI of its own."""
    about = ReferenceData("Tidal mixing over a rough sea floor", {"doi": "10.5555/tides.002"}, 2015, ("Olsen, R.",))
    misspelled = ReferenceData("Tidal mixing over a rough sea floor", {"doi": "10.1101/2015.01"}, 2015, ("Linde, K.",))
    version = ReferenceData("Tidal mixing over a rough sea floor", {"doi": "10.5555/tides.2"}, 2015, ("Lind, K.",))
    assert linked(about, misspelled, version) == [(None, "unmatched"), ("a-1", "title"), ("a-1", "title")]


def test_ignores_an_id_that_everything_else_contradicts() -> None:
    ids = {"doi": "10.5555/tides"}
    assert linked(
        ReferenceData("Bread and its history in Europe", ids, 1987, ("Baker, J.",)),
        ReferenceData("Bread and its history in Europe", ids, 1987, ("Wu, L.",)),
        ReferenceData("Bread and its history in Europe", ids, 2015, ("Baker, J.",)),
        ReferenceData("Bread and its history in Europe", ids, None, ("Baker, J.",)),
        ReferenceData("Bread and its history in Europe", ids),
    ) == [(None, "contradicted"), ("a-1", "doi"), (None, "contradicted"), (None, "contradicted"), ("a-1", "doi")]


def test_a_title_wins_over_a_doi_that_title_and_authors_contradict() -> None:
    ids = {"doi": "10.5555/tides"}
    assert linked(ReferenceData(EELS.title, ids, 2015, EELS.families), ReferenceData(EELS.title, ids)) == [
        ("a-2", "title"),
        ("a-2", "title"),
    ]


@pytest.mark.parametrize(
    "id, base",
    [
        ("10.7554/elife.04321.009", "10.7554/elife.04321"),
        ("10.7554/elife.04321.sa2", "10.7554/elife.04321"),
        ("10.1371/journal.pmed.1234567.s004", "10.1371/journal.pmed.1234567"),
        ("10.12688/wellcomeopenres.123.2", "10.12688/wellcomeopenres.123"),
        ("10.1101/2020.01.02.123456v3.full.pdf", "10.1101/2020.01.02.123456"),
        ("10.1101/123456", "10.1101/123456"),
        ("10.20944/preprints202001.0001.v2", "10.20944/preprints202001.0001"),
        ("10.7717/peerj-cs.77/table-2", "10.7717/peerj-cs.77"),
        ("10.3389/fmars.2019.00321/full", "10.3389/fmars.2019.00321"),
        ("10.5555/tides.2", "10.5555/tides.2"),
    ],
)
def test_the_work_of_a_version_or_a_component(id: str, base: str) -> None:
    assert base_id(f"doi:{id}") == f"doi:{base}"


def test_ids_of_two_works_are_ambiguous_unless_the_title_decides() -> None:
    ids = {"doi": "10.5555/tides", "pmid": "123"}
    assert linked(ReferenceData("Something else", ids), ReferenceData(EELS.title.upper(), ids)) == [
        (None, "ambiguous"),
        ("a-2", "pmid"),
    ]


# Titles.


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Ca2+ and α-synuclein: a <i>Drosophila</i> study", "CA 2+ and alpha-Synuclein — A Drosophila Study."),
        ("{R}obust \\emph{Estimation} & $\\alpha$-trimming", "robust estimation and alpha trimming"),
        ("Über Straßen", "Uber Strassen"),
    ],
)
def test_normalizes_titles(one: str, two: str) -> None:
    assert normal_title(one).replace(" ", "") == normal_title(two).replace(" ", "")


def test_a_long_title_is_enough_and_a_short_one_is_not() -> None:
    assert linked(
        ReferenceData("Tidal Mixing over a Rough Sea-Floor."),
        ReferenceData("Membrane fusion"),
        ReferenceData("Membrane fusion", year=2004),
        ReferenceData("Membrane fusion", year=1990, authors=("Reinhard Jahn",)),
        ReferenceData("Membrane fusion", year=2003, authors=("Smith J",)),
    ) == [("a-1", "title"), (None, "unmatched"), ("a-3", "title"), ("a-3", "title"), (None, "unmatched")]


def test_the_same_title_by_others_years_before_is_another_work() -> None:
    title = TIDES.title
    assert linked(
        ReferenceData(title, year=1980, authors=("Smith, J.",)),
        ReferenceData(title, year=1980),
        ReferenceData(title, year=2018, authors=("L. Wu",)),
    ) == [(None, "unmatched"), (None, "unmatched"), ("a-1", "title")]


def test_two_equally_good_matches_are_ambiguous() -> None:
    twin = LinkableDocument("a-4", TIDES.title, {"doi": "10.5555/twin"}, None, 2019, ("Haddad",))
    assert linked(
        ReferenceData(TIDES.title),
        ReferenceData(TIDES.title, year=2019),
        ReferenceData(TIDES.title, authors=("Lind M",)),
        documents=(TIDES, twin),
    ) == [(None, "ambiguous"), ("a-4", "title"), ("a-1", "title")]


def test_a_title_is_found_in_the_running_text_of_an_entry_with_author_and_year() -> None:
    assert linked(
        ReferenceData(text="M. Lind and L. Wu. Tidal mixing over a rough sea floor. J. Sea 3 (2015) 1-9."),
        ReferenceData(text="M. Lind and L. Wu. Tidal mixing over a rough sea floor. J. Sea 3."),
        ReferenceData(text="A. Smith. Tidal mixing over a rough sea floor. J. Sea 3 (2015) 1-9."),
    ) == [("a-1", "text"), (None, "unmatched"), (None, "unmatched")]


def test_accepts_typos_with_a_matching_author_or_year() -> None:
    slipped = "Tidal mixng over rough sea floors"
    assert linked(
        ReferenceData(slipped, year=2016),
        ReferenceData(slipped, authors=("Wu, L.",)),
        ReferenceData(slipped),
        ReferenceData(slipped, year=2015, authors=("Smith, J.",)),
        ReferenceData(slipped, year=2011, authors=("Wu, L.",)),
    ) == [("a-1", "fuzzy"), ("a-1", "fuzzy"), (None, "unmatched"), (None, "unmatched"), (None, "unmatched")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Growth of mussels on ropes in cold water part I", "Growth of mussels on ropes in cold water part II"),
        ("Growth of mussels on ropes in cold water", "Growth of mussels on ropes in cold water 2"),
        ("The role of calcium in symmetric cell division", "The role of calcium in asymmetric cell division"),
        ("Replication of influenza A virus in cultured cells", "Replication of influenza B virus in cultured cells"),
        ("Long-term effects of caffeine on sleep in mice", "Long-term effects of caffeine on sleep in rats"),
        ("Outcome of surgery with early antibiotic treatment", "Outcome of surgery without early antibiotic treatment"),
        (
            "Registered report: a signal in the tumour bed of mice",
            "Replication study: a signal in the tumour bed of mice",
        ),
        ("Clinical outcome after infection with the virus", "Clinical outcome after injection with the virus"),
    ],
)
def test_distinguishes_companion_papers(one: str, two: str) -> None:
    known = frozenset((one + " " + two).casefold().split())
    assert similarity(normal_title(one), normal_title(two), known) == 0


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Clinical outcome after infection with the virus", "Clincal outcome after the infection with virus"),
        ("Behavior of tumours in color-blind animals", "Behavior of tumors in color blind animals"),
        ("A maximum of two vesicles at the docking site", "A maximum of two ves icles at the docknig site"),
    ],
)
def test_accepts_typos_and_spelling_variants(one: str, two: str) -> None:
    assert similarity(normal_title(one), normal_title(two)) > 85


# Works.


def test_versions_are_one_work_and_links_go_to_the_published_one() -> None:
    early = LinkableDocument(
        "a-0", "Tidal mixing over rough sea floors", {"doi": "10.5555/tides.2"}, None, 2014, ("Lind", "Wu")
    )
    archived = LinkableDocument("a-5", TIDES.title, {"arxiv": "1401.00002"}, None, 2014, ("Wu", "Lind", "Haddad"))
    citing = LinkableDocument(
        CITING.id, CITING.title, references=(ReferenceData(ids={"arxiv": "1401.00002"}), ReferenceData(archived.title))
    )
    linker = Linker()
    for entry in (early, archived, TIDES, EELS, CITING):
        linker.add(entry)
    assert linker.link(citing) == (("a-1", "arxiv"), ("a-1", "title"))
    works = {linker.work(id) for id in ("a-0", "a-1", "a-5")}
    assert len(works) == 1 and None not in works
    assert linker.work("a-2") is None


def test_keeps_the_work_named_by_the_source_for_all_versions() -> None:
    named = LinkableDocument("a-0", "An early draft", {}, "w-tides", 2014, ("Lind",))
    linker = Linker()
    for entry in (named, LinkableDocument("a-1", TIDES.title, TIDES.ids, "w-tides", 2015, ("Lind",)), EELS):
        linker.add(entry)
    assert [linker.work(id) for id in ("a-0", "a-1", "a-2")] == ["w-tides", "w-tides", None]


@pytest.mark.parametrize(
    "other",
    [
        LinkableDocument("a-0", TIDES.title, {}, None, 2018, ("Lind", "Wu")),
        LinkableDocument("a-0", TIDES.title, {}, None, 2015, ("Lind", "Haddad")),
        LinkableDocument("a-0", "Bread", {"doi": "10.5555/tides.2"}, None, 2015, ("Baker",)),
        LinkableDocument("a-0", TIDES.title, {}, None, 2015, ()),
    ],
)
def test_keeps_possibly_different_works_apart(other: LinkableDocument) -> None:
    linker = Linker()
    linker.add(other)
    linker.add(TIDES)
    assert linker.work("a-0") is None


def test_yearly_reports_with_one_title_are_different_works() -> None:
    linker = Linker()
    for year in range(2010, 2020):
        linker.add(LinkableDocument(f"a-{year}", "The state of the fisheries", {}, None, year, ("Lind", "Wu")))
    assert linker.work("a-2010") != linker.work("a-2013")


def test_a_document_never_cites_a_version_of_itself() -> None:
    preprint = LinkableDocument("a-0", TIDES.title, {"doi": "10.1101/1"}, None, 2014, ("Lind", "Wu"))
    linker = Linker()
    for entry in (preprint, TIDES):
        linker.add(entry)
    own = LinkableDocument(
        "a-0", TIDES.title, references=(ReferenceData(TIDES.title), ReferenceData(ids={"doi": "10.5555/tides"}))
    )
    assert linker.link(own) == ((None, "self-citation"), (None, "self-citation"))
    assert linker.report() == {"self-citation": 2}


# The order of things.


def crowd(rng: Random, size: int = 120) -> list[LinkableDocument]:
    """Documents whose titles are often the same, and references to them with and without slips."""
    words = ["tides", "eels", "ropes", "mussels", "mixing", "calcium", "fusion", "growth", "sleep", "surgery"]
    titles = [" ".join(rng.sample(words, rng.randint(2, 6))) for _ in range(size // 2)]
    entries = []
    for number in range(size):
        cited = [rng.choice(titles) for _ in range(8)]
        entries.append(
            LinkableDocument(
                f"a-{number:03d}",
                rng.choice(titles),
                {"doi": f"10.5555/{rng.randrange(size)}"} if rng.random() < 0.5 else {},
                rng.choice((None, None, f"w-{rng.randrange(40)}")),
                rng.choice((None, 2010, 2011, 2012, 2013)),
                tuple(rng.sample(("Lind", "Wu", "Okoro", "Haddad", "Santos"), rng.randint(0, 3))),
                references=tuple(
                    ReferenceData(
                        title.replace("e", "", 1), {}, rng.choice((None, 2011)), ("Wu L",), f"Wu L. {title}. 2011"
                    )
                    for title in cited
                ),
            )
        )
    return entries


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_adding_changes_nothing(seed: int) -> None:
    entries = crowd(Random(seed))
    seen = set()
    for turn in range(4):
        shuffled = entries[:]
        Random(turn).shuffle(shuffled)
        linker = Linker()
        for entry in shuffled:
            linker.add(entry)
        matches = [linker.link(entry) for entry in entries]
        for entry, found in zip(entries, matches, strict=True):
            assert all(match.document != entry.id for match in found)
            assert all(
                (match.document is None) == (match.method in ("unmatched", "self-citation", "ambiguous"))
                for match in found
            )
        seen.add((tuple(matches), tuple(linker.work(entry.id) for entry in entries), tuple(linker.report().items())))
    assert len(seen) == 1


def test_misuse_raises_an_error() -> None:
    linker = Linker()
    linker.add(TIDES)
    with pytest.raises(FathomError, match="was not added"):
        linker.link(EELS)
    with pytest.raises(FathomError, match="added too late"):
        linker.add(EELS)
    twice = Linker()
    twice.add(TIDES)
    twice.add(TIDES)
    with pytest.raises(FathomError, match="Two documents have the id"):
        twice.link(TIDES)


def test_hostile_titles_and_ids_break_nothing() -> None:
    rng = Random(3)
    signs = "a é<>{}$\\&\u0000\ud800中文αß.(10.5555/)arXiv:1²٣"
    references = []
    for _ in range(400):
        noise = ["".join(rng.choice(signs) for _ in range(rng.randint(0, 60))) for _ in range(5)]
        references.append(
            ReferenceData(
                noise[0], {noise[1][:3]: noise[1], "doi": noise[2]}, rng.choice((None, -1)), (noise[3],), noise[4]
            )
        )
    assert len(linked(*references, ReferenceData("<" * 100_000 + "(" * 100_000, text="10.5555/" + ")" * 50_000))) == 401


# Into the record.


@pytest.fixture(scope="module")
def generated(linked_corpus: Path) -> list[Document]:
    with Corpus(linked_corpus) as corpus:
        return list(corpus.documents())


def test_links_generated_documents_as_planned(generated: list[Document]) -> None:
    linker = Linker()
    bare = [without_gold(document) for document in generated]
    for document in bare:
        linker.add(linkable(document))
    for gold, document in zip(generated, bare, strict=True):
        cited = [match.document for match in linker.link(linkable(document))]
        assert cited == [reference.document for reference in gold.references]
        assert linker.work(document.id) == gold.work
    report = linker.report()
    assert report["title"] > 100 and report["doi"] > 10


def without_gold(document: Document) -> Document:
    references = tuple(reference.model_copy(update={"document": None}) for reference in document.references)
    return document.model_copy(update={"references": references})


# Real documents.


def real_entries(folder: Path) -> Iterator[tuple[str, list[str], LinkableDocument]]:
    """Documents as the manifest and the list of references tell of them: DOI, names of the references, entry."""
    with lzma.open(folder / "references.jsonl.xz", "rt") as lists, (folder / "manifest.jsonl").open() as manifest:
        for metadata, listed in zip(map(json.loads, manifest), map(json.loads, lists), strict=True):
            assert metadata["doi"] == listed["doi"]
            references = tuple(
                ReferenceData(
                    title=one["title"] or "",
                    ids={scheme: one[scheme] for scheme in ("doi", "pmid") if one[scheme]},
                    year=int(one["year"][:4]) if (one["year"] or "")[:4].isdigit() else None,
                    authors=tuple(one["authors"]),
                )
                for one in listed["refs"]
            )
            families = tuple(author.get("surname") or author.get("collab") or "" for author in metadata["authors"])
            id = f"{metadata['set']}/{metadata['file']}"
            entry = LinkableDocument(
                id, metadata["title"], {"doi": metadata["doi"]}, None, int(metadata["year"]), families, "", references
            )
            yield metadata["doi"], [one["rid"] for one in listed["refs"]], entry


def real(name: str) -> Path:
    """A folder of real documents; the test is skipped where it is not there."""
    if not (SHARED / name).exists():
        pytest.skip(f"needs the real documents: ../shared/data/{name} is not there")
    return SHARED / name


def test_real_documents() -> None:
    """255 documents as lists made by another reader tell of them; `test_citation_edges` proves what is not known."""
    folder = real("elife-jats")
    linker = Linker()
    entries = list(real_entries(folder))
    for _, _, entry in entries:
        linker.add(entry)
    dois = {entry.id: doi for doi, _, entry in entries}
    with (folder / "citation_edges.csv").open() as file:
        known = {(row["citing_doi"], row["cited_doi"], row["ref_id_in_citing"]) for row in csv.DictReader(file)}
    found = {
        (doi, dois[match.document], name)
        for doi, names, entry in entries
        for name, match in zip(names, linker.link(entry), strict=True)
        if match.document is not None
    }
    assert known <= found
    assert len(found - known) == 18

    versions = [(doi, entry.id) for doi, _, entry in entries]
    works: dict[str, set[str | None]] = {}
    for doi, id in versions:
        works.setdefault(".".join(doi.split(".")[:3]), set()).add(linker.work(id))
    assert all(len(names) == 1 for names in works.values())
    assert sum(names != {None} for names in works.values()) == 23
