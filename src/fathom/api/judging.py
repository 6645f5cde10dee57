"""Judgments on the responses of a run, by a model in the role of a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fathom.analysis.loading import open_bench
from fathom.api.arguments import Folder, as_path
from fathom.api.runs import opened_model
from fathom.models.model_info import model_info
from fathom.models.prompts import Message, Prompt, RolePrompt
from fathom.records.errors import FathomError
from fathom.records.files import write_records
from fathom.records.judgments import Judgment
from fathom.records.questions import Response, Usage
from fathom.runs.folder import JUDGMENTS, read_responses, read_run
from fathom.runs.roles import RoleModel, RoleSettings, run_role
from fathom.runs.run import RunLimits
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Judge, Ruling

JUDGE = "judge"
"""The folder of a run in which the calls of its judge are journaled."""


@dataclass(frozen=True)
class Judging:
    """The judgments on the responses of a run."""

    judgments: Sequence[Judgment]
    usage: Usage
    stopped: str | None = None
    """Why it ended early."""

    @property
    def unjudged(self) -> int:
        return sum(one.outcome == "unjudged" for one in self.judgments)


def role_model(
    name: str, *, prices: Folder | None = None, url: str | None = None, simulate: Callable[[Prompt], str] | None = None
) -> RoleModel:
    """A model for a role, such as a judge. With `simulate`, that function answers the prompts instead of the model."""
    return RoleModel(name, model_info(name, as_path(prices)), opened_model(name, url), simulate)


def needs_judge(run: Folder, *, bench: Folder | None = None) -> bool:
    """Whether some response of the run is to be judged."""
    folder = as_path(run)
    return any(True for _ in _prompts(open_bench(folder, read_run(folder), as_path(bench)), folder))


def judge(
    run: Folder,
    model: RoleModel,
    *,
    bench: Folder | None = None,
    settings: RoleSettings | None = None,
    limits: RunLimits | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Judging:
    """Judge the responses of a run whose families have a judge, and write `judgments.jsonl` to the run's folder.

    The model's calls are cached: a second call asks only for the judgments that are missing. `fathom score` uses them.
    """
    folder = as_path(run)
    opened = open_bench(folder, read_run(folder), as_path(bench))
    prompts = {one.id: (judged, one) for judged, one in _prompts(opened, folder)}
    if not prompts:
        raise FathomError(f"No response of the run '{folder}' needs a judge. Score it with `fathom score {folder}`.")
    batch = run_role(
        [one for _, one in prompts.values()],
        model,
        folder / JUDGE,
        settings or RoleSettings(),
        limits or RunLimits(),
        progress,
    )
    judgments = []
    for id, (judged, prompt) in prompts.items():
        result = batch.results[id]
        ruling = result.value or Ruling("unjudged", reason=result.state)
        judgments.append(
            Judgment(
                question_id=judged.response.question_id,
                sample=judged.response.sample,
                part=judged.part,
                judge=model.name,
                outcome=ruling.outcome,
                score=ruling.score,
                reason=ruling.reason,
                prompt_version=prompt.version,
                usage=result.call.usage if result.call else Usage(),
            )
        )
    write_records(folder / JUDGMENTS, judgments, checksums=True)
    return Judging(judgments, batch.usage, batch.stopped)


@dataclass(frozen=True)
class _Judged:
    response: Response
    part: str


def _prompts(bench: Bench, run: Path) -> Iterator[tuple[_Judged, RolePrompt[Ruling]]]:
    """The prompts for all responses that were answered and have a judge."""
    responses: dict[str, list[Response]] = {}
    for response in read_responses(run).responses.values():
        if response.outcome in ("answered", "truncated"):
            responses.setdefault(response.question_id, []).append(response)
    for _, items in bench.by_context():
        for item in items:
            found = family(item.question.family).judge
            for response in responses.get(item.question.id, ()) if found is not None else ():
                assert found is not None
                for part, text in found.prompts(item.question, item.key, response):
                    prompt = Prompt((Message.user(text),))
                    id = f"{response.question_id}.{response.sample}.{part}"
                    yield _Judged(response, part), RolePrompt(id, prompt, found.version, _parser(found))


def _parser(judge: Judge) -> Callable[[str], Ruling]:
    def parse(text: str) -> Ruling:
        ruling = judge.parse(text)
        if ruling.outcome == "unjudged":
            raise ValueError("the judge's output has no ruling")
        return ruling

    return parse
