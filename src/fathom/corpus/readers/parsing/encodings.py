"""How plausible a text is in each legacy encoding: by frequent characters, alphabets and the shape of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words

_WORDS = read_words("encodings")

_MAX_UNITS = 5_000
"""Maximum number of words or characters that are judged."""


@dataclass(frozen=True)
class Candidate:
    """A file decoded in one encoding."""

    encoding: str
    text: str
    score: float
    """Share of its words or characters that are plausible, from 0 to 1."""
    evidence: int
    """Number of words or characters that were judged."""


def rank(content: bytes) -> list[Candidate]:
    """Return the file in every encoding that it can be in, the most plausible first."""
    candidates: list[Candidate] = []
    for encoding, score in ENCODINGS.items():
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        units, share = score(text)
        candidates.append(Candidate(encoding, text, share, max(1, units)))
    return sorted(candidates, key=lambda candidate: -candidate.score)


_Judgment = tuple[int, float]
"""Number of units judged, and the share that is plausible."""


# Chinese, Japanese and Korean: by frequent characters.

_CHINESE = frozenset(_WORDS["chinese"].replace("\n", ""))
_KOREAN = frozenset(_WORDS["korean"].replace("\n", ""))
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")
_KANA = re.compile("[\u3041-\u30ff]")
_HIRAGANA_OR_SIGN = re.compile("[\u3041-\u3096\u3001\u3002\u30fc]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")


def _signs(text: str) -> Counter[str]:
    """Count the first characters outside ASCII."""
    return Counter(islice((character for character in text if character > "\x7f"), _MAX_UNITS))


def _count(signs: Counter[str], pattern: re.Pattern[str]) -> int:
    return sum(count for sign, count in signs.items() if pattern.match(sign))


def _chinese(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE)
    # Kana and Hangul have the same bytes in the Japanese and Korean encodings.
    foreign = _count(signs, _KANA) + _count(signs, _HANGUL)
    odd = sum(count for sign, count in signs.items() if not (sign in _CHINESE or _HAN.match(sign)))
    return total, _share(2 * frequent - 2 * foreign - odd, total)


def _japanese(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    kana = _count(signs, _KANA) + _count(signs, _HIRAGANA_OR_SIGN)
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE)
    others = sum(
        count for sign, count in signs.items() if not (_KANA.match(sign) or _HAN.match(sign) or sign in _CHINESE)
    )
    return total, _share(2 * kana + 1.5 * frequent - 2 * _count(signs, _HALF_WIDTH_KANA) - others, total)


def _korean(text: str) -> _Judgment:
    signs = _signs(text)
    total = signs.total()
    frequent = sum(count for sign, count in signs.items() if sign in _KOREAN)
    odd = sum(count for sign, count in signs.items() if not (_HANGUL.match(sign) or sign in _KOREAN))
    return total, _share(1.7 * frequent - odd, total)


def _share(points: float, total: int) -> float:
    return min(1.0, max(0.0, points / total)) if total else 0.0


# Alphabets: by the letters that one language uses, and by the case of the letters.

_WORD = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
_LETTER_RUN = re.compile(r"[^\W\d_\x00-\x7f]{3}")
_SYMBOL = re.compile(r"[^\w\s\x00-\x7f]|[ªº¹²³¼½¾\x80-\x9f]")
_TYPOGRAPHIC = frozenset("“”‘’‚„–—…•·«»‹›°©®™±×÷µ§¶£€¥¢¿¡½¼¾²³¹ºª†‡‰\xad´¨¬№")
_IN_WORDS = frozenset("’‘·–—\xad´")

_WESTERN_LANGUAGES: dict[str, str] = _WORDS["western_languages"]
_CENTRAL_LANGUAGES: dict[str, str] = _WORDS["central_languages"]
_TURKISH = {"Turkish": "çğıöşüâîûi̇"}


def _latin(languages: dict[str, str]) -> Callable[[str], _Judgment]:
    """Return a function that judges words by languages: each word, and all words together, are of one language."""
    alphabets = [frozenset(letters) for letters in languages.values()]

    def score(text: str) -> _Judgment:
        words = Counter(_words(text))
        total = words.total()
        symbols, bad_symbols = _judge_symbols(text)
        if not total:
            return symbols, _share(symbols - 2 * bad_symbols, symbols)
        of_some = 0
        of_one = [0] * len(alphabets)
        for word, count in words.items():
            letters = frozenset(letter for letter in word.lower() if letter > "\x7f")
            fits = [letters <= alphabet for alphabet in alphabets]
            if any(fits) and _is_word_shape(word) and not _LETTER_RUN.search(word):
                of_some += count
                of_one = [number + fit * count for number, fit in zip(of_one, fits, strict=True)]
        points = 0.5 * of_some + 0.5 * max(of_one) - bad_symbols
        return total + symbols, _share(points, total)

    return score


def _cyrillic(text: str) -> _Judgment:
    words = Counter(_words(text))
    total = words.total()
    good = sum(count for word, count in words.items() if _CYRILLIC.fullmatch(word) and _is_word_shape(word))
    letters = "".join(islice(words, 2_000))
    frequent = sum(one in _FREQUENT_CYRILLIC for one in letters.lower())
    # In the other encoding every lower-case letter is a capital.
    capitals = sum(word.isupper() and len(word) > 1 for word in words)
    common = min(1.0, frequent / (0.6 * len(letters))) if letters else 0.0
    loud = 0.9 if capitals * 2 > len(words) else 1.0
    _, bad_symbols = _judge_symbols(text)
    return total, _share((good - bad_symbols) * common * loud, total)


_CYRILLIC = re.compile("[Ѐ-ӿ]+")
_FREQUENT_CYRILLIC = frozenset("оеаинтсрвлі")
_GREEK = re.compile("[Ͱ-Ͽ]+")


def _greek(text: str) -> _Judgment:
    words = Counter(_words(text))
    good = sum(
        count
        for word, count in words.items()
        if _GREEK.fullmatch(word) and _is_word_shape(word) and "ς" not in word[:-1] and not set(word) & set("ΰΐ")
    )
    _, bad_symbols = _judge_symbols(text)
    return words.total(), _share(good - bad_symbols, words.total())


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in islice(_WORD.finditer(text), _MAX_UNITS))


def _is_word_shape(word: str) -> bool:
    """Return whether no capital outside ASCII follows a lower-case letter."""
    return not any(
        letter > "\x7f" and letter.isupper() and word[index].islower() for index, letter in enumerate(word[1:])
    )


def _judge_symbols(text: str) -> tuple[int, int]:
    """Return the number of symbols outside ASCII, and how many are unusual or inside a word."""
    total = bad = 0
    for match in islice(_SYMBOL.finditer(text), _MAX_UNITS):
        total += 1
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        inside = before.isalpha() and after.isalpha() and match[0] not in _IN_WORDS
        bad += inside or match[0] not in _TYPOGRAPHIC
    return total, bad


ENCODINGS: dict[str, Callable[[str], _Judgment]] = {
    "cp1252": _latin(_WESTERN_LANGUAGES),
    "cp1250": _latin(_CENTRAL_LANGUAGES),
    "cp1254": _latin(_TURKISH),
    "cp1251": _cyrillic,
    "koi8-r": _cyrillic,
    "cp1253": _greek,
    "gb18030": _chinese,
    "big5hkscs": _chinese,
    "cp932": _japanese,
    "euc_jp": _japanese,
    "cp949": _korean,
}
"""Encodings that are tried, and how a text in each is judged. Of equals, the first is taken."""


def wide_score(text: str) -> float:
    """Return how plausible a text of UTF-16 or UTF-32 is, from 0 to 1: almost all characters are of known scripts."""
    signs = Counter(text[:20_000])
    usual = _count(signs, _USUAL)
    if usual < 0.97 * signs.total() or not signs.total():
        return 0.0
    plain = sum(count for sign, count in signs.items() if sign < "\u0530")
    frequent = sum(count for sign, count in signs.items() if sign in _CHINESE or sign in _KOREAN or _KANA.match(sign))
    return _share(plain + 2 * frequent, signs.total())


_USUAL = re.compile(
    "[\t\n\r\f -~\xa0-\u052f\u2000-\u206f\u2200-\u22ff\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uff65]"
)

_WESTERN_WORDS = word_set(_WORDS["western_words"])


def is_western(text: str) -> bool:
    """Return whether the text is in English or another language of Western Europe, by its small words."""
    words = re.findall(r"[a-z]+", text[:200_000].lower())
    return sum(word in _WESTERN_WORDS for word in words) * 10 > len(words)
