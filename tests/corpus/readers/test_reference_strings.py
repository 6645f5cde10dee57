"""Printed references, style by style: parsed fields are correct, and uncertain ones are left empty."""

from __future__ import annotations

from random import Random

import pytest

from fathom.corpus.readers.parsing.identifiers import find_doi, find_identifiers
from fathom.corpus.readers.parsing.reference_strings import parse_reference

STYLES: dict[str, tuple[str, str, tuple[str, ...], int | None]] = {
    "APA": (
        "Lind, A. B., & Wu, C.-D. (2020). Salt in slow rivers. Journal of Rivers, 12(3), 45–67.",
        "Salt in slow rivers",
        ("Lind, A. B.", "Wu, C.-D."),
        2020,
    ),
    "APA, a book": (
        "Roe, C. D. (1997). The art of dams (3rd ed.). Harbour Press.",
        "The art of dams",
        ("Roe, C. D.",),
        1997,
    ),
    "APA, a chapter": (
        "Wu, B. (2015). Chapters on salt. In A. Lind (Ed.), A book of salts (pp. 1–20). Harbour Press.",
        "Chapters on salt",
        ("Wu, B.",),
        2015,
    ),
    "APA, a group": (
        "River Core Team. (2021). R: a language for rivers. River Foundation.",
        "R: a language for rivers",
        ("River Core Team",),
        2021,
    ),
    "APA, a group in lower case": (
        "Dam development team. (2021). Dams/shell: an introduction to dams.",
        "Dams/shell: an introduction to dams",
        ("Dam development team",),
        2021,
    ),
    "APA, software": (
        "Lind, A. (2022). Damlib (Version 1.2) [Computer software]. Archive of Code.",
        "Damlib",
        ("Lind, A.",),
        2022,
    ),
    "APA, a letter and a volume": (
        "Lind, A. (2021). Thematic maps in R. Journal of Maps, 84(6), 1–39.",
        "Thematic maps in R",
        ("Lind, A.",),
        2021,
    ),
    "APA, a venue in lower case": (
        "Lind, A. (2022). Salt of the north. eLife, 9, e49816.",
        "Salt of the north",
        ("Lind, A.",),
        2022,
    ),
    "APA, editors in brackets": (
        "Lind, A. (2016). Books of salt: A format (F. Roe & B. Wu, Eds.; pp. 87–90). Harbour Press.",
        "Books of salt: A format",
        ("Lind, A.",),
        2016,
    ),
    "APA, et al.": (
        "Lind, A., Wu, B., Roe, C., et al. (2018). Deep dams of the north. In Proceedings of Dams.",
        "Deep dams of the north",
        ("Lind, A.", "Wu, B.", "Roe, C."),
        2018,
    ),
    "APA, no author": (
        "The handbook of dams. (2020). https://dams.example/handbook",
        "The handbook of dams",
        (),
        2020,
    ),
    "ACL": (
        "Ada Lind, Bo-Yi Wu, and Maria van der Roe. 2019. DAM: Deep models of dams. In Proceedings of ACL.",
        "DAM: Deep models of dams",
        ("Ada Lind", "Bo-Yi Wu", "Maria van der Roe"),
        2019,
    ),
    "ACL, et al.": (
        "Ada Lind, Bo Wu, et al. 2018a. Building the graph of rivers. In NAACL.",
        "Building the graph of rivers",
        ("Ada Lind", "Bo Wu"),
        2018,
    ),
    "IEEE": (
        "[12] A. B. Lind and C. Wu, “Deep learning for dams,” IEEE Trans. Dams, vol. 3, no. 2, pp. 1–9, Jan. 2018.",
        "Deep learning for dams",
        ("A. B. Lind", "C. Wu"),
        2018,
    ),
    "Vancouver": (
        "12. Lind AB, Wu C, van der Roe D, et al. Effects of tea on sleep: a randomised trial. Lancet. 2019;12(3):4-6.",
        "Effects of tea on sleep: a randomised trial",
        ("Lind AB", "Wu C", "van der Roe D"),
        2019,
    ),
    "Nature": (
        "Lind, A., Wu, B. & Roe, C. The shape of water in E. coli cells. Nature 12, 34–56 (2020).",
        "The shape of water in E. coli cells",
        ("Lind, A.", "Wu, B.", "Roe, C."),
        2020,
    ),
    "Nature, et al.": (
        "Lind, A. et al. Rivers are few-shot learners. arXiv preprint arXiv:2005.14165 (2020).",
        "Rivers are few-shot learners",
        ("Lind, A.",),
        2020,
    ),
    "Chicago, author and date": (
        "Lind, Ada, and Bo Wu. 2018. “Rivers of Salt.” Journal of Rivers 3 (2): 1–20.",
        "Rivers of Salt",
        ("Lind, Ada", "Bo Wu"),
        2018,
    ),
    "Harvard": (
        "Lind, A. (2011) 'What rivers say', Journal of Rivers, 3(2), pp. 4-5.",
        "What rivers say",
        ("Lind, A.",),
        2011,
    ),
    "Harvard, without brackets": (
        "Lind, A., 2020. A study of dams. J. Rivers 12, 4.",
        "A study of dams",
        ("Lind, A.",),
        2020,
    ),
    "Springer": (
        "Lind, A., Wu, B.: Measuring long rivers. In: Proc. of Rivers, pp. 1–2. Springer (2020)",
        "Measuring long rivers",
        ("Lind, A.", "Wu, B."),
        2020,
    ),
    "Elsevier, numbered": (
        "A. Lind, B. Wu, A method for measuring salt in rivers, Journal of Rivers 12 (2020) 34–56.",
        "A method for measuring salt in rivers",
        ("A. Lind", "B. Wu"),
        2020,
    ),
    "plain BibTeX": (
        "Ada Lind, Bo Wu, and Cy Roe. Salt is all you need. In Proceedings of Salts, 2017.",
        "Salt is all you need",
        ("Ada Lind", "Bo Wu", "Cy Roe"),
        2017,
    ),
    "plain BibTeX, initials": (
        "D. P. Lind and J. Ba. Eve: A method for slow descent. arXiv:1412.6980, 2014.",
        "Eve: A method for slow descent",
        ("D. P. Lind", "J. Ba"),
        2014,
    ),
    "a question": (
        "Roe, A. M. (1950). Can rivers think? Mind, 59, 433.",
        "Can rivers think?",
        ("Roe, A. M.",),
        1950,
    ),
    "a question with an answer": (
        "Lee, J. et al. Is salt enough? An empirical study. In Salts, 2020.",
        "Is salt enough? An empirical study",
        ("Lee, J.",),
        2020,
    ),
    "GB/T 7714": (
        "张三, 李四. 基于河流的方法研究[J]. 水利学报, 2020, 12(3): 4-5.",
        "基于河流的方法研究",
        ("张三", "李四"),
        2020,
    ),
    "GB/T 7714 in English": (
        "LIND A, WU B. Salt is all you need[C]//Salts. 2017: 5998-6008.",
        "Salt is all you need",
        ("LIND A", "WU B"),
        2017,
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_reads_a_citation_style(style: str) -> None:
    text, title, authors, year = STYLES[style]
    parsed = parse_reference(text)
    assert (parsed.title, parsed.authors, parsed.year) == (title, authors, year)


@pytest.mark.parametrize("style", STYLES)
def test_every_part_is_a_substring_of_the_entry(style: str) -> None:
    text = STYLES[style][0]
    parsed = parse_reference(text)
    place = 0
    for author in parsed.authors:
        assert (place := text.find(author, place)) >= 0
    assert parsed.title in text


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Lind A. Dams. https://doi.org/10.1000/abc.12.", {"doi": "10.1000/abc.12"}),
        ("Dams. doi:10.1016/S0140-6736(20)30183-5.", {"doi": "10.1016/S0140-6736(20)30183-5"}),
        ("(see 10.1000/xyz)", {"doi": "10.1000/xyz"}),
        ("arXiv preprint arXiv:1706.03762v5, 2017", {"arxiv": "1706.03762"}),
        ("ArXiv, abs/1806.01620.", {"arxiv": "1806.01620"}),
        ("https://arxiv.org/abs/hep-th/9901001", {"arxiv": "hep-th/9901001"}),
        ("https://doi.org/10.48550/arXiv.2004.07180", {"doi": "10.48550/arXiv.2004.07180", "arxiv": "2004.07180"}),
        ("Lancet 2019. PMID: 12345678; PMCID: PMC1234567", {"pmid": "12345678", "pmcid": "PMC1234567"}),
        ("Nothing here: 10.5 metres, 2004.", {}),
    ],
)
def test_ids_have_no_prefix(text: str, ids: dict[str, str]) -> None:
    assert find_identifiers(text) == ids


