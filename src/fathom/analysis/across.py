"""What is said of several runs side by side: comparisons, repeats, ladders, floors, and what was known before."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fathom.analysis.comparing import Missing, compare, corrected, exchange_tests, holm
from fathom.analysis.findings import (
    OUTCOMES,
    Comparison,
    Contamination,
    Estimate,
    Floor,
    Ladder,
    Repeated,
    ResponseOutcome,
)
from fathom.analysis.intervals import Numbers, Sums, Values, clustered_error, difference, share, t_tail
from fathom.analysis.ladder import RUNGS, ladder
from fathom.analysis.walking import Arrays, Mask, Seen, Walked
from fathom.models.simulated import PREFIX, Simulated

WITHIN = ("length", "skill", "task", "level")
"""Groupings within which runs are compared, besides all questions together."""
FEW_RESPONSES = 20
"""Questions answered below which nothing is said of what a model knew before."""
GUESSERS = {
    "null": "always says that there is no answer",
    "random": "guesses values of the wanted form",
    "majority": "gives the most frequent answer of the wanted form",
    "lexical": "gives what shares words with the question",
}


@dataclass(frozen=True)
class Column:
    """One run's shares right, by the places of the walk."""

    seen: Seen
    found: Arrays

    @property
    def name(self) -> str:
        return self.seen.run.name

    def at(self, rows: Numbers) -> Values:
        """The shares right of these questions, all of which the run was to ask."""
        return self.found.right[np.searchsorted(self.found.rows, rows)]

    def came(self, rows: Numbers) -> Mask:
        """Which of these questions were answered, rightly or not, as often as they were to be."""
        return np.asarray(self._counted(rows, ("error", "unanswered", "overflow")) == 0)

    def missing(self, rows: Numbers) -> Missing:
        """The responses to these questions that have not come. What overflows has come: the system let it."""
        waiting = int(self._counted(rows, ("error", "unanswered")).sum())
        return Missing(waiting, waiting / max(1, len(rows) * self.seen.run.samples))

    def _counted(self, rows: Numbers, kinds: Sequence[ResponseOutcome]) -> Numbers:
        places = np.searchsorted(self.found.rows, rows)
        found: Numbers = self.found.outcomes[places][:, [OUTCOMES.index(kind) for kind in kinds]].sum(axis=1)
        return found


def comparisons(
    walked: Walked, columns: Sequence[Column], exchanges: int, rng: np.random.Generator
) -> list[Comparison]:
    """Each two runs over the questions that both were to ask, in all and within groups; corrected kind by kind."""
    pairs = [(one, two, _shared(one, two)) for one, two in combinations(columns, 2)]
    pairs = [pair for pair in pairs if len(pair[2])]
    kinds: dict[str, list[_Pair]] = {"all": [_Pair(one, two, "all", rows) for one, two, rows in pairs]}
    for by in WITHIN:
        within = [
            _Pair(one, two, f"{by} = {name}", inside)
            for one, two, rows in pairs
            for name, inside in _split(walked, by, rows).items()
        ]
        if len({pair.within for pair in within}) > 1:
            kinds[by] = within
    every = [pair for some in kinds.values() for pair in some]
    if not every:
        return []
    totals = np.stack([pair.totals(walked) for pair in every], axis=1)
    chances = iter(exchange_tests(totals, exchanges, rng))
    return [
        comparison
        for some in kinds.values()
        for comparison in corrected([pair.comparison(walked, float(next(chances)), len(some)) for pair in some])
    ]


@dataclass(frozen=True)
class _Pair:
    one: Column
    two: Column
    within: str
    rows: Numbers

    def totals(self, walked: Walked) -> Values:
        """The second run's right answers less the first's, context by context."""
        gaps = self.two.at(self.rows) - self.one.at(self.rows)
        found: Values = np.bincount(walked.contexts[self.rows], weights=gaps, minlength=len(walked.documents)).astype(
            float
        )
        return found

    def comparison(self, walked: Walked, chance: float, tests: int) -> Comparison:
        names = self.one.name, self.two.name
        values = self.one.at(self.rows), self.two.at(self.rows)
        missing = self.one.missing(self.rows), self.two.missing(self.rows)
        return compare(names, values, walked.contexts[self.rows], chance, self.within, missing, tests)


def _shared(one: Column, two: Column) -> Numbers:
    found: Numbers = np.intersect1d(one.found.rows, two.found.rows, assume_unique=True)
    return found


