"""Inline markup of reStructuredText: roles, links, footnotes, substitutions and citations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter
from fathom.corpus.readers.parsed_document import CitationMark, Inlines
from fathom.corpus.readers.parsing.blocks import splice
from fathom.corpus.readers.rst.lines import Definitions

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


def link_text(text: str) -> str:
    """Return the text of "text <target>"."""
    match = re.match(r"([^<]*\S)\s*<[^<>]*>$", text)
    if match is None:
        return text.strip("<>") if text.startswith("<") and text.endswith(">") else text
    return match[1]


class InlineParser:
    """Parses inline markup, and formats citations and cross-references."""

    def __init__(
        self,
        definitions: Definitions,
        citations: CitationFormatter,
        peps: Mapping[str, str],
        footnotes_are_references: bool,
    ) -> None:
        """`peps`: the reference keys of the PEPs that a PEP mentions, by number."""
        self._substitutions = definitions.substitutions
        self._labels = definitions.labels
        self._automatic = definitions.automatic
        self._anonymous = iter(definitions.anonymous)
        self._citations = citations
        self._peps = peps
        self._footnotes_are_references = footnotes_are_references
        self._substituting = False

    def parse(self, text: str, marks: bool = True) -> Inlines:
        """Return the inlines of a text; `marks`: with citation marks."""
        inlines: Inlines = []
        position = 0
        for match in _INLINE.finditer(text):
            inlines.extend(self._plain(text[position : match.start()], marks))
            inlines.extend(self._match_inlines(match, text, marks))
            position = match.end()
        inlines.extend(self._plain(text[position:], marks))
        return inlines

    def _plain(self, text: str, marks: bool) -> Inlines:
        """Return text without markup; in a PEP, "PEP 8" is a citation."""
        if not (self._peps and marks):
            return [text]
        mentions = re.finditer(r"\bPEP[\s-]{1,20}0*(\d{1,5})\b", text)
        return splice(text, ((*match.span(), [self._pep_mark(match[0], match[1])]) for match in mentions))

    def _pep_mark(self, text: str, number: str) -> str | CitationMark:
        key = self._peps.get(str(int(number)))
        return CitationMark(text, (key,), "author-year") if key else text

    def _match_inlines(self, match: re.Match[str], text: str, marks: bool) -> Inlines:
        if match["escaped"] is not None:
            return ["" if match["escaped"].isspace() else match["escaped"]]
        if match["literal"] is not None:
            return [match["literal"]]
        if match["role"] or match["roled"]:
            return self._role((match["role"] or match["after"]).lower(), match["roled"] or match["before"], match, text)
        if match["quoted"] is not None:
            return self._plain(link_text(match["quoted"]), marks)
        if match["strong"] is not None or match["stressed"] is not None:
            return self._plain(match["strong"] or match["stressed"], marks)
        if match["key"] is not None:
            return self._footnote(match["key"], marks)
        if match["named"] is not None:
            return self._substitute(match["named"], match[0])
        return [match["link"] or match[0]]

    def _substitute(self, name: str, written: str) -> Inlines:
        replaced = self._substitutions.get(name)
        if replaced is None or self._substituting:
            return [written]
        # A substitution may contain markup, but substitutions in it are not replaced: two may refer to each other.
        self._substituting = True
        inlines = self.parse(replaced)
        self._substituting = False
        return inlines

    def _role(self, role: str, text: str, match: re.Match[str], whole: str) -> Inlines:
        if role.startswith("cite"):
            return self._citation(role, text, match, whole)
        if role == "math":
            return [f"${text}$"]
        if role == "label":
            return []
        if role in ("ref", "eq", "numref") and link_text(text) in self._labels:
            return [self._labels[link_text(text)]]
        if role == "pep":
            number = re.search(r"(?:^|<)0*(\d{1,5})(?:#[^>]*)?>?$", text)
            printed = link_text(text)
            printed = f"PEP {printed.partition('#')[0]}" if printed[:1].isdigit() else printed
            return [self._pep_mark(printed, number[1])] if number else [printed]
        if role == "rfc" and text[:1].isdigit():
            return [f"RFC {text}"]
        return [link_text(text).lstrip("~!")]

    def _citation(self, role: str, text: str, match: re.Match[str], whole: str) -> Inlines:
        keys = [key.strip() for key in text.split(",") if key.strip()]
        form: CitationForm = "textual" if role.endswith(("t", ":text")) and role != "cite" else "parenthetical"
        # "[:cite:`a,b`]" already has its bracket.
        if whole[: match.start()].endswith(("[", "(")) and whole[match.end() : match.end() + 1] in ("]", ")"):
            form = "bare"
        return self._citations.format(keys, form)

    def _footnote(self, key: str, marks: bool) -> Inlines:
        key = next(self._anonymous, "#") if key == "#" else self._automatic.get(key, key)
        if self._citations.has(key):
            return ["[", *self._citations.format([key], "bare"), "]"] if marks else [f"[{key}]"]
        remark = key.isdigit() or key[0] in "#*"
        if not marks or (remark and not self._footnotes_are_references):
            return [f"[{key.lstrip('#')}]"]
        return ["[", CitationMark(key.lstrip("#") or key, (key,)), "]"]
