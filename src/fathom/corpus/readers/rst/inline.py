"""Running text of reStructuredText: roles, links, footnotes, substitutions and citations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter
from fathom.corpus.readers.parsed_document import CitationMark, Inlines
from fathom.corpus.readers.rst.lines import Collected

_INLINE = re.compile(
    r"\\(?P<escaped>.)"
    r"|``(?P<literal>[^`]+(?:`[^`]+)*?)``"
    r"|:(?P<role>[A-Za-z][\w:+.-]{0,60}):`(?P<roled>(?:[^`\\]|\\.)+)`"
    r"|`(?P<before>[^`\s][^`]*)`:(?P<after>[A-Za-z][\w+.-]{0,60}):"
    r"|_?`(?P<quoted>[^`\s][^`]*)`(?:__?(?!\w))?"
    r"|\*\*(?P<strong>[^\s*][^*]*)\*\*"
    r"|(?<![\w*])\*(?P<stressed>[^\s*][^*]*)\*(?![\w*])"
    r"|\[(?P<key>[^\[\]\s]{1,80})\]_(?!\w)"
    r"|(?<!\w)\|(?P<named>[^\s|][^|]{0,80})\|_{0,2}(?!\w)"
    r"|(?<![\w/:.@`_-])(?P<link>[A-Za-z0-9][\w.+-]{0,80}?)__?(?![\w`/])"
)


def label_of(text: str) -> str:
    """The words of "words <target>"."""
    match = re.match(r"([^<]*\S)\s*<[^<>]*>$", text)
    if match is None:
        return text.strip("<>") if text.startswith("<") and text.endswith(">") else text
    return match[1]


class Running:
    """Turns the markup within a paragraph into running text."""

    def __init__(
        self, collected: Collected, citations: CitationFormatter, peps: Mapping[str, str], in_list: bool
    ) -> None:
        """`peps`: the keys of the PEPs that a PEP names; `in_list`: footnotes are the list of references."""
        self._substitutions = collected.substitutions
        self._labels = collected.labels
        self._automatic = collected.automatic
        self._anonymous = iter(collected.anonymous)
        self._citations = citations
        self._peps = peps
        self._in_list = in_list
        self._substituting = False

    def inline(self, text: str, marks: bool = True) -> Inlines:
        """Markup within a paragraph as running text; `marks`: with its citations."""
        words: Inlines = []
        place = 0
        for match in _INLINE.finditer(text):
            words.extend(self._bare(text[place : match.start()], marks))
            words.extend(self._piece(match, text, marks))
            place = match.end()
        words.extend(self._bare(text[place:], marks))
        return words

    def _bare(self, text: str, marks: bool) -> Inlines:
        """Text without markup; in a PEP "PEP 8" is a citation."""
        if not (self._peps and marks):
            return [text]
        words: Inlines = []
        place = 0
        for match in re.finditer(r"\bPEP[\s-]{1,20}0*(\d{1,5})\b", text):
            words.append(text[place : match.start()])
            words.append(self._pep_mark(match[0], match[1]))
            place = match.end()
        return [*words, text[place:]]

    def _pep_mark(self, text: str, number: str) -> str | CitationMark:
        key = self._peps.get(str(int(number)))
        return CitationMark(text, (key,), "author-year") if key else text

    def _piece(self, match: re.Match[str], text: str, marks: bool) -> Inlines:
        if match["escaped"] is not None:
            return ["" if match["escaped"].isspace() else match["escaped"]]
        if match["literal"] is not None:
            return [match["literal"]]
        if match["role"] or match["roled"]:
            return self._role((match["role"] or match["after"]).lower(), match["roled"] or match["before"], match, text)
        if match["quoted"] is not None:
            return self._bare(label_of(match["quoted"]), marks)
        if match["strong"] is not None or match["stressed"] is not None:
            return self._bare(match["strong"] or match["stressed"], marks)
        if match["key"] is not None:
            return self._footnote(match["key"], marks)
        if match["named"] is not None:
            return self._substituted(match["named"], match[0])
        return [match["link"] or match[0]]

    def _substituted(self, name: str, written: str) -> Inlines:
        replaced = self._substitutions.get(name)
        if replaced is None or self._substituting:
            return [written]
        # What replaces a name may be marked up, but names in it stay as they are: two may name one another.
        self._substituting = True
        words = self.inline(replaced)
        self._substituting = False
        return words

    def _role(self, role: str, text: str, match: re.Match[str], whole: str) -> Inlines:
        if role.startswith("cite"):
            return self._cited(role, text, match, whole)
        if role == "math":
            return [f"${text}$"]
        if role == "label":
            return []
        if role in ("ref", "eq", "numref") and label_of(text) in self._labels:
            return [self._labels[label_of(text)]]
        if role == "pep":
            number = re.search(r"(?:^|<)0*(\d{1,5})(?:#[^>]*)?>?$", text)
            printed = label_of(text)
            printed = f"PEP {printed.partition('#')[0]}" if printed[:1].isdigit() else printed
            return [self._pep_mark(printed, number[1])] if number else [printed]
        if role == "rfc" and text[:1].isdigit():
            return [f"RFC {text}"]
        return [label_of(text).lstrip("~!")]

    def _cited(self, role: str, text: str, match: re.Match[str], whole: str) -> Inlines:
        keys = [key.strip() for key in text.split(",") if key.strip()]
        form: CitationForm = "textual" if role.endswith(("t", ":text")) and role != "cite" else "parenthetical"
        # "[:cite:`a,b`]" has its bracket already.
        if whole[: match.start()].endswith(("[", "(")) and whole[match.end() : match.end() + 1] in ("]", ")"):
            form = "bare"
        return self._citations.format(keys, form)

    def _footnote(self, key: str, marks: bool) -> Inlines:
        key = next(self._anonymous, "#") if key == "#" else self._automatic.get(key, key)
        if self._citations.has(key):
            return ["[", *self._citations.format([key], "bare"), "]"] if marks else [f"[{key}]"]
        remark = key.isdigit() or key[0] in "#*"
        if not marks or (remark and not self._in_list):
            return [f"[{key.lstrip('#')}]"]
        return ["[", CitationMark(key.lstrip("#") or key, (key,)), "]"]
