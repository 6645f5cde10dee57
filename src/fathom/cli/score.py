"""`fathom score`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import ValidationError

from fathom.cli import options
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import read_records, write_records
from fathom.records.questions import Question, Response
from fathom.records.record import first_error
from fathom.runs.folder import MANIFEST, VERDICTS, RunSettings, read_responses, read_run, selected_questions
from fathom.scoring import scitrek
from fathom.scoring.answer_types.format import published
from fathom.scoring.keys import Key
from fathom.scoring.scores import Changes, Sampled, Score, changes, sampled, score_responses, tally
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

USUAL = ("skill", "level", "task", "length")
"""Tags that scores are broken down by where no other is named."""

REST = ("incorrect", "unparseable", "refused", "overflow", "error", "unjudged", "unanswered")

EXAMPLE = """
\b
Examples:
  fathom score runs/bench-full-smollm2
  fathom score bench --answers answers.jsonl --by topic --compat scitrek
"""


@click.command(epilog=EXAMPLE)
@click.argument("target", metavar="RUN|BENCH", type=click.Path(path_type=Path))
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    help='For a bench: JSON lines, {"question_id": ..., "text": ...} or whole responses.',
)
@click.option("--bench", type=click.Path(path_type=Path), help="For a run: where its bench is, if it has been moved.")
@click.option("--by", help=f"A tag to break scores down by.  [default: the first there is of {', '.join(USUAL)}]")
@click.option("--compat", type=click.Choice(["scitrek"]), help="Also the published exact match and F1.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write the verdicts.  [default: in the run's folder]"
)
@options.as_json
def command(
    target: Path,
    answers: Path | None,
    bench: Path | None,
    by: str | None,
    compat: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a run, or a file of answers against a bench.

    Every question counts: one without an answer is as little right as one with a wrong answer, and is counted apart.
    A run can be scored again at any time; what changed since the last time is told. Reads the bench, its keys and the
    responses; writes verdicts; calls no model.
    """
    asked = _of_run(target, bench, out) if (target / MANIFEST).exists() else _of_answers(target, answers, out)
    opened = Bench(asked.bench)
    if asked.fingerprint not in (None, opened.manifest.fingerprint):
        raise FathomError(f"'{asked.bench}' is not the bench that '{target}' was run on. Give that one with --bench.")
    by = by or next((tag for tag in USUAL if tag in opened.manifest.counts), "split")
    if by not in opened.manifest.counts:
        raise FathomError(f"No question has a tag '{by}'. Choose among {', '.join(opened.manifest.counts)}.")
    questions = list(_questions(opened, asked.settings))
    checks = {question.id: family(question.family).check for question in questions}
    keys = {key.question_id: key for key in opened.all_keys() if key.question_id in checks}

    def check(key: Key, response: Response) -> Verdict:
        return checks[key.question_id](key, response)

    responses = [
        response for response in asked.responses if asked.settings is None or _is_wanted(response, keys, asked.settings)
    ]
    verdicts = list(score_responses(keys, responses, check))
    changed = changes(asked.earlier, verdicts)
    if asked.out is not None:
        write_records(asked.out, verdicts)
    scores = tally(questions, verdicts) | tally(questions, verdicts, by)
    published = _published(keys, responses) if compat else {}
    others = Others(opened.manifest.questions - len(questions), len(asked.responses) - len(responses))
    found = Found(scores, sampled(keys, verdicts), published, changed, others)
    click.echo(json.dumps(found.as_json(), indent=2) if as_json else describe(target, found))


@dataclass(frozen=True)
class _Asked:
    """What is to be scored."""

    bench: Path
    fingerprint: str | None
    responses: list[Response]
    earlier: list[Verdict]
    """The verdicts of the last time."""
    out: Path | None
    settings: RunSettings | None = None
    """Of a run: which questions it was to ask."""


def _questions(bench: Bench, settings: RunSettings | None) -> Iterator[Question]:
    """The questions that a run was to ask; all of them for a file of answers."""
    return bench.all_questions() if settings is None else selected_questions(bench.all_questions(), settings)


def _is_wanted(response: Response, keys: dict[str, Key], settings: RunSettings) -> bool:
    return response.question_id in keys and response.sample < settings.samples


def _of_run(folder: Path, bench: Path | None, out: Path | None) -> _Asked:
    manifest = read_run(folder)
    path = out or folder / VERDICTS
    where = bench or folder.resolve() / manifest.bench
    responses = list(read_responses(folder).responses.values())
    return _Asked(where, manifest.bench_fingerprint, responses, _earlier(path), path, manifest.settings)


