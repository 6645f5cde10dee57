"""Baselines and controls: accuracy without reading the context, and closed-book tests for contamination."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from fathom.analysis.bench_data import BenchData, RunData
from fathom.analysis.findings import Baseline, ClosedBookTest, Estimate
from fathom.analysis.intervals import ContextSums, FloatArray, clustered_error, difference, share, t_tail
from fathom.analysis.significance import holm
from fathom.models.simulated import PREFIX, SimulatedModel

MIN_ANSWERED = 20
"""Questions answered below which no closed-book test is made."""
GUESSERS = {
    "null": "always answers NULL",
    "random": "guesses a random value of the expected type",
    "majority": "gives the most frequent answer of the expected type",
    "lexical": "gives the candidate that shares most words with the question",
}
CONTROLS = {
    "closed-book": "the model without the context",
    "passages": "the model with exactly the passages it needs: perfect retrieval",
    "full-control": "the model with the documents it needs first or last: the effect of position",
}
"""Systems that are compared with others, and do not compete with them."""


def baselines(bench: BenchData, runs: Sequence[RunData], fingerprint: str) -> list[Baseline]:
    """Baselines computed from the keys, and the runs that are baselines or controls."""
    from_keys = (
        ("always NULL", "answers NULL to every question", np.array(bench.unanswerable)),
        (
            "majority",
            "gives the most frequent key of its type; it has seen the keys, so this is an upper bound",
            majority_values(bench.keys),
        ),
    )
    measured = [
        Baseline(
            name=name,
            description=description,
            kind="baseline",
            bench=fingerprint,
            run=None,
            accuracy=share(values, bench.contexts),
        )
        for name, description, values in from_keys
    ]
    return measured + [baseline for run in runs if (baseline := _control(run, fingerprint)) is not None]


def majority_values(keys: Sequence[tuple[str, bytes]]) -> FloatArray:
    """For each question, 1 if its key is the most frequent one of its kind."""
    counts: dict[str, dict[bytes, int]] = defaultdict(lambda: defaultdict(int))
    for kind, answer in keys:
        counts[kind][answer] += 1
    most = {kind: max(answers, key=lambda answer: answers[answer]) for kind, answers in counts.items()}
    return np.array([float(most[kind] == answer) for kind, answer in keys])


def _control(run: RunData, fingerprint: str) -> Baseline | None:
    manifest = run.run.manifest
    description = None
    if manifest.model.startswith(PREFIX):
        description = GUESSERS.get(SimulatedModel.parse(manifest.model).kind)
    else:
        description = CONTROLS.get(manifest.system)
    if description is None:
        return None
    return Baseline(
        name=run.name,
        description=description,
        kind="baseline" if manifest.model.startswith(PREFIX) or manifest.system == "closed-book" else "control",
        bench=fingerprint,
        run=run.name,
        accuracy=_accuracy(run),
    )


def _accuracy(run: RunData) -> Estimate:
    return share(run.arrays.accuracy, run.arrays.contexts)


def closed_book_tests(bench: BenchData, runs: Sequence[RunData], fingerprint: str) -> list[ClosedBookTest]:
    """Whether closed-book runs of real models are more accurate than the majority baseline."""
    majority = majority_values(bench.keys)
    tests = []
    for run in runs:
        manifest = run.run.manifest
        if manifest.system == "closed-book" and not manifest.model.startswith(PREFIX):
            tests.append(_test(run, run.arrays.accuracy - majority[run.arrays.rows], fingerprint))
    corrected = iter(holm([test.p for test in tests if test.p is not None]))
    return [test if test.p is None else _conclude(test, next(corrected)) for test in tests]


def _test(run: RunData, above: FloatArray, fingerprint: str) -> ClosedBookTest:
    """One run against the baseline, before the correction for multiple tests."""
    contexts = run.arrays.contexts
    estimate = difference(above, contexts)
    error = clustered_error(ContextSums.of(above, contexts))
    variance = error.variance + 1 / (estimate.items + 2) ** 2
    two_sided = t_tail(estimate.value / float(np.sqrt(variance)), error.freedom) if error.variance < 1 else 1.0
    p = two_sided / 2 if estimate.value > 0 else 1 - two_sided / 2
    answered = int(run.answered(run.arrays.rows).sum())
    return ClosedBookTest(
        model=run.run.manifest.model,
        bench=fingerprint,
        run=run.name,
        closed_book=_accuracy(run),
        baseline="majority",
        above_baseline=estimate,
        p=None if answered < MIN_ANSWERED else p,
        p_holm=None,
        conclusion=f"answered fewer than {MIN_ANSWERED} questions, too few for a test",
    )


def _conclude(test: ClosedBookTest, p_holm: float) -> ClosedBookTest:
    conclusion = "exceeds the baseline" if p_holm < 0.05 else "does not significantly exceed the baseline"
    return test.model_copy(update={"p_holm": p_holm, "conclusion": conclusion})