def _split(walked: Walked, by: str, rows: Numbers) -> dict[str, Numbers]:
    inside = {name: rows[mask[rows]] for name, mask in walked.groups.get(by, {}).items()}
    return {name: some for name, some in inside.items() if len(some)}


def _kind(column: Column) -> tuple[str, str, str]:
    facts = column.seen.run.facts(True)
    return facts.model, facts.system, facts.prompting


def _asked_so(column: Column) -> tuple[str, bytes]:
    """All that makes a run that run but for chance: its system's settings and its own, and which questions it has."""
    manifest = column.seen.run.manifest
    own = manifest.settings.model_dump(exclude={"seed", "limit", "split"})
    return json.dumps([manifest.system_settings, own], sort_keys=True), column.found.rows.tobytes()


def repeated(walked: Walked, columns: Sequence[Column], bench: str) -> list[Repeated]:
    """Runs that differ in nothing but chance, averaged question by question."""
    alike: dict[object, list[Column]] = defaultdict(list)
    for column in columns:
        alike[_kind(column), _asked_so(column)].append(column)
    made = []
    for some in alike.values():
        if len(some) > 1:
            model, system, prompting = _kind(some[0])
            values = np.stack([column.found.right for column in some])
            made.append(
                Repeated(
                    model=model,
                    system=system,
                    prompting=prompting,
                    bench=bench,
                    runs=tuple(column.name for column in some),
                    accuracy=share(values.mean(axis=0), some[0].found.contexts),
                    spread=float(values.mean(axis=1).std(ddof=1)),
                )
            )
    return made


def _climbs(columns: Sequence[Column]) -> dict[tuple[object, ...], dict[str, list[Column]]]:
    """The runs of each model by rung, among those asked the same questions in one prompting, with as much effort."""
    found: dict[tuple[object, ...], dict[str, list[Column]]] = defaultdict(lambda: defaultdict(list))
    for column in columns:
        model, system, prompting = _kind(column)
        if system in RUNGS:
            own = column.seen.run.manifest.settings
            rows = column.found.rows.tobytes()
            found[model, prompting, own.temperature, own.reasoning_effort, rows][system].append(column)
    return found


def ladders(walked: Walked, columns: Sequence[Column], bench: str) -> list[Ladder]:
    """One for each model that was asked the same on two rungs or more."""
    made = []
    for (model, *_), rungs in _climbs(columns).items():
        if len(rungs) < 2:
            continue
        chosen = {rung: some[0] for rung, some in rungs.items()}
        rows = next(iter(chosen.values())).found.rows
        notes = [
            f"Of {len(some)} runs over '{rung}' the first is taken." for rung, some in rungs.items() if len(some) > 1
        ]
        # A call that failed on one rung alone was told as a loss in finding, or as a gain.
        came = _came_to_all(list(chosen.values()), rows)
        if not came.all():
            notes.append(
                f"Left out: {int((~came).sum()):,} of {len(rows):,} questions, which some rung has not answered "
                "(failed, not asked yet, or too long for the window)."
            )
        rows = rows[came]
        if len(rows):
            values = {rung: column.at(rows) for rung, column in chosen.items()}
            names = {rung: column.name for rung, column in chosen.items()}
            made.append(ladder(str(model), bench, names, values, walked.contexts[rows], tuple(notes)))
    return made


def _came_to_all(columns: Sequence[Column], rows: Numbers) -> Mask:
    """Which questions every one of the runs has answered, rightly or not."""
    return np.asarray(np.logical_and.reduce([column.came(rows) for column in columns]))


def without_ladder(columns: Sequence[Column]) -> list[str]:
    """Why models that were run on several rungs have no ladder."""
    climbed = _climbs(columns)
    rungs: dict[str, set[str]] = defaultdict(set)
    for column in columns:
        model, system, _ = _kind(column)
        rungs[model] |= {system} & set(RUNGS)
    having = {key[0] for key, some in climbed.items() if len(some) > 1}
    unanswered = [
        f"{key[0]} has no ladder: no question was answered on every rung."
        for key, some in climbed.items()
        if len(some) > 1 and not _came_to_all(chosen := [one[0] for one in some.values()], chosen[0].found.rows).any()
    ]
    return unanswered + [
        f"{model} has no ladder: its runs over {', '.join(sorted(some))} were asked different questions, or in "
        "different manners."
        for model, some in rungs.items()
        if len(some) > 1 and model not in having
    ]


