"""Check that a system keeps its contract."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fathom.api import benches, corpora
from fathom.api.arguments import Folder, as_path
from fathom.api.bench_views import open_bench_view
from fathom.api.runs import outside_event_loop
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.records.record import Record
from fathom.runs.check_results import CheckResult, failed, note, passed
from fathom.runs.run import missing_engine
from fathom.systems.catalog import is_control, load_system, wrap_system
from fathom.systems.protocol import Prompting, RequestLimits, System, needs_model
from fathom.tasks.catalog import family_names

__all__ = ["CheckResult", "SystemReport", "check_system"]


class SystemReport(Record):
    """The checks of a system."""

    system: str
    checks: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.result != "failed" for check in self.checks)


def check_system(
    system: str | System,
    *,
    bench: Folder | None = None,
    prompting: Prompting = "direct",
    system_settings: Mapping[str, object] | None = None,
    timeout: float = 60,
    corpus: Folder | None = None,
) -> SystemReport:
    """Ask a system a few questions of a bench, or of a small generated one, and check what it does.

    A system at an address is called; a Python class gets a stub in place of a model, so that nothing is paid.
    """
    name = system if isinstance(system, str) else system.name
    try:
        loaded = load_system(system, prompting, system_settings) if isinstance(system, str) else wrap_system(system)
    except FathomError as error:
        return SystemReport(system=name, checks=(failed(str(error)),))
    with _bench(as_path(bench)) as folder:
        return outside_event_loop(lambda: _checked(name, loaded.system, folder, as_path(corpus), timeout))


@contextmanager
def _bench(given: Path | None) -> Iterator[Path]:
    """The bench, or a small one that is generated for the checks."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
        yield build_small_bench(Path(folder))


def build_small_bench(folder: Path) -> Path:
    """A bench of four questions about letters, in the folder; takes a few seconds."""
    made = corpora.generate(folder / "corpus", documents=16, length="short", seed=1)
    made.contexts(lengths=["3K"], count=2)
    return benches.build(family_names()[0], made, out=folder / "bench", questions=2).folder


def _checked(name: str, system: System, folder: Path, corpus: Path | None, timeout: float) -> SystemReport:
    try:
        from fathom.runs.system_check import check_system as run_checks
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    with open_bench_view(folder, corpus, is_control(system)) as view:
        report = run_checks(view, system, RequestLimits(retries=0, timeout=timeout))
    # The text of a stub in place of a model is not an answer of the system.
    parsed = () if needs_model(system) else _parsed(folder, report.responses)
    return SystemReport(system=name, checks=(*report.results, *parsed))


def _parsed(folder: Path, responses: Sequence[Response]) -> Iterator[CheckResult]:
    """Whether the check of the family finds an answer in the responses."""
    by_question = {response.question_id: response for response in responses if response.outcome == "answered"}
    if not by_question:
        return
    items = (item for item in benches.open_bench(folder).items() if item.question.id in by_question)
    outcomes = [item.check(by_question[item.question.id]).outcome for item in items]
    unparseable = outcomes.count("unparseable")
    if unparseable == len(outcomes):
        yield failed("No answer can be parsed from its responses. Follow the question's wording and the instruction.")
    elif unparseable:
        yield note(f"No answer can be parsed from {unparseable} of its {len(outcomes)} responses.")
    else:
        yield passed("An answer can be parsed from its responses.")
