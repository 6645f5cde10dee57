"""Judgments on the responses of a run, by a model in the role of a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from fathom.analysis.loading import open_bench
from fathom.api.arguments import Folder, as_path
from fathom.api.runs import opened_model
from fathom.models.model_info import model_info
from fathom.models.prompts import Message, Prompt, RolePrompt
from fathom.records.errors import FathomError
from fathom.records.files import write_records
from fathom.records.judgments import Judgment, PlantedDecision, Reasoning
from fathom.records.questions import QuestionId, Response, Usage
from fathom.records.record import digest
from fathom.runs.folder import CALIBRATION, JUDGMENTS, read_responses, read_run
from fathom.runs.model_caller import Notify, ignore_notice
from fathom.runs.roles import RoleBatch, RoleModel, RoleSettings, run_role
from fathom.runs.run import RunLimits
from fathom.scoring.reasoning import select_reasoning
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Judge, JudgePrompt, PlantedResponse, Ruling

JUDGE = "judge"
"""The folder of a run in which the calls of its judges are journaled."""
CALIBRATION_ITEMS = 40
"""Questions to which planted responses are judged with every run."""
ATTEMPTS = 3
"""How often a prompt is asked before its response counts as unjudged."""


@dataclass(frozen=True)
class RunJudgments:
    """The judgments on the responses of a run."""

    judgments: Sequence[Judgment]
    usage: Usage
    stopped: str | None = None
    """Why it ended early."""

    @property
    def unjudged(self) -> int:
        return sum(judgment.outcome == "unjudged" for judgment in self.judgments)

    @property
    def asked_again(self) -> int:
        """Judgments for which a judge was asked more than once."""
        return sum(judgment.attempts > 1 for judgment in self.judgments)


def role_model(
    name: str, *, prices: Folder | None = None, url: str | None = None, simulate: Callable[[Prompt], str] | None = None
) -> RoleModel:
    """A model for a role, such as a judge. With `simulate`, that function answers the prompts instead of the model."""
    return RoleModel(name, model_info(name, as_path(prices)), opened_model(name, url), simulate)


def needs_judge(run: Folder, *, bench: Folder | None = None, reasoning: Reasoning = "visible") -> bool:
    """Whether some response of the run is to be judged."""
    folder = as_path(run)
    opened = open_bench(folder, read_run(folder), as_path(bench))
    return any(True for _ in _on_responses(opened, folder, reasoning))


def judge(
    run: Folder,
    models: RoleModel | Sequence[RoleModel],
    *,
    bench: Folder | None = None,
    settings: RoleSettings | None = None,
    limits: RunLimits | None = None,
    reasoning: Reasoning = "visible",
    calibration: int = CALIBRATION_ITEMS,
    attempts: int = ATTEMPTS,
    progress: Callable[[int, int], None] = lambda done, total: None,
    notify: Notify = ignore_notice,
) -> RunJudgments:
    """Judge the responses of a run whose families have a judge, and write `judgments.jsonl` to the run's folder.

    Each of the models judges each response. They also judge planted responses to `calibration` questions, the same
    ones in every run on a bench; their decisions are written to `calibration.jsonl`. A prompt without a decision is
    asked up to `attempts` times. The models' calls are cached: a second call asks only for the judgments that are
    missing. `fathom score` uses them. `progress` is called with the number of finished prompts and the total, `notify`
    with notices for the user.
    """
    folder = as_path(run)
    opened = open_bench(folder, read_run(folder), as_path(bench))
    subjects = list(_on_responses(opened, folder, reasoning))
    if not subjects:
        raise FathomError(f"No response of the run '{folder}' needs a judge. Score it with `fathom score {folder}`.")
    planted = list(_on_planted(opened, calibration))
    judgments: list[Judgment] = []
    decisions: list[PlantedDecision] = []
    usage, stopped = Usage(price=0.0), None
    for model in [models] if isinstance(models, RoleModel) else models:
        batch = _ask(
            *([*subjects, *planted], model, folder / JUDGE, settings or RoleSettings(), limits, attempts),
            *(progress, notify),
        )
        usage, stopped = usage.plus(batch.usage), batch.stopped if not batch.is_complete else None
        judgments += [subject.judgment(model.name, batch, reasoning) for subject in subjects]
        decisions += _planted_decisions(planted, model.name, batch, reasoning)
        if stopped is not None:
            break
    write_records(folder / JUDGMENTS, judgments, checksums=True)
    write_records(folder / CALIBRATION, decisions)
    return RunJudgments(judgments, usage, stopped)


@dataclass(frozen=True)
class _PromptSubject:
    """A prompt about a response of a run, or about a planted one."""

    question: QuestionId
    sample: int
    judge: Judge
    prompt: JudgePrompt
    planted: PlantedResponse | None = None

    @property
    def role_prompt(self) -> RolePrompt[Ruling]:
        kind = "" if self.planted is None else f"planted {self.planted.fault}."
        id = f"{kind}{self.question}.{self.sample}.{self.prompt.part}"
        return RolePrompt(id, Prompt((Message.user(self.prompt.text),)), self.judge.version, _parser(self.judge))

    def judgment(self, model: str, batch: _Rulings, reasoning: Reasoning) -> Judgment:
        result = batch.results[self.role_prompt.id]
        ruling = result.value or Ruling("unjudged", reason=result.state)
        return Judgment(
            question_id=self.question,
            sample=self.sample,
            part=self.prompt.part,
            judge=model,
            outcome=ruling.outcome,
            score=ruling.score,
            reason=ruling.reason,
            prompt_version=self.judge.version,
            usage=result.call.usage if result.call else Usage(),
            reasoning=reasoning,
            attempts=max(1, result.calls),
        )


_Rulings = RoleBatch[Ruling]


def _ask(
    subjects: Sequence[_PromptSubject],
    model: RoleModel,
    folder: Path,
    settings: RoleSettings,
    limits: RunLimits | None,
    attempts: int,
    progress: Callable[[int, int], None],
    notify: Notify,
) -> _Rulings:
    """The rulings; prompts without one are asked again."""
    prompts = [subject.role_prompt for subject in subjects]
    for _ in range(attempts):
        batch = run_role(prompts, model, folder, settings, limits or RunLimits(), progress, notify)
        if batch.is_complete or batch.stopped is not None:
            break
    return batch


def _planted_decisions(
    planted: Sequence[_PromptSubject], model: str, batch: _Rulings, reasoning: Reasoning
) -> Iterator[PlantedDecision]:
    """One decision on each planted response."""
    groups: dict[tuple[QuestionId, str, str], list[_PromptSubject]] = {}
    for subject in planted:
        assert subject.planted is not None
        groups.setdefault((subject.question, subject.planted.part, subject.planted.fault), []).append(subject)
    for (question, part, fault), group in groups.items():
        decisions = group[0].judge.decide([judgment.judgment(model, batch, reasoning) for judgment in group])
        yield PlantedDecision(
            question_id=question,
            part=part,
            fault=fault,
            judge=model,
            outcome=decisions.get(part, "unjudged"),
            prompt_version=group[0].judge.version,
            reasoning=reasoning,
        )


def _on_responses(bench: Bench, run: Path, reasoning: Reasoning) -> Iterator[_PromptSubject]:
    """The prompts about all responses that were answered and have a judge."""
    responses: dict[str, list[Response]] = {}
    for response in read_responses(run).values():
        if response.outcome in ("answered", "truncated"):
            responses.setdefault(response.question_id, []).append(response)
    for _, items in bench.by_context():
        for item in items:
            judge = family(item.question.family).judge
            for response in responses.get(item.question.id, ()) if judge is not None else ():
                assert judge is not None
                for prompt in judge.prompts(item.question, item.key, select_reasoning(response, reasoning)):
                    yield _PromptSubject(item.question.id, response.sample, judge, prompt)


def _on_planted(bench: Bench, items: int) -> Iterator[_PromptSubject]:
    """The prompts about planted responses to some questions of the bench, the same ones for every run."""
    judged = (item for _, group in bench.by_context() for item in group if family(item.question.family).judge)
    drawn = nsmallest(items, judged, key=lambda item: digest("calibration", item.question.id))
    for number, item in enumerate(drawn):
        judge = family(item.question.family).judge
        assert judge is not None
        for response in judge.planted(item, number):
            for prompt in response.prompts:
                yield _PromptSubject(item.question.id, 0, judge, prompt, response)


def _parser(judge: Judge) -> Callable[[str], Ruling]:
    def parse(text: str) -> Ruling:
        ruling = judge.parse(text)
        if ruling.outcome == "unjudged":
            raise ValueError("the judge's output has no ruling")
        return ruling

    return parse
