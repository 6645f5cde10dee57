"""What is said of one run by itself: scores in all and by group, lengths, samples, patterns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from fathom.analysis.findings import (
    OUTCOMES,
    BenchFacts,
    Breakdown,
    Cell,
    Counts,
    Estimate,
    Group,
    HeatMap,
    LengthCurve,
    LengthPoint,
    Outcomes,
    Pattern,
    Samples,
)
from fathom.analysis.intervals import Sums, Values, macro, share, share_of_sums
from fathom.analysis.lengths import curve
from fathom.analysis.patterns import PATTERNS
from fathom.analysis.properties import WHAT, Asked
from fathom.analysis.walking import Arrays, Mask, Seen, Walked
from fathom.records.lengths import print_length
from fathom.scoring.scores import pass_at_k, summarize_samples

OVERLAPPING = frozenset({"operators"})
HEAT_MAPS = (("skill", "topic"), ("skill", "length"), ("task", "level"), ("type", "year"))
"""Pairs of groupings that are drawn as a map, where a bench has both."""
EXAMPLES = 3


def group(name: str, found: Arrays, mask: Mask, bench: BenchFacts, samples: int, whole_run: bool = False) -> Group:
    """How the questions under the mask fared."""
    counted = outcomes(found, mask, samples)
    right, credit, contexts = found.right[mask], found.credit[mask], found.contexts[mask]
    others = bench.questions - len(mask)
    # The counts of a whole run are its bench's, however few of the questions it was to ask.
    if whole_run or (mask.all() and not others):
        counts = bench.counts.model_copy(
            update={"error": counted.error, "asked": counted.questions, "not_asked": others}
        )
    else:
        counts = Counts(
            built=None if bench.counts.refused or others else counted.questions,
            fitted=counted.questions,
            errors=counted.error,
            refused=0,
            asked=counted.questions,
        )
    return Group(
        name=name,
        counts=counts,
        outcomes=counted,
        accuracy=share(right, contexts),
        at_most=min(1.0, (counted.correct + counted.error + counted.unanswered) / max(1, counted.responses)),
        credit=share(credit, contexts),
    )


def outcomes(found: Arrays, mask: Mask, samples: int) -> Outcomes:
    """The responses under the mask, counted by what became of them."""
    sums = found.outcomes[mask].sum(axis=0)
    questions = int(mask.sum())
    return Outcomes(
        questions=questions,
        responses=questions * samples,
        partial_credit=float(found.credit[mask].sum()) * samples,
        **{kind: int(count) for kind, count in zip(OUTCOMES, sums, strict=True)},
    )


def masks(walked: Walked, found: Arrays) -> dict[str, dict[str, Mask]]:
    """For each grouping, its groups and which of the run's questions are in each; groups without any are left out."""
    mine = {by: {name: mask[found.rows] for name, mask in named.items()} for by, named in walked.groups.items()}
    kept = {by: {name: mask for name, mask in named.items() if mask.any()} for by, named in mine.items()}
    return {by: named for by, named in kept.items() if named}


def breakdowns(
    found: Arrays, groups: Mapping[str, Mapping[str, Mask]], bench: BenchFacts, samples: int
) -> list[Breakdown]:
    """Scores by every grouping; one with a single group is told too, since it says what the bench is made of."""
    return [
        Breakdown(
            by=by,
            what=WHAT.get(by, by.capitalize()),
            overlapping=by in OVERLAPPING,
            groups=tuple(group(name, found, mask, bench, samples) for name, mask in named.items()),
            macro=macro(found.right, found.contexts, list(named.values())),
        )
        for by, named in groups.items()
    ]


def heat_maps(found: Arrays, groups: Mapping[str, Mapping[str, Mask]]) -> list[HeatMap]:
    """The share right by two groupings at once."""
    made = []
    for rows, columns in HEAT_MAPS:
        if len(groups.get(rows, ())) > 1 and len(groups.get(columns, ())) > 1:
            cells = tuple(
                Cell(row=row, column=column, accuracy=share(found.right[both], found.contexts[both]))
                for row, first in groups[rows].items()
                for column, second in groups[columns].items()
                if (both := first & second).any()
            )
            made.append(HeatMap(rows=rows, columns=columns, cells=cells))
    return made


