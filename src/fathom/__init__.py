"""Fathom turns documents into long-context benchmarks in which every answer key carries its proof.

The public Python API. Functions that take a corpus, a bench or a run accept the object or its folder:

    corpus = fathom.generate("corpus", documents=60, seed=7)
    corpus.contexts(lengths=["64K"], count=10)
    bench = fathom.build("numeric", corpus, out="bench")
    run = fathom.run(bench, model="sim/reader?miss=0.05", out="run")
    print(run.score().by("length"))

Everything is imported on first use, so that `import fathom` is fast.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fathom.records.version import __version__

if TYPE_CHECKING:
    from fathom.api.agreement import Agreement, agree
    from fathom.api.annotating import create_project, export_annotations
    from fathom.api.annotations import import_annotations
    from fathom.api.benches import Bench, BenchItem, audit, build, build_recipe, fit, open_bench, swap
    from fathom.api.contexts import ContextSet
    from fathom.api.corpora import Corpus, generate, ingest, open_corpus
    from fathom.api.errata import errata, import_errata, state_erratum
    from fathom.api.error_coding import coding_results, create_coding
    from fathom.api.extraction import extract_figures
    from fathom.api.findings import Analysis, analyze, compare, contamination
    from fathom.api.imports import import_inspect
    from fathom.api.judges import JudgeReport, judge_report
    from fathom.api.matrix import MatrixRun, run_matrix
    from fathom.api.model_correlations import ModelCorrelations, correlate_models
    from fathom.api.models import KnownModel, list_models
    from fathom.api.packs import check_pack
    from fathom.api.quickstart import quickstart
    from fathom.api.run_listing import RunDetails, RunListing, list_runs, run_details
    from fathom.api.runs import Run, open_run, plan, run
    from fathom.api.scores import Scores, score_answers, score_run
    from fathom.api.studies import create_study, study_results
    from fathom.api.systems import SystemReport, check_system
    from fathom.api.tables import ResultsTable, table
    from fathom.api.value_checks import create_value_check, value_check_results
    from fathom.records.errors import FathomError

# Matrices here are small: the threads of a product wait for each other longer than they compute, and compete with the
# worker processes. With one thread, results also have the same last digits on every machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_MODULES = {
    "fathom.api.model_correlations": ("ModelCorrelations", "correlate_models"),
    "fathom.api.agreement": ("Agreement", "agree"),
    "fathom.api.annotating": ("create_project", "export_annotations"),
    "fathom.api.annotations": ("import_annotations",),
    "fathom.api.benches": ("Bench", "BenchItem", "audit", "build", "build_recipe", "fit", "open_bench", "swap"),
    "fathom.api.contexts": ("ContextSet",),
    "fathom.api.corpora": ("Corpus", "generate", "ingest", "open_corpus"),
    "fathom.api.errata": ("errata", "import_errata", "state_erratum"),
    "fathom.api.error_coding": ("coding_results", "create_coding"),
    "fathom.api.extraction": ("extract_figures",),
    "fathom.api.findings": ("Analysis", "analyze", "compare", "contamination"),
    "fathom.api.judges": ("JudgeReport", "judge_report"),
    "fathom.api.matrix": ("MatrixRun", "run_matrix"),
    "fathom.api.models": ("KnownModel", "list_models"),
    "fathom.api.packs": ("check_pack",),
    "fathom.api.quickstart": ("quickstart",),
    "fathom.api.imports": ("import_inspect",),
    "fathom.api.run_listing": ("RunDetails", "RunListing", "list_runs", "run_details"),
    "fathom.api.runs": ("Run", "open_run", "plan", "run"),
    "fathom.api.scores": ("Scores", "score_answers", "score_run"),
    "fathom.api.studies": ("create_study", "study_results"),
    "fathom.api.tables": ("ResultsTable", "table"),
    "fathom.api.value_checks": ("create_value_check", "value_check_results"),
    "fathom.api.systems": ("SystemReport", "check_system"),
    "fathom.records.errors": ("FathomError",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Agreement",
    "Analysis",
    "Bench",
    "BenchItem",
    "ContextSet",
    "Corpus",
    "FathomError",
    "JudgeReport",
    "KnownModel",
    "MatrixRun",
    "ModelCorrelations",
    "ResultsTable",
    "Run",
    "RunDetails",
    "RunListing",
    "Scores",
    "SystemReport",
    "__version__",
    "agree",
    "analyze",
    "audit",
    "build",
    "build_recipe",
    "check_pack",
    "check_system",
    "coding_results",
    "compare",
    "contamination",
    "correlate_models",
    "create_coding",
    "create_project",
    "create_study",
    "create_value_check",
    "errata",
    "export_annotations",
    "extract_figures",
    "fit",
    "generate",
    "import_annotations",
    "import_errata",
    "import_inspect",
    "ingest",
    "judge_report",
    "list_models",
    "list_runs",
    "open_bench",
    "open_corpus",
    "open_run",
    "plan",
    "quickstart",
    "run",
    "run_details",
    "run_matrix",
    "score_answers",
    "score_run",
    "state_erratum",
    "study_results",
    "swap",
    "table",
    "value_check_results",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'fathom' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
