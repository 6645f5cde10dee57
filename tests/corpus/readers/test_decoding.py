"""Detection of file encodings."""

from __future__ import annotations

import pytest

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.parsing.decoding import decode, decode_text

TEXTS = {
    "gb18030": (
        "夜里的潮水把盐带进了沼泽，我们在三个地方测量了它的浓度。",
        "编号,地名\n一,芦苇滩\n二,老码头\n",
        "这本手册说明了怎样使用仪器，以及在下雨的时候要注意什么。",
    ),
    "big5": ("夜裡的潮水把鹽帶進了沼澤，我們在三個地方測量了它的濃度。", "地名,人口\n台中,31\n花蓮,12\n"),
    "cp932": ("夜の潮が湿地に塩を運び、私たちは三つの場所でその濃度を測った。", "都市,人口\n京都,31\n奈良,12\n"),
    "euc_jp": ("夜の潮が湿地に塩を運び、私たちは三つの場所でその濃度を測った。",),
    "euc_kr": ("밤의 조수가 습지로 소금을 옮기고 우리는 세 곳에서 그 농도를 재었다.", "도시,인구\n대구,31\n광주,12\n"),
    "cp1251": ("Ночной прилив приносит соль на болото, и мы измеряли её в трёх местах.",),
    "koi8-r": ("Ночной прилив приносит соль на болото, и мы измеряли её в трёх местах.",),
    "cp1253": ("Η παλίρροια φέρνει αλάτι στον βάλτο και το μετρήσαμε σε τρία σημεία.",),
    "cp1252": (
        "Sälz",
        "x,y\nZürich,1\n",
        "The naïve “reader” – as in the dictionary – didn’t use a façade of words.",
        "The method of Bjørnsen and of Peña was used in the study with the samples.",
        "Das Wasser trägt über Nacht Salz in die Wiesen; gemessen haben wir früh an drei Plätzen.",
        "La marée amène du sel dans le marais, où nous l’avons mesuré à trois endroits différents.",
        "La marea lleva sal a la ciénaga y la medimos en tres sitios señalados por los niños del año.",
        "Tidevannet fører salt inn på myra, og vi målte det på tre steder før været slo om på øya.",
    ),
    "cp1250": (
        "Przypływ niósł sól na bagno, więc zmierzyliśmy ją w trzech różnych miejscach, zanim się ściemniło.",
        "Příliv přinášel sůl do močálu a my jsme ji měřili na třech místech, než přišla tma.",
        "A dagály sót hozott a mocsárba, ezért három különböző helyen mértük meg, mielőtt elsötétült az idő. "
        "Később a szél is erősödött, és a fűzfák alatt kerestünk védett helyet a műszereknek.",
        "The score of the Dvořák quartet was kept in the house of the town.",
    ),
    "cp1254": ("Gelgit bataklığa tuz taşıdı; biz de onu üç ayrı yerde ölçtük, çünkü akşam oluyordu ve ışık azdı.",),
    "iso2022_jp": ("夜の潮が湿地に塩を運ぶ。",),
    "utf-16-le": ("Tides carry salt.", "夜里的潮水把盐带进了沼泽\n我们在三个地方测量"),
    "utf-16-be": ("Tides carry salt.", "夜里的潮水把盐带进了沼泽\n我们在三个地方测量"),
    "utf-32-le": ("Tides carry salt.",),
    "utf-32-be": ("Tides carry salt.",),
}


@pytest.mark.parametrize(("encoding", "text"), [(name, one) for name, texts in TEXTS.items() for one in texts])
def test_finds_the_encoding_by_the_words(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.note


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_the_encoding(encoding: str) -> None:
    decoded = decode("Sälz\r\nMoos\rEnde".encode(encoding))
    assert (decoded.text, decoded.note) == ("Sälz\nMoos\nEnde", "")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Smørrebrød".encode("cp1252"), "cp1252, cp1250"),
        ("ОТЧЕТ О РАБОТЕ".encode("cp1251"), "koi8-r, cp1251"),
    ],
)
def test_names_the_candidates_of_an_undecidable_text(content: bytes, names: str) -> None:
    with pytest.raises(ReadError, match=names):
        decode_text(content)


@pytest.mark.parametrize("encoding", ["mac_roman", "cp437", "cp850"])
def test_refuses_what_would_be_read_as_other_letters(encoding: str) -> None:
    with pytest.raises(ReadError, match="no known encoding"):
        decode_text("La marée amène du sel dans le marais, où nous l'avons mesuré.".encode(encoding))


def test_a_declaration_decides_if_its_characters_fit() -> None:
    short = "Smørrebrød".encode("cp1252")
    assert decode(short, "windows-1252").text == decode(short, "ISO-8859-1").text == "Smørrebrød"
    assert decode("Smřk".encode("iso8859-2"), "ISO-8859-2").text == "Smřk"
    assert decode("盐度".encode("gbk"), "gb2312")[:2] == ("盐度", "gb18030")


def test_ignores_a_wrong_declaration() -> None:
    wrong = "its characters are not in its declared encoding"
    assert decode("盐".encode(), "ascii") == ("盐", "utf-8", wrong)
    assert decode("夜里的潮水把盐带进了沼泽".encode("gbk"), "iso-8859-1") == (
        "夜里的潮水把盐带进了沼泽",
        "gb18030",
        wrong,
    )
    assert decode(b"x", "rot13").text == "x"


def test_a_few_damaged_characters_leave_utf8() -> None:
    content = "Sälz und Öl in grüner Höhe, für über fünf Brüder möglich".encode() * 3
    decoded = decode(content[:-1] + b"\xff.")
    assert decoded.encoding == "utf-8"
    assert "damaged" in decoded.note


@pytest.mark.parametrize("content", [bytes(100), bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n" + bytes(range(200))])
def test_a_binary_file_is_not_text(content: bytes) -> None:
    with pytest.raises(ReadError):
        decode_text(content)
