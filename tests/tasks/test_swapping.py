"""Swapped benches pass their audit, and memorized answers are incorrect on them."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fathom.analysis.contamination import Contamination, contamination, question_results
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.models.simulated import SimulatedModel
from fathom.records.errors import FathomError
from fathom.records.rng import rng_for
from fathom.scoring.answer_types.compare import agrees, share_a_response
from fathom.scoring.answers import Answer, Number, Ranking, Text, Unanswerable
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.catalog import family
from fathom.tasks.citations.swap import Swapper
from fathom.tasks.simulating import simulated_response
from fathom.tasks.swapping import REPORT, swap
from tests.sharing import SharedFolders


@pytest.fixture(scope="module")
def folders(few_citing: Path, build_once: SharedFolders) -> dict[str, tuple[Path, Path]]:
    """Benches before and after, by family."""

    def make(folder: Path) -> None:
        few = folder / "few"
        generate(few, Recipe(seed=3, documents=24))
        with Corpus(few) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=8), folder / FILE_NAME)
        build(BuildInputs(few, folder / FILE_NAME, {"numeric": {}}, 4), folder / "asked")
        build(BuildInputs(few_citing, Path("none"), {"citations": {"items": 4, "levels": _EASY}}, 0), folder / "cited")
        swap(folder / "asked", folder / "numeric", SEED)
        swap(folder / "cited", folder / "citations", SEED)

    folder = build_once("swapped", make)
    return {
        "numeric": (folder / "asked", folder / "numeric"),
        "citations": (folder / "cited", folder / "citations"),
    }


@pytest.fixture(scope="module")
def few(build_once: SharedFolders) -> tuple[Path, Path]:
    """A bench of one context before and after, for tests that swap it again."""

    def make(folder: Path) -> None:
        generate(folder / "corpus", Recipe(seed=3, documents=6))
        with Corpus(folder / "corpus") as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(32_768,), count=1), folder / FILE_NAME)
        build(BuildInputs(folder / "corpus", folder / FILE_NAME, {"numeric": {}}, 4), folder / "before")
        swap(folder / "before", folder / "after", SEED)

    folder = build_once("swapped-few", make)
    return folder / "before", folder / "after"


SEED = 3
_EASY = ["easy"]
FAMILIES = ("numeric", "citations")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_swapped_bench_proves_itself(folders: dict[str, tuple[Path, Path]], name: str) -> None:
    audit_report = audit(folders[name][1])
    assert audit_report.passed, [checked for checked in audit_report.checks if checked.failed]


@pytest.mark.parametrize("name", FAMILIES)
def test_keys_keep_the_answer_before(folders: dict[str, tuple[Path, Path]], name: str) -> None:
    before, after = map(Bench, folders[name])
    keys = {key.question_id: key for key in before.all_keys()}
    questions = {question.id: question for question in after.all_questions()}
    changed = 0
    for key in after.all_keys():
        assert key.swapped_from is not None
        assert key.original == keys[key.swapped_from].answer
        is_changed = not share_a_response(key.answer, key.original)
        assert not is_changed or not agrees(key.answer, key.original)
        assert questions[key.question_id].tags["changed"] == ("yes" if is_changed else "no")
        changed += is_changed
    assert 0 < changed == after.manifest.counts["changed"]["yes"]
    if name == "citations":
        assert changed == after.manifest.questions
    report: Any = after.manifest.reports[REPORT]
    lost = sum(report["left out"].values())
    assert after.manifest.questions + lost == before.manifest.questions == report["questions"]
    assert lost < 0.2 * before.manifest.questions


def ranked(*groups: str) -> Ranking:
    return Ranking(groups=tuple(tuple(Text(value=value) for value in group) for group in groups))


@pytest.mark.parametrize(
    ("now", "before", "same"),
    [
        (Number(value=Decimal(4)), Number(value=Decimal("4.0")), True),
        (Number(value=Decimal(4)), Number(value=Decimal(5)), False),
        (Number(value=Decimal(4)), Unanswerable(), False),
        (Unanswerable(), Unanswerable(), True),
        (ranked("a", "b"), ranked("ab"), True),
        (ranked("ab"), ranked("b", "a"), True),
        (ranked("a", "bc"), ranked("ab", "c"), True),
        (ranked("a", "b"), ranked("b", "a"), False),
        (ranked("a", "b"), ranked("a", "c"), False),
        (ranked("a", "b", "b"), ranked("a", "b"), False),
    ],
)
def test_answers_that_one_response_could_meet_tell_nothing(now: Answer, before: Answer, same: bool) -> None:
    assert share_a_response(now, before) is same
    assert share_a_response(before, now) is same


def test_questions_use_the_swapped_names(folders: dict[str, tuple[Path, Path]]) -> None:
    """Every title that a question quotes is in the swapped corpus, or in neither corpus."""
    before, after = map(Bench, folders["numeric"])
    with Corpus(before.corpus_folder) as old, Corpus(after.corpus_folder) as new:
        was, now = ({listed.title for listed in corpus.entries()} for corpus in (old, new))
    gone = was - now
    assert len(gone) > 0.9 * len(was)
    # A title that got a word at its very beginning still holds the one before.
    gone = {title for title in gone if not any(title in other for other in now)}
    for question in after.all_questions():
        assert not [title for title in gone if title in question.text], question.text


def test_contexts_show_as_much_as_before(folders: dict[str, tuple[Path, Path]]) -> None:
    for before, after in folders.values():
        for one, two in zip(Bench(before).contexts(), Bench(after).contexts(), strict=True):
            assert sorted(one.documents) == sorted(two.documents)
            assert two.tokens <= two.length
            assert abs(two.tokens - one.tokens) < 0.03 * one.tokens


def test_the_same_seed_gives_the_same_bench(few: tuple[Path, Path], tmp_path: Path) -> None:
    before, after = few
    again, other = (swap(before, tmp_path / str(seed), seed) for seed in (SEED, SEED + 1))
    assert Bench(after).manifest.fingerprint == again.fingerprint != other.fingerprint
    assert again.corpus == "corpus"


def test_a_killed_swap_resumes(few: tuple[Path, Path], tmp_path: Path) -> None:
    before, after = few
    whole = Bench(after).manifest
    with Corpus(after / "corpus") as swapped:
        recipe, first = swapped.manifest.recipe, next(swapped.documents())
    with CorpusWriter(tmp_path / "killed" / "corpus", recipe) as writer:
        writer.add(pack(first))
        writer.save()
    assert swap(before, tmp_path / "killed", SEED) == whole
    shutil.copytree(after / "corpus", tmp_path / "later" / "corpus")
    assert swap(before, tmp_path / "later", SEED) == whole
    shutil.copytree(after / "corpus", tmp_path / "other" / "corpus")
    with pytest.raises(FathomError, match=f"seed {SEED}, not {SEED + 1}"):
        swap(before, tmp_path / "other", SEED + 1)


def test_what_cannot_be_swapped_is_refused(few: tuple[Path, Path], tmp_path: Path) -> None:
    before, after = few
    build(BuildInputs(Bench(before).corpus_folder, Path("none"), _FEW, 0), tmp_path / "probes")
    with pytest.raises(FathomError, match="of the family memorization cannot be swapped"):
        swap(tmp_path / "probes", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert swap(before, after, SEED) == Bench(after).manifest, "the same bench again: nothing is done"
    with pytest.raises(FathomError, match="is already swapped"):
        swap(after, tmp_path / "twice")
    with pytest.raises(FathomError, match="is not empty"):
        swap(before, after)


_FEW = {"memorization": {"items": 3}}


def test_contexts_that_nothing_asks_about_any_more_are_left_out(few_citing: Path, tmp_path: Path) -> None:
    """Probes cannot be swapped; the pieces of text that they showed must not stay behind in the bench."""
    families: dict[str, dict[str, Any]] = {
        "citations": {"items": 2, "levels": _EASY},
        "memorization": {"items": 3},
    }
    build(BuildInputs(few_citing, Path("none"), families, 0), tmp_path / "mixed")
    before = Bench(tmp_path / "mixed")
    manifest = swap(tmp_path / "mixed", tmp_path / "out")
    after = list(Bench(tmp_path / "out").by_context())
    assert {item.question.family for _, items in after for item in items} == {"citations"}
    assert all(items for _, items in after)
    report: Any = manifest.reports[REPORT]
    assert report["left out"]["the family 'memorization' cannot be swapped"] == 6
    assert 6 <= report["contexts left out"] == before.manifest.contexts - len(after)
    assert manifest.contexts == len(after) < before.manifest.contexts


def test_a_swap_that_leaves_no_question_is_refused(
    few_citing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    families = {"citations": {"items": 1, "levels": _EASY}}
    build(BuildInputs(few_citing, Path("none"), families, 0), tmp_path / "one")
    monkeypatch.setattr(Swapper, "_is_mentioned", lambda self, context: True)
    with pytest.raises(FathomError, match="No question of the bench .* is left after the swap: 2 of 2 are left out"):
        swap(tmp_path / "one", tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_bench_that_was_changed_is_refused(tiny_bench: Path, tmp_path: Path, small_folder: Path) -> None:
    shutil.copytree(tiny_bench, tmp_path / "bench")
    with (tmp_path / "bench" / "keys.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(FathomError, match="was changed after it was built"):
        swap(tmp_path / "bench", tmp_path / "out", corpus_folder=small_folder)


# What it is for.


def answered(folder: Path, model: str, before: Path | None = None) -> Contamination:
    """A simulated model's responses on a swapped bench."""
    simulated = SimulatedModel.parse(model)

    def asked(folder: Path) -> Any:
        bench = Bench(folder)
        (name,) = bench.manifest.families
        with Corpus(bench.corpus_folder) as corpus:
            simulate = family(name).simulate
            assert simulate is not None
            simulator = simulate(corpus, bench.all_keys)
            items = [(context, item) for context, items in bench.by_context() for item in items]
            responses = [
                simulated_response(simulator, one, item, simulated, rng_for(0, item.question.id)) for one, item in items
            ]
        return list(
            question_results([(item.question, item.key) for _, item in items], responses, {name: family(name).check})
        )

    return contamination(asked(folder), asked(before) if before else ())


@pytest.mark.parametrize("name", FAMILIES)
def test_memorizers_and_readers_are_distinguished(folders: dict[str, tuple[Path, Path]], name: str) -> None:
    before, after = folders[name]
    for model, attributable, recited in (("sim/memorizer", 0.0, 1.0), ("sim/reader", 1.0, 0.0)):
        found = answered(after, model, before).swapped
        assert found is not None
        assert found.context_accuracy.value == attributable
        assert found.memorized.value == recited
        assert found.before is not None
        assert found.before.value == 1.0
        assert found.drop is not None
        assert found.drop.value == 1.0 - attributable
        assert found.drop.low < found.drop.high


def test_half_forgotten_is_half_read(folders: dict[str, tuple[Path, Path]]) -> None:
    found = answered(folders["numeric"][1], "sim/memorizer?forget=0.5").swapped
    assert found is not None
    assert found.context_accuracy.low < 0.5 < found.context_accuracy.high
    assert round((found.context_accuracy.value + found.memorized.value) * found.changed) == found.changed
