"""Scores of a run, or of a file of answers against a bench."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import ValidationError

from fathom.analysis.findings import MeasureSummary
from fathom.analysis.loading import open_bench
from fathom.analysis.ratios import summarize_measures
from fathom.api.arguments import Folder, as_path
from fathom.api.dataframes import require_pandas
from fathom.records.contexts import Split
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import StoredSequence, read_records, verified_line, write_json, write_records
from fathom.records.judgments import Judgment, Reasoning
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.record import Record, first_error
from fathom.runs.folder import (
    JUDGMENTS,
    RESPONSES,
    SCORING,
    VERDICTS,
    foreign_response,
    read_responses,
    read_run,
    selected_questions,
)
from fathom.scoring import scitrek as paper
from fathom.scoring.answer_types.format import published
from fathom.scoring.keys import Key
from fathom.scoring.measures import counts_of
from fathom.scoring.scores import (
    Outcomes,
    SampleSummary,
    Score,
    VerdictChanges,
    VerdictSummary,
    compare_verdicts,
    first_samples,
    grouped,
    score_responses,
    summarize_samples,
    tally,
)
from fathom.scoring.verdicts import JUDGE_AGREES, Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family, measures_of, tags_of, values_of
from fathom.tasks.checking import Checker
from fathom.tasks.errata import retired_questions

if TYPE_CHECKING:
    import pandas

__all__ = ["PublishedScore", "Score", "Scores", "score_answers", "score_run"]


class PublishedScore(Record):
    """The measures of the SciTrek paper over some questions."""

    questions: NonNegativeInt
    """Questions that have an answer."""
    exact_match: float
    f1: float


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


class JudgeDecisions(NamedTuple):
    """The number of decisions of judges, and their agreement with the check."""

    decided: int
    """Responses that the check leaves open."""
    compared: int
    """Responses that were judged although they need no judge."""
    agreement: float
    """The share of these on which judge and check agree."""


@dataclass(frozen=True)
class Scores:
    """The verdicts on some responses, and the scores over the questions they belong to."""

    bench: Path
    questions: Sequence[Question]
    responses: Sequence[Response]
    verdicts: Sequence[Verdict]
    verdict_summaries: Sequence[VerdictSummary]
    """What scores are computed from, of each verdict."""
    keys: Mapping[QuestionId, Key]
    families: tuple[str, ...]
    tags: tuple[str, ...]
    """Tags that scores can be broken down by."""
    changes: VerdictChanges
    """How the verdicts differ from those of the last scoring of the run."""
    questions_not_asked: int = 0
    """Questions of the bench that the run does not ask, because of `split` or `limit`."""
    responses_ignored: int = 0
    """Responses to questions or samples that are not part of the run."""
    warning: str = ""
    retired: frozenset[QuestionId] = frozenset()
    """Questions of the bench that were retired; `overall` counts them, and `restated` does not."""
    reasoning: Reasoning = "visible"
    """The reasoning that was checked and judged."""
    baselines: tuple[str, ...] = ()
    """The shortcut baselines of the bench, one per line, as its build measured them."""

    def __repr__(self) -> str:
        return f"Scores('{self.bench}', {len(self.questions):,} questions, accuracy {self.accuracy:.1%})"

    @cached_property
    def overall(self) -> Score:
        return self._tally({"all": self.questions})["all"]

    @cached_property
    def restated(self) -> Score | None:
        """The score without the questions that were retired; None if there are none."""
        kept = [question for question in self.questions if question.id not in self.retired]
        return self._tally({"all": kept})["all"] if len(kept) < len(self.questions) else None

    def _tally(self, groups: Mapping[str, Sequence[Question]]) -> dict[str, Score]:
        return tally(groups, self._first, measures_of(self.families), self._counts)

    @cached_property
    def _first(self) -> dict[QuestionId, VerdictSummary]:
        return first_samples(self.verdict_summaries)

    def _counts(self, question: Question, verdict: VerdictSummary | None) -> Mapping[str, float]:
        """The measures of a verdict; without a response the counts of what was not found."""
        if verdict is None:
            return family(question.family).empty_measures(self.keys[question.id])
        return verdict.measures

    @cached_property
    def measures(self) -> tuple[MeasureSummary, ...]:
        """The families' ratios of counts over the first sample of each question: micro and macro averages."""
        counts = [self._counts(question, self._first.get(question.id)) for question in self.questions]
        numbers: dict[str, int] = {}
        contexts = np.array([numbers.setdefault(question.context_id, len(numbers)) for question in self.questions])
        ratios = measures_of(self.families)
        columns = {name: np.array([count.get(name, np.nan) for count in counts]) for name in counts_of(ratios)}
        return summarize_measures(ratios, columns, contexts)

    @property
    def accuracy(self) -> float:
        return self.overall.accuracy

    @property
    def partial_credit(self) -> float:
        return self.overall.partial_credit

    @cached_property
    def samples(self) -> SampleSummary:
        """Several samples of each question taken together: mean, pass@k and majority."""
        return summarize_samples(self.keys, self.verdict_summaries)

    @property
    def default_tag(self) -> str:
        """The family if there are several, or the first tag that it declares for summaries."""
        if len(self.families) > 1:
            return "family"
        declared = (tag.name for tag in tags_of(self.families) if tag.summary)
        return next((tag for tag in declared if tag in self.tags), "split")

    @property
    def macro_tag(self) -> str:
        """The tag over whose values the headline score is averaged; empty if its families declare none."""
        declared = (family(name).macro_tag for name in self.families)
        return next((tag for tag in declared if tag in self.tags), "")

    @cached_property
    def macro_groups(self) -> dict[str, Score]:
        """The scores that the headline score is the mean of; empty if there are not several."""
        groups = self.by(self.macro_tag) if self.macro_tag else {}
        named = {name: score for name, score in groups.items() if name}
        return named if len(named) > 1 else {}

    @property
    def macro_accuracy(self) -> float | None:
        """The mean accuracy over the values of the tag that a family declares for it, each with the same weight."""
        return _mean([score.accuracy for score in self.macro_groups.values()]) if self.macro_groups else None

    @property
    def judged(self) -> JudgeDecisions | None:
        """The decisions of judges; None if there are no judgments."""
        judged = [verdict for verdict in self.verdict_summaries if verdict.is_judged]
        agreed = [verdict.measures[JUDGE_AGREES] for verdict in judged if JUDGE_AGREES in verdict.measures]
        return JudgeDecisions(len(judged) - len(agreed), len(agreed), _mean(agreed)) if judged else None

    def by(self, tag: str) -> dict[str, Score]:
        """Scores for each value of a tag, in order."""
        return self._tally(self._grouped(tag))

    def scitrek(self, tag: str | None = None) -> dict[str, PublishedScore]:
        """Exact match and F1 as the SciTrek paper computes them: overall ("all"), or for each value of a tag.

        Questions whose answer is NULL are left out, and several samples of a question are averaged.
        """
        matches: dict[QuestionId, list[paper.SciTrekMeasures]] = defaultdict(list)
        for response in self.responses:
            key = self.keys[response.question_id]
            text = paper.generation(response.text) if response.outcome == "answered" else ""
            matches[response.question_id].append(paper.compare(published(key.answer), text))
        groups = {"all": list(self.questions)} if tag is None else self._grouped(tag)
        return {name: self._published_score(questions, matches) for name, questions in groups.items()}

    def _published_score(
        self, questions: Sequence[Question], matches: Mapping[QuestionId, Sequence[paper.SciTrekMeasures]]
    ) -> PublishedScore:
        with_answer = [question.id for question in questions if self.keys[question.id].answer.type != "none"]
        count = max(len(with_answer), 1)
        return PublishedScore(
            questions=len(with_answer),
            exact_match=sum(_mean([match.exact for match in matches.get(id, ())]) for id in with_answer) / count,
            f1=sum(_mean([match.f1 for match in matches.get(id, ())]) for id in with_answer) / count,
        )

    def _grouped(self, tag: str) -> dict[str, list[Question]]:
        known = dict.fromkeys((*self.tags, "answer"))
        if tag not in known:
            raise FathomError(f"The questions have no tag '{tag}'. Choose one of {', '.join(known)}.")
        return grouped(self.questions, self.keys, tag, values_of(self.families, tag))

    def to_pandas(self) -> pandas.DataFrame:
        """One row per verdict, with the tags of its question. Needs pandas."""
        frame = require_pandas()
        by_id = {question.id: question for question in self.questions}
        rows = []
        for verdict in self.verdicts:
            question = by_id[verdict.question_id]
            rows.append(
                {
                    "question_id": verdict.question_id,
                    "sample": verdict.sample,
                    "family": question.family,
                    "split": question.split,
                    **question.tags,
                    "outcome": verdict.outcome,
                    "score": verdict.score,
                    **verdict.measures,
                    "parsed": None if verdict.parsed is None else published(verdict.parsed),
                }
            )
        return frame.DataFrame(rows)


