"""One walk over a bench with all its runs: what is asked is looked at once, whatever the number of runs."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fathom.analysis.attribution import NO_TELLER, Attributing, Fitting, Settled
from fathom.analysis.cost import Spending
from fathom.analysis.findings import OUTCOMES, ItemFinding, StepSeen
from fathom.analysis.intervals import Numbers, Values
from fathom.analysis.patterns import pattern
from fathom.analysis.properties import Asked, describe, order_of, shown_at
from fathom.analysis.reading import Heard, Joined, Run
from fathom.analysis.steps import StepsTaken, look, trace_of
from fathom.analysis.telling import Given, Task, Told, tell_all
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.contexts import Context
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnosis, Fault, Item

NO_DIAGNOSIS = Diagnosis()
MOST_GROUPS = 60
"""A tag with more values than this is no grouping."""

Mask = NDArray[np.bool_]


@dataclass
class Seen:
    """What the walk finds of one run."""

    run: Run
    attributing: Attributing
    rows: list[int] = field(default_factory=list)
    """The questions it was to ask, by their place in the walk."""
    right: list[float] = field(default_factory=list)
    credit: list[float] = field(default_factory=list)
    outcomes: list[list[int]] = field(default_factory=list)
    """For each question, how many of its responses came out in each way."""
    patterns: list[tuple[int, str]] = field(default_factory=list)
    """The place of a question among `rows`, and the pattern of one of its responses."""
    steps: StepsTaken = field(default_factory=StepsTaken)
    spending: Spending = field(default_factory=Spending)
    items: list[ItemFinding] = field(default_factory=list)
    untold: int = 0
    """Wrong answers of families that cannot tell causes."""

    def rounds(self) -> Values:
        """For each question, in its row, which of its samples are right."""
        flat = [float(item.outcome == "correct") for item in self.items]
        return np.array(flat).reshape(len(self.rows), self.run.samples)


@dataclass
class Walked:
    """A bench's questions, and what each run made of them."""

    joined: Joined
    asked: list[Asked] = field(default_factory=list)
    nothing: list[float] = field(default_factory=list)
    """1 where the key says that there is no answer."""
    keys: list[tuple[str, str]] = field(default_factory=list)
    """Family and type of the key's answer, and the answer: what a majority goes by."""
    documents: list[Numbers] = field(default_factory=list)
    """The documents of each context, by number."""
    seen: list[Seen] = field(default_factory=list)
    has_corpus: bool = False

    @cached_property
    def contexts(self) -> Numbers:
        """The context of each question, by number; asked for when the walk is over."""
        return np.array([one.context for one in self.asked], dtype=np.int64)

    @cached_property
    def sizes(self) -> dict[str, Values]:
        """Every size of every question; not a number where it has none."""
        names = dict.fromkeys(name for one in self.asked for name in one.sizes)
        return {name: np.array([one.sizes.get(name, np.nan) for one in self.asked]) for name in names}

    @cached_property
    def groups(self) -> dict[str, dict[str, Mask]]:
        """For each grouping, its groups and which questions of the walk are in each."""
        places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, one in enumerate(self.asked):
            for by, names in one.groups.items():
                for name in names:
                    places[by][name].append(place)
        return {
            by: {name: _mask(places[by][name], len(self.asked)) for name in sorted(places[by], key=order_of)}
            for by in sorted(places, key=shown_at)
            if len(places[by]) <= MOST_GROUPS
        }


def _mask(places: list[int], size: int) -> Mask:
    mask = np.zeros(size, dtype=bool)
    mask[places] = True
    return mask


@dataclass(frozen=True)
class Arrays:
    """One run's questions as arrays."""

    rows: Numbers
    contexts: Numbers
    right: Values
    credit: Values
    outcomes: Numbers


def arrays(walked: Walked, seen: Seen) -> Arrays:
    rows = np.array(seen.rows, dtype=np.int64)
    return Arrays(
        rows,
        walked.contexts[rows],
        np.array(seen.right),
        np.array(seen.credit),
        np.array(seen.outcomes, dtype=np.int64).reshape(len(rows), len(OUTCOMES)),
    )


def walk(
    joined: Joined, corpus: Corpus | None, processes: int = 1, watch: Callable[[int], None] = lambda done: None
) -> Walked:
    """Look at every question once; without the corpus no cause can be told."""
    families = joined.bench.manifest.families
    causes: dict[str, Fault] = {}
    for name in families if corpus is not None else ():
        causes |= family(name).causes
    walked = Walked(joined, has_corpus=corpus is not None)
    walked.seen = [Seen(run, Attributing(causes)) for run in joined.runs]
    listed = {one.id: one for one in corpus.entries()} if corpus is not None else {}
    numbers: dict[str, int] = {}
    ahead: deque[_Heard] = deque()
    for number, told in enumerate(tell_all(families, corpus, _tasks(joined, ahead), processes)):
        group = ahead.popleft()
        walked.documents.append(
            np.array([numbers.setdefault(id, len(numbers)) for id in group.context.documents], dtype=np.int64)
        )
        for item, responses, one in zip(group.items, group.responses, told, strict=True):
            _one(walked, number, group.context, item, responses, one, listed)
        watch(number + 1)
    return walked


