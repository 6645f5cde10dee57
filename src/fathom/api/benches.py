"""Build, audit, fit and swap benches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, get_args

from pydantic import Field, ValidationError

from fathom.api.arguments import Folder, Progress, as_path, as_tokens, ignore
from fathom.api.bench_statistics import BenchStatistics, NumberRange, bench_statistics
from fathom.api.contexts import sample_contexts
from fathom.api.dataframes import require_pandas
from fathom.api.judging import role_model
from fathom.contexts.files import FILE_NAME, read_contexts
from fathom.corpus.store import Corpus
from fathom.models.prompts import Message, Prompt, RolePrompt
from fathom.models.simulated import PREFIX
from fathom.records.contexts import Context, Split
from fathom.records.documents import DocumentId, Passage
from fathom.records.errors import FathomError, file_errors, refuse_undecodable
from fathom.records.questions import QuestionId, Response
from fathom.records.record import Record, digest, first_error
from fathom.records.rng import rng_for
from fathom.records.toml import parse_toml
from fathom.runs.roles import run_role
from fathom.runs.run import RunLimits
from fathom.scoring.answer_types.format import written
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict
from fathom.systems.protocol import DOCUMENTS
from fathom.tasks import bench as benches
from fathom.tasks import building, fitting, swapping
from fathom.tasks.auditing import AuditReport
from fathom.tasks.auditing import audit as audit_folder
from fathom.tasks.bench import BenchManifest
from fathom.tasks.bench_folder import QUESTIONS
from fathom.tasks.catalog import (
    builds_per_context,
    family,
    family_for,
    family_names,
    preparation_of,
    settings_of,
    tags_of,
)
from fathom.tasks.checking import ShownContexts, check
from fathom.tasks.family import Family, FamilySettings, FromCorpus, Item, ModelAnswers, PerContext, Preset
from fathom.tasks.simulating import open_simulator, simulated_model, simulated_response
from fathom.tasks.swapping import REPORT
from fathom.tasks.unasked_questions import unknown_fields

if TYPE_CHECKING:
    import pandas

__all__ = [
    "REPORT",
    "AuditReport",
    "Bench",
    "BenchItem",
    "BenchManifest",
    "BenchRecipe",
    "BenchStatistics",
    "Family",
    "FamilySettings",
    "NumberRange",
    "PerContext",
    "ProofPassage",
    "audit",
    "build",
    "build_recipe",
    "family",
    "family_for",
    "family_names",
    "fit",
    "is_bench_folder",
    "is_path",
    "model_marker",
    "open_bench",
    "preparation_of",
    "read_recipe",
    "swap",
    "tags_of",
    "unknown_fields",
]


class FitOptions(TypedDict, total=False):
    """Options of `fit`."""

    reserve: int | str
    """Tokens of the window left for the response. [default: 2048]"""
    model: str | None
    """Count lengths in this model's tokens."""
    corpus: Folder | None
    """Where the corpus is, if it was moved."""
    progress: Progress


class SwapOptions(TypedDict, total=False):
    """Options of `swap`."""

    seed: int
    corpus: Folder | None
    """Where the corpus is, if it was moved."""
    progress: Progress


@dataclass(frozen=True)
class BenchItem(Item):
    """A question with its key."""

    context: Context
    shown: ShownContexts | None = None

    @property
    def answer(self) -> str:
        """The correct answer as text, in the form that the question asks for."""
        return written(self.key.answer)

    def check(self, response: str | Response) -> Verdict:
        """The verdict on a response, such as `item.check("Answer: 4")`."""
        if isinstance(response, str):
            response = Response(question_id=self.question.id, outcome="answered", text=response)
        return check(self, response, self.shown)

    def explain(self) -> list[str]:
        """The computation behind the key, step by step in plain words."""
        return list(family(self.question.family).explain(self.key))

    def passages(self, corpus: Corpus) -> list[ProofPassage]:
        """The passages that prove the key, with their surroundings, in the order of the context."""
        order = {document: number for number, document in enumerate(self.context.documents, start=1)}
        found = sorted(self.key.proof.passages, key=lambda one: (order.get(one.document, 0), one.span.start))
        return [_proof_passage(corpus, passage, order.get(passage.document, 0)) for passage in found]


@dataclass(frozen=True)
class ProofPassage:
    """A passage that proves a key."""

    document: DocumentId
    number: int
    """The number of the document in the context; 0 if the context does not have it."""
    title: str
    before: str
    """The text just before it."""
    text: str
    after: str


SURROUNDINGS = 80
"""Characters of text shown on each side of a passage."""


