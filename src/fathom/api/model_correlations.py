"""Correlations over the models of runs."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.analysis.loading import open_bench, read_verdicts
from fathom.analysis.model_correlations import (
    Correlation,
    ModelCorrelations,
    ModelPoint,
    PromptingGain,
    model_correlations,
)
from fathom.api.arguments import Folder, as_path
from fathom.api.findings import run_folders
from fathom.records.errors import FathomError
from fathom.runs.folder import read_responses, read_run, selected_questions
from fathom.scoring.scores import VerdictSummary, summarize_samples

__all__ = ["Correlation", "ModelCorrelations", "ModelPoint", "PromptingGain", "correlate_models"]


def correlate_models(
    runs: Folder | Sequence[Folder], *, bench: Folder | None = None, seed: int = 0
) -> ModelCorrelations:
    """Correlations of exploration, response length and the gain from step-by-step prompting with accuracy.

    All runs must be scored and on the same bench. A folder of runs means all runs in it.
    """
    points = []
    benches = set()
    for folder in run_folders(runs):
        manifest = read_run(folder)
        benches.add(manifest.bench_fingerprint)
        opened = open_bench(folder, manifest, as_path(bench))
        asked_ids = {question.id for question in selected_questions(opened.all_questions(), manifest.settings)}
        verdicts = [VerdictSummary.of(verdict) for verdict in read_verdicts(folder) if verdict.question_id in asked_ids]
        if not verdicts:
            raise FathomError(f"The run '{folder}' has no verdicts. Score it first: fathom score {folder}.")
        summary = summarize_samples(asked_ids, verdicts)
        responses = list(read_responses(folder).values())
        points.append(
            ModelPoint(
                run=folder.name,
                model=manifest.model,
                system=manifest.system,
                prompting=str(manifest.system_settings.get("prompting", "direct")),
                samples=summary.samples,
                accuracy=summary.mean,
                pass_at_k=summary.pass_at[summary.samples],
                output_tokens=sum(response.usage.output_tokens for response in responses) / max(1, len(responses)),
            )
        )
    if len(benches) > 1:
        raise FathomError(
            "The runs are on different benches, so their accuracies cannot be compared. Give runs on one."
        )
    return model_correlations(points, seed)
