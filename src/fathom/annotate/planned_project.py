"""Projects whose tasks are drawn from a bench when they are created: studies, error coding, value checks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from fathom.annotate.project import FILE, Project, ProjectSettings
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import write_json
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question
from fathom.records.record import Record
from fathom.records.rng import rng_for
from fathom.records.version import __version__
from fathom.tasks.bench import Bench

FORMAT = 1

T = TypeVar("T")


@dataclass(frozen=True)
class StratifiedSample(Generic[T]):
    """The members drawn for each value of a tag."""

    drawn: dict[str, list[T]]
    """In random order."""
    available: dict[str, int]
    """How many there were to draw from."""

    def all(self) -> list[T]:
        return [member for members in self.drawn.values() for member in members]


def question_tags(question: Question) -> dict[str, str]:
    """The tags of a question, with its family and split."""
    return {"family": question.family, "split": question.split, **question.tags}


def stratified_sample(
    members: Iterable[T],
    tags: Callable[[T], Mapping[str, str]],
    id: Callable[[T], str],
    by: str,
    per: int,
    seed: int,
    what: str = "question",
) -> StratifiedSample[T]:
    """`per` members for each value of a tag, or all if there are fewer."""
    groups: dict[str, list[T]] = defaultdict(list)
    all_tags: set[str] = set()
    for member in members:
        tags_of_member = tags(member)
        all_tags |= tags_of_member.keys()
        if by in tags_of_member:
            groups[tags_of_member[by]].append(member)
    if not groups:
        raise FathomError(f"No {what} has the tag '{by}'. Choose among {', '.join(sorted(all_tags))}.")
    samples = {}
    for value in sorted(groups):
        ordered = sorted(groups[value], key=id)
        samples[value] = rng_for(seed, "study", by, value).sample(ordered, min(per, len(ordered)))
    return StratifiedSample(samples, {value: len(groups[value]) for value in sorted(groups)})


class SamplePlan(Record):
    """The sample of a project."""

    format: int = FORMAT
    fathom: str = __version__
    bench: str
    """Path of the bench, relative to the project's folder."""
    bench_fingerprint: str
    by: str
    """The tag that the sample is stratified by."""
    strata: dict[str, NonNegativeInt]
    """The size of the sample by value of the tag."""
    available: dict[str, NonNegativeInt]
    """The number of candidates, by value of the tag."""
    seed: int


P = TypeVar("P", bound=SamplePlan)


class PlannedProject(Project, ABC, Generic[P]):
    """A project with a plan. Everything that people enter is on disk when its method returns."""

    kind: ClassVar[str]
    """The noun for such a project in messages."""
    plan_file: ClassVar[str]
    schema: ClassVar[str]
    """The tables of what people enter."""

    def __init__(self, folder: Path) -> None:
        if not self.is_in(folder):
            raise FathomError(f"'{folder}' is not a {self.kind}. Give the folder that was created with --out.")
        self.plan = read_manifest(folder / self.plan_file, self.plan_type(), FORMAT, self.kind, "Create it again.")
        super().__init__(folder)

    @classmethod
    @abstractmethod
    def plan_type(cls) -> type[P]:
        """The class of the plan."""

    @classmethod
    def is_in(cls, folder: Path) -> bool:
        """Whether a folder contains such a project."""
        return (folder / cls.plan_file).is_file()

    @classmethod
    def begin(cls, folder: Path, plan: P, people: Sequence[str], bench: Bench) -> Self:
        """Create the folder of a project with its people."""
        if (folder / cls.plan_file).exists() or (folder / FILE).exists():
            raise FathomError(f"'{folder}' already contains a project. Choose another --out.")
        if len(set(people)) < len(people):
            raise FathomError("A name is given twice. Give each person a different name.")
        settings = ProjectSettings(corpus=relative(bench.corpus_folder, folder), corpus_fingerprint="", documents=())
        with Project.create(folder, settings) as project:
            project.add_tables(cls.schema)
            for name in people:
                project.add_annotator(name, ())
        write_json(folder / cls.plan_file, plan)
        return cls(folder)

    def open_bench(self) -> Bench:
        """The bench that the sample was drawn from; an error if it has changed."""
        bench = Bench(Path(os.path.normpath(self.folder.resolve() / self.plan.bench)))
        if bench.manifest.fingerprint != self.plan.bench_fingerprint:
            raise FathomError(
                f"'{bench.folder}' is not the bench that '{self.folder}' was created from. Restore a copy of it."
            )
        return bench


def relative(path: Path, folder: Path) -> str:
    """A path relative to a project's folder, so that both may be moved together."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
