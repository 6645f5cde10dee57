"""A warning where a model may know a bench's documents by heart."""

from __future__ import annotations

import click

from fathom.cli.subject import Subject
from fathom.corpus.store import Corpus
from fathom.models.model_info import model_info
from fathom.tasks.ages import ages
from fathom.tasks.bench import Bench


def warn_of_age(subject: Subject) -> None:
    """Say so where documents of the bench are older than what the model was trained on."""
    cutoff = model_info(subject.model, subject.prices).cutoff
    if cutoff is None:
        return
    bench = Bench(subject.bench)
    with Corpus(subject.corpus or bench.corpus_folder) as corpus:
        found = ages(bench, corpus, cutoff)
    if found is None or not found.older:
        return
    undated = f" ({found.undated:,} more do not say when)" if found.undated else ""
    click.echo(
        f"fathom: warning: {found.older:,} of the {found.documents:,} documents of '{subject.bench}' appeared before "
        f"{cutoff}{undated}, up to which '{subject.model}' was trained, so that it may know them by heart; see "
        "`fathom contamination`.",
        err=True,
    )
