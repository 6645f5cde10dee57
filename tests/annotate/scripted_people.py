"""People of known error rates who answer the questions of a study in a browser, and what its results must then be."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from fathom.analysis.studies import StudyResults
from fathom.annotate.study import StudyPlan
from fathom.annotate.study_app import study_app
from fathom.api.studies import create_study, study_results
from fathom.scoring.answer_types.format import written
from fathom.tasks.bench import Bench
from tests.annotate.conftest import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page


@dataclass(frozen=True)
class Person:
    """How often a scripted person errs, gives up instead of an incorrect answer, and fails a control."""

    errors: float
    gives_up: float = 0.0
    fails_controls: float = 0.0


PEOPLE = {"ada": Person(0.1), "ben": Person(0.3, 0.2, 0.2), "cid": Person(0.5, 0.1, 0.3)}


@dataclass
class Expected:
    """What the results must be, from what the people did."""

    answers: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """Whether each answer in a round that counts is correct, by question."""
    gave_up: int = 0
    excluded_rounds: int = 0
    excluded_answers: int = 0

    @property
    def accuracy(self) -> float:
        values = [one for answer in self.answers.values() for one in answer]
        return sum(values) / len(values)

    @property
    def aligned(self) -> float:
        several = [answer for answer in self.answers.values() if len(answer) > 1]
        return sum(sum(some) > 1 for some in several) / len(several)

    def differences(self, found: StudyResults) -> list[str]:
        """The names of the results that are not as expected."""
        overall = found.groups[0]
        # Incorrect answers all differ: two answers are equal if and only if both are correct.
        pairs: list[tuple[str, Any, Any]] = [
            ("accuracy", overall.accuracy.value, self.accuracy),
            ("alignment", overall.alignment and overall.alignment.value, self.aligned),
            ("agreement", overall.agreement and overall.agreement.value, self.aligned),
            ("given up", overall.gave_up, self.gave_up),
            ("excluded rounds", found.excluded_rounds, self.excluded_rounds),
            ("excluded answers", found.excluded_answers, self.excluded_answers),
            ("open tasks", found.open_tasks, 0),
        ]
        return [
            f"{name}: {got} instead of {want}" for name, got, want in pairs if got is None or abs(got - want) > 1e-9
        ]


def play(page: Page, plan: StudyPlan, person: str, habits: Person, keys: dict[str, str], rng: Random) -> Expected:
    """Answer all questions of one person in the browser."""
    mine = Expected()
    page.check("#attested")
    page.click("#attest button")
    tasks = plan.tasks[person]
    failed = {task.round for task in tasks if task.control and rng.random() < habits.fails_controls}
    mine.excluded_rounds = len(failed)
    for number, task in enumerate(tasks):
        page.wait_for_selector(f"html[data-ready] main[data-place='{number}']")
        if task.control:
            shown = page.inner_text(".material").split("Control code: ")[1][:5]
            page.fill("#answer", "00000" if task.round in failed else shown)
            page.click("#send")
            continue
        errs = rng.random() < habits.errors
        gives_up = errs and rng.random() < habits.gives_up
        if gives_up:
            page.click("#give-up")
            page.click("#confirm-give-up")
        else:
            page.fill("#answer", f"{77_000 + list(plan.tasks).index(person)}" if errs else keys[task.question_id])
            page.click("#send")
        if task.round in failed:
            mine.excluded_answers += 1
        else:
            mine.answers[task.question_id].append(not errs)
            mine.gave_up += gives_up
    page.wait_for_selector("text=Thank you")
    return mine


def simulate(bench: Path, folder: Path, browser: Any, by: str, per: int, seed: int) -> tuple[StudyResults, Expected]:
    """One study from its plan to its results, and what they must be."""
    plan = create_study(bench, folder, by, per, people=list(PEOPLE), show="tables", seed=seed)
    keys = {key.question_id: written(key.answer) for key in Bench(bench).all_keys()}
    total, rng = Expected(), Random(seed)
    corpus = Bench(bench).corpus_folder
    with serving(folder, lambda server: study_app(folder, corpus, lambda: server.port)) as served:
        for person, habits in PEOPLE.items():
            context = browser.new_context()
            page = context.new_page()
            page.goto(served.link(person))
            mine = play(page, plan, person, habits, keys, rng)
            context.close()
            for id, found in mine.answers.items():
                total.answers[id] += found
            total.gave_up += mine.gave_up
            total.excluded_rounds += mine.excluded_rounds
            total.excluded_answers += mine.excluded_answers
    return study_results(folder), total
