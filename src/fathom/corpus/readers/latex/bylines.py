"""The byline of a LaTeX source: the arguments of its author commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fathom.corpus.readers.bibtex.latex_text import latex_to_text
from fathom.corpus.readers.bibtex.parser import parse_author
from fathom.corpus.readers.latex.source import braced_group, remove_commands
from fathom.corpus.readers.parsed_document import Block, Paragraph, ParsedAuthor
from fathom.corpus.readers.parsing.byline_pieces import has_given_name, is_incomplete, is_institution
from fathom.corpus.readers.parsing.bylines import UNEXPLAINED, read_byline

_AUTHOR = re.compile(r"\\author\*?\s*(?:\[[^\[\]]*\])?\s*(?=\{)")
_NOT_NAMES = re.compile(
    r"\\(?:thanks|footnote(?:mark)?|inst|textsuperscript|orcid\w*|email|affil\w*|institut\w*|address|IEEE(?!authorblockN)\w+"
    r"|href|corref|fnref)\s*(?:\[[^\[\]]*\])?\s*(?=\{)|\$[^$]{0,60}\$"
)
_OTHER_BYLINE = re.compile(r"\\(?:author\w+|begin\s*\{author|name\s*\{|IEEEauthor)")
_NEXT = re.compile(r"\\(?:and|And|AND|quad|qquad)(?![A-Za-z])")
_LINE = re.compile(r"\\\\(?:\s*\[[^\[\]]*\])?|\n\s*\n")
_MARKS = re.compile(r"[\d*†‡§¶^]+$")


@dataclass
class LatexByline:
    """The authors, or why they are unknown."""

    authors: list[ParsedAuthor] = field(default_factory=list)
    reason: str = ""
    lines: list[Block] = field(default_factory=list)
    """The lines as text, if they are not understood."""
    is_stated: bool = False
    """Whether the source has a title page without authors."""


def read_latex_byline(text: str, pairs: dict[int, int]) -> LatexByline:
    """Return the authors of a source; unknown if a line of an author command is not understood."""
    byline = LatexByline()
    lines: list[str] = []
    for match in _AUTHOR.finditer(text):
        group = remove_commands(braced_group(text, pairs, match.end())[0], _NOT_NAMES)
        for part in _NEXT.split(group):
            own = [" ".join(latex_to_text(line).split()).strip(" ,") for line in _LINE.split(part)]
            own = [line for line in own if re.search(r"[^\W\d_]", line)]
            lines += own
            _read_part(own, byline)
    if byline.reason:
        return LatexByline(reason=byline.reason, lines=[Paragraph([line]) for line in lines])
    byline.is_stated = not lines and "\\maketitle" in text and not _OTHER_BYLINE.search(text)
    return byline


def _read_part(lines: list[str], byline: LatexByline) -> None:
    """Add the authors in the lines between two separators of an author command: names, then affiliations."""
    if not lines:
        return
    first = _MARKS.sub("", lines[0]).strip()
    if is_institution(first) or is_incomplete(first) or any(map(_has_surely_names, lines[1:])):
        byline.reason = UNEXPLAINED
    elif len(first) <= 80 and not re.search(r"[,;&@]|\b(?:and|with)\b", first):
        # The command itself says that it is a name, be it a mononym or in lower case.
        byline.authors.append(parse_author(first))
    elif (found := read_byline(lines[:1])).is_known:
        byline.authors.extend(parse_author(author.printed) for author in found.authors)
    else:
        byline.reason = UNEXPLAINED


def _has_surely_names(line: str) -> bool:
    """Return whether a line of affiliations names another author."""
    found = read_byline([line])
    return found.is_known and all(has_given_name(author.printed) for author in found.authors)
