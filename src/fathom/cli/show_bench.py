"""The output of `fathom show` for benches and runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from fathom.api.benches import Bench, BenchItem, BenchStatistics, NumberRange, ProofPassage, tags_of
from fathom.api.corpora import Corpus, open_corpus
from fathom.api.runs import open_run
from fathom.cli.output import cut, escape_control_characters, wrapped
from fathom.cli.run import describe as describe_run
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

MAX_PASSAGES = 12
"""Passages of an item that are shown."""
MAX_VALUES = 12
"""Values of a tag that statistics list."""


def show_bench(folder: Path, id: str | None, stats: bool, sample: int | None, seed: int, as_json: bool) -> None:
    """Print a bench, its statistics, some of its items, or one item."""
    bench = Bench(folder)
    if stats:
        found = bench.statistics()
        click.echo(found.model_dump_json(indent=2) if as_json else "\n".join(_statistics(bench, found)))
        return
    if id is None and sample is None:
        click.echo(bench.manifest.model_dump_json(indent=2) if as_json else "\n".join(_overview(bench)))
        return
    items = [bench.item(id)] if id is not None else bench.sample(sample or 1, seed)
    with open_corpus(bench.corpus_folder) as corpus:
        if as_json:
            click.echo(json.dumps([_as_json(item, corpus) for item in items], indent=2, ensure_ascii=False))
        else:
            click.echo("\n\n".join("\n".join(item_lines(item, corpus)) for item in items))


def show_run(folder: Path, id: str | None, as_json: bool) -> None:
    """Print the state of a run, or a question with its responses and verdicts."""
    run = open_run(folder)
    if id is None:
        click.echo(run.status.model_dump_json(indent=2) if as_json else describe_run(folder, run.status))
        return
    item = Bench(Path(folder.resolve() / run.manifest.bench)).item(id)
    responses = [response for response in run.responses() if response.question_id == id]
    if not responses:
        raise FathomError(f"The run '{folder}' has no response to '{id}'. Run `fathom run` again to get it.")
    if as_json:
        verdicts = [json.loads(item.check(response).model_dump_json()) for response in responses]
        found = [json.loads(response.model_dump_json()) for response in responses]
        click.echo(json.dumps({"responses": found, "verdicts": verdicts}, indent=2, ensure_ascii=False))
        return
    lines = [*_question_lines(item), *_answer_lines(item)]
    for response in responses:
        verdict = item.check(response)
        reason = f": {verdict.reason}" if verdict.reason else ""
        lines += [f"response {response.sample + 1}: {verdict.outcome}, partial credit {verdict.score:.1%}{reason}"]
        lines += _indented(response.error or response.text)
    click.echo(escape_control_characters("\n".join(lines)))


def _overview(bench: Bench) -> Iterator[str]:
    manifest = bench.manifest
    size = f"{counted(manifest.questions, 'question')} over {counted(manifest.contexts, 'context')}"
    yield f"{bench.folder}: {size} of '{manifest.corpus}'"
    yield f"  families {', '.join(manifest.families)}, seed {manifest.seed}, fingerprint {manifest.fingerprint[:16]}"
    for name in ("split", *(tag.name for tag in tags_of(manifest.families) if tag.summary), "answer"):
        yield from _counts(f"by {name}", manifest.counts.get(name, {}))
    yield f"next: fathom show {bench.folder} --sample 3"


def _counts(label: str, counts: dict[str, int]) -> list[str]:
    if not counts:
        return []
    listed = [f"{value} {count:,}" for value, count in list(counts.items())[:MAX_VALUES]]
    more = [f"and {len(counts) - MAX_VALUES:,} more"] if len(counts) > MAX_VALUES else []
    return wrapped(f"{label}: {', '.join((*listed, *more))}")


def _statistics(bench: Bench, statistics: BenchStatistics) -> Iterator[str]:
    yield (
        f"{bench.folder}: {counted(statistics.questions, 'question')} over {counted(statistics.contexts, 'context')} "
        f"of {counted(statistics.documents, 'document')}"
    )
    for label, numbers in (
        ("documents per context", statistics.documents_per_context),
        ("tokens per context", statistics.tokens_per_context),
        ("questions per context", statistics.questions_per_context),
        ("words per question", statistics.words_per_question),
        ("passages that prove a key", statistics.passages_per_question),
    ):
        yield f"  {label}: {_range(numbers)}"
    for name, counts in statistics.counts.items():
        yield from _counts(f"by {name}", counts)
    for name, groups in statistics.variety.items():
        yield from _counts(f"different {name}s", groups)
    yield from _counts("operators", statistics.operators)
    yield f"next: fathom show {bench.folder} --sample 3"


def _range(numbers: NumberRange) -> str:
    return f"{numbers.smallest:,.0f} to {numbers.largest:,.0f}, median {numbers.median:,.0f}"


def item_lines(item: BenchItem, corpus: Corpus, most_passages: int = MAX_PASSAGES) -> list[str]:
    """An item with its key, its explanation and the passages that prove it."""
    lines = [*_question_lines(item), *_answer_lines(item)]
    if steps := item.explain():
        # Some families number their steps themselves.
        plain = not any(step[:1].isdigit() for step in steps)
        numbered = (wrapped(f"{number}. {step}" if plain else step) for number, step in enumerate(steps, start=1))
        lines += ["how:", *chain.from_iterable(numbered)]
    if item.key.proof.program:
        lines += ["program:", *_indented(item.key.proof.program)]
    lines += _passage_lines(item.passages(corpus), most_passages)
    return [escape_control_characters(line) for line in lines]


def _question_lines(item: BenchItem) -> list[str]:
    question = item.question
    tags = ", ".join(f"{name} {value}" for name, value in question.tags.items())
    head = f"{question.id}  {question.family}, {question.split}, context {question.context_id} ({tags})"
    # Questions of some families have lists in them, so only long lines are wrapped.
    text = [part for line in question.text.splitlines() for part in wrapped(line)]
    return [*wrapped(head, indent=0), *text]


def _answer_lines(item: BenchItem) -> list[str]:
    kind = item.key.answer.type
    ties = "; values joined by = are tied" if kind == "ranking" and " = " in item.answer else ""
    return [f"key ({kind}{ties}):", *_indented(item.answer)]


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]


def _passage_lines(passages: Sequence[ProofPassage], most: int) -> list[str]:
    if not passages:
        return []
    lines = [f"proof, {counted(len(passages), 'passage')}:"]
    last = ""
    for passage in passages[:most]:
        if passage.document != last:
            place = f"document {passage.number}" if passage.number else "not in the context"
            lines.append(cut(f"  {passage.document} ({place}): {_one_line(passage.title)}"))
        last = passage.document
        shown = _one_line(passage.text)
        shown = shown if len(shown) <= 300 else f"{shown[:200]} … {shown[-80:]}"
        lines.append(f"    …{_one_line(passage.before)}⟦{shown}⟧{_one_line(passage.after)}…")
    if len(passages) > most:
        lines.append(f"    and {len(passages) - most:,} more; --json lists all")
    return lines


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _as_json(item: BenchItem, corpus: Corpus) -> dict[str, object]:
    return {
        "question": json.loads(item.question.model_dump_json()),
        "key": json.loads(item.key.model_dump_json()),
        "explanation": item.explain(),
        "passages": [asdict(passage) for passage in item.passages(corpus)],
    }
