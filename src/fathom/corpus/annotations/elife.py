"""eLife's editorial assessments: the words for the strength of evidence and the importance of an article's claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lxml import etree

from fathom.corpus.annotations.source import SourceAnnotation, files_of
from fathom.corpus.readers.jats.xml_parsing import parse_jats
from fathom.records.errors import FathomError

KINDS = {"evidence-strength": "evidence strength", "claim-importance": "claim importance"}
"""Labels by the kinds of keyword groups."""
ANNOTATOR = "eLife"
MIN_WORDS = 5
"""The minimum number of words of a sentence that is searched for: shorter ones may occur by chance."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\[(])")


def read(sources: Iterable[Path], annotator: str) -> Iterator[SourceAnnotation]:
    """The assessments of all articles that have one."""
    for file in files_of(sources, (".xml", ".nxml")):
        try:
            root = parse_jats(file.content)
        except Exception as error:
            raise FathomError(f"'{file.path}' cannot be parsed: {error}. Remove it.") from error
        reports = root.xpath("//sub-article[@article-type='editor-report']")
        if not reports:
            continue
        labels = {name: _words(reports[0], kind) for kind, name in KINDS.items()}
        by_name = {name: ", ".join(words) for name, words in labels.items() if words}
        doi = root.findtext("front/article-meta/article-id[@pub-id-type='doi']") or ""
        names = tuple(name for name in (doi.strip(), file.path.stem) if name)
        yield SourceAnnotation(names, annotator or ANNOTATOR, labels=by_name, hidden=_sentences(reports[0]))


def _words(report: etree._Element, kind: str) -> list[str]:
    """The keywords of one kind; articles whose parts were judged differently have several."""
    labels = report.xpath(f".//kwd-group[@kwd-group-type='{kind}']/kwd")
    return [" ".join("".join(label.itertext()).split()).lower() for label in labels]


def _sentences(report: etree._Element) -> tuple[str, ...]:
    """The sentences of an assessment."""
    paragraphs = (" ".join("".join(element.itertext()).split()) for element in report.xpath("./body//p"))
    sentences = (sentence for paragraph in paragraphs for sentence in _SENTENCE_END.split(paragraph))
    return tuple(sentence for sentence in sentences if len(sentence.split()) >= MIN_WORDS)
