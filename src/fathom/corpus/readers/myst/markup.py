"""Inline markup of MyST, the options of its directives, and the labels that cross-references use."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter
from fathom.corpus.readers.parsed_document import Inlines
from fathom.corpus.readers.parsing.front_matter import parse_yaml
from fathom.corpus.readers.parsing.identifiers import find_doi

FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,}|:{3,}) *(?P<info>.*)$")
DIRECTIVE = re.compile(r"\{(?P<name>[\w:.+-]{1,60})\} *(?P<argument>.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?: +(?P<text>.*?))?(?: +#+)?$")
_TARGET = re.compile(r" *\((?P<label>[^()\s]{1,120})\)= *$")
_OPTION = re.compile(r" *:(?P<name>[\w-]{1,60}):(?: +(?P<value>.*))?$")
NUMBERED = {"figure": "Figure", "iframe": "Figure", "table": "Table", "list-table": "Table", "csv-table": "Table",
            "math": "Equation"}  # fmt: skip
"""Directives whose content is numbered, and how their numbers print."""


def split_options(content: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options of a directive, and its content."""
    options: dict[str, str] = {}
    position = 0
    if content and content[0].strip() == "---":
        end = next((n for n, line in enumerate(content[1:], start=1) if line.strip() == "---"), 0)
        values = parse_yaml("\n".join(content[1:end]))
        return {name: value for name, value in values.items() if isinstance(value, str)}, list(content[end + 1 :])
    while position < len(content) and (match := _OPTION.match(content[position])) is not None:
        options[match["name"].lower()] = match["value"] or ""
        position += 1
    rest = list(content[position:])
    while rest and not rest[0].strip():
        rest.pop(0)
    return options, rest


def find_labels(lines: Sequence[str]) -> dict[str, str]:
    """Return how cross-references to figures, tables, equations and sections print, by label."""
    labels: dict[str, str] = {}
    counts: dict[str, int] = {}
    kind = ""
    waiting: list[str] = []
    for line in lines:
        fence = FENCE.match(line) if line.lstrip()[:3] in ("```", ":::", "~~~") else None
        directive = DIRECTIVE.match(fence["info"]) if fence else None
        if directive is not None:
            name = directive["name"].lower()
            kind = NUMBERED.get(name, name.rpartition(":")[2].capitalize())
            counts[kind] = counts.get(kind, 0) + 1
        option = _OPTION.match(line)
        target = _TARGET.match(line)
        if option and option["name"] in ("label", "name") and option["value"] and kind:
            labels.setdefault(option["value"].strip(), f"{kind} {counts[kind]}")
        elif target:
            waiting.append(target["label"])
        elif line.strip():
            heading = _HEADING.match(line)
            for label in waiting:
                labels.setdefault(label, (heading["text"] or label) if heading else label)
            waiting = []
    return labels