def _proof_passage(corpus: Corpus, passage: Passage, number: int) -> ProofPassage:
    document = corpus.document(passage.document)
    text, span = document.text, passage.span
    before, after = text[max(0, span.start - SURROUNDINGS) : span.start], text[span.end : span.end + SURROUNDINGS]
    return ProofPassage(passage.document, number, document.title_text, before, span.of(text), after)


class Bench(benches.Bench):
    """A bench on disk: contexts, questions and keys. `bench.manifest` has the counts."""

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Bench('{self.folder}', {self.manifest.questions:,} questions, {self.manifest.contexts:,} contexts)"

    def __len__(self) -> int:
        return self.manifest.questions

    def items(self, split: Split | None = None, family: str | None = None) -> Iterator[BenchItem]:
        """The items, one at a time; only those of a split or family, if given."""
        for given, known in ((split, get_args(Split)), (family, self.manifest.families)):
            if given is not None and given not in known:
                raise FathomError(f"'{self.folder}' has no items of '{given}'. Choose among {', '.join(known)}.")
        shown = ShownContexts(self)
        return (
            BenchItem(item.question, item.key, context, shown)
            for context, items in self.by_context()
            for item in items
            if split in (None, item.question.split) and family in (None, item.question.family)
        )

    def item(self, id: str) -> BenchItem:
        """The item of a question."""
        for item in self.items():
            if item.question.id == id:
                return item
        raise FathomError(f"'{self.folder}' has no question '{id}'. `fathom show {self.folder} --sample 5` shows some.")

    def sample(self, count: int, seed: int = 0) -> list[BenchItem]:
        """Some items, drawn at random, in the order of the bench."""
        ids = [question.id for question in self.all_questions()]
        chosen = set(rng_for(seed, "sample of items").sample(ids, min(count, len(ids))))
        return [item for item in self.items() if item.question.id in chosen]

    def statistics(self) -> BenchStatistics:
        """Items by every tag, sizes of contexts and questions, templates and operators."""
        return bench_statistics(self)

    def audit(self, corpus: Folder | None = None, seed: int = 0) -> AuditReport:
        """Recompute every key and check from the files; see `fathom.audit`."""
        return audit(self, corpus, seed)

    def fit(self, out: Folder, window: int | str, **options: Unpack[FitOptions]) -> Bench:
        """The bench shortened to a context window; see `fathom.fit`."""
        return fit(self, out, window, **options)

    def swap(self, out: Folder, **options: Unpack[SwapOptions]) -> Bench:
        """A counterfactual bench; see `fathom.swap`."""
        return swap(self, out, **options)

    def to_pandas(self) -> pandas.DataFrame:
        """One row per question, with its tags and its key as text. Needs pandas."""
        frame = require_pandas()
        rows = (
            {
                "question_id": item.question.id,
                "context_id": item.question.context_id,
                "family": item.question.family,
                "split": item.question.split,
                **item.question.tags,
                "question": item.question.text,
                "answer": item.answer,
            }
            for item in self.items()
        )
        return frame.DataFrame(rows)


def is_bench_folder(path: Folder) -> bool:
    """Whether the folder contains a bench."""
    return (as_path(path) / QUESTIONS).is_file()


def open_bench(folder: Folder) -> Bench:
    """Open the bench in `folder` for reading."""
    return Bench(as_path(folder))