def test_an_invalid_doi_is_empty() -> None:
    assert find_doi("no digits") == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Personal communication.",
        "See above.",
        "https://dams.example/page",
        "Proceedings of the 3rd Conference on Dams, pp. 1–20, 2019.",
        "Lind A, Wu B, and. 12.",
        "Ibid., p. 12.",
    ],
)
def test_an_uncertain_title_is_left_empty(text: str) -> None:
    assert parse_reference(text).title == ""


def test_an_access_date_is_not_the_year() -> None:
    parsed = parse_reference("Lind, A. The dam pages. https://dams.example, 2015. Accessed 3 May 2021.")
    assert parsed.year == 2015


def test_pages_and_volumes_are_not_years() -> None:
    assert parse_reference("Lind A, Wu B. On dams and weirs. Rivers. 2003;1999-2004:12.").year == 2003


@pytest.mark.parametrize(
    "unit", ["a, ", "A. ", "(", "Lind, A., ", "“", "Aa ", "A-", "van ", "[1", "? ", "'A", "10.1000/", "(2020). ", "…"]
)
def test_parses_long_and_unusual_input_in_bounded_time(unit: str) -> None:
    parse_reference(unit * 100_000)


def test_mutations_are_read_without_an_error() -> None:
    draw = Random(7)
    texts = [text for text, *_ in STYLES.values()]
    for _ in range(1_500):
        text = list(draw.choice(texts))
        for _ in range(draw.randint(1, 12)):
            text[draw.randrange(len(text))] = draw.choice("().,;:&“”\"' [](2020)A z张\ud800\0")
        parsed = parse_reference("".join(text[: draw.randint(1, len(text))]))
        assert parsed.year is None or 1500 <= parsed.year < 2100


