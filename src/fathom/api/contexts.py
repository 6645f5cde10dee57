"""Contexts: sample documents of a corpus into contexts of given lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal, TypedDict, Unpack

from fathom.api.arguments import Folder, Progress, as_names, as_path, as_tokens, checked, ignore
from fathom.contexts.assembly import count_tokens
from fathom.contexts.files import FILE_NAME, read_contexts, write_contexts
from fathom.contexts.sampling import SamplingReport, SamplingSettings
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.contexts import Context, Sampling, Split
from fathom.records.documents import FieldName
from fathom.records.errors import FathomError
from fathom.records.lengths import format_length, parse_length
from fathom.tasks.catalog import builds_per_context, family, family_names, per_context

__all__ = [
    "DEFAULT",
    "DEFAULT_LENGTHS",
    "FILE_NAME",
    "ContextSet",
    "FittingLengths",
    "SamplingOptions",
    "SamplingReport",
    "choose_lengths",
    "contexts_command",
    "distinct_documents",
    "format_lengths",
    "sample_contexts",
    "samples_by_year",
]

DEFAULT_LENGTHS = "64K,128K,512K,1M"
"""The lengths that `fathom contexts` samples if none are given."""
DEFAULT_TOKENS = tuple(map(parse_length, DEFAULT_LENGTHS.split(",")))
MIN_DOCUMENTS: int = SamplingSettings.model_fields["min_documents"].default
"""Documents in a context, so that there is something to compare."""
LENGTHS = tuple(1_024 * size for size in (2, 4, 8, 16, 32, 64, 112, 224, 448))
"""The lengths to choose from for a corpus. The long ones leave an eighth of windows of 128K, 256K and 512K for the
response, and for tokenizers that count more."""
USUAL_LENGTH = 112 * 1_024
"""Only long documents get longer contexts, which cost dollars for each model that is tried."""
MAX_LENGTH = 768 * 1_024
"""The longest context of all documents: models with a window of a million of their own tokens can read it."""
CONTEXTS = 6
"""Contexts of each length that are chosen."""


@dataclass(frozen=True)
class ContextSet:
    """Sampled contexts in a file; iterate to read them one at a time."""

    path: Path
    report: SamplingReport
    """How many contexts of each length there are, how they were sampled, and how much they overlap."""

    def __repr__(self) -> str:
        return f"ContextSet('{self.path}', {len(self):,} contexts)"

    def __iter__(self) -> Iterator[Context]:
        return read_contexts(self.path)

    def __len__(self) -> int:
        return self.report.contexts


class SamplingOptions(TypedDict, total=False):
    """Options of `Corpus.contexts`; each has the meaning and the default of the command-line option of its name."""

    sampling: Sampling | Sequence[Sampling]
    """The methods that share the count: "random", "bfs" and "dfs" over the citation graph, or "year": two of three
    documents from one year. [default: all but "year"]"""
    min_documents: int
    order: Literal["shuffled", "traversal"]
    tokenizer: str
    kinds: str | Sequence[str]
    subjects: str | Sequence[str]
    languages: str | Sequence[str]
    per_subject: bool
    """Contexts of one subject each, and `count` of each subject."""
    min_tokens: int
    """Only documents with at least this many tokens."""
    known: FieldName | Sequence[FieldName]
    """Only documents where these fields are known, such as "authors"."""
    splits: dict[Split, int]
    """Shares of the corpus, such as {"train": 70, "test": 30}; no document is in two splits."""
    seed: int
    out: Folder | None
    """The file to write. [default: contexts.jsonl in the corpus folder]"""
    replace: bool
    """Overwrite contexts that were sampled with other settings."""


def sample_contexts(
    corpus: Corpus,
    lengths: int | str | Sequence[int | str],
    count: int = 100,
    *,
    progress: Progress = ignore,
    **options: Unpack[SamplingOptions],
) -> ContextSet:
    """Sample `count` contexts of each length from a corpus into a file.

    `lengths` are tokens (65536) or strings ("64K"). No two contexts of one length share more than half of the smaller
    one's documents. Existing contexts of the same settings are kept.
    """
    asked = [lengths] if isinstance(lengths, int | str) else lengths
    values: dict[str, Any] = {"lengths": tuple(dict.fromkeys(map(as_tokens, asked))), "count": count, **options}
    path = as_path(values.pop("out", None)) or corpus.folder / FILE_NAME
    replace = values.pop("replace", False)
    lists = ("sampling", "kinds", "subjects", "languages", "known")
    values |= {name: as_names(values[name]) for name in lists if name in values}
    values["subjects"] = tuple(_subject(name, corpus) for name in values.get("subjects", ()))
    settings = checked(SamplingSettings, "sampling", values)
    return ContextSet(path, write_contexts(corpus, settings, path, replace, progress))


@dataclass(frozen=True)
class FittingLengths:
    """Lengths of contexts that documents can fill."""

    lengths: tuple[int, ...]
    count: int
    """Contexts of each length."""
    min_documents: int
    """Documents in each context at least."""


def choose_lengths(sizes: Sequence[int]) -> FittingLengths:
    """The lengths that suit documents of these token counts; one context of all documents if no other can be filled."""
    total, usual_size = sum(sizes), median(sizes)
    # With very few documents, a context needs the long ones, too.
    least = max((MIN_DOCUMENTS + 0.5) * usual_size, count_tokens(sorted(sizes)[:MIN_DOCUMENTS], tokenizer(DEFAULT)))
    enough = [length for length in LENGTHS if least <= length <= total]
    if enough:
        # Half of the documents should be left over, or the contexts would be much the same.
        usual = [length for length in enough if length <= min(USUAL_LENGTH, total / 2)]
        lengths = tuple(usual[-2:] or enough[:1])
        # Contexts may share half of their documents.
        count = min(CONTEXTS, 2 * total // lengths[-1])
    else:
        # All documents in one context, with the lines between them.
        lengths, count = (min(count_tokens(sizes, tokenizer(DEFAULT)), MAX_LENGTH),), 1
    fitting = max(1, int(lengths[0] / usual_size))
    return FittingLengths(lengths, count, min(MIN_DOCUMENTS, len(sizes), fitting))


def distinct_documents(corpus: Corpus) -> list[DocumentEntry]:
    """One version of each work, the one with the most known fields: a context never shows two."""
    works, best = corpus.works(), dict[str | bytes, DocumentEntry]()
    for entry in corpus.entries():
        work = works.get(entry.id, entry.fingerprint)
        if work not in best or len(entry.known.split()) > len(best[work].known.split()):
            best[work] = entry
    return list(best.values())


def contexts_command(corpus: Corpus) -> str:
    """The command that samples contexts, with lengths if the corpus cannot fill all of the default ones, and by year if
    its documents are compared by year."""
    command = f"fathom contexts {corpus.folder}"
    tokens = corpus.token_counts(tokenizer(corpus.manifest.tokenizer))
    sizes = [tokens[entry.id] for entry in distinct_documents(corpus)]
    if not sizes:
        return command
    year = " --sampling year" if samples_by_year(corpus, _families_of_kind(corpus)) else ""
    if MIN_DOCUMENTS * median(sizes) <= min(DEFAULT_TOKENS) and max(DEFAULT_TOKENS) <= sum(sizes) / 2:
        return command + year
    chosen = choose_lengths(sizes)
    few = f" --min-documents {chosen.min_documents}" if chosen.min_documents < MIN_DOCUMENTS else ""
    return f"{command} --lengths {format_lengths(chosen.lengths)} --count {chosen.count}{few}{year}"


def _families_of_kind(corpus: Corpus) -> list[str]:
    """The families that ask about documents of the most frequent kind alone."""
    kinds = corpus.manifest.kinds
    most = max(kinds, key=lambda kind: kinds[kind])
    return [name for name in family_names() if builds_per_context(name) and per_context(name).kind == most]


def samples_by_year(corpus: Corpus, families: Iterable[str]) -> bool:
    """Whether contexts should contain documents of one year: a family compares these, and most have a year."""
    dated = sum(entry.year is not None for entry in corpus.entries())
    return any(family(name).compares_one_year for name in families) and dated > corpus.manifest.documents / 2


def format_lengths(lengths: Sequence[int]) -> str:
    """The lengths as an argument of `--lengths`."""
    return ",".join(str(length) if length % 1_024 else format_length(length) for length in lengths)


def _subject(name: str, corpus: Corpus) -> str:
    """The subject of the corpus with that name; "computer-science" means "computer science"."""
    known = {subject.replace(" ", "-"): subject for subject in corpus.manifest.subjects}
    if name.replace(" ", "-") not in known:
        advice = f"Choose from: {', '.join(known)}" if known else "It has no subjects at all. Leave out --subjects"
        raise FathomError(f"The corpus has no subject '{name}'. {advice}.")
    return known[name.replace(" ", "-")]
