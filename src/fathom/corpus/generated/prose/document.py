"""Generates one narrative, news, policy or research document from a domain, a seed and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from fathom.corpus.generated.draft import with_absent_fields
from fathom.corpus.generated.prose.narrative import write_narrative
from fathom.corpus.generated.prose.news import write_news
from fathom.corpus.generated.prose.pack import ProsePack, load_pack
from fathom.corpus.generated.prose.policy import write_policy
from fathom.corpus.generated.prose.trial import write_trial
from fathom.corpus.generated.prose.writer import ProseWriter
from fathom.records.documents import Document, DocumentKind
from fathom.records.errors import FathomError
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.records.spans import Span

LONG = 5
"""How many times as many sections a long document has."""


@dataclass(frozen=True, slots=True)
class ProseDomain:
    """A kind of document in one language."""

    kind: DocumentKind
    language: str
    write: Callable[[ProsePack, str, Random, int], tuple[ProseWriter, Span, int | None]]


DOMAINS: Mapping[str, ProseDomain] = {
    "narrative": ProseDomain("narrative", "en", write_narrative),
    "news": ProseDomain("news", "en", write_news),
    "policy": ProseDomain("policy", "en", write_policy),
    "narrative-zh": ProseDomain("narrative", "zh", write_narrative),
    "news-zh": ProseDomain("news", "zh", write_news),
    "policy-zh": ProseDomain("policy", "zh", write_policy),
    "article-zh": ProseDomain("article", "zh", write_trial),
}


def write_prose(domain: str, seed: int, index: int, *, long: bool = False) -> Document:
    """Document `index` of the domain; about 10K tokens, or 30K to 45K if `long`.

    A fact that a later passage corrects is planted three times: the first value ("reported"), the same value in the
    correction ("repeated"), and the value that counts ("restated").
    """
    if domain not in DOMAINS:
        raise FathomError(f"There is no domain '{domain}'. Choose from: {', '.join(DOMAINS)}.")
    kind = DOMAINS[domain]
    rng = rng_for(seed, domain, "prose", index, int(long))
    writer, title, year = kind.write(load_pack(kind.kind, kind.language), kind.language, rng, LONG if long else 1)
    document = Document(
        id=short_id("gen", "prose", domain, seed, index, int(long)),
        kind=kind.kind,
        language=kind.language,
        title=title,
        year=year,
        subject=domain,
        license="CC0-1.0",
        source=f"generated:{domain}:{seed}:{index}",
        text=writer.draft.text(),
        sections=tuple(writer.draft.sections),
        paragraphs=tuple(writer.draft.paragraphs),
        sentences=tuple(writer.draft.sentences),
        facts=tuple(writer.facts),
    )
    return with_absent_fields(document)
