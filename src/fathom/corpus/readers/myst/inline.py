"""Running text of MyST: roles, citations, links, footnotes and emphasis."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from fathom.corpus.readers.bibtex.citations import CitationForm, CitationFormatter, find_doi
from fathom.corpus.readers.parsed_document import Inlines

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


class Running:
    """Turns the markup within a paragraph into running text."""

    def __init__(self, citations: CitationFormatter, labels: Mapping[str, str]) -> None:
        self._citations = citations
        self._labels = labels
        self._notes: dict[str, int] = {}

    def note(self, key: str) -> int:
        """The number of a footnote: footnotes are counted as they are first named."""
        return self._notes.setdefault(key, len(self._notes) + 1)

    def inline(self, text: str, depth: int = 0) -> Inlines:
        """Markup within a paragraph as running text."""
        words: Inlines = []
        place = 0
        for match in _INLINE.finditer(text):
            words.append(html.unescape(text[place : match.start()]))
            words.extend(self._piece(match, depth))
            place = match.end()
        words.append(html.unescape(text[place:]))
        return words

    def _piece(self, match: re.Match[str], depth: int) -> Inlines:
        if match["escaped"] is not None:
            return [match["escaped"]]
        if match["role"]:
            return self._role(match["role"].lower(), match["roled"])
        if match["code"] or match["codes"]:
            return [(match["code"] or match["codes"]).strip()]
        if match["math"]:
            return [match["math"]]
        if match["cites"]:
            return self._cites(match["cites"])
        if match["key"]:
            return self._narrative(match["key"])
        if match["note"]:
            return [f"[{self.note(match['note'])}]"]
        if match["target"] is not None:
            return [] if match["picture"] else self._link(match["label"], match["target"], depth)
        inner = match["strong"] or match["stressed"] or match["underlined"]
        if inner is not None:
            return self.inline(inner, depth + 1) if depth < 3 else [inner]
        if match["address"]:
            return [match["address"]]
        return [" "] if match[0].lower().startswith("<br") else []

    def _role(self, role: str, text: str) -> Inlines:
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

    def _cites(self, text: str) -> Inlines:
        """A bracket of citations: "see @a, p. 3; @b"."""
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

    def _narrative(self, key: str) -> Inlines:
        bare = key.rstrip(".,:;/")
        if self._citations.has(bare):
            return [*self._citations.format([bare], "textual"), key[len(bare) :]]
        return [self._labels.get(bare, f"@{bare}"), key[len(bare) :]]

    def _link(self, label: str, target: str, depth: int) -> Inlines:
        if label.strip():
            label = label.replace("%s", self._labels.get(target.lstrip("#"), "").rpartition(" ")[2])
            return self.inline(label, depth + 1) if depth < 3 else [label]
        if find_doi(target):
            return self._citations.format([f"doi:{find_doi(target)}"], "textual")
        name = target.lstrip("#")
        if self._citations.has(name):
            return self._citations.format([name], "textual")
        return [self._labels.get(name, target)]