@dataclass(frozen=True)
class _Heard:
    """A context whose questions have been sent to whoever tells causes."""

    context: Context
    items: list[Item]
    responses: list[list[list[Heard]]]
    """For each question and each run, its samples; none where the run was not to ask it."""


def _tasks(joined: Joined, ahead: deque[_Heard]) -> Iterator[Task]:
    """What is to be told of each context; what was heard waits in `ahead` until it is."""
    for context, items in joined.groups():
        responses = [
            [run.heard(item) if item.question.id in run.asked else [] for run in joined.runs] for item in items
        ]
        ahead.append(_Heard(context, items, responses))
        yield context, [(item, list(_given(some))) for item, some in zip(items, responses, strict=True)]


def _given(responses: list[list[Heard]]) -> Iterator[Given]:
    for run, samples in enumerate(responses):
        for sample, heard in enumerate(samples):
            if heard.outcome == "incorrect":
                yield Given(run, sample, heard.read, heard.text)


def _one(
    walked: Walked,
    number: int,
    context: Context,
    item: Item,
    responses: list[list[Heard]],
    told: Told | None,
    listed: Mapping[str, DocumentEntry],
) -> None:
    diagnosis = told.diagnosis if told is not None else NO_DIAGNOSIS
    row = len(walked.asked)
    walked.asked.append(describe(context, number, item, diagnosis, listed))
    walked.nothing.append(float(item.key.answer.type == "none"))
    walked.keys.append((f"{item.question.family} {item.key.answer.type}", item.key.answer.model_dump_json()))
    fittings = iter(told.fittings if told is not None else ())
    for seen, samples in zip(walked.seen, responses, strict=True):
        if samples:
            _response(seen, row, item, samples, diagnosis)
            for heard in samples:
                _tell(seen, number, heard, told, fittings)


def _tell(seen: Seen, context: int, heard: Heard, told: Told | None, fittings: Iterator[Fitting]) -> None:
    """Count what is told of one response."""
    if heard.outcome not in ("correct", "incorrect"):
        return
    if told is None:
        seen.untold += heard.outcome == "incorrect"
        return
    seen.attributing.expose(told.exposed, context)
    if heard.outcome == "incorrect":
        seen.attributing.add(next(fittings), context)


def _response(seen: Seen, row: int, item: Item, responses: list[Heard], diagnosis: Diagnosis) -> None:
    outcomes = Counter(heard.outcome for heard in responses)
    place = len(seen.rows)
    seen.rows.append(row)
    seen.right.append(outcomes["correct"] / len(responses))
    seen.credit.append(sum(heard.score for heard in responses) / len(responses))
    seen.outcomes.append([outcomes[kind] for kind in OUTCOMES])
    for sample, heard in enumerate(responses):
        if heard.outcome not in ("unanswered", "overflow"):
            seen.spending.add(heard.usage)
        shape = pattern(item.key.answer, heard)
        if shape is not None:
            seen.patterns.append((place, shape))
        seen.items.append(
            # Not validated: there is one for every response of every run, and all of it was when it was read.
            ItemFinding.model_construct(
                question_id=item.question.id,
                run=seen.run.name,
                sample=sample,
                outcome=heard.outcome,
                score=heard.score,
                patterns=(shape,) if shape else (),
                suspects=(),
                unclear=NO_TELLER if heard.outcome == "incorrect" else "",
                steps=_steps(seen, heard, diagnosis),
            )
        )


def _steps(seen: Seen, heard: Heard, diagnosis: Diagnosis) -> tuple[StepSeen, ...]:
    trace = trace_of(heard) if diagnosis.steps and heard.outcome in ("correct", "incorrect", "unparseable") else ""
    if not trace:
        return ()
    found = look(trace, diagnosis.steps)
    seen.steps.add(found, heard.outcome == "correct")
    return found


def with_causes(items: list[ItemFinding], settled: Settled) -> list[ItemFinding]:
    """The items, each wrong one with its suspects."""
    known = {(one.fitting.question, one.fitting.sample): one for one in settled.answers}
    return [
        item
        if (one := known.get((item.question_id, item.sample))) is None
        else item.model_copy(update={"suspects": one.suspects, "unclear": one.unclear})
        for item in items
    ]
