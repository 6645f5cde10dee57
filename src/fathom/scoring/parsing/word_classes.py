"""Writes a text as sentences of word classes, with the key's items and the numbers marked.

Each word becomes one letter of its class, so that a pattern over a row of letters can tell "the highest is Lind" from
"the one after Lind" without knowing verbs or nouns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from fathom.scoring.parsing.normalization import INITIALS, UNIFORM_SIGNS, bare_letter, plain
from fathom.scoring.parsing.numerals import FoundNumber, every_number

MAX_CHARACTERS: Final = 4_000
MAX_SPELLINGS: Final = 200
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_CLASSES: Final = {
    "x": """
        no not none neither nor nothing nobody cannot hardly than or but when how why i we my you your also too
        other another else such more fewer less few same tie tied ties joint jointly equal equally about approx
        approximately circa between half anyone someone everyone anybody somebody everybody should must likely
        probably think sorry user users like similar initially after vs versus also though while if although
        candidate candidates possible ruled plus anything thought unrelated plausible say said says around following
        follows missing 等 也 可 但 另 不 没 無 无 非 之 约 近 似
    """,
    "X": """
        naive naively tempting myth pretend prove withdrawn disagree mistake
        never except excepting excluding excluded exclude besides unlike without either unless whether suppose
        supposing supposed assume assuming would could might may perhaps maybe possibly unlikely apparently
        seemingly presumably almost nearly close closer closest near nearer nearest roughly runner before behind
        ahead preceding preceded precedes some several include includes including part partly partially etc example
        similarly instead rather however whereas despite until yet still wrong incorrect false mistaken untrue
        disqualified fail fails failed lack lacks missed guess guesses guessed doubt unsure unclear unknown
        uncertain claim claims claimed additionally furthermore moreover tentative tentatively disputed contested
        rejected eliminated omitted ignoring wait oops actually previous previously formerly original originally
        earlier former thinks believes argues possibility alternative alternatively resembles short jr sr junior
        senior worst 若 未 或 除
    """,
    "a": "is are was were be been being 是 为 為",
    "h": "has have had do does did 有 共 占 达 合",
    "b": "both all each 均 都 只 仅",
    "d": "the a an this these those its their his her our every 其 该 这 此",
    "f": "of 的",
    "y": "by",
    "p": """
        in on at with against from to for under over per within across during through via as among
        在 于 由 从 按 以 对 根 据
    """,
    "c": "and 和 与 及",
    "r": "who which that whose where what qui que",
    "n": "only just namely precisely exactly simply solely alone clearly altogether overall together",
    "s": "so thus therefore hence accordingly consequently 因 故",
    "t": "then next finally lastly followed-by",
    "g": "belongs-to belong-to goes-to go-to went-to",
    "l": """
        article articles paper papers document documents doc docs table tables page pages section reference
        references note chapter row line figure author authors company companies
    """,
    "2": "twice",
}  # fmt: skip
"""The closed word classes, by the letter that stands for a word in a row:

- a "is", h "has", b "both", d "the", f "of", y "by", p other prepositions, c "and", r "which", n "only", s "therefore",
  t "then", g "belongs to", o ordinals, 2 "twice";
- l what labels the number after it ("Article 3"), z a name with "'s", w any other word in small letters;
- I an item of the key, N a number;
- x whatever may deny, hedge, compare or exclude, with X for words that no response has that states an answer in its own
  words. In a row, X is a name that the key does not have, or a quotation.
