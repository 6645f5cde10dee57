"""Bylines: the names between a title and the text."""

from __future__ import annotations

import time

import pytest

from fathom.corpus.readers.parsing.bylines import (
    author_from_parts,
    byline_length,
    find_authors,
    is_surely_personal,
    read_byline,
)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Lind, Bo Wu and Cy van der Aa", ["Ada Lind", "Bo Wu", "Cy van der Aa"]),
        ("Ada Lind1,2∗   Bo Wu2†", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind<sup>1</sup> & Bo D. Wu<sup>2</sup>", ["Ada Lind", "Bo D. Wu"]),
        ("Authors: Ada Lind; Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("By Ada Lind", ["Ada Lind"]),
        ("Ada Lind, Grant F Moss, Bo Wu", ["Ada Lind", "Grant F Moss", "Bo Wu"]),
        ("Ada Lind, Bo Wu, Ann Read", ["Ada Lind", "Bo Wu", "Ann Read"]),
        ("Ada Lind, Bo Wu, Grant Agreement", []),
        ("Ada Lind, Bo Wu, Robert Bosch", []),
        ("Grant Moss", []),
        ("Eva C Felix Salt, Bo W. J. Wu, Uma G Das", ["Eva C Felix Salt", "Bo W. J. Wu", "Uma G Das"]),
        ("Ada Lind, Bo Wu, for the SALT-2 Investigators", ["Ada Lind", "Bo Wu", "for the SALT-2 Investigators"]),
        ("Ada Lind, Investigators", []),
        ("Wei Wang, Ada Lind, Wei Wang", []),
        ("Wang, W.; Lind, A.; Wang, W.", []),
        ("Ada Lind (ada@salt.example), Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind (University of Salt)", ["Ada Lind"]),
        ("\\\\AndAriel Moss ∗", ["Ariel Moss"]),
        ("Francesca Sousa, Frances Corpuz", ["Francesca Sousa", "Frances Corpuz"]),
        ("ETH Zürich, UT Austin, Together AI, New York", []),
        ("Salt University, Hospital of Moss, France", []),
        ("ada@salt.example Ada Lind", ["Ada Lind"]),
        ("Research Article, Open Access", []),
        ("We count ferns.", []),
    ],
)
def test_names_are_found_among_other_lines(line: str, names: list[str]) -> None:
    assert [author.printed for author in find_authors([line])] == names