class ScoringSettings(Record):
    """How a run was scored last; `scoring.json` in its folder."""

    reasoning: Reasoning = "visible"
    """Whether the visible response alone was checked and judged, or also the separate thinking text."""
    judges: tuple[str, ...] = ()


def read_scoring(run: Path) -> ScoringSettings:
    """The settings of a run's last scoring; the defaults if it has none."""
    path = run / SCORING
    if not path.exists():
        return ScoringSettings()
    with file_errors("read", path):
        content = path.read_bytes()
    try:
        return ScoringSettings.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(f"'{path}' is damaged: {first_error(error)}. Score the run again.") from error


def score_run(
    run: Folder, *, bench: Folder | None = None, out: Folder | None = None, reasoning: Reasoning = "visible"
) -> Scores:
    """Score a run and write its verdicts.

    Verdicts go to the run's folder, or to `out`. `bench` is the folder of its bench, if that has been moved. A run can
    be scored again at any time; `Scores.changes` says what changed.
    """
    folder = as_path(run)
    manifest = read_run(folder)
    opened = open_bench(folder, manifest, as_path(bench))
    questions = list(selected_questions(opened.all_questions(), manifest.settings))
    ids = {question.id for question in questions}
    positions = read_responses(folder).positions
    asked_positions = array(
        "q", [at for (id, sample), at in positions.items() if id in ids and sample < manifest.settings.samples]
    )
    if len(asked_positions) < len(positions):
        of_bench = {question.id for question in opened.all_questions()}
        if foreign := next((id for id, _ in positions if id not in of_bench), None):
            raise foreign_response(folder, foreign)
    path = as_path(out) or folder / VERDICTS
    earlier = _earlier_verdicts(path)
    judgments = list(read_records(folder / JUDGMENTS, Judgment)) if (folder / JUDGMENTS).exists() else []
    if out is None and any(family(name).checks_reasoning or family(name).judge for name in opened.manifest.families):
        judges = tuple(dict.fromkeys(judgment.judge for judgment in judgments if judgment.reasoning == reasoning))
        write_json(folder / SCORING, ScoringSettings(reasoning=reasoning, judges=judges))
    ignored = len(positions) - len(asked_positions)
    responses = StoredSequence(folder / RESPONSES, Response, asked_positions) if asked_positions else []
    checker = Checker(opened, questions, judgments, reasoning)
    return _scores(opened, checker, questions, responses, path, earlier, ignored)


