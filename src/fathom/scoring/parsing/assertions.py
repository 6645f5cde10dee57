"""Reads what a sentence asserts by what remains beside its items.

"It was Lind that had the most articles" and "Only Lind exceeded the threshold" both state Lind. Apart from a few
phrases ("belongs to", "consists of"), this module knows no verbs and no nouns. It marks the items that the key knows
and all numbers, and writes the sentence as a row with one letter per word: forms of "be" and "have", determiners,
prepositions, conjunctions, other words, names. A sentence states its items if

- no word denies, excludes, hedges, compares or offers an alternative ("not", "except", "perhaps", "than", "or"),
- nothing else can be an item: no other name, no quotation, no phrase of its own between two commas,
- each item is where a sentence states something: a subject, after "is", after a colon. After "of" or "citing" it only
  describes something else.

In doubt nothing is read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from fathom.scoring.parsing.non_answers import BOUND
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
"""The closed word classes. Whatever may deny, hedge, compare or exclude has the letter "x", or "X" if no
response that states an answer in its own words has it; "l" labels the number after it."""
_CLASS_OF: Final = {
    word: kind.replace("X", "x") for kind, words in _CLASSES.items() for word in words.split()
} | dict.fromkeys((*ORDINALS, "last"), "o")
CLOSED_WORDS: Final = frozenset(_CLASS_OF)
CONNECTIVES: Final = frozenset({word for word, kind in _CLASS_OF.items() if kind in "stonb"})
"""What may be between two commas without being an item of its own: "Thus, Lind and Wu"."""
_PLACES: Final = tuple(
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
_TITLED: Final = frozenset({"titled", "entitled", "named", "called"})
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
_HAS_NUMBER = re.compile(r"[\uf000-\uf8ff]")
_LINE_END = re.compile(r"(?<=[^\s.!?:;,])[ \t]*\n\s*")
_SEPARATORS: Final = ",;.-:<>"


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


# -- Clauses ------------------------------------------------------------------------------------------------------


class _Clause(NamedTuple):
    """A part of a sentence between two separators, with at most one item."""

    row: str
    words: tuple[str, ...]
    at: int
    """The place of its item; -1 if it has none."""
    closes: str
    """The separator after it."""

    @property
    def before(self) -> str:
        return self.row[: self.at]

    @property
    def after(self) -> str:
        return self.row[self.at + 1 :]

    @property
    def item(self) -> str:
        return self.words[self.at]


def _clauses(sentence: Sentence, sign: str) -> list[_Clause]:
    """The clauses of a sentence; none if one of them has two items. `sign` stands for an item.

    "and" and "then" separate items and clauses about them, while "the highest revenue and margin" is one phrase.
    """
    row, words = sentence
    bounds = [0]
    for at, kind in enumerate(row):
        named, last = sign in row[bounds[-1] : at], row[at - 1 : at]
        between = named and (last == sign or sign in row[at:])
        if kind in _SEPARATORS or (kind == "t" and named) or (kind == "c" and (between or at == bounds[-1])):
            bounds += [at, at + 1]
    bounds.append(len(row))
    clauses = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        part = row[start:end]
        if part.count(sign) > 1:
            return []
        clauses.append(_Clause(part, words[start:end], part.find(sign), row[end : end + 1]))
    return clauses


# -- Names --------------------------------------------------------------------------------------------------------

_HARMLESS = re.compile(r"[abcdfghlnoprstwyIN2,;:.<>-]*")
_NAME_BESIDE = re.compile(r"(?<=[pfy])d?X+z?|X*z(?=[^I,;:]*a)")
"""A name that the subject belongs to: "the first author of the LIGO papers is", "Wu's co-authors are"."""
_LEAD = re.compile(r"s?|n+|t|[pfr].+|w[pfy].+")
_ANNOUNCEMENT = re.compile(r"(?=.*[ahfpdN])[abcdfhlnoprstwyN]{2,}")
_STRAY_AND = re.compile(r"\Ac|c[-,;.:]|It[-,;.:]")
_ADDITION = re.compile(r"(?:[prsahn].|N[wlp]|w[pfy].).*|")
_ADDITION_TO_LIST = re.compile(r"(?:pN|N[wlp]|r.*[ah]).*|")
_OF_ONE = re.compile(r"d[^I]*|")
"""What may also be added about a single item: "the first author of Article 3"."""
_APPOSITION = re.compile(r"[dN][nwl]{0,2}[wl]")
"""What the names after it are: "Two companies, Alder and Birch, exceed the average.", "The venue, Tides, is"."""
_PREDICATE_OF_ALL = re.compile(r"[ahwbp].+")
_NAMINGS = frozenset({"title", "titled", "entitled", "name", "named", "called", "namely"})
_FIELDS = _NAMINGS | {"type", "label", "author", "company", "result", "output", "article", "winner", "venue", "person"}
"""A word that may be before the colon in front of an item."""
_OPENS = frozenset({"it", "there", "here", "they", "he", "she", "both"})
_STATES = re.compile(r"s?t?n?b?|(?!a).*a(?:[nb]{0,2}|[wn]{1,3}y|[rd]f|d[wl])|.*g|s?[dr][wl]{1,2}|l")
"""What precedes an item that a sentence states: nothing, "is", "held by", "those of", "belongs to", "the article"."""
_STATES_NEXT = re.compile(r"[nb]?")
_STATES_IN_TURN = re.compile(r"t?[nb]?|t?d?(?:[ow]{0,2}[ah]?(?:[rd]f)?|o?w?wp)|(?!a).*[ag]")
"""The same for the next item of a list or ranking: "then comes", "the third is"."""
_TOLD = re.compile(r"|2|(?:b?[ahr]|pN).*")
_TOLD_OF_SURE = re.compile(r"b?(?:[ahrpwnosl2y]|do|fw+aN).*|")

_AGENT = re.compile(r"[ah][wn]{1,2}y")
"""What makes an item the object of another one: "Lind is cited by"."""
_ORDINAL_AFTER = re.compile(r"[wa]?o")
_DESCRIBES = re.compile(r"ing\b|\b(?:cites?|cited|of|by|from)\b")
_FIGURE = re.compile(r"(?:pN[wl]{0,2}|2)?")


def asserted_names(
    text: str, spellings: Mapping[str, str], is_marked: bool, *, ordered: bool, single: bool, repeats: bool
) -> list[str]:
    """The names that the text states, in order; none if it may state anything else.

    `spellings` gives the key's own spelling of each name in small letters without accents.
    """
    found = marked(text, spellings)
    sentence = _stating(found, ordered) if found and found.names and _is_complete(found, is_marked) else None
    if found is None or sentence is None:
        return []
    clauses = _clauses(sentence, "I")
    stated = [clause for clause in clauses if clause.at >= 0]
    sure = all(found.is_sure(clause.item) for clause in stated)
    if not stated or _STRAY_AND.search(sentence.row):
        return []
    bare = not re.search("[ahgwr]", "".join([clause.row for clause in stated]))
    bare = bare and not (sure and (re.search("[ah]", clauses[0].row) or _is_apposition(clauses)))
    if bare and not sure and stated[0].before not in {"", "b"}:
        return []  # "only" may be a part of the name
    beside = [
        _is_beside(clause, clauses[:at], single, sure, bare, stated[0].row[:1] == "s")
        for at, clause in enumerate(clauses)
        if clause.at < 0
    ]
    if not all(beside):
        return []
    for at, clause in enumerate(stated):
        certain = found.is_sure(clause.item)
        if not _is_stated(
            clause, first=not at, last=clause is stated[-1], ordered=ordered, single=single, sure=certain
        ):
            return []
    places = [_place_of(clause) for clause in stated]
    if ordered and sorted(places) == [*range(1, len(places) + 1)]:
        stated = [stated[places.index(index)] for index in range(1, len(places) + 1)]
    if not _is_in_order(stated, ordered) or not all(
        word in _PLACES[0]
        for clause in clauses
        if clause.at < 0
        for word, kind in zip(clause.words, clause.row, strict=True)
        if kind == "o"
    ):
        return []
    names = [found.name(clause.item) for clause in stated]
    if not repeats and len({*names}) < len(names):
        return []
    return [found.name(clause.item) for clause in stated for _ in range(2 if "2" in clause.after else 1)]


def asserted_date(text: str, spellings: Mapping[str, str], is_marked: bool) -> str:
    """The date that a sentence tells: "The road was reopened on December 6, 2018."; empty in doubt.

    Names do not matter here, since none of them can be the date.
    """
    found = marked(text, spellings)
    if found is None or len(found.sentences) != 1 or not _is_complete(found, is_marked):
        return ""
    [(row, words)] = found.sentences
    if not re.fullmatch('[^xN"?]*', row) or len({*found.names}) != 1:
        return ""
    if re.search("I(?![.ahprw]|\\Z)", row):
        return ""  # "2021-06 and Lind"
    told = [words[at - 1] in {"on", "in", "is", "was"} for at, kind in enumerate(row) if kind == "I" and at]
    return found.names[0] if any(told) else ""


def _is_complete(found: Marked, is_marked: bool) -> bool:
    """Whether a text does not break off. An answer that is marked as such needs no full stop."""
    last = found.sentences[-1].row[-1]
    return last not in "abcdfghprxy,:-" if is_marked else last in ".!IN2)"


def _stating(found: Marked, ordered: bool) -> Sentence | None:
    """The sentence that states the items, if the others are harmless."""
    stating = [at for at, sentence in enumerate(found.sentences) if "I" in sentence.row]
    rows = [_without_names_beside(sentence) for sentence in found.sentences]
    if not all(map(_HARMLESS.fullmatch, rows)):
        return None
    refers = found.sentences[stating[-1]].words[0] in _OPENS or found.sentences[stating[-1]].row[0] in "ds"
    others = [
        sentence for at, sentence in enumerate(found.sentences) if at > stating[-1] or (at < stating[0] and not refers)
    ]
    if not all(other.row[0] in "dspnt" or other.words[0] in _OPENS or other.row[-1] == ":" for other in others):
        return None
    if len(stating) > 1 and not (ordered and stating[-1] - stating[0] == len(stating) - 1):
        return None
    words = [word for at in stating for word in found.sentences[at].words]
    return Sentence("".join([rows[at] for at in stating]), tuple(words))


def _without_names_beside(sentence: Sentence) -> str:
    """The row of a sentence in which a name that only describes something is a word: "the papers of Wu"."""
    row = [*sentence.row]
    for match in _NAME_BESIDE.finditer(sentence.row):
        with_other = sentence.words[match.start() - 1] in {"with", "by"} and "a" not in sentence.row[match.end() :]
        if not with_other:
            row[match.start() : match.end()] = "w" * len(match[0])
    return "".join(row)


def _is_apposition(clauses: Sequence[_Clause]) -> bool:
    """Whether names are between what they are and what is said of them: "Two companies, Alder and Birch, grew"."""
    last = next((clause for clause in reversed(clauses) if clause.row), clauses[-1])
    if clauses[0].at >= 0 or last.at >= 0 or last is clauses[0] or not _APPOSITION.fullmatch(clauses[0].row):
        return False
    return _PREDICATE_OF_ALL.fullmatch(last.row) is not None


def _is_beside(
    clause: _Clause,
    earlier: Sequence[_Clause],
    single: bool = False,
    sure: bool = True,
    bare: bool = False,
    concluded: bool = False,
) -> bool:
    """Whether a clause without an item cannot be an item itself."""
    if any(one.at >= 0 for one in earlier):
        if bare and not (single and _OF_ONE.fullmatch(clause.row)):
            return _ADDITION_TO_LIST.fullmatch(clause.row) is not None
        if _is_apposition([*earlier, clause]) and not clause.closes.strip("."):
            return True
        told = single and sure and earlier[-1].closes != "c" and _OF_ONE.fullmatch(clause.row) is not None
        joined = earlier[-1].closes == "c" and clause.row[:1] not in {*"ahpr", ""}
        return told or (_ADDITION.fullmatch(clause.row) is not None and not joined)
    if clause.closes in {":", ">"} and sure and clause.words[-1:] and clause.words[-1] in _FIELDS:
        return _HARMLESS.fullmatch(clause.row) is not None
    if clause.closes == ":":
        return _ANNOUNCEMENT.fullmatch(clause.row) is not None and (sure or re.search("[ah]", clause.row) is not None)
    participle = (sure and not bare) and (
        (clause.words[:1] and clause.words[0].endswith(("ing", "ed"))) or re.search("[ah]", clause.row)
    )
    if concluded:
        return True
    if bare:
        return all(map(CONNECTIVES.__contains__, clause.words))
    lead = _LEAD.fullmatch(clause.row) or (sure and _APPOSITION.fullmatch(clause.row))
    return bool(participle or lead)


def _is_stated(clause: _Clause, first: bool, last: bool, ordered: bool, single: bool, sure: bool) -> bool:
    """Whether an item is where a sentence states something, and nothing after it can be a part of its name."""
    before, after = clause.before, clause.after
    position = _STATES if first else _STATES_NEXT
    if ordered and ("o" in before or not first):
        position = _STATES_IN_TURN
    named = sure and first and clause.at > 0 and clause.words[clause.at - 1] in _NAMINGS
    if not position.fullmatch(before) and not (named and not _DESCRIBES.search(" ".join(clause.words[: clause.at]))):
        return False
    label = clause.words[clause.at - 1] if before[-1:] in {"w", "l"} else ""
    if before[:1] == "r" and label and clause.words[0] != "that":
        return False
    if label.endswith(("ing", "ed", "'s")) and label not in _TITLED:
        return False  # "the article citing Tides"
    if (single and _AGENT.match(after)) or "among" in clause.words:
        return False
    if clause.closes == ":" or (clause.closes in "<>" and clause.closes and not ordered):
        return False
    if after.startswith("ad") and clause.words[clause.at + 2] in {"a", "an"} and "most" not in clause.words:
        return False  # "Lind is an author" leaves room for others
    if "one" in clause.words or not (last or ordered):
        return _FIGURE.fullmatch(after) is not None
    if ordered and _ORDINAL_AFTER.fullmatch(after):
        return True
    if last and clause.words[clause.at + 1 :] == ("only",):
        return True
    return (_TOLD_OF_SURE if sure else _TOLD).fullmatch(after) is not None


def _place_of(clause: _Clause) -> int:
    """The place that the one ordinal of a clause names, counted from one; 0 if it has none, or several."""
    named = [word for word, kind in zip(clause.words, clause.row, strict=True) if kind == "o"]
    found = [at for at, spellings in enumerate(_PLACES, start=1) if len(named) == 1 and named[0] in spellings]
    return found[0] if found else 0


def _is_in_order(stated: Sequence[_Clause], ordered: bool) -> bool:
    """Whether ordinals count the items of a ranking; where there is no order, an item may only be the first."""
    for index, clause in enumerate(stated):
        own = _PLACES[index] if ordered and index < len(_PLACES) else _PLACES[0] if not ordered else set()
        own = own | {"last"} if ordered and clause is stated[-1] else own
        if any(kind == "o" and word not in own for word, kind in zip(clause.words, clause.row, strict=True)):
            return False
    return True


# -- Numbers ------------------------------------------------------------------------------------------------------

_OF_NUMBERS = re.compile(r"[abcdfghlnoprstwyzNX,;:.-]*")
_LABELED = re.compile(r"(?<=[lX])(?:N[,c]+)*N")
"""Numbers that name something: "Article 3", "articles 1, 4 and 5", "Synaptotagmin 7"."""
_GIVEN = re.compile(r"oN|[db]{1,2}[owl]?N|\A[wl]N|r[^,;:N]{0,8}N(?=[^,;]*[ah])")
"""Numbers that a sentence takes as given: "the 6 articles", "the first 8"."""
_TOTAL = re.compile(r"(?<=N)[wl]{0,2}p?fd?N")
"""What a number is a part of: "5 of the 12 articles"."""
_PREDICATE = re.compile(r"aN(?=[^N]*\Z)")
_RANGE = re.compile(r"[\uf000-\uf8ff] (?:-|to|through) [\uf000-\uf8ff]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FALLS = re.compile(
    r"\b(?:decreas|declin|fell|fall|drop|reduc|shr[aiu]nk|los[st]|negative|minus|down|lower|worse|cut)", re.IGNORECASE
)


def asserted_number(text: str, unit: str, is_marked: bool) -> tuple[FoundNumber, str] | None:
    """The one number that a text asserts, and the text it was found in; None in doubt."""
    found = marked(text, {})
    if (
        found is None
        or not _is_complete(found, is_marked)
        or not all(_OF_NUMBERS.fullmatch(sentence.row) for sentence in found.sentences)
    ):
        return None
    with_numbers = [sentence for sentence in found.sentences if "N" in sentence.row]
    if (
        len(with_numbers) != 1
        or not re.search("[ahw]", with_numbers[0].row)
        or _RANGE.search(" ".join(with_numbers[0].words))
    ):
        return None
    if unit and _FALLS.search(found.text):
        return None
    candidates = _candidates(found, with_numbers[0], unit)
    return (candidates[0], found.text) if len({candidate.value for candidate in candidates}) == 1 else None


def _candidates(found: Marked, sentence: Sentence, unit: str) -> list[FoundNumber]:
    """The numbers of a sentence that may be its result; years only if there is nothing else."""
    row = sentence.row
    for pattern in (_LABELED, _GIVEN, _TOTAL):
        row = pattern.sub(lambda part: part[0].replace("N", "w"), row)
    if any(kind == "w" and word in found.ratios for word, kind in zip(sentence.words, row, strict=True)):
        return []  # "61% of the remaining 80%"
    if _PREDICATE.search(row):
        row = _PREDICATE.sub("aR", row)  # "The number of titles with 5 words is 17."
        row = row.replace("N", "w").replace("R", "N")
    numbers = [found.number(word) for word, kind in zip(sentence.words, row, strict=True) if kind == "N"]
    if len(numbers) == 1 and _is_pronoun(found, numbers[0], row):
        return []
    if unit and unit != "%":
        numbers = [one for one in numbers if one.unit != "%"]
    return [one for one in numbers if not _is_year(found, one)] or numbers


def _is_pronoun(found: Marked, number: FoundNumber, row: str) -> bool:
    """Whether "one" is no count: "Answer with one number"."""
    return found.text[number.start : number.end].lower() == "one" and not re.search(r"[an]N|\AN", row)


def _is_year(found: Marked, number: FoundNumber) -> bool:
    return not number.unit and _YEAR.fullmatch(found.text, number.start, number.end) is not None


_OF_LIST = re.compile(r"[abcdfghlnoprstwyN2,;:.<>-]*")
_LISTED = re.compile(r"(?!a)[abdghlnoprstwy]*")
_LISTED_NEXT = re.compile(r"n?")
_LISTED_IN_TURN = re.compile(r"[tondwpah]*")
_AT_END = re.compile(r"N(?:,N)*,?cN(?=[wl]{0,2}\.?\Z)")
"""Numbers at the end of a sentence, joined by commas and "and": "titles of 9, 14 and 7 words"."""
_ORDERED = frozenset({"sorted", "ordered", "order", "ranked"})
_VALUES = frozenset({"values", "counts", "numbers", "lengths"})


def asserted_numbers(text: str, ordered: bool, is_marked: bool) -> tuple[list[FoundNumber], str]:
    """The numbers that a text lists, in order, and the text they were found in; none in doubt."""
    if "\n" in text.strip():
        return [], ""  # a line without a number may be another item
    found = marked(text, {})
    if (
        found is None
        or not _is_complete(found, is_marked)
        or not all(_OF_LIST.fullmatch(sentence.row) for sentence in found.sentences)
    ):
        return [], ""
    with_numbers = [sentence for sentence in found.sentences if "N" in sentence.row]
    if len(with_numbers) != 1 or with_numbers[0] is not found.sentences[0]:
        return [], ""
    row, words = with_numbers[0]
    at_end = _AT_END.search(row) if not ordered or _ORDERED.intersection(words) else None
    if at_end and _leads_to_values(row[: at_end.start()], words):
        return [found.number(word) for word in words[at_end.start() : at_end.end()] if _is_number(word)], found.text
    lead, colon, _ = row.rpartition(":")
    row = lead.replace("N", "w") + colon + row[len(lead) + len(colon) :]
    row = _GIVEN.sub(lambda part: part[0].replace("N", "w"), _LABELED.sub(lambda part: "w" * len(part[0]), row))
    if not re.search(r"[ahwt<>2]", row):
        return [], ""
    clauses = _clauses(Sentence(row, words), "N")
    stated = [clause for clause in clauses if clause.at >= 0]
    bare = not re.search("[ah]", "".join([clause.row for clause in stated]))
    beside = [
        _is_beside(clause, clauses[:at], bare=bare and any(clause.at >= 0 for clause in clauses[:at]))
        for at, clause in enumerate(clauses)
        if clause.at < 0
    ]
    if len(stated) < 2 or not all(beside) or not _is_in_order(stated, ordered):
        return [], ""
    nouns = {clause.words[clause.at + 1 :] for clause in stated if clause.after not in {"", "2"}}
    later = _LISTED_IN_TURN if ordered else _LISTED_NEXT
    if not _LISTED.fullmatch(stated[0].before) or not all(later.fullmatch(one.before) for one in stated[1:]):
        return [], ""
    if any(clause.closes in ":-" and clause.closes for clause in stated):
        return [], ""
    if nouns and (len(nouns) > 1 or not (ordered or stated[-1].after not in {"", "2"})):
        return [], ""
    return [found.number(one.item) for one in stated for _ in range(2 if "2" in one.after else 1)], found.text


def _leads_to_values(lead: str, words: Sequence[str]) -> bool:
    """Whether the beginning of a sentence names values: "The four articles have titles of", "It takes the values"."""
    given = _GIVEN.sub("w", lead)
    if "N" in given or not lead or words[0] in _VALUES:
        return False
    return words[len(lead) - 1] in _VALUES or (lead[-1] in "af" and re.search("[ah]", lead) is not None)


def _is_number(word: str) -> bool:
    return _HAS_NUMBER.fullmatch(word) is not None


# -- Rows ---------------------------------------------------------------------------------------------------------

_COUNT_BEFORE = re.compile(r"(?:|.*a)t?N[wl]{0,2}[py]")
_COUNT_AFTER = re.compile(r"[ah]?[wndopfl]{0,4}N[wlpdnof]*")
_TIMES = ((re.compile(r"\btwice\b"), "two times"), (re.compile(r"\bonce\b"), "one time"))


def asserted_rows(text: str, spellings: Mapping[str, str], is_marked: bool) -> list[tuple[str, str]]:
    """The names and numbers that a text states in pairs: "Lind has three articles and Wu one."; none in doubt."""
    for word, number_of_times in _TIMES:
        text = word.sub(number_of_times, text)
    found = marked(text, spellings, figures=True)
    sentence = _stating(found, ordered=True) if found and found.names and _is_complete(found, is_marked) else None
    if found is None or sentence is None:
        return []
    clauses = _clauses(sentence, "I")
    stated = [clause for clause in clauses if clause.at >= 0]
    beside = [_is_beside(clause, clauses[:at]) for at, clause in enumerate(clauses) if clause.at < 0]
    if not all(beside) or not _is_in_order(stated, ordered=True):
        return []
    pairs: list[tuple[str, str]] = []
    for at, clause in enumerate(stated):
        position = _STATES if not at else _STATES_IN_TURN
        if clause.row.count("N") != 1:
            return []
        told = position.fullmatch(clause.before) and _COUNT_AFTER.fullmatch(clause.after)
        if not told and not (_COUNT_BEFORE.fullmatch(clause.before) and clause.after in {"", "."}):
            return []
        number = found.number(clause.words[clause.row.find("N")])
        if BOUND.search(found.text[: number.start][-40:]):
            return []
        pairs.append((found.name(clause.item), found.text[number.start : number.end]))
    return pairs