def floors(walked: Walked, columns: Sequence[Column], bench: str) -> list[Floor]:
    """What can be had without reading: from the keys alone, and from the controls among the runs."""
    made = [
        Floor(
            name=name,
            what=what,
            kind="floor",
            bench=bench,
            run=None,
            accuracy=share(values, walked.contexts),
        )
        for name, what, values in (
            ("always NULL", "says of every question that there is no answer", np.array(walked.nothing)),
            (
                "majority",
                "gives the most frequent key of its type; it has seen the keys, so this is an upper bound",
                majority_values(walked.keys),
            ),
        )
    ]
    return made + [floor for column in columns if (floor := _control(column, bench)) is not None]


def majority_values(keys: Sequence[tuple[str, str]]) -> Values:
    """For each question, 1 where its key is the most frequent one of its kind."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for kind, answer in keys:
        counts[kind][answer] += 1
    most = {kind: max(answers, key=lambda answer: answers[answer]) for kind, answers in counts.items()}
    return np.array([float(most[kind] == answer) for kind, answer in keys])


def _control(column: Column, bench: str) -> Floor | None:
    model, system, _ = _kind(column)
    what = None
    if model.startswith(PREFIX):
        what = GUESSERS.get(Simulated.parse(model).kind)
    elif system == "closed-book":
        what = "the model without the context"
    elif system == "passages":
        what = "the model with only what it needs: retrieval that never fails"
    if what is None:
        return None
    kind = "control" if system == "passages" else "floor"
    return Floor(name=column.name, what=what, kind=kind, bench=bench, run=column.name, accuracy=_all(column))


def _all(column: Column) -> Estimate:
    return share(column.found.right, column.found.contexts)


def contamination(walked: Walked, columns: Sequence[Column], bench: str) -> list[Contamination]:
    """Whether closed-book runs of real models are right more often than the best guess that needs no model."""
    best = majority_values(walked.keys)
    made = []
    for column in columns:
        model, system, _ = _kind(column)
        if system == "closed-book" and not model.startswith(PREFIX):
            made.append(_known(column, column.found.right - best[column.found.rows], model, bench))
    strict = iter(holm([one.p for one in made if one.p is not None]))
    return [one if one.p is None else _told(one, next(strict)) for one in made]


def _known(column: Column, above: Values, model: str, bench: str) -> Contamination:
    """One run against the floor, before its chance is corrected for the others."""
    estimate = difference(above, column.found.contexts)
    error = clustered_error(Sums.of(above, column.found.contexts))
    spread = error.variance + 1 / (estimate.items + 2) ** 2
    two_sided = t_tail(estimate.value / float(np.sqrt(spread)), error.freedom) if error.variance < 1 else 1.0
    chance = two_sided / 2 if estimate.value > 0 else 1 - two_sided / 2
    came = int(column.came(column.found.rows).sum())
    return Contamination(
        model=model,
        bench=bench,
        run=column.name,
        closed_book=_all(column),
        floor="majority",
        above_floor=estimate,
        p=None if came < FEW_RESPONSES else chance,
        p_holm=None,
        what=f"has answered fewer than {FEW_RESPONSES} questions, which tells nothing",
    )


def _told(one: Contamination, chance: float) -> Contamination:
    """With its chance after Holm, over the runs of the bench. What is not shown may be so all the same."""
    what = "knows more than can be guessed" if chance < 0.05 else "is not shown to know more than can be guessed"
    return one.model_copy(update={"p_holm": chance, "what": what})


def documents_shared(documents: Sequence[Numbers]) -> Mapping[str, float]:
    """How far contexts share documents: the share of documents in several, and of contexts in the largest tie."""
    owners: dict[int, list[int]] = defaultdict(list)
    for context, some in enumerate(documents):
        for document in some:
            owners[int(document)].append(context)
    group = list(range(len(documents)))

    def root(one: int) -> int:
        while group[one] != one:
            group[one] = group[group[one]]
            one = group[one]
        return one

    for some_contexts in owners.values():
        for other in some_contexts[1:]:
            group[root(other)] = root(some_contexts[0])
    sizes: dict[int, int] = defaultdict(int)
    for context in range(len(documents)):
        sizes[root(context)] += 1
    several = sum(len(some) > 1 for some in owners.values())
    return {
        "documents": float(len(owners)),
        "shared": several / max(1, len(owners)),
        "linked": max(sizes.values(), default=0) / max(1, len(documents)) if several else 0.0,
    }