def score_answers(
    bench: Folder,
    answers: Folder,
    *,
    out: Folder | None = None,
    split: Split | None = None,
    only_given: bool = False,
) -> Scores:
    """Score a file of answers against a bench.

    The file has JSON lines, {"question_id": ..., "text": ...} or whole responses. Every question of the bench counts,
    or those of one split, or with `only_given` those that the file answers. Verdicts are written to `out`, if it is
    given.
    """
    path = as_path(out)
    if path is not None and path.exists():
        raise FathomError(f"'{path}' already exists. Choose another --out.")
    opened = Bench(as_path(bench))
    responses = list(_read_answers(as_path(answers)))
    if not responses:
        raise FathomError(f"'{answers}' has no answers. Give a file with one JSON line per answer.")
    questions = list(opened.all_questions())
    answered = {response.question_id for response in responses}
    asked = [
        question
        for question in questions
        if split in (None, question.split) and (question.id in answered or not only_given)
    ]
    if not asked:
        of = f"the split '{split}'" if split else "the bench"
        raise FathomError(f"'{answers}' answers no question of {of}. Check its question ids.")
    left_out = {question.id for question in questions} - {question.id for question in asked}
    kept = [response for response in responses if response.question_id not in left_out]
    return _scores(opened, Checker(opened, asked), asked, kept, path, _EarlierVerdicts(), len(responses) - len(kept))