def length_curve(
    asked: Sequence[Asked], found: Arrays, samples: int, resamples: int, rng: np.random.Generator
) -> LengthCurve:
    """The share right by the length that was asked for, of families that are asked at every length.

    A family that is asked only of short contexts, and is easy, made the others seem to fall with length.
    """
    tokens = np.array([asked[row].tokens for row in found.rows])
    names = np.array([asked[row].groups["family"][0] for row in found.rows])
    lengths = np.unique(tokens)
    every = tuple(str(name) for name in np.unique(names))
    families = tuple(name for name in every if len(np.unique(tokens[names == name])) == len(lengths))
    kept = np.isin(names, families or every)
    points, values, contexts = [], [], []
    for length in lengths:
        mask = kept & (tokens == length)
        values.append(found.right[mask])
        contexts.append(found.contexts[mask])
        points.append(
            LengthPoint(
                name=print_length(int(length)),
                tokens=int(length),
                outcomes=outcomes(found, mask, samples),
                accuracy=share(values[-1], contexts[-1]),
            )
        )
    made = curve(points, values, contexts, resamples, rng)
    return made.model_copy(update=_of_families(every, families))


def _of_families(every: tuple[str, ...], families: tuple[str, ...]) -> dict[str, object]:
    """What a curve says of the families that it is made of."""
    if not families:
        note = "No family is asked at every length, so that the lengths cannot be compared."
        return {"families": every, "effective": None, "note": note}
    left_out = [name for name in every if name not in families]
    note = f"Without {', '.join(left_out)}, not asked at every length." if left_out else ""
    return {"families": families, "note": note}


def sampled(seen: Seen, found: Arrays) -> Samples | None:
    """What several responses to each question show; None where there is one."""
    samples = seen.run.samples
    if samples < 2:
        return None
    counts = found.outcomes[:, OUTCOMES.index("correct")]
    rounds = seen.rounds()
    pairs = list(combinations(range(samples), 2))
    return Samples(
        samples=samples,
        mean=float(found.right.mean()),
        pass_at={
            k: share(np.array([pass_at_k(samples, int(count), k) for count in counts]), found.contexts)
            for k in sorted({1, 2, 3, 5, 10, 20, 50, 100, samples})
            if k <= samples
        },
        majority=summarize_samples(seen.run.asked, seen.run.several).majority,
        spread=float(rounds.mean(axis=0).std(ddof=1)),
        agreement=float(np.mean([(rounds[:, one] == rounds[:, two]).mean() for one, two in pairs])),
    )


def patterns(walked: Walked, seen: Seen, found: Arrays) -> list[Pattern]:
    """The ways in which responses went wrong, the most frequent first."""
    samples, size = seen.run.samples, len(found.rows)
    places: dict[str, list[int]] = defaultdict(list)
    for place, name in seen.patterns:
        places[name].append(place)
    came_wrong = max(1, len(seen.patterns))
    made = []
    for name in sorted(places, key=lambda name: (-len(places[name]), name)):
        struck: Values = np.bincount(places[name], minlength=size) / samples
        asked = [walked.asked[found.rows[place]] for place in places[name]]
        made.append(
            Pattern(
                name=name,
                what=PATTERNS[name],
                count=len(places[name]),
                share=_share(struck, found, samples),
                of_wrong=len(places[name]) / came_wrong,
                by_answer=dict(Counter(one.groups["answer"][0] for one in asked).most_common()),
                examples=tuple(dict.fromkeys(one.id for one in asked))[:EXAMPLES],
            )
        )
    return made


def _share(values: Values, found: Arrays, samples: int) -> Estimate:
    return share_of_sums(Sums.of(values, found.contexts), samples == 1)
