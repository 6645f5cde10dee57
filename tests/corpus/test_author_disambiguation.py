"""Author disambiguation: one id per person where that is safe, else none."""

from __future__ import annotations

import sys
from itertools import combinations
from random import Random

import pytest

from fathom.corpus.author_disambiguation import AuthorDisambiguator, Signature, signatures
from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.store import Corpus
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from tests.sharing import SharedFolders

ORCID = {"orcid": "https://orcid.org/0000-0001-2345-678x"}


def sign(name: str, ids: dict[str, str] | None = None, affiliation: str = "") -> Signature:
    given, _, family = name.rpartition(" ")
    return Signature(given, family.replace("_", " "), ids or {}, affiliations=(affiliation,) if affiliation else ())


def people(*bylines: str, subject: str | None = None) -> list[tuple[str | None, ...]]:
    """Who signs documents with these bylines: "Marta Lind, Li Wu"."""
    who = AuthorDisambiguator()
    for number, byline in enumerate(bylines):
        who.add(f"a-{number}", [sign(name) for name in byline.split(", ")], subject)
    return [who.people(f"a-{number}") for number in range(len(bylines))]


def test_a_name_that_occurs_once_is_one_person() -> None:
    found = people("Marta Lind, Chidi Okoro", "Rana Haddad")
    assert len({id for byline in found for id in byline}) == 3
    assert all(id is not None for byline in found for id in byline)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Marta Lind", "Marta Lind"),
        ("Marta Lind", "Marta K. Lind"),
        ("Zoë Lind-Soto", "Zoe Lind_Soto"),
        ("Xiao-Ming Tanay", "Xiaoming Tanay"),
        ("Seán O'Neil", "Sean ONeil"),
    ],
)
def test_the_same_full_name_with_a_shared_co_author_is_one_person(one: str, two: str) -> None:
    (left, _), (right, _) = people(f"{one}, Chidi Okoro", f"{two}, Chidi Okoro")
    assert left == right is not None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Marta Lind", "Marta Lind"),
        ("Marta Lind", "M. Lind"),
        ("Lind", "Marta Lind"),
        ("Marta Mueller", "Marta Müller"),
    ],
)
def test_the_same_name_without_other_evidence_is_uncertain(one: str, two: str) -> None:
    (left,), (right,) = people(one, two)
    assert left is None and right is None


@pytest.mark.parametrize(
    ("one", "two"), [("Marta Lind", "Mona Lind"), ("M. K. Lind", "M. J. Lind"), ("A. Lind", "Bo Lind")]
)
def test_incompatible_names_are_two_people(one: str, two: str) -> None:
    (left, _), (right, _) = people(f"{one}, Chidi Okoro", f"{two}, Chidi Okoro")
    assert left is not None and right is not None and left != right


def test_a_subject_alone_is_not_enough() -> None:
    assert people("Marta Lind", "Marta Lind", subject="Biology") == [(None,), (None,)]


def test_initials_join_a_full_name_with_two_shared_co_authors() -> None:
    found = people("Marta Lind, Chidi Okoro, Rana Haddad", "M. Lind, C. Okoro, R. Haddad")
    assert found[0] == found[1] and None not in found[0]
    assert people("Marta Lind, Chidi Okoro", "M. Lind, Rana Haddad")[1][0] is None


def test_initials_compatible_with_two_full_names_are_uncertain() -> None:
    team = "Chidi Okoro, Rana Haddad, Ana Horvat"
    marta, mona, initial = (
        byline[0] for byline in people(f"Marta Lind, {team}", f"Mona Lind, {team}", f"M. Lind, {team}")
    )
    assert initial is None
    assert marta is None and mona is None


def test_a_name_without_the_distinguishing_initial_joins_neither() -> None:
    team = "Chidi Okoro, Rana Haddad"
    found = [byline[0] for byline in people(f"Marta K. Lind, {team}", f"Marta J. Lind, {team}", f"Marta Lind, {team}")]
    assert found[2] is None
    assert found[0] is None or found[0] != found[1]


def test_a_frequent_name_needs_more_evidence() -> None:
    (one, _), (two, _) = people("Wei Wang, Chidi Okoro", "Wei Wang, Chidi Okoro")
    assert one is None and two is None
    found = people("Wei Wang, Chidi Okoro, Rana Haddad", "Wei Wang, Chidi Okoro, Rana Haddad")
    assert found[0][0] == found[1][0] is not None
    (one, *_), (two, *_) = people("Wei Wang, Yan Li, Jun Chen", "Wei Wang, Yan Li, Jun Chen")
    assert one is None and two is None


def test_an_orcid_decides() -> None:
    who = AuthorDisambiguator()
    who.add("a-1", [sign("Marta Lind", ORCID)])
    who.add("a-2", [sign("M. Lind", {"orcid": "0000-0001-2345-678X"})])
    who.add("a-3", [sign("Marta Lind", {"orcid": "0000-0009-9999-9999"})])
    assert who.people("a-1") == who.people("a-2") == ("orcid:0000-0001-2345-678X",)
    assert who.people("a-3") == ("orcid:0000-0009-9999-9999",)