class _EarlierVerdicts(NamedTuple):
    """The last scoring of a run."""

    outcomes: Outcomes = MappingProxyType({})
    warning: str = ""
    """Why its verdicts cannot be read; they are written again in any case."""


def _scores(
    bench: Bench,
    checker: Checker,
    questions: list[Question],
    responses: Sequence[Response],
    out: Path | None,
    earlier: _EarlierVerdicts,
    ignored: int,
) -> Scores:
    """The scores of these responses; writes the verdicts to `out`, if it is given."""
    summaries: list[VerdictSummary] = []

    def score_all() -> Iterator[Verdict]:
        for verdict in score_responses(checker.keys, responses, checker):
            summaries.append(VerdictSummary.of(verdict))
            yield verdict

    verdicts: Sequence[Verdict] = (
        list(score_all())
        if out is None
        else StoredSequence(out, Verdict, write_records(out, score_all(), checksums=True))
    )
    return Scores(
        bench=bench.folder,
        questions=questions,
        responses=responses,
        verdicts=verdicts,
        verdict_summaries=summaries,
        keys=checker.keys,
        families=bench.manifest.families,
        tags=tuple(bench.manifest.counts),
        changes=compare_verdicts(earlier.outcomes, summaries),
        questions_not_asked=bench.manifest.questions - len(questions),
        responses_ignored=ignored,
        warning=earlier.warning,
        retired=retired_questions(bench.folder),
        reasoning=checker.reasoning,
        baselines=tuple(
            line
            for name in bench.manifest.families
            for line in family(name).baselines(bench.manifest.reports.get(name, {}))
        ),
    )


def _earlier_verdicts(path: Path) -> _EarlierVerdicts:
    """The verdicts that the last scoring wrote."""
    if not path.exists():
        return _EarlierVerdicts()
    try:
        return _EarlierVerdicts(
            {(verdict.question_id, verdict.sample): verdict.outcome for verdict in read_records(path, Verdict)}
        )
    except FathomError as error:
        return _EarlierVerdicts(warning=f"{error} The verdicts are written again.")


def _read_answers(path: Path) -> Iterator[Response]:
    """Responses from whole records or from bare answers."""
    with file_errors("read the answers", path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(verified_line(path, number, line))
                if isinstance(record, dict):
                    record.setdefault("outcome", "answered")
                yield Response.model_validate(record)
            except ValidationError as error:
                raise FathomError(
                    f"Line {number} of '{path}' is not a response: {first_error(error)}. Correct the line."
                ) from error
            except (ValueError, RecursionError) as error:
                raise FathomError(f"Line {number} of '{path}' is not JSON: {error}. Correct the line.") from error
