"""Contexts: sample documents of a corpus into contexts of given lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fathom.api.arguments import as_names, as_tokens, checked
from fathom.contexts.files import FILE_NAME, read_contexts, write_contexts
from fathom.contexts.sampling import SamplingReport, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT
from fathom.records.contexts import Context, Sampling, Split
from fathom.records.errors import FathomError

__all__ = [
    "DEFAULT",
    "FILE_NAME",
    "ContextSet",
    "SamplingReport",
    "sample_contexts",
]


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


def sample_contexts(
    corpus: Corpus,
    lengths: int | str | Sequence[int | str],
    count: int = 100,
    *,
    sampling: Sampling | Sequence[Sampling] = ("random", "bfs", "dfs"),
    min_documents: int = 4,
    order: Literal["shuffled", "traversal"] = "shuffled",
    tokenizer: str = DEFAULT,
    kinds: str | Sequence[str] = (),
    subjects: str | Sequence[str] = (),
    languages: str | Sequence[str] = (),
    splits: dict[Split, int] | None = None,
    seed: int = 0,
    out: Path | str | None = None,
    replace: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ContextSet:
    """Sample `count` contexts of each length from a corpus into a file.

    `lengths` are tokens (65536) or strings ("64K"). `sampling` lists the methods that share the count: "random", or
    "bfs" and "dfs" over the citation graph. `kinds`, `subjects` and `languages` restrict the documents. `splits`
    divides the corpus by share, such as {"train": 70, "test": 30}; no document is in two splits. No two contexts of one
    length share more than half of the smaller one's documents. `out` defaults to contexts.jsonl in the corpus folder.
    Existing contexts of the same settings are kept; `replace` overwrites others.
    """
    asked = [lengths] if isinstance(lengths, int | str) else lengths
    values = {
        "lengths": tuple(dict.fromkeys(map(as_tokens, asked))),
        "count": count,
        "sampling": as_names(sampling),
        "min_documents": min_documents,
        "order": order,
        "seed": seed,
        "tokenizer": tokenizer,
        "kinds": as_names(kinds),
        "subjects": tuple(_subject(name, corpus) for name in as_names(subjects)),
        "languages": as_names(languages),
        "splits": splits or {},
    }
    settings = checked(SamplingSettings, "sampling", values)
    path = Path(out) if out is not None else corpus.folder / FILE_NAME
    report = write_contexts(corpus, settings, path, replace, progress or _ignore)
    return ContextSet(path, report)


def _subject(name: str, corpus: Corpus) -> str:
    """The subject of the corpus with that name; "computer-science" means "computer science"."""
    known = {subject.replace(" ", "-"): subject for subject in corpus.manifest.subjects}
    if name.replace(" ", "-") not in known:
        raise FathomError(f"The corpus has no subject '{name}'. Choose from: {', '.join(known) or 'none'}.")
    return known[name.replace(" ", "-")]


def _ignore(done: int) -> None:
    """The default progress callback."""
