"""`fathom score`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import ValidationError

from fathom.cli import options
from fathom.records.errors import FathomError, touching
from fathom.records.files import write_records
from fathom.records.questions import Reply
from fathom.records.record import first_fault
from fathom.scoring import scitrek
from fathom.scoring.keys import Key
from fathom.scoring.score import Score, judge_all, tally
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

REST = ("wrong", "unreadable", "refused", "overflow", "failed", "unanswered")

EXAMPLE = """
\b
Examples:
  fathom score bench --answers answers.jsonl
  fathom score bench --answers answers.jsonl --by skill --compat scitrek
"""


@click.command(epilog=EXAMPLE)
@click.argument("bench", type=click.Path(path_type=Path))
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    required=True,
    help='JSON lines: {"question_id": ..., "text": ...}, or whole replies.',
)
@click.option(
    "--by", default="skill", show_default=True, help="A tag to break scores down by, such as topic or length."
)
@click.option("--compat", type=click.Choice(["scitrek"]), help="Also the published exact match and F1.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write the verdicts, one a line.")
@options.as_json
def command(bench: Path, answers: Path, by: str, compat: str | None, out: Path | None, as_json: bool) -> None:
    """Score a file of answers against a bench.

    Every question counts: one without an answer is as little right as one with a wrong answer, and is counted apart.
    Reads BENCH and the answers; writes verdicts where asked to; calls no model.
    """
    opened = Bench(bench)
    if by not in opened.manifest.counts:
        raise FathomError(f"No question has a tag '{by}'. Choose among {', '.join(opened.manifest.counts)}.")
    keys = {key.question_id: key for key in opened.all_keys()}
    checks = {question.id: family(question.family).check for question in opened.all_questions()}

    def check(key: Key, reply: Reply) -> Verdict:
        return checks[key.question_id](key, reply)

    replies = list(_replies(answers))
    verdicts = list(judge_all(keys, replies, check))
    if out is not None:
        if out.exists():
            raise FathomError(f"'{out}' exists already. Choose another --out.")
        write_records(out, verdicts)
    scores = tally(opened.all_questions(), verdicts) | tally(opened.all_questions(), verdicts, by)
    published = _published(keys, replies) if compat else {}
    if as_json:
        found = {name: {**score.model_dump(), "share_right": score.share_right} for name, score in scores.items()}
        click.echo(json.dumps({"scores": found, **published}, indent=2))
    else:
        click.echo(describe(bench, scores, published))


def _replies(path: Path) -> Iterator[Reply]:
    """Replies, from whole records or from bare answers."""
    with touching("read the answers", path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                if isinstance(found, dict):
                    found.setdefault("outcome", "answered")
                yield Reply.model_validate(found)
            except ValidationError as error:
                fault = first_fault(error)
                raise FathomError(f"Line {number} of '{path}' is no reply: {fault}. Mend the line.") from error
            except ValueError as error:
                raise FathomError(f"Line {number} of '{path}' is no JSON: {error}. Mend the line.") from error


def _published(keys: dict[str, Key], replies: list[Reply]) -> dict[str, dict[str, float]]:
    """The paper's two measures over all questions; an unanswered one has neither."""
    exact = f1 = 0.0
    for reply in replies:
        if reply.sample == 0 and reply.outcome == "answered":
            # The paper's models answer bare; ours may think aloud before "Answer:".
            said = reply.text.rpartition("Answer:")[2]
            match = scitrek.compare(scitrek.printed(keys[reply.question_id].answer), said)
            exact += match.exact
            f1 += match.f1
    return {"scitrek": {"exact_match": exact / len(keys), "f1": f1 / len(keys)}}


def describe(bench: Path, scores: dict[str, Score], published: dict[str, dict[str, float]]) -> str:
    """A line for each group: the share right, the credit, and what became of the rest."""
    lines = [f"{bench}:", f"  {'':24} {'questions':>9} {'right':>7} {'credit':>7}   the rest"]
    for name, score in scores.items():
        said = ", ".join(f"{kind} {count:,}" for kind in REST if (count := getattr(score, kind)))
        lines.append(f"  {name:24} {score.questions:>9,} {score.share_right:>7.1%} {score.mean_credit:>7.1%}   {said}")
    for name, measures in published.items():
        lines.append(f"  as published ({name}): " + ", ".join(f"{key} {value:.1%}" for key, value in measures.items()))
    return "\n".join(lines)