@pytest.mark.parametrize(
    ("paragraphs", "length"),
    [
        (["Ada Lind, Bo Wu", "Ferns were counted."], 1),
        (["Ada Lind, PhD", "University of Salt\nada@salt.example", "Bo Wu", "Ferns are old."], 3),
        (["Ada Lind\nSalt College", "Related Work"], 1),
        (["Ferns were counted.", "Ada Lind"], 0),
        (["Ada Lind was warm."], 0),
        (["University of Salt", "Ada Lind"], 0),
        (["Open Access"], 0),
        ([""], 0),
        ([], 0),
    ],
)
def test_a_byline_ends_before_the_text(paragraphs: list[str], length: int) -> None:
    assert byline_length(paragraphs) == length


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("Ada Lind¹ · Bo Wu²\n¹ Tin College, Oslo, Norway\n² Moss Institute", ["Ada Lind", "Bo Wu"]),
        ("<p>Ada Lind<br/>Bo Wu</p>", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind with Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind / Bo Wu", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind - Tin College\nBo Wu - Moss College", ["Ada Lind", "Bo Wu"]),
        ("ADA LIND and BO WU", ["ADA LIND", "BO WU"]),
        ("ADA LIND\nMIT CSAIL", ["ADA LIND"]),
        ("Lind, Ada; Wu, Bo; van der Aa, Cy", ["Ada Lind", "Bo Wu", "Cy van der Aa"]),
        ("Lind, A., Wu, B. C. and Moss, C.", ["A. Lind", "B. C. Wu", "C. Moss"]),
        ("Ada Lind, Tin College; Bo Wu, Moss Institute", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind, PhD, and Dr. Bo Wu, MD, MPH", ["Ada Lind", "Bo Wu"]),
        ("Suharyono and Budi Santoso", ["Suharyono", "Budi Santoso"]),
        ("Ada Lind (Fenwick) and Bo Wu (Salt Marsh)", ["Ada Lind", "Bo Wu"]),
        ("Ada Lind and the Tin Coast Consortium", ["Ada Lind", "Tin Coast Consortium"]),
        ("María de los Ángeles Ruiz de la Vega y Gil, Jean-Luc d'Ardenne", ["María de los Ángeles Ruiz de la Vega y Gil", "Jean-Luc d'Ardenne"]),  # noqa: E501
        ("Posted by Ann Lee on May 4, 2022 | 5 min read", ["Ann Lee"]),
        ("Ann Lee · 2022-05-04", ["Ann Lee"]),
        ("Ada Lind*, Bo Wu*\n\\* These authors contributed equally", ["Ada Lind", "Bo Wu"]),
        ("1 Tin College &Cy Roe\ncy@tin.example", ["Cy Roe"]),
        ("佐藤 花子、高橋 一郎", ["佐藤 花子", "高橋 一郎"]),
        ("김민수, 이영희", ["김민수", "이영희"]),
        ("Анна Петрова и Игорь Смирнов", None),
        ("ada lind and bo wu", None),
        ("Ada Lind, Salt", None),
        ("Plato", None),
        ("Ada Lind et al.", None),
        ("Ada Lind and others", None),
        ("Edited by Ada Lind", None),
        ("Ada Lind, with photographs by Bo Wu", None),
        ("Ada Lind, Bo Wu (eds.)", None),
        ("Ada Lind (with Anna Wu)", None),
        ("Ana Ruiz y Luis Gil", None),
        ("Nora Gupta Ahmed Salt, Bo Wu", None),
        ("Ada Lind Tin College of SaltBo Wu", None),
        ("Ada Lind, National University of SingaporeBo Wu", None),
        ("Ada Lind University of Salt\nBo Wu", None),
        ("Ada Lind1, Bo Wu2\nSalt Lake, Grand Rapids", None),
        ("Ada Lind\nTIN COLLEGE STAFF", None),
        ("Ada Lind\nada@tin.example, bo@tin.example", None),
        ("The Tin Team", None),
        ("王明 东海大学 李华 滨江学院", None),
        ("Ada Lind\n" * 300, None),
        ("Why ferns grow slowly", None),
        ("Ada Lind and Grant Smith", None),
        ("Ada Lind\nJonathan Press", None),
        ("Ada Lind\nProject lead: Anna Wu", None),
        ("Ada Lind\nCorresponding author: A. Lind", ["Ada Lind"]),
        ("Ada Lind\nAnn College", None),
        ("Ada Lind\nTin College", ["Ada Lind"]),
    ],
)  # fmt: skip
def test_a_byline_is_understood_as_a_whole_or_unknown(lines: str, names: list[str] | None) -> None:
    byline = read_byline(lines.split("\n"))
    assert byline.is_known == (names is not None), byline.unexplained
    if names is not None:
        assert [author.printed for author in byline.authors] == names
    else:
        assert byline.reason


@pytest.mark.parametrize(
    ("line", "surely"),
    [("By Salt Lake", True), ("Jane Doe", True), ("J. Doe", True), ("Deep Learning", False), ("Salt Lake", False)],
)
def test_bare_names_need_a_given_name_or_a_label(line: str, surely: bool) -> None:
    assert is_surely_personal(read_byline([line])) == surely


@pytest.mark.parametrize(
    "line",
    ["a" * 2_000, "A" * 900 + ", " + "b" * 900, "(" * 2_000, "Ada, " * 400, "&" * 2_000, "{a,b}@" * 300, "1 " * 999],
)
def test_long_lines_take_little_time(line: str) -> None:
    start = time.process_time()
    read_byline([line] * 20)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("group", ["Tide Project: River Biology", "Salt Atlas Initiative", "Open Tide Network"])
def test_a_group_that_may_be_an_author_leaves_the_authors_unknown(group: str) -> None:
    assert not read_byline([f"Ada Lind, Bo Wu, {group}"]).is_known
    assert read_byline(["Ada Lind, Bo Wu", "Department of Population Studies, Salt University"]).is_known


@pytest.mark.parametrize(
    ("given", "family", "expected"),
    [
        ("The ATLAS", "Collaboration", ("", "The ATLAS Collaboration", True)),
        ("", "Tide Consortium", ("", "Tide Consortium", True)),
        ("Ann", "College", ("Ann", "College", False)),
        ("Ann B.", "Wu", ("Ann B.", "Wu", False)),
        ("Suharto", "", ("", "Suharto", False)),
    ],
)
def test_a_group_whose_name_was_split_is_a_group(given: str, family: str, expected: tuple[str, str, bool]) -> None:
    author = author_from_parts(given, family)
    assert (author.given, author.family, author.group) == expected