"""
_CLASS_OF: Final = {
    word: kind.replace("X", "x") for kind, words in _CLASSES.items() for word in words.split()
} | dict.fromkeys((*ORDINALS, "last"), "o")
CLOSED_WORDS: Final = frozenset(_CLASS_OF)
CONNECTIVES: Final = frozenset({word for word, kind in _CLASS_OF.items() if kind in "stonb"})
"""What may be between two commas without being an item of its own: "Thus, Lind and Wu"."""
PLACES: Final = tuple(
    [
        {
            word,
            f"{index}{('th', 'st', 'nd', 'rd')[index] if index < 4 else 'th'}",
            f"第{'一二三四五六七八九十'[index - 1]}",
        }
        for index, word in enumerate(ORDINALS, start=1)
    ]
)
"""The spellings of each ordinal."""
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
TITLED: Final = frozenset({"titled", "entitled", "named", "called"})
_ITEMS, _NUMBERS = 0xE000, 0xF000
"""Private characters that stand for the items and the numbers of a text."""
_TOKEN = re.compile(
    r"第[一二三四五六七八九十]|[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:[-'.&][^\W\d_\u4e00-\u9fff]+)*|->|=>|\S"
)
_JOINED = (
    (re.compile(r"(?i:\b(it|that|here|there)'s\b)"), r"\1 is"),
    (re.compile(r"\b[Cc]'is\b"), "it is"),
    (re.compile(r"[只仅]有"), "只"),
    (re.compile(r"(?<=[\ue000-\uefff]) ?[:=](?= [\uf000-\uf8ff])"), " is"),
    (re.compile(r"(?i:\b(?:article|paper|document) [\uf000-\uf8ff] ?[-:,] ?(?=[\ue000-\uefff]))"), ""),
    (re.compile(r"(?i:\bas well as\b)"), "and"),
    (re.compile(r"(?i:\bfollowed by\b)"), "followed-by"),
    (re.compile(r"(?i:\b(?:consists?|consisting|composed|made up) of\b)"), "is"),
    (re.compile(r"(?i:\band, (then|finally|lastly),)"), r"and \1"),
    (re.compile(r"(?i:,? and (?:no|nobody|none) (?:others?|else)\b[^.,;\ue000-\uf8ff]*(?=[.]|\Z))"), ""),
    (re.compile(r"(?i:\band so (?:on|forth)\b|以外|之外)"), "etc"),
    (re.compile(r"(?i:\b(?:apart|aside) from\b|\banything but\b)"), "except"),
    (re.compile(r"(?i:\b(add\w*|sum\w*|com\w*|amount\w*) up to\b)"), r"\1 to"),
    (re.compile(r"(?i:\b(?:is|are|was|were) to\b)"), "would"),
    (re.compile(r"(?i:\b(belongs?|goe?s?|went) to\b)"), r"\1-to"),
    (
        re.compile(
            r"(?i:\b(?:more|less|fewer|greater|higher|lower|larger|longer|shorter|better) than "
            r"(?=\S{0,4}[\d\uf000-\uf8ff]))"
        ),
        "",
    ),
    (re.compile(r"(?i:(?<=[\d\uf000-\uf8ff]) or (?:more|fewer|less|higher|lower|longer|shorter|later|earlier)\b)"), ""),
    (
        re.compile(
            r"(?i:,?[ \t](?:more|fewer|less|higher|lower|larger|smaller|longer|shorter) (?:[a-z]+ ){0,2}than "
            r"(?:any(?:one|body)?(?: else|(?: of the)? others?(?: [a-z]+)?)?|all(?: of)?(?: the)? others?)(?=[.;,]|\Z))"
        ),
        " most",
    ),
)  # fmt: skip
"""Phrases that count as one word, and comparisons that exclude nothing: "more than 5", "more than anyone else"."""
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,2}|`)(?=[^\s*_`])([^\n*`]{1,400}?)(?<=\S)\1(?!\w)")
_ASIDE = re.compile(r"[ \t]?\(([^()\n]{1,160})\)|[ \t]?\[(?:[A-Za-z]{2,9} )?([\uf000-\uf8ff])\]")
_FIGURE_ASIDE = re.compile(r"[ \t]?\(([\uf000-\uf8ff])(?: [a-z]{1,20})?\)")
_BULLET = re.compile(r"^[^\w\"\x04\n(\[{$\ue000-\uf8ff]+", re.MULTILINE)
_PLACE = re.compile(
    r"(?:^|(?<=[\s;,]))\(?(?:([\uf000-\uf8ff])[.):]?|([A-Z])[.)])[ \t]+(?=[\ue000-\uefff])", re.MULTILINE
)
"""The number of an item in a numbered list."""
_OTHER_SCRIPT = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_CHINESE_NAME = re.compile(r"有限公司|股份公司|集团公司|[\u4e00-\u9fff]{3}集团")
_OPEN_END = re.compile(r"\.\.\.|…|[✗✘❌]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_BESIDE_CHINESE = re.compile(r"(?<=[\u4e00-\u9fff])(?=\d)")
_CHINESE_STOPS = str.maketrans({"、": ",", "。": "."})
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_][^\W_][.!?])[ \t\n]+(?=[^a-z])|(?<=[\d)\"\ue000-\uf8ff][.!?])[ \t\n]+|(?<=[.!?:])\n\s*"
)
_CLOSINGS = frozenset({("no", "other"), ("nobody", "else"), ("none", "other"), ("no", "others")})
_BRACKETS = str.maketrans(dict.fromkeys("[]{}", ""))
_ENDS_IN_VERB = re.compile(r"(?<=\w[ \t])(is|are|was|were)[ \t]*\n")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_HAS_ITEM = re.compile(r"[\ue000-\uefff]")
HAS_NUMBER = re.compile(r"[\uf000-\uf8ff]")
_LINE_END = re.compile(r"(?<=[^\s.!?:;,])[ \t]*\n\s*")
SEPARATORS: Final = ",;.-:<>"


_OPEN_WORDS: Final = frozenset(_CLASSES["X"].split())
_OPEN_PHRASE = re.compile(
    r"\b(?:(?:apart|aside) from|anything but|and so (?:on|forth)|if(?! you| i'm| i am| needed| any))\b"
    r"|若|未|或|除|以外|之外|至少|至多",
    re.IGNORECASE,
)
_OPEN_TOKEN = re.compile(r"[a-z]+")
_OWN_VERDICT = re.compile(r"\bI(?: would|'d) (?:say|classify|call|answer|choose|pick|label|describe)\b")
_THEREFORE = re.compile(
    r"(?:,|\.) (?i:so|thus|therefore|hence),? (?P<result>(?:it|this|that|the)\b[^,;.]*\b(?:is|are|was)\b[^,;]*)\Z"
)
"""The conclusion of a sentence, which holds whatever its reasons leave open."""
_QUOTATION = re.compile(r"[\"“«《][^\"“”«»《》\n]{1,400}[\"”»》]")


def leaves_open(text: str, spellings: Iterable[str]) -> bool:
    """Whether a text in the responder's own words denies something, leaves it open or tells what others think.

    Words inside a quotation or a spelling of the key do not count.
    """
    if _OPEN_WORDS.isdisjoint(_OPEN_TOKEN.findall(text.lower())) and not _OPEN_PHRASE.search(text):
        return False
    text = _OWN_VERDICT.sub(" ", _QUOTATION.sub(" ", text))
    if therefore := _THEREFORE.search(text):
        text = therefore["result"]
    words = _OPEN_WORDS.intersection(_OPEN_TOKEN.findall(text.lower()))
    return _OPEN_PHRASE.search(text) is not None or not all(
        any(word in spelling.lower() for spelling in spellings) for word in words
    )


class Sentence(NamedTuple):
    """A sentence as a row of word classes."""

    row: str
    """One letter or sign per word; "I" is an item, "N" a number, "X" a name or a quotation."""
    words: tuple[str, ...]
    """The words in small letters; for an item or a number its private character."""


class Marked(NamedTuple):
    """A text whose items and numbers are marked."""

    sentences: tuple[Sentence, ...]
    names: tuple[str, ...]
    """The spelling of each item in order."""
    sure: tuple[bool, ...]
    """Whether the end of the item is certain: it is quoted, or all its words have capital letters."""
    numbers: tuple[FoundNumber, ...]
    text: str

    def name(self, sign: str) -> str:
        return self.names[ord(sign) - _ITEMS]

    def is_sure(self, sign: str) -> bool:
        return self.sure[ord(sign) - _ITEMS]

    def number(self, sign: str) -> FoundNumber:
        return self.numbers[ord(sign) - _NUMBERS]

    @property
    def ratios(self) -> frozenset[str]:
        """The signs of the numbers with "%"."""
        return frozenset([chr(_NUMBERS + at) for at, one in enumerate(self.numbers) if one.unit == "%"])


def _bare(text: str) -> str:
    """The text without accents, in the signs that `letters` uses, but with its capital letters."""
    text = _ENDS_IN_VERB.sub(r"\1:\n", text.replace("—", " — "))
    text = unicodedata.normalize("NFKC", text.translate(UNIFORM_SIGNS))
    if not text.isascii():
        text = "".join([one if one.isascii() else _bare_letter(one) for one in text])
    return INITIALS.sub(".", text).replace(" & ", " and ").replace(", and ", " and ")


@lru_cache(maxsize=4096)
def _bare_letter(letter: str) -> str:
    bare = "".join(map(bare_letter, letter.casefold()))
    return bare.capitalize() if letter.isupper() else bare


def marked(text: str, spellings: Mapping[str, str], figures: bool = False) -> Marked | None:
    """The text with its items and numbers marked; None if it cannot be a few sentences about them.

    `spellings` gives the key's own spelling of each name in small letters without accents. With `figures`, a number in
    brackets behind a name counts.
    """
    text = text.strip()
    too_long = len(text) > MAX_CHARACTERS or len(spellings) > MAX_SPELLINGS
    if too_long or _OTHER_SCRIPT.search(text) or _OPEN_END.search(text) or _PRIVATE.search(text):
        return None
    bare = _bare(_EMPHASIS.sub("\x04\\2\x04", plain(text) if "$" in text or "\\" in text else text))
    bare = bare.strip("[]{}$: \t\n")
    if bare[:1] == "(" and ")" not in bare[:-1]:
        bare = bare[1:].rstrip(")")
    bare = bare.removesuffix(")") if "(" not in bare else bare
    names = _Names(bare, spellings)
    bare = names.text if spellings else _QUOTATION.sub("Q", names.text)
    numbers, counted = every_number(bare), bare
    if len(names.found) > 1000 or len(numbers) > 1000 or bool(spellings) > bool(names.found):
        return None
    for at in range(len(numbers) - 1, -1, -1):
        bare = f"{bare[: numbers[at].start]}{chr(_NUMBERS + at)}{bare[numbers[at].end :]}"
    bullets = [line for line in bare.split("\n") if _BULLET.match(line)]
    bare = _FIGURE_ASIDE.sub(r" \1", bare) if figures else bare
    bare = _ASIDE.sub(_without_aside, _without_places(_BULLET.sub("", bare), numbers))
    for pattern, instead in _JOINED:
        bare = pattern.sub(instead, bare)
    lines = _LINE_END.split(bare.translate(_BRACKETS))
    for group in (bullets, lines):
        if len(group) > 1 and spellings and not all(map(_HAS_ITEM.search, group)):
            return None
    sentences = [_sentence(part) for part in _SENTENCE_END.split("; ".join(lines)) if part.strip()]
    if len(sentences) > 1 and "\n" not in text and re.fullmatch(r"[rx][^I]*\?", sentences[0].row):
        sentences = sentences[1:]  # the question; on a line of its own it may be a title
    sentences = [sentence for sentence in sentences if not _is_closing(sentence)]
    if not sentences or _CHINESE_NAME.search(bare):
        return None
    return Marked(tuple(sentences), tuple(names.found), tuple(names.sure), tuple(numbers), counted)


class _Names:
    """The names of a text, and the text with a private character in place of each."""

    def __init__(self, text: str, spellings: Mapping[str, str]) -> None:
        self.found: list[str] = []
        self.sure: list[bool] = []
        letter = r"\w"
        if _CHINESE.search(text):
            text, letter = _BESIDE_CHINESE.sub(" ", text.translate(_CHINESE_STOPS)), r"[^\W\u4e00-\u9fff]"
        small = text.lower()
        # A pattern of all spellings would take longer to compile than all else.
        present = sorted([form for form in spellings if form in small], key=len, reverse=True)
        if present:
            pattern = re.compile(
                rf"(?P<open>[\"\x04]*)(?<!{letter})(?<![/-])(?P<name>{'|'.join(map(re.escape, present))})"
                rf"[?!]?(?P<stop>[.,]?)(?P<close>[\"\x04]*)(?!{letter}|/|[-']\w)",
                re.IGNORECASE,
            )
            self._spellings = spellings
            text = pattern.sub(self._mark, text)
        self.text = text.replace("\x04", "")

    def _mark(self, found: re.Match[str]) -> str:
        spelling, written = self._spellings[found["name"].lower()], found["name"]
        quoted = bool(found["open"] and found["close"])
        if not quoted and " " not in written and written[0].islower() and spelling[0].isupper():
            return found[0]  # "moss" is no name where the key has "Moss"
        self.found.append(spelling)
        self.sure.append(quoted or _is_proper(written))
        before, after = ("", "") if quoted else (found["open"], found["close"])
        return f"{before}{chr(_ITEMS + len(self.found) - 1)}{after}{found['stop']}"


def _without_places(text: str, numbers: Sequence[FoundNumber]) -> str:
    """The text without the numbers or letters of a list whose items are numbered 1, 2, 3."""
    places = [
        numbers[ord(number) - _NUMBERS].value if number else ord(letter) - ord("A") + 1
        for number, letter in _PLACE.findall(text)
    ]
    return _PLACE.sub("", text) if len(places) > 1 and places == [*range(1, len(places) + 1)] else text


def _is_closing(sentence: Sentence) -> bool:
    """Whether a sentence says that there is nothing else: "No other article qualifies." """
    return sentence.words[:2] in _CLOSINGS and not re.search('x.*x.*x|[IX"]', sentence.row)


def _is_proper(name: str) -> bool:
    """Whether all words of a name have capital letters, so that small letters after it are not a part of it."""
    if not name.isascii() and _CHINESE.match(name):
        return len(name) > 5
    words = [word for word in name.split() if len(word) > 3]
    return " " in name and not name.islower() and all(word[0].isupper() or word[0].isdigit() for word in words)


def _sentence(text: str) -> Sentence:
    words = _TOKEN.findall(text)
    row: list[str] = []
    for at, word in enumerate(words):
        starts = at == 0 or row[-1] in ':."'
        row.append(_class_of(word, starts))
    return Sentence("".join(row), tuple([word.lower() for word in words]))


def _class_of(word: str, starts: bool) -> str:
    if _ITEMS <= ord(word[0]) < _NUMBERS and len(word) == 1:
        return "I"
    if ord(word[0]) >= _NUMBERS and len(word) == 1 and word <= "\uf8ff":
        return "N"
    low = word.lower()
    if low in _CLASS_OF:
        return _CLASS_OF[low]
    if "-" in low and _CLASS_OF.get(low.partition("-")[0]) in {"o", "x"}:
        return "x"  # "second-lowest"
    if _ORDINAL.fullmatch(low) or low[0] == "第":
        return "o"
    if not word[0].isalnum():
        return ">" if word in {"->", "=>", "→"} else word[0]
    if low.endswith("n't") or word[0].isdigit():
        return "x" if word[0].isalpha() else "X"
    if low.endswith("ly") and word == low:
        return "n"
    if word != low and low.endswith("'s"):
        return "z"
    if word == low or starts or (word.isupper() and len(word) < 6):
        return "w"
    return "X"


def _without_aside(aside: re.Match[str]) -> str:
    """Nothing for brackets that name nothing else: "(9 citations)", "[3]"; "(twice)" is a part of the sentence."""
    inside = _sentence(f"a {aside[1] or ''}")
    if inside.words[1:] in {("twice",), ("2x",)}:
        return " twice"
    return "" if aside[2] or not re.search(r"[xXI\"oc]", inside.row) else aside[0]