_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\{(?P<role>[A-Za-z][\w:+.-]{0,60})\}`(?P<roled>[^`]+)`"
    r"|``(?P<codes>[^`]+(?:`[^`]+)*?)``|`(?P<code>[^`]+)`"
    r"|(?P<math>\$\$?[^$\s](?:[^$]{0,2000}[^$\s\\])?\$\$?)"
    r"|\[(?P<cites>-?@[^\[\]]{1,2000}|[^\[\]@]{1,100}\s-?@[^\[\]]{1,2000})\](?!\()"
    r"|(?<![\w@.`/])@(?P<key>(?:doi:|https?://)?[A-Za-z0-9][\w:./+()-]{0,200})"
    r"|\[\^(?P<note>[^\]\s]{1,60})\]"
    r"|(?P<picture>!)?\[(?P<label>[^\[\]]*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+[\"'][^\"']*[\"'])?\)"
    r"|(?<!\*)\*\*(?P<strong>[^\s*][^*]*)\*\*(?!\*)"
    r"|(?<![\w*])\*(?P<stressed>[^\s*][^*]*)\*(?![\w*])"
    r"|(?<![\w_])__?(?P<underlined>[^\s_][^_]*)__?(?![\w_])"
    r"|<(?P<address>https?://[^<>\s]+)>|</?[A-Za-z][^<>]{0,300}>"
)


class InlineParser:
    """Parses inline markup, and formats citations and cross-references."""

    def __init__(self, citations: CitationFormatter, labels: Mapping[str, str]) -> None:
        self._citations = citations
        self._labels = labels
        self._footnotes: dict[str, int] = {}

    def footnote_number(self, key: str) -> int:
        """Return the number of a footnote; footnotes are numbered in the order of their first use."""
        return self._footnotes.setdefault(key, len(self._footnotes) + 1)

    def parse(self, text: str, depth: int = 0) -> Inlines:
        """Return the inlines of a text."""
        inlines: Inlines = []
        position = 0
        for match in _INLINE.finditer(text):
            inlines.append(html.unescape(text[position : match.start()]))
            inlines.extend(self._match_inlines(match, depth))
            position = match.end()
        inlines.append(html.unescape(text[position:]))
        return inlines

    def _match_inlines(self, match: re.Match[str], depth: int) -> Inlines:
        if match["escaped"] is not None:
            return [match["escaped"]]
        if match["role"]:
            return self._role_inlines(match["role"].lower(), match["roled"])
        if match["code"] or match["codes"]:
            return [(match["code"] or match["codes"]).strip()]
        if match["math"]:
            return [match["math"]]
        if match["cites"]:
            return self._bracket_citations(match["cites"])
        if match["key"]:
            return self._narrative_citation(match["key"])
        if match["note"]:
            return [f"[{self.footnote_number(match['note'])}]"]
        if match["target"] is not None:
            return [] if match["picture"] else self._link_inlines(match["label"], match["target"], depth)
        inner = match["strong"] or match["stressed"] or match["underlined"]
        if inner is not None:
            return self.parse(inner, depth + 1) if depth < 3 else [inner]
        if match["address"]:
            return [match["address"]]
        return [" "] if match[0].lower().startswith("<br") else []

    def _role_inlines(self, role: str, text: str) -> Inlines:
        if role.startswith("cite"):
            form: CitationForm = (
                "textual" if role.endswith(":t") else "bare" if role.endswith(":alp") else "parenthetical"
            )
            return self._citations.format([key.strip() for key in re.split("[,;]", text) if key.strip()], form)
        if role == "math":
            return [f"${text}$"]
        named = re.match(r"([^<]*\S)\s*<([^<>]*)>$", text)
        if role in ("ref", "numref", "eq", "doc"):
            return [named[1] if named else self._labels.get(text, text)]
        return [named[1] if named else text]

    def _bracket_citations(self, text: str) -> Inlines:
        """Format the citations in a bracket such as "see @a, p. 3; @b"."""
        keys: list[str] = []
        before = after = ""
        form: CitationForm = "parenthetical"
        for part in re.split(r";|,(?=\s*@)", text):
            match = re.match(r"([^@]*?)(-?)@([^\s,;]+)(?:,?\s+(.*))?$", part.strip(), re.DOTALL)
            if match is None:
                continue
            keys.append(match[3].rstrip(".,:").strip("{}"))
            before = before or match[1].strip()
            after = (match[4] or "").strip()
            form = "year" if match[2] else form
        if keys and all(key in self._labels and not self._citations.has(key) for key in keys):
            return ["(" + ", ".join(self._labels[key] for key in keys) + ")"]
        return self._citations.format(keys, form, before, after)

    def _narrative_citation(self, key: str) -> Inlines:
        trimmed = key.rstrip(".,:;/")
        # DOIs contain brackets, but that of "(see @lind2019)" is not part of the key.
        while trimmed.endswith(")") and trimmed.count(")") > trimmed.count("("):
            trimmed = trimmed[:-1].rstrip(".,:;/")
        if self._citations.has(trimmed):
            return [*self._citations.format([trimmed], "textual"), key[len(trimmed) :]]
        return [self._labels.get(trimmed, f"@{trimmed}"), key[len(trimmed) :]]

    def _link_inlines(self, label: str, target: str, depth: int) -> Inlines:
        if label.strip():
            label = label.replace("%s", self._labels.get(target.lstrip("#"), "").rpartition(" ")[2])
            return self.parse(label, depth + 1) if depth < 3 else [label]
        if find_doi(target):
            return self._citations.format([f"doi:{find_doi(target)}"], "textual")
        name = target.lstrip("#")
        if self._citations.has(name):
            return self._citations.format([name], "textual")
        return [self._labels.get(name, target)]


# What distinguishes MyST from other Markdown.

_FRONT_MATTER = rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:title|authors?|abstract|exports):"
# The name is on the line of the fence: a line of code may start with a brace as well.
_MYST_DIRECTIVE = rb"(?m:^[ \t]{0,3}(?::{3,}|`{3,})[ \t]*\{[\w:-]{1,40}\})"
_MYST_CITATION = rb"\{cite(?::\w{1,10})?\}`|\[-?@[\w:.-]{1,80}[\];,]"
_MYST = re.compile(b"|".join((_FRONT_MATTER, _MYST_DIRECTIVE, _MYST_CITATION)))


def is_myst(name: str, head: bytes) -> bool:
    """Return whether a Markdown file has front matter, directives, roles or citations of MyST."""
    return name.lower().endswith((".md", ".myst")) and _MYST.search(head) is not None
