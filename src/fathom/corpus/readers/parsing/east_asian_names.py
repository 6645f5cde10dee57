"""Chinese, Japanese and Korean names and institutions in a byline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from fathom.corpus.readers.parsing.chinese_characters import CHINESE_CHARACTER, to_half_width
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.names import CHINESE

_WORDS = read_words("east_asian_names")

_SHORT_FAMILY_NAMES = frozenset(_WORDS["short_family_names"].replace("\n", ""))
_COMPOUND_FAMILY_NAMES = word_set(_WORDS["compound_family_names"])
_NOT_A_CHINESE_NAME = word_pattern(_WORDS["not_a_chinese_name"], 0)
_CHINESE_LABEL = re.compile(r"\W{0,6}(?:作\s?者(?:姓\s?名)?|文|撰文)\s?[:/]\s?")
_IN_BRACKETS = re.compile(r"\([^()]{0,400}(?:\)|$)")
_CHINESE_SEPARATORS = re.compile(rf"[^{CHINESE}·•\s]+")
_FOREIGN = re.compile(rf"[{CHINESE}]{{1,8}}(?:[·•][{CHINESE}]{{1,8}}){{1,3}}")
_CONJUNCTIONS = "和与及"
_POSTCODE = re.compile(r"[\s,]*\d{6}$")
_MAX_CHARS = 600
"""Characters of a line that are searched."""


@dataclass(frozen=True)
class NamesInLine:
    """The names in a line, and whether it has words that are neither names nor institutions nor notes."""

    names: tuple[str, ...] = ()
    unexplained: bool = False


def find_east_asian_names(line: str) -> NamesInLine:
    """Return the names in a line of Chinese, Japanese or Korean, without padding spaces in Chinese names."""
    if _HANGUL.search(line):
        return _find_korean_names(line)
    if _CHINESE_NOTE.match(to_half_width(line)):
        return NamesInLine()
    japanese = _find_japanese_names(line)
    return NamesInLine(japanese) if japanese else _find_chinese_names(line)


def _find_chinese_names(line: str) -> NamesInLine:
    words = [word for piece in _chinese_pieces(line) for word in _split_names(piece)]
    names: list[str] = []
    in_address = False
    for word, following in pairwise((*words, "")):
        if _NOT_A_CHINESE_NAME.search(word):
            in_address = True
        elif not in_address and _is_chinese_name(word):
            names.append(word)
        elif not in_address or (_is_chinese_name(word) and _INSTITUTION.search(following)):
            # "王明 东海大学 李华 滨江学院": a place after an institution is not followed by another institution.
            return NamesInLine(unexplained=True)
    return NamesInLine(tuple(names))


_CHINESE_NOTE = word_pattern(_WORDS["chinese_note"])
_INSTITUTION = word_pattern(_WORDS["institution"], 0)

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KOREAN_FAMILY_NAMES = frozenset(_WORDS["korean_family_names"].replace("\n", ""))
_KOREAN_INSTITUTION = word_pattern(_WORDS["korean_institution"], 0)


def _find_korean_names(line: str) -> NamesInLine:
    """Return Korean names of two to four syllables, separated by commas, dots or spaces."""
    words = re.findall(r"[\uac00-\ud7a3]+", line[:_MAX_CHARS])
    if any(map(_KOREAN_INSTITUTION.search, words)):
        named = any(word[0] in _KOREAN_FAMILY_NAMES and len(word) == 3 for word in words)
        return NamesInLine(unexplained=named)
    valid = all(word[0] in _KOREAN_FAMILY_NAMES and 2 <= len(word) <= 4 for word in words)
    others = re.search(r"[^\W\d_]", _HANGUL.sub("", line))
    return NamesInLine(tuple(words)) if valid and not others else NamesInLine(unexplained=True)


_JAPANESE_NAME = re.compile(rf"([{CHINESE}々]{{1,4}})[ \u3000]?([{CHINESE}々\u3040-\u30ff]{{1,5}})")
_JAPANESE_FAMILY_NAMES = word_set(_WORDS["japanese_family_names"])


def _find_japanese_names(line: str) -> tuple[str, ...]:
    """Return Japanese names with a space between the parts; one of them must have a frequent family name."""
    text = re.sub(r"[\d*†‡§¹²³⁴-⁹]+", ",", line[:_MAX_CHARS])
    pieces = [piece.strip() for piece in re.split(r"[,，、;；・\n]|\s{2,}", text) if piece.strip()]
    matches = [_JAPANESE_NAME.fullmatch(piece) for piece in pieces]
    spaced = all(match and re.search(r"\s", match[0]) for match in matches)
    frequent = any(match and match[1] in _JAPANESE_FAMILY_NAMES for match in matches)
    return tuple(" ".join(piece.split()) for piece in pieces) if matches and spaced and frequent else ()


def is_chinese_institution(line: str) -> bool:
    """Return whether a line names an institution."""
    return (
        CHINESE_CHARACTER.search(line) is not None
        and _NOT_A_CHINESE_NAME.search(line) is not None
        and not is_chinese_prose(line)
    )


def is_chinese_prose(text: str) -> bool:
    """Return whether a paragraph contains a sentence: bylines have no period."""
    return "。" in text and CHINESE_CHARACTER.search(text) is not None


def clean_chinese_institution(line: str) -> str:
    """Return an institution without its brackets and postcode."""
    start, end = len(line) - len(line.lstrip(" （(")), len(line.rstrip(" ）)"))
    return line[start : start + len(_POSTCODE.sub("", to_half_width(line[start:end])))]


def _chinese_pieces(line: str) -> list[str]:
    """Split a line at everything between names: commas, superscript numbers, asterisks."""
    text = to_half_width(line[:_MAX_CHARS])
    label = _CHINESE_LABEL.match(text)
    text = _IN_BRACKETS.sub(" , ", text[label.end() :] if label else text)
    return [piece for one in _CHINESE_SEPARATORS.split(text) if (piece := one.strip())]


def _split_names(piece: str) -> list[str]:
    """Split a piece at spaces, or at one conjunction between two names."""
    halves = re.split(f"[{_CONJUNCTIONS}]", piece)
    if len(halves) == 2 and all(_is_chinese_name(half.strip()) for half in halves):
        return [half.strip() for half in halves]
    return _join_split_names([word for word in piece.split() if word not in _CONJUNCTIONS])


def _join_split_names(words: list[str]) -> list[str]:
    """Join a lone family name with the word after it: "王 明 李 小华" is two names."""
    if len(words) <= 3 and all(len(word) == 1 for word in words):
        return ["".join(words)]
    names: list[str] = []
    family = ""
    for word in words:
        if family and len(word) <= 2:
            names.append(family + word)
            family = ""
        elif not family and (word in _SHORT_FAMILY_NAMES or word in _COMPOUND_FAMILY_NAMES):
            family = word
        else:
            names.extend(filter(None, (family, word)))
            family = ""
    return [*names, family] if family else names


def _is_chinese_name(word: str) -> bool:
    if _NOT_A_CHINESE_NAME.search(word):
        return False
    if _FOREIGN.fullmatch(word):
        return True
    if word[:2] in _COMPOUND_FAMILY_NAMES:
        return 3 <= len(word) <= 4
    return word[:1] in _SHORT_FAMILY_NAMES and 2 <= len(word) <= 3
