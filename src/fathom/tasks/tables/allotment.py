"""Which questions each context gets, where a bench must have a given number of each domain and level at each length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from pydantic import JsonValue

from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import DocumentId
from fathom.tasks.tables.entity_table import MIN_ENTITIES
from fathom.tasks.tables.figures import document_figures
from fathom.tasks.tables.pack import Pack
from fathom.tasks.tables.query_parts import QuestionLevel
from fathom.tasks.tables.settings import TablesSettings

LEVEL_SHARES: dict[QuestionLevel, int] = {"easy": 296, "medium": 648, "hard": 372}
"""Questions of each level, as in the published benchmark."""
PROBED = 40
"""Documents of one subject and language that are read to find out their domains."""


def domain(pack: Pack, language: str) -> str:
    """The domain of the reports of a pack in one language: "companies-zh", or "housing" if there is only one."""
    return f"{pack.name}-{language}" if len(pack.languages) > 1 else pack.name


def shares(settings: TablesSettings, corpus: Corpus, contexts: Sequence[Context]) -> dict[ContextId, JsonValue]:
    """The levels of the questions on each domain, for each context; empty if every context gets the same number."""
    if not settings.domains:
        return {}
    domains_by_context = _domains(corpus, contexts, settings.read_packs())
    context_ids: dict[tuple[int, str], list[ContextId]] = defaultdict(list)
    for context in contexts:
        for name in domains_by_context[context.id]:
            context_ids[context.length, name].append(context.id)
    levels_by_context: dict[ContextId, dict[str, list[QuestionLevel]]] = defaultdict(dict)
    for length in dict.fromkeys(context.length for context in contexts):
        for name, levels in _levels_by_domain(settings).items():
            turn = context_ids[length, name]
            for index, id in enumerate(turn):
                levels_by_context[id][name] = levels[index :: len(turn)]
    return {id: {name: [*levels] for name, levels in by_domain.items()} for id, by_domain in levels_by_context.items()}


def missing(settings: TablesSettings, counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Questions that a bench with these counts lacks, by domain."""
    lengths = len(counts.get("length", {}))
    lacking = {
        f"the documents allow no more ({name})": requested * lengths - counts.get("domain", {}).get(name, 0)
        for name, requested in settings.domains.items()
    }
    return {reason: count for reason, count in lacking.items() if count > 0}


def _levels_by_domain(settings: TablesSettings) -> dict[str, list[QuestionLevel]]:
    """The levels of the questions of each domain at one length: together they have the shares of the levels."""
    sequence = level_sequence(sum(settings.domains.values()), settings.levels)
    ends = list(accumulate(settings.domains.values()))
    starts = (0, *ends[:-1])
    return {name: sequence[start:end] for name, start, end in zip(settings.domains, starts, ends, strict=True)}


def level_sequence(count: int, levels: Sequence[QuestionLevel]) -> list[QuestionLevel]:
    """Levels in an order in which every part of the sequence has the shares of the levels, as closely as possible."""
    total = sum(LEVEL_SHARES[level] for level in levels)
    counts: Counter[QuestionLevel] = Counter()
    sequence: list[QuestionLevel] = []
    for index in range(1, count + 1):
        level = max(levels, key=lambda candidate: LEVEL_SHARES[candidate] * index - counts[candidate] * total)
        counts[level] += 1
        sequence.append(level)
    return sequence


# The domains of contexts.


def _domains(corpus: Corpus, contexts: Iterable[Context], packs: Sequence[Pack]) -> dict[ContextId, list[str]]:
    """The domains with enough documents in a context.

    Documents of one subject and language are taken to be of one kind: reading all of them takes minutes.
    """
    entries = {entry.id: entry for entry in corpus.entries()}
    kinds: dict[tuple[str | None, str], list[DocumentId]] = defaultdict(list)
    for entry in entries.values():
        kinds[_kind(entry)].append(entry.id)
    of_kind = {kind: _probe(corpus, members, packs) for kind, members in kinds.items()}
    domains: dict[ContextId, list[str]] = {}
    for context in contexts:
        counts: Counter[str] = Counter()
        for id in context.documents:
            counts.update(of_kind[_kind(entries[id])])
        domains[context.id] = [name for name, count in counts.items() if count >= MIN_ENTITIES]
    return domains


def _kind(entry: DocumentEntry) -> tuple[str | None, str]:
    return entry.subject, entry.language


def _probe(corpus: Corpus, members: Sequence[DocumentId], packs: Sequence[Pack]) -> set[str]:
    """The domains of some of these documents, evenly spaced."""
    domains: set[str] = set()
    for id in members[:: -(-len(members) // PROBED)]:
        document = corpus.document(id)
        domains |= {domain(pack, document.language) for pack in packs if document_figures(document, pack) is not None}
    return domains
