"""The ladder: the same questions over the full text, over what is needed of it, and over the tables.

What the needed passages mend was lost in finding; what the tables mend beyond that, in reading; the rest in computing.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from fathom.analysis.findings import Ladder, LadderStep
from fathom.analysis.intervals import LEVEL, Numbers, Values, difference, ratio_lost, share

RUNGS = ("full", "passages", "tables")
_STEPS = {
    ("full", "passages"): ("finding", "what is needed was not found in the full text"),
    ("passages", "tables"): ("reading", "what is needed was before it and was misread"),
    ("full", "tables"): (
        "finding and reading",
        "lost before anything is computed; run `passages` to tell the two apart",
    ),
}
_LAST = ("computing", "wrong even where every value is given")


def ladder(
    model: str,
    bench: str,
    runs: dict[str, str],
    values: dict[str, Values],
    contexts: Numbers,
    notes: tuple[str, ...] = (),
    level: float = LEVEL,
) -> Ladder:
    """One model's ladder; `values` holds the shared questions' shares right on each rung that was run."""
    rungs = [rung for rung in RUNGS if rung in values]
    steps = [
        _step(*_STEPS[lower, upper], values[lower], values[upper], contexts, level) for lower, upper in pairwise(rungs)
    ]
    if "tables" in values:
        perfect = np.ones_like(values["tables"])
        steps.append(_step(*_LAST, values["tables"], perfect, contexts, level))
    paths = Counter(
        ", ".join(f"{rung} {'correct' if values[rung][place] >= 0.5 else 'incorrect'}" for rung in rungs)
        for place in range(len(contexts))
    )
    return Ladder(
        model=model,
        bench=bench,
        runs=runs,
        items=len(contexts),
        accuracy={rung: share(values[rung], contexts, level) for rung in rungs},
        steps=tuple(steps),
        paths=dict(paths.most_common()),
        notes=notes,
    )


def _step(name: str, what: str, lower: Values, upper: Values, contexts: Numbers, level: float) -> LadderStep:
    return LadderStep(
        name=name,
        what=what,
        lost=difference(upper - lower, contexts, level),
        rate=ratio_lost(upper, lower, contexts, level),
    )
