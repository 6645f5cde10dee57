"""Contexts: sample documents of a corpus into contexts of given lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from fathom.api.arguments import Folder, Progress, as_names, as_path, as_tokens, checked, ignore
from fathom.contexts.assembly import count_tokens
from fathom.contexts.files import FILE_NAME, read_contexts, write_contexts
from fathom.contexts.sampling import MIN_FILL, SamplingReport, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.contexts import Context, Sampling, Split
from fathom.records.documents import FieldName
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length

__all__ = [
    "DEFAULT",
    "DEFAULT_LENGTHS",
    "FILE_NAME",
    "ContextSet",
    "SamplingOptions",
    "SamplingReport",
    "contexts_command",
    "sample_contexts",
]

DEFAULT_LENGTHS = "64K,128K,512K,1M"
"""The lengths that `fathom contexts` samples if none are given."""
SHORTEST_DEFAULT = min(map(parse_length, DEFAULT_LENGTHS.split(",")))
MIN_DOCUMENTS: int = SamplingSettings.model_fields["min_documents"].default


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


def contexts_command(corpus: Corpus) -> str:
    """The command that samples contexts; of a corpus that cannot fill the default lengths, one of all documents."""
    manifest = corpus.manifest
    command = f"fathom contexts {corpus.folder}"
    tokens = count_tokens([manifest.tokens, *[0] * (manifest.documents - 1)], tokenizer(manifest.tokenizer))
    if not manifest.documents or tokens >= MIN_FILL * SHORTEST_DEFAULT:
        return command
    # Rounded up to two digits, so that the documents fill at least 90%.
    unit = 10 ** max(0, len(str(tokens)) - 2)
    few = f" --min-documents {manifest.documents}" if manifest.documents < MIN_DOCUMENTS else ""
    return f"{command} --lengths {-(-tokens // unit) * unit} --count 1{few}"


def _subject(name: str, corpus: Corpus) -> str:
    """The subject of the corpus with that name; "computer-science" means "computer science"."""
    known = {subject.replace(" ", "-"): subject for subject in corpus.manifest.subjects}
    if name.replace(" ", "-") not in known:
        advice = f"Choose from: {', '.join(known)}" if known else "It has no subjects at all. Leave out --subjects"
        raise FathomError(f"The corpus has no subject '{name}'. {advice}.")
    return known[name.replace(" ", "-")]
