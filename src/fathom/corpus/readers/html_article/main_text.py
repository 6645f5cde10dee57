"""The main text of a web page: the element with the prose, without menus, banners and lists of links."""

from __future__ import annotations

import re
from collections import defaultdict

from fathom.corpus.readers.html.layout import BLOCKS
from fathom.corpus.readers.html.prose_blocks import HtmlNode, attribute, children, is_hidden, plain_nodes
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words, word_pattern

_WORDS = read_words("web_pages")

MIN_PROSE = 200
"""Minimum number of characters of prose on a page with a main text."""

_DROPPED_TAGS = word_set(_WORDS["dropped_tags"])
_DROPPED_ROLES = word_set(_WORDS["dropped_roles"])
_BOILERPLATE = word_pattern(_WORDS["boilerplate"])
_BANNER = re.compile(r"cookie|consent|gdpr|newsletter|paywall|subscri", re.IGNORECASE)
_SMALL_BOILERPLATE = word_pattern(_WORDS["small_boilerplate"], 0)
_BODY_CLASS = word_pattern(_WORDS["body_class"])
_CHINESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


class MainText:
    """Finds the main element of a page."""

    def __init__(self, body: HtmlNode) -> None:
        self._body = body
        self._prose: dict[int, int] = defaultdict(int)
        self._dropped: set[int] = set()
        self._kept: list[HtmlNode] = []  # nodes stay alive, so that their ids stay theirs
        self._measure()

    @property
    def prose(self) -> int:
        """Number of characters of prose on the page."""
        return self._prose[self._body.mem_id]

    def root(self) -> HtmlNode:
        """Return the element with the main text."""
        candidates = [
            node
            for node in self._kept
            if node.tag in ("article", "main")
            or attribute(node, "role") in ("main", "article")
            or "articleBody" in attribute(node, "itemprop")
            or _BODY_CLASS.search(f"{attribute(node, 'class')} {attribute(node, 'id')}")
        ]
        # The innermost element that has most of the prose: teasers of other articles have little.
        holding = [node for node in candidates if self._prose[node.mem_id] * 10 >= self.prose * 6]
        node = min(holding, key=lambda one: self._prose[one.mem_id], default=self._body)
        while True:
            inner = [child for child in children(node) if child.is_element_node and child.mem_id not in self._dropped]
            best = max(inner, key=lambda one: self._prose[one.mem_id], default=None)
            if best is None or best.tag not in BLOCKS or best.tag in ("p", "table", "ul", "ol", "blockquote"):
                return node
            if self._prose[best.mem_id] * 100 < self._prose[node.mem_id] * 90 or self._prose[best.mem_id] == 0:
                return node
            if self._has_heading_beside(node, best):
                return node
            node = best

    def _has_heading_beside(self, node: HtmlNode, inner: HtmlNode) -> bool:
        """Return whether the title is next to the text, not in it."""
        own = node.css("h1, h2")
        return bool(own) and not inner.css("h1, h2")

    def is_dropped(self, node: HtmlNode) -> bool:
        """Return whether an element is not part of the text."""
        return node.mem_id in self._dropped

    def _measure(self) -> None:
        """Count the prose below each element, and mark the elements that are dropped."""
        nodes = list(plain_nodes(self._body))
        self._kept = nodes
        text_of: dict[int, int] = defaultdict(int)
        links_of: dict[int, int] = defaultdict(int)
        parents = {child.mem_id: node.mem_id for node in (self._body, *nodes) for child in children(node)}
        by_id = {node.mem_id: node for node in nodes}
        hidden = self._hidden_ids(nodes, parents)
        own: dict[int, list[int]] = {}
        for node in (self._body, *nodes):
            own[node.mem_id] = [
                len(" ".join((child.text_content or "").split())) for child in children(node) if child.is_text_node
            ]
        # From the leaves up: children come after their parents in document order.
        for node in reversed(nodes):
            id = node.mem_id
            if id in hidden:
                continue
            text_of[id] += sum(own[id])
            if node.tag == "a":
                links_of[id] = text_of[id]
            if node.tag in BLOCKS:
                self._add_prose(node, text_of[id], links_of[id], own[id])
            parent = parents[id]
            self._prose[parent] += self._prose[id]
            # A paragraph's words are judged with its links; a block's words are not its parent's.
            if node.tag not in BLOCKS:
                text_of[parent] += text_of[id]
                links_of[parent] += links_of[id]
        self._drop_boilerplate(nodes, parents, by_id)

    def _add_prose(self, node: HtmlNode, length: int, linked: int, own: list[int]) -> None:
        text = node.text(deep=False) or ""
        wanted = 25 if _CHINESE.search(text) else 50
        if node.tag not in ("td", "th", "figcaption", "caption", "pre") and length >= wanted and linked * 2 < length:
            self._prose[node.mem_id] += length * (3 if wanted == 25 else 1)

    def _hidden_ids(self, nodes: list[HtmlNode], parents: dict[int, int]) -> set[int]:
        """Return the ids of elements that are dropped by their kind, with everything in them."""
        hidden: set[int] = set()
        for node in nodes:
            inside = parents[node.mem_id] in hidden
            kind = node.tag in _DROPPED_TAGS or attribute(node, "role") in _DROPPED_ROLES or is_hidden(node)
            if inside or kind or attribute(node, "aria-hidden") == "true":
                hidden.add(node.mem_id)
        self._dropped |= hidden
        return hidden

    def _drop_boilerplate(self, nodes: list[HtmlNode], parents: dict[int, int], by_id: dict[int, HtmlNode]) -> None:
        """Drop elements whose names say what they are, and lists of links; never what has most of the prose."""
        total = self._prose[self._body.mem_id]
        for node in nodes:
            id = node.mem_id
            if parents[id] in self._dropped:
                self._dropped.add(id)
                continue
            # R Markdown keeps its titles out of the table of contents: <h1 class="title toc-ignore">.
            is_title = node.tag == "h1"
            named = not is_title and _BOILERPLATE.search(f"{attribute(node, 'class')} {attribute(node, 'id')}")
            header = node.tag == "header" and node.css_first("h1") is None
            small = _SMALL_BOILERPLATE.search(attribute(node, "class")) or self._is_banner(node, bool(named))
            block = node.tag in BLOCKS and (named or header or self._is_link_list(node))
            if small or (block and self._prose[id] * 3 <= total):
                self._dropped.add(id)
        for id in [one for one in self._dropped if self._prose[one]]:
            if parents.get(id) not in self._dropped:
                self._subtract(id, parents)

    def _is_banner(self, node: HtmlNode, named: bool) -> bool:
        """Return whether an element is a notice on cookies, which may be longer than the text of the page."""
        if not named or not _BANNER.search(f"{attribute(node, 'class')} {attribute(node, 'id')}"):
            return False
        # A wrapper of the whole page may say that a banner is shown.
        return node.css_first("h1, article, main") is None and len(node.css("p")) < 5

    def _subtract(self, id: int, parents: dict[int, int]) -> None:
        amount, above = self._prose[id], parents.get(id)
        while above is not None:
            self._prose[above] -= amount
            above = parents.get(above)

    def _is_link_list(self, node: HtmlNode) -> bool:
        if node.tag not in ("ul", "ol", "div", "section", "p") or self._prose[node.mem_id]:
            return False
        links = node.css("a")
        if len(links) < 2 and node.tag != "p":
            return False
        # References end in links, but most of their text is not linked.
        linked = sum(len(" ".join((link.text(deep=True) or "").split())) for link in links)
        return linked * 10 > len(" ".join((node.text(deep=True) or "").split())) * 7