@pytest.mark.parametrize(
    "text, title, authors",
    [
        (
            "Mira T. Holt, Jan ten Have, and Zoë O'Dell. Lamps of the old harbor. Light Notes C, 12:3–9, 2016.",
            "Lamps of the old harbor",
            ("Mira T. Holt", "Jan ten Have", "Zoë O'Dell"),
        ),
        ("Åsa Krog. Fog horns after dark. Signal Letters, 2:14–20, 1999.", "Fog horns after dark", ("Åsa Krog",)),
        (
            "Mira T. Holt. A lens for every port. In Proceedings of the Lamp Workshop, pages 3–9, 2018.",
            "A lens for every port",
            ("Mira T. Holt",),
        ),
        (
            "Lee J. Park, Ann Moe, et al. Beacons are enough. In Annual Meeting on Lamps, pages 1–4, 2017.",
            "Beacons are enough",
            ("Lee J. Park", "Ann Moe"),
        ),
        (
            "Mira T. Holt, JK Moe, and Ann Roe. Wicks and oil in winter. Light Notes, 3:4–9, 2005.",
            "Wicks and oil in winter",
            ("Mira T. Holt", "JK Moe", "Ann Roe"),
        ),
        # The initial of an inverted name ends the authors.
        ("Holt M. Bright Lamps. Light Notes Abroad 2020;3:4-9.", "Bright Lamps", ("Holt M.",)),
        ("Holt MT, Krog A. Bright lamps at sea. Light 2020;3:4.", "Bright lamps at sea", ("Holt MT", "Krog A.")),
        ("Bright Lamps. Harbor Press, 2016.", "", ()),
    ],
)
def test_given_names_first(text: str, title: str, authors: tuple[str, ...]) -> None:
    fields = parse_reference(text)
    assert (fields.title, fields.authors) == (title, authors)


@pytest.mark.parametrize("title, kept", [("Guns, Germs, and Steel", True), ("Graph Theory and Linear Algebra", True)])
def test_titles_that_list_things_are_kept(title: str, kept: bool) -> None:
    assert bool(parse_reference(f"Holt, M. (2001). {title}. Harbor Press.").title) is kept


def test_a_title_that_consists_of_names_is_none() -> None:
    assert parse_reference("Holt, M. (2001). Abel, Jan ten Have, and Ann Moe. Harbor Press.").title == ""