def _earlier(path: Path) -> list[Verdict]:
    """The verdicts of the last time; where they cannot be read they are made anew, as they can be at any time."""
    try:
        return list(read_records(path, Verdict)) if path.exists() else []
    except FathomError as error:
        click.echo(f"fathom: {error} They are written anew.", err=True)
        return []


def _of_answers(bench: Path, answers: Path | None, out: Path | None) -> _Asked:
    if answers is None:
        raise FathomError(f"'{bench}' is no run. Name a run's folder, or give a file of --answers to the bench.")
    if out is not None and out.exists():
        raise FathomError(f"'{out}' exists already. Choose another --out.")
    return _Asked(bench, None, list(_responses(answers)), [], out)


def _responses(path: Path) -> Iterator[Response]:
    """Responses, from whole records or from bare answers."""
    with file_errors("read the answers", path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                if isinstance(found, dict):
                    found.setdefault("outcome", "answered")
                yield Response.model_validate(found)
            except ValidationError as error:
                fault = first_error(error)
                raise FathomError(f"Line {number} of '{path}' is no response: {fault}. Mend the line.") from error
            except (ValueError, RecursionError) as error:
                raise FathomError(f"Line {number} of '{path}' is no JSON: {error}. Mend the line.") from error


def _published(keys: dict[str, Key], responses: list[Response]) -> dict[str, dict[str, float]]:
    """The paper's two measures over all questions; an unanswered one has neither."""
    exact = f1 = 0.0
    for response in responses:
        if response.sample == 0 and response.outcome == "answered":
            # The paper's models answer bare; ours may think aloud before "Answer:".
            said = response.text.rpartition("Answer:")[2]
            match = scitrek.compare(published(keys[response.question_id].answer), said)
            exact += match.exact
            f1 += match.f1
    return {"scitrek": {"exact_match": exact / len(keys), "f1": f1 / len(keys)}}


@dataclass(frozen=True)
class Others:
    """What is no part of a score."""

    questions: int
    """Of the bench, that the run was not to ask."""
    responses: int
    """To questions or samples that were not asked for."""


@dataclass(frozen=True)
class Found:
    """All that is told of a score."""

    scores: dict[str, Score]
    samples: Sampled
    published: dict[str, dict[str, float]]
    changes: Changes
    others: Others

    def as_json(self) -> dict[str, object]:
        scores = {name: {**score.model_dump(), "share_right": score.accuracy} for name, score in self.scores.items()}
        return {
            "scores": scores,
            "samples": self.samples.model_dump(),
            "changes": self.changes.model_dump(),
            "questions_not_asked": self.others.questions,
            **self.published,
        }


def describe(target: Path, found: Found) -> str:
    """A line for each group: the share right, the credit, and what became of the rest."""
    lines = [f"{target}:", f"  {'':24} {'questions':>9} {'correct':>7} {'credit':>7}   the rest"]
    for name, score in found.scores.items():
        said = ", ".join(f"{kind} {count:,}" for kind in REST if (count := getattr(score, kind)))
        lines.append(f"  {name:24} {score.questions:>9,} {score.accuracy:>7.1%} {score.partial_credit:>7.1%}   {said}")
    samples = found.samples
    if samples.most > 1:
        few = {k: share for k, share in samples.pass_at.items() if k <= 3 or k == samples.most}
        passed = ", ".join(f"pass@{k} {share:.1%}" for k, share in few.items())
        lines.append(
            f"  {samples.most} samples a question: mean {samples.mean:.1%}, {passed}, majority {samples.majority:.1%}"
        )
    for name, measures in found.published.items():
        lines.append(f"  as published ({name}): " + ", ".join(f"{key} {value:.1%}" for key, value in measures.items()))
    if found.others.questions:
        lines.append(f"  {found.others.questions:,} more questions of the bench were not asked (--limit, --split)")
    if found.others.responses:
        lines.append(f"  {found.others.responses:,} responses to what was not asked are left out")
    if found.changes.compared:
        lines.append(f"  {_changed(found.changes)}")
    return "\n".join(lines)


def _changed(changes: Changes) -> str:
    if not changes.changed:
        return f"no verdict of the {changes.compared:,} there were has changed"
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in changes.changed.items())
    return f"of {changes.compared:,} earlier verdicts these changed: {kinds} (such as {', '.join(changes.examples)})"
