"""German, French and Spanish responses: their structural words in English, so that the other rules apply to them.

Only words that structure an answer are replaced ("und", "ist", "Kandidat", "Prozent"), never a word of the key's texts.
Words that deny or leave something open are among them, so that no rule overlooks them.
"""

from __future__ import annotations

import re
from typing import Final

from fathom.scoring.parsing.key_hints import KeyHints

_ENGLISH = re.compile(r"\b(?:the|is|are|answer|of|with)\b", re.IGNORECASE)
_GERMAN: Final = {
    "and": "und sowie",
    "or": "oder",
    "not": "nicht",
    "no": "kein keine keiner keinen",
    "except": "außer",
    "is": "ist lautet beträgt",
    "are": "sind lauten",
    "was": "war wurde betrug",
    "were": "waren wurden",
    "has": "hat",
    "have": "haben",
    "had": "hatte hatten",
    "the": "der die das den dem",
    "both": "sowohl",
    "than": "als",
    "in": "im in",
    "by": "von",
    "candidate": "kandidat option",
    "candidates": "kandidaten optionen",
    "article": "artikel",
    "author": "autor autorin",
    "blank": "lücke",
    "percent": "prozent",
    "million": "millionen mio",
    "billion": "milliarden mrd",
    "year": "jahr",
}
_FRENCH: Final = {
    "and": "et",
    "or": "ou",
    "not": "pas",
    "no": "aucun aucune",
    "except": "sauf",
    "is": "est",
    "are": "sont",
    "was": "était",
    "were": "étaient",
    "has": "a",
    "have": "ont",
    "the": "le la les",
    "in": "en dans",
    "by": "par",
    "candidate": "candidat option",
    "candidates": "candidats options",
    "article": "article",
    "author": "auteur",
    "blank": "trou",
    "million": "million millions",
    "billion": "milliard milliards",
    "year": "année",
}
_SPANISH: Final = {
    "and": "y e",
    "or": "o",
    "not": "no",
    "except": "salvo excepto",
    "is": "es",
    "are": "son",
    "was": "fue era",
    "were": "fueron eran",
    "has": "tiene",
    "have": "tienen",
    "the": "el la los las",
    "both": "tanto",
    "in": "en",
    "by": "por",
    "choose": "elijo",
    "candidate": "candidato candidata opción opcion",
    "candidates": "candidatos candidatas opciones",
    "article": "artículo",
    "author": "autor autora",
    "blank": "hueco",
    "million": "millón millones",
    "year": "año",
}
_PHRASES: Final = ((re.compile(r"\b(?:pour cent|por ciento)\b", re.IGNORECASE), "percent"),)
_LANGUAGES: Final = tuple(
    (re.compile(shows, re.IGNORECASE), {word: name for name, words in table.items() for word in words.split()})
    for shows, table in (
        (r"\b(?:antwort|ist|sind|und|der|die|das|kandidaten?|hat|beträgt)\b", _GERMAN),
        (r"\b(?:réponse|est|sont|et|les?|des|du|la|ont)\b|\b[ldc]'", _FRENCH),
        (r"\b(?:respuesta|es|son|y|el|los|las|la|opción|candidatos?|huecos?)\b", _SPANISH),
    )
)
_ANY_LANGUAGE = re.compile("|".join(shows.pattern for shows, _ in _LANGUAGES), re.IGNORECASE)
_WORD = re.compile(r"(?<![\w\u0300-\u036f\\])[^\W\d_]+(?![\w\u0300-\u036f])")


_CHINESE_WORDS: Final = (
    (re.compile(r"候选(?:文章|文献|论文|项|者)?[ \t]?(?=[\[【(（]?\d)"), " candidate "),
    (re.compile(r"(?:引文|掩码|空白处?|空缺|位置|占位符)[ \t]?(?=[\[【(（]?\d)"), " citation "),
    (re.compile(r"(?<=\d)(?:[\])）】])?(?:对应|是|为|→)(?:于)?[ \t]?(?=candidate|[ \t]candidate)"), ": "),
    (re.compile(r"(?<=\d)[；、，](?=[ \t]*citation)"), "; "),
)


def candidates_in_english(text: str) -> str:
    """A Chinese text with its words for candidates and citations in English."""
    for pattern, name in _CHINESE_WORDS:
        text = pattern.sub(name, text)
    return text.strip()


def in_english(text: str, hints: KeyHints) -> str:
    """The text with its structural words in English, if it is in German, French or Spanish."""
    if len(text) > 4_000 or text[:1] in {"{", "["} or _ENGLISH.search(text):
        return text
    if not _ANY_LANGUAGE.search(text):
        return text
    # The language with the most words of its own.
    shown = max(_LANGUAGES, key=lambda language: len(language[0].findall(text)))
    own = {word for spelling in hints.spellings for word in _WORD.findall(spelling.lower())}
    for phrase, name in _PHRASES:
        text = phrase.sub(name, text)

    def named(match: re.Match[str]) -> str:
        word = match[0].lower()
        # A word with a capital inside a line is a name or a noun.
        is_title = match[0] != word and match.start() and text[match.start() - 1] != "\n" and len(word) < 4
        return match[0] if word in own or is_title else shown[1].get(word, match[0])

    return _WORD.sub(named, text)