@pytest.mark.parametrize("evidence", ["affiliation", "citation", "work"])
def test_affiliations_citations_and_subjects_are_evidence(evidence: str) -> None:
    who = AuthorDisambiguator()
    place = "Institute of Tides, Bergen" if evidence == "affiliation" else ""
    work = "w-1" if evidence == "work" else None
    who.add("a-1", [sign("Marta Lind", affiliation=place)], work=work)
    cited = ["a-1"] if evidence == "citation" else []
    who.add("a-2", [sign("Marta Lind", affiliation=place.upper())], work=work, cited=cited)
    assert who.people("a-1") == who.people("a-2") != (None,)


def test_two_of_one_name_in_one_byline_are_two_people() -> None:
    ((one, two),) = people("Marta Lind, Marta Lind")
    assert one is not None and two is not None and one != two
    for byline in people("Marta Lind, Marta Lind, Chidi Okoro", "Marta Lind, Chidi Okoro"):
        assert [id for id in byline[:-1] if id is not None] == []


def test_groups_are_identified_by_name() -> None:
    who = AuthorDisambiguator()
    project, short = (
        Signature("", "Reproducibility Project: Biology", group=True),
        Signature("", "The Team", group=True),
    )
    who.add("a-1", [project, short])
    who.add("a-2", [Signature("", "reproducibility project biology", group=True), short])
    assert who.people("a-1")[0] == who.people("a-2")[0] is not None
    assert who.people("a-1")[1] is None


def test_a_partial_family_name_is_uncertain() -> None:
    assert people("Ana Ruiz", "Ana Ruiz-Soto", "Ana Horvat")[:2] == [(None,), (None,)]


def test_misuse_raises_an_error() -> None:
    who = AuthorDisambiguator()
    who.add("a-1", [sign("Marta Lind")])
    with pytest.raises(FathomError, match="Two documents"):
        who.add("a-1", [])
    with pytest.raises(FathomError, match="was not added"):
        who.people("a-2")
    with pytest.raises(FathomError, match="too late"):
        who.add("a-2", [])


def test_hostile_names_break_nothing() -> None:
    rng = Random(5)
    signs = "aB é.-'’\u0000\ud800王伟ß٣ "
    who = AuthorDisambiguator()
    for number in range(300):
        noise = ["".join(rng.choice(signs) for _ in range(rng.randint(0, 6))) for _ in range(8)]
        byline = [Signature(noise[at], noise[at + 4], group=rng.random() < 0.1) for at in range(4)]
        who.add(f"a-{number}", byline)
    assert all(len(who.people(f"a-{number}")) == 4 for number in range(300))


# Generated documents, whose people are known.


@pytest.fixture(scope="module")
def generated(build_once: SharedFolders) -> list[Document]:
    recipe = Recipe(domains=parse_domains("articles"), length="short", seed=7, documents=500)
    folder = build_once("authors", lambda folder: generate(folder / "corpus", recipe))
    with Corpus(folder / "corpus") as corpus:
        return list(corpus.documents())


def sorted_out(documents: list[Document]) -> dict[tuple[str, int], str | None]:
    who = AuthorDisambiguator()
    for document in documents:
        who.add(document.id, signatures(document), document.subject, document.work, document.cited)
    return {
        (document.id, position): person
        for document in documents
        for position, person in enumerate(who.people(document.id), start=1)
    }


def test_merges_only_people_that_no_reader_could_distinguish(generated: list[Document]) -> None:
    """Namesakes are planted among the authors; those who share a co-author cannot be distinguished."""
    gold = {(document.id, author.position): author.person for document in generated for author in document.authors}
    company: dict[str | None, set[str | None]] = {}
    for document in generated:
        team = {author.person for author in document.authors}
        for person in team:
            company.setdefault(person, set()).update(team - {person})
    found = sorted_out(generated)
    seats: dict[str, list[tuple[str, int]]] = {}
    for seat, person in found.items():
        if person is not None:
            seats.setdefault(person, []).append(seat)
    right = wrong = 0
    for places in seats.values():
        for one, two in combinations(places, 2):
            right += gold[one] == gold[two]
            wrong += gold[one] != gold[two] and not company[gold[one]] & company[gold[two]]
    assert wrong == 0
    assert right > 400


def test_the_order_of_adding_changes_nothing(generated: list[Document]) -> None:
    shuffled = generated[:]
    Random(1).shuffle(shuffled)
    assert sorted_out(shuffled) == sorted_out(generated)


@pytest.mark.parametrize("shape", ["one family", "no given names", "initials", "one first name", "many families"])
def test_time_is_nearly_linear_in_the_number_of_authors(shape: str) -> None:
    """Comparing all pairs of names would take four times the calls for twice the authors."""
    rng = Random(3)

    def word() -> str:
        return "".join(rng.choices("aeioubdgklmnprstvz", k=7)).title()

    def signature() -> Signature:
        given = {
            "no given names": rng.choice(["", word()]),
            "initials": " ".join(rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=rng.randrange(1, 4))),
            "one first name": f"Marta {word()}",
        }.get(shape, word())
        return Signature(given, word() if shape == "many families" else "Lind")

    def calls(documents: int) -> int:
        """The number of function calls, which unlike a time is the same on any machine."""
        disambiguator, made = AuthorDisambiguator(), 0

        def count(frame: object, event: str, about: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        for number in range(documents):
            disambiguator.add(f"d{number}", [signature() for _ in range(5)], "bells")
        sys.setprofile(count)
        try:
            disambiguator.people("d0")
        finally:
            sys.setprofile(None)
        return made

    assert calls(600) < 3 * calls(300)