@dataclass(frozen=True)
class BenchRecipe:
    """Everything that a bench is built from."""

    corpus: Path
    out: Path
    families: Mapping[str, Mapping[str, Any]]
    """Settings by family. For a setting that a model computes (`ModelAnswers`), the value is the name of the model.
    `preset` is the name of a preset."""
    contexts: Path | None = None
    """The contexts to ask about; None for those in the corpus folder."""
    seed: int = 0
    budget: float | None = None
    """Maximum price, in US dollars, of calls to a model that provides a setting."""

    @property
    def contexts_path(self) -> Path:
        if self.contexts is None and self._sampled is not None:
            # Beside the contexts of the corpus, which the same settings would not have given.
            name = next(name for name, preset in self._presets.items() if preset is self._sampled)
            return self.corpus / f"contexts.{self.presets[name]}.{self.seed}.jsonl"
        return self.contexts or self.corpus / FILE_NAME

    @property
    def presets(self) -> dict[str, str]:
        """The names of the presets by family."""
        return {name: str(values["preset"]) for name, values in self.families.items() if values.get("preset")}

    @cached_property
    def _presets(self) -> dict[str, Preset]:
        for name, preset in self.presets.items():
            known = family(name).presets
            if preset not in known:
                raise FathomError(
                    f"The family '{name}' has no preset '{preset}'. It has: {', '.join(known) or 'none'}."
                )
        return {name: family(name).presets[preset] for name, preset in self.presets.items()}

    @property
    def _sampled(self) -> Preset | None:
        """The preset that says how contexts are sampled."""
        return next((preset for preset in self._presets.values() if preset.contexts), None)

    def prepare_contexts(self, progress: Progress = ignore) -> None:
        """Sample the contexts of a preset, unless contexts are given or were sampled before."""
        if self.contexts is None and self._sampled is not None:
            with Corpus(self.corpus) as corpus:
                values = {"seed": self.seed, "out": self.contexts_path, **self._sampled.contexts}
                sample_contexts(corpus, progress=progress, **values)

    @cached_property
    def settings(self) -> dict[str, FamilySettings]:
        """The validated settings of each family. Calls the models that provide settings."""
        return {
            name: settings_of(name, self._with_answers(name, self._with_preset(name, values)))
            for name, values in self.families.items()
        }

    def _with_preset(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values, and those of the preset where none are given."""
        settings = self._presets[name].settings if name in self._presets else {}
        return {**settings, **{key: value for key, value in values.items() if key != "preset"}}

    def _with_answers(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values; a model's name is replaced by the setting that is read from the model's answers."""
        fields = family(name).settings.model_fields
        read = dict(values)
        for key, value in values.items():
            if isinstance(value, str | Path):
                refuse_undecodable(value)
            marker = model_marker(fields[key]) if key in fields else None
            if marker is not None and isinstance(value, str):
                folder = self.out.with_name(f"{self.out.name}.calls") / key
                read[key] = marker.read(value, _answers(value, marker.family, self.corpus, folder, self.budget))
        return read

    def warnings(self) -> list[str]:
        """Problems with the settings that do not prevent a build."""
        return [warning for name, settings in self.settings.items() for warning in family(name).warnings(settings)]

    def context_count(self) -> int | None:
        """The number of contexts with questions; None if the families make their own contexts."""
        if not any(map(builds_per_context, self.families)):
            return None
        with Corpus(self.corpus):  # first: the contexts of a folder that is not a corpus explain nothing
            count = sum(1 for _ in read_contexts(self.contexts_path))
        if not count:
            raise FathomError(f"'{self.contexts_path}' has no contexts. Sample some with `fathom contexts CORPUS`.")
        return count

    def is_built(self) -> bool:
        """Whether `out` already contains the bench of this recipe."""
        return self._inputs.built_in(self.out) is not None

    def build(self, processes: int = 1, progress: Progress = ignore) -> Bench:
        """Write the bench, unless `out` already contains it."""
        self.prepare_contexts()
        building.build(self._inputs, self.out, processes, progress)
        return Bench(self.out)

    @property
    def _inputs(self) -> building.BuildInputs:
        return building.BuildInputs(self.corpus, self.contexts_path, self.settings, self.seed, self.presets)


class _RecipeFile(Record):
    corpus: Path
    out: Path | None = None
    contexts: Path | None = None
    seed: int = 0
    families: dict[str, dict[str, Any]] = Field(min_length=1)


def read_recipe(path: Path, out: Path | None = None) -> BenchRecipe:
    """The recipe in a TOML file; its paths are relative to the file. `out` replaces the recipe's own."""
    with file_errors("read the recipe", path):
        text = path.read_text("utf-8")
    values = parse_toml(text, f"The recipe '{path}'")
    try:
        read = _RecipeFile.model_validate(values)
    except ValidationError as error:
        problem = first_error(error)
        raise FathomError(f"The recipe '{path}' is not valid: {problem}. See `fathom build --help`.") from None
    folder = path.parent
    target = out or (folder / read.out if read.out is not None else None)
    if target is None:
        raise FathomError(f"The recipe '{path}' does not say where to write the bench. Add `out`, or use --out.")
    families = {name: _beside(folder, name, values) for name, values in read.families.items()}
    contexts = folder / read.contexts if read.contexts is not None else None
    return BenchRecipe(folder / read.corpus, target, families, contexts, read.seed)


def _beside(folder: Path, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with paths relative to the recipe's folder."""
    fields = family(name).settings.model_fields
    return {
        key: folder / value if isinstance(value, str) and key in fields and is_path(fields[key]) else value
        for key, value in values.items()
    }


def is_path(field: Any) -> bool:
    """Whether a field of settings is a path."""
    return "Path" in str(field.annotation)


def model_marker(field: Any) -> ModelAnswers | None:
    """The marker of a setting that a model computes; None for other settings."""
    return next((marker for marker in field.metadata if isinstance(marker, ModelAnswers)), None)


def build(
    family: str,
    corpus: Folder,
    out: Folder,
    *,
    contexts: Folder | None = None,
    seed: int = 0,
    processes: int = 1,
    progress: Progress = ignore,
    **settings: Any,
) -> Bench:
    """Build a bench of one family into the folder `out`.

    `settings` are the options of `fathom build FAMILY`, with underscores. `contexts` defaults to the contexts in the
    corpus folder. The same arguments give the same bytes, with any number of processes.
    """
    recipe = BenchRecipe(as_path(corpus), as_path(out), {family: settings}, as_path(contexts), seed)
    return recipe.build(processes, progress)


def build_recipe(path: Folder, out: Folder | None = None, *, processes: int = 1, progress: Progress = ignore) -> Bench:
    """Build the bench that a recipe file describes; see `fathom build --recipe`. `out` replaces the recipe's own."""
    return read_recipe(as_path(path), as_path(out)).build(processes, progress)


def audit(bench: Folder, corpus: Folder | None = None, seed: int = 0, *, progress: Progress = ignore) -> AuditReport:
    """Verify every item of a bench from its files; `corpus` says where the corpus is now if it was moved."""
    return audit_folder(as_path(bench), as_path(corpus), seed, progress)


def fit(bench: Folder, out: Folder, window: int | str, **options: Unpack[FitOptions]) -> Bench:
    """Write to `out` the bench shortened to a context window, such as "128K", with all keys recomputed."""
    wanted = fitting.Window(as_tokens(window), as_tokens(options.get("reserve", 2_048)), options.get("model"))
    corpus, progress = as_path(options.get("corpus")), options.get("progress", ignore)
    fitting.fit(as_path(bench), wanted, as_path(out), corpus, progress)
    return open_bench(out)


def swap(bench: Folder, out: Folder, **options: Unpack[SwapOptions]) -> Bench:
    """Write to `out` a counterfactual bench: the same questions over documents with swapped names and numbers."""
    corpus, progress = as_path(options.get("corpus")), options.get("progress", ignore)
    swapping.swap(as_path(bench), as_path(out), options.get("seed", 0), corpus, progress)
    return open_bench(out)


# Settings that a model computes, such as the citation types that `--type-checker` confirms.


def _answers(
    model: str, name: str, corpus: Path, folder: Path, budget: float | None
) -> Iterator[tuple[Key, Response | None]]:
    """The keys of a family's questions over a corpus, each with the model's response. Calls are journaled in `folder`:
    the same command resumes where it stopped."""
    asked_family = family(name)
    assert isinstance(asked_family.build, FromCorpus)
    with Corpus(corpus) as opened:
        items = [
            BenchItem(item.question, item.key, context)
            for context, made in asked_family.build.builder(opened, asked_family.settings(), 0).build()
            for item in made
        ]
        if model.startswith(PREFIX):
            responses = _simulated(model, name, opened, items)
        else:
            responses = _from_role(model, name, opened, items, folder, budget)
    return ((item.key, responses.get(item.question.id)) for item in items)


def _simulated(model: str, name: str, corpus: Corpus, items: Sequence[BenchItem]) -> dict[QuestionId, Response]:
    behavior = simulated_model(model, [name])
    simulator = open_simulator(name, corpus, lambda: (item.key for item in items))
    return {
        item.question.id: simulated_response(
            simulator, item.context, item, behavior.reader, rng_for(0, behavior.named.name, item.question.id)
        )
        for item in items
    }


def _from_role(
    model: str, name: str, corpus: Corpus, items: Sequence[BenchItem], folder: Path, budget: float | None
) -> dict[QuestionId, Response]:
    views = family(name).views(corpus, {})
    instructions = views.instructions["full, direct"]
    version = digest(instructions).hex()[:8]
    prompts = [
        RolePrompt(
            item.question.id,
            Prompt(
                (
                    Message.user(
                        f"{instructions}\n\n", f"{views.forms[DOCUMENTS](item.context).decode()}\n", item.question.text
                    ),
                )
            ),
            version,
            str,
        )
        for item in items
    ]
    batch = run_role(prompts, role_model(model), folder, limits=RunLimits(budget=budget))
    if batch.stopped is not None:
        raise FathomError(f"The model '{model}' stopped early: {batch.stopped}. Run the same command to resume.")
    return {
        id: Response(question_id=id, outcome="answered", text=result.call.text)
        for id, result in batch.results.items()
        if result.call is not None and result.state == "parsed"
    }
