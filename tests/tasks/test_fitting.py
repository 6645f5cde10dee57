"""Fitting: kept contexts fit the window, keys are recomputed independently, and every question is counted."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.models.model_info import model_info
from fathom.models.tokenizers import tokenizer
from fathom.records.documents import Document
from fathom.records.errors import FathomError
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Text, Unanswerable, ValueSet
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import CONTEXTS, KEYS, MANIFEST, QUESTIONS
from fathom.tasks.family import Item
from fathom.tasks.fitting import DUPLICATE, MIN_DOCUMENTS, TOO_FEW, Window, fit
from fathom.tasks.numeric.schema import SCHEMA
from fathom.tasks.programs.evaluate import DisagreementError
from fathom.tasks.text_views import instructions
from tests.sharing import SharedFolders

fitting: Any = import_module("fathom.tasks.fitting")
numeric_build: Any = import_module("fathom.tasks.numeric.build")
WINDOW = Window(102_400)


@pytest.fixture(scope="module")
def fitted_folder(bench_folder: Path, build_once: SharedFolders) -> Path:
    """Contexts of 64K and 256K tokens in a window of 100K."""
    return build_once("fitted", lambda folder: fit(bench_folder, WINDOW, folder / "bench")) / "bench"


@pytest.fixture
def fitted(fitted_folder: Path) -> Bench:
    return Bench(fitted_folder)


@pytest.fixture
def corpus(asked_corpus: Path) -> Iterator[Corpus]:
    with Corpus(asked_corpus) as opened:
        yield opened


def moved(bench: Bench, fitted: Bench) -> list[tuple[Any, list[Item]]]:
    """The contexts that were made smaller, with their items."""
    before = {context.id for context in bench.contexts()}
    return [(context, items) for context, items in fitted.by_context() if context.id not in before]


# What is in it.


def test_a_fitted_bench_passes_its_audit(fitted_folder: Path, tmp_path: Path, asked_corpus: Path) -> None:
    shutil.copytree(fitted_folder, tmp_path / "b")
    audit_report = audit(tmp_path / "b", asked_corpus)
    assert [checked.name for checked in audit_report.checks if checked.failed] == []
    assert audit_report.questions > 150


def test_every_question_fits_the_window(bench: Bench, fitted: Bench, corpus: Corpus) -> None:
    count = tokenizer("o200k").count
    words = max(count(instructions("fathom.tasks.numeric")[f"full, {prompting}"]) for prompting in ("direct", "cot"))
    smaller = {context.id for context, _ in moved(bench, fitted)}
    fullest = 0
    for context, items in fitted.by_context():
        shown = render(context, corpus).decode()
        assert count(shown) == context.tokens
        longest = max(count(item.question.text) for item in items)
        assert context.tokens + words + longest + 2_048 <= 102_400
        if context.id in smaller:
            fullest = max(fullest, context.tokens)
    assert fullest > 90_000, "the window is used"


def test_a_smaller_context_is_a_proper_one(bench: Bench, fitted: Bench, corpus: Corpus) -> None:
    before = {context.id: context for context in bench.contexts()}
    count = tokenizer("o200k").count
    smaller = moved(bench, fitted)
    assert len(smaller) > 5
    for context, items in smaller:
        assert context.length == 102_400
        assert len(context.documents) >= MIN_DOCUMENTS
        (was,) = (
            one
            for one in before.values()
            if [id for id in one.documents if id in context.documents] == list(context.documents)
            and one.tokens > 102_400
        )
        assert (was.split, was.sampling, was.layout, was.tokenizer) == (
            context.split,
            context.sampling,
            context.layout,
            context.tokenizer,
        )
        shown = render(context, corpus).decode()
        for place in context.places:
            assert place.span.of(shown) == corpus.text(place.document)
            assert count(shown[: place.span.start]) == place.token
        assert {item.question.tags["length"] for item in items} == {"100K"}


def test_a_context_of_all_its_documents_is_the_one_that_was_gathered(bench: Bench, corpus: Corpus) -> None:
    for context in bench.contexts():
        counter = fitting._TokenCounter(corpus, context.tokenizer)
        assert fitting.lay_out_again(context, context.documents, context.length, counter) == context


def test_what_fits_already_is_kept_to_the_byte(bench_folder: Path, fitted_folder: Path) -> None:
    ids = {context.id for context in Bench(bench_folder).contexts() if context.length == 65_536}
    kept = {question.id for question in Bench(bench_folder).all_questions() if question.context_id in ids}
    assert len(kept) > 80
    for name, field, wanted in ((CONTEXTS, "id", ids), (QUESTIONS, "id", kept), (KEYS, "question_id", kept)):
        before, after = (
            [line for line in (folder / name).read_bytes().splitlines() if json.loads(line)[field] in wanted]
            for folder in (bench_folder, fitted_folder)
        )
        assert before == after


def test_words_are_kept_and_ids_are_new(bench: Bench, fitted: Bench) -> None:
    texts = {question.text for question in bench.all_questions()}
    ids = {question.id for question in bench.all_questions()}
    after = Counter(question.id for question in fitted.all_questions())
    assert max(after.values()) == 1
    for _, items in moved(bench, fitted):
        for item in items:
            assert item.question.text in texts
            assert item.question.id not in ids


def test_every_question_is_counted_once(bench: Bench, fitted: Bench) -> None:
    said = fitted.manifest.fit
    assert said is not None
    assert (said.bench, said.window, said.reserve) == (bench.manifest.fingerprint, 102_400, 2_048)
    assert said.built == bench.manifest.questions
    before = {question.id for question in bench.all_questions()}
    after = {question.id for question in fitted.all_questions()}
    assert said.unchanged == len(before & after)
    assert said.recomputed == len(after - before) > 60
    assert said.built == said.unchanged + said.recomputed + sum(said.refused.values())
    assert fitted.manifest.questions == said.unchanged + said.recomputed


def test_what_had_no_answer_has_none(bench: Bench, fitted: Bench) -> None:
    """Also in the other direction, text by text within a split."""
    before = defaultdict(set)
    for _, items in bench.by_context():
        for item in items:
            before[item.question.text].add(isinstance(item.key.answer, Unanswerable))
    seen = Counter()  # type: ignore[var-annotated]
    for _, items in moved(bench, fitted):
        for item in items:
            empty = isinstance(item.key.answer, Unanswerable)
            assert empty in before[item.question.text]
            seen[empty] += 1
    assert seen[True] >= 2
    assert seen[False] > 3


# Keys, computed by other means.


def test_every_fitted_key_is_correct(bench: Bench, fitted: Bench, corpus: Corpus) -> None:
    looked = 0
    for context, items in moved(bench, fitted):
        database = by_hand([corpus.document(id) for id in context.documents])
        for item in items:
            rows = database.execute(item.key.proof.program).fetchall()
            assert plain(item.key.answer) == expected(item.key.answer, rows), item.question.text
            assert [tuple("" if cell is None else str(cell) for cell in row) for row in rows] == list(
                item.key.proof.rows
            )
            assert {passage.document for passage in item.key.proof.passages} <= set(context.documents)
            looked += 1
    assert looked > 60


def by_hand(documents: Sequence[Document]) -> sqlite3.Connection:
    """The three tables of the documents, filled without Fathom's code."""
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA.statements())
    numbers = {document.id: number for number, document in enumerate(documents, start=1)}
    called = _called(documents)
    for number, document in enumerate(documents, start=1):
        title = document.text[document.title.start : document.title.end]
        database.execute(
            "INSERT INTO articles VALUES (?, ?, ?, ?, ?)",
            (number, title, len(title.split()), len(document.authors), len(document.references)),
        )
        for position, author in enumerate(document.authors, start=1):
            database.execute(
                "INSERT INTO article_author VALUES (NULL, ?, ?, ?)",
                (number, called[author.person or (document.id, position)], position),
            )
        for cited in dict.fromkeys(reference.document for reference in document.references):
            if cited in numbers:
                database.execute("INSERT INTO citing_cited VALUES (NULL, ?, ?)", (number, numbers[cited]))
    return database


def _called(documents: Sequence[Document]) -> dict[Any, str]:
    """Each person by the longest of their names, with a number if two share it."""
    printed: dict[Any, list[str]] = {}
    for document in documents:
        for position, author in enumerate(document.authors, start=1):
            name = document.text[author.span.start : author.span.end]
            printed.setdefault(author.person or (document.id, position), []).append(name)
    called: dict[Any, str] = {}
    taken: Counter[str] = Counter()
    for person, names in printed.items():
        name = sorted(names, key=lambda one: (len(one), one))[-1]
        taken[name] += 1
        called[person] = name if taken[name] == 1 else f"{name} ({taken[name]})"
    return called


def plain(answer: Answer) -> Any:
    """The answer as bare values."""
    match answer:
        case Number(value=value):
            return round(float(value), 6)
        case Text(value=text):
            return text
        case ValueSet(items=items) | Multiset(items=items):
            return sorted(map(plain, items), key=str)
        case Ranking(groups=groups):
            return [sorted(map(plain, group), key=str) for group in groups]
        case Rows(rows=rows):
            return [tuple(map(plain, row)) for row in rows]
        case _:
            return None


def expected(answer: Answer, rows: list[tuple[Any, ...]]) -> Any:
    """The rows in the form of the answer."""
    bare = [tuple(round(float(cell), 6) if isinstance(cell, int | float) else cell for cell in row) for row in rows]
    match answer:
        case Number():
            return bare[0][0]
        case ValueSet() | Multiset():
            return sorted((row[0] for row in bare), key=str)
        case Ranking():
            return [sorted((row[0] for row in group), key=str) for _, group in groupby(bare, key=lambda row: row[1:])]
        case Rows():
            return bare
        case _:
            return bare[0][0] if bare and bare[0] else None


# The same again, all of it, none of it.


def test_fitting_twice_gives_the_same_bytes(bench_folder: Path, fitted_folder: Path, tmp_path: Path) -> None:
    again = fit(bench_folder, WINDOW, tmp_path / "again")
    for name in (CONTEXTS, QUESTIONS, KEYS):
        assert (tmp_path / "again" / name).read_bytes() == (fitted_folder / name).read_bytes()
    # The path of the corpus is relative to the bench's folder.
    first = Bench(fitted_folder).manifest
    assert again.model_copy(update={"corpus": first.corpus}) == first


def test_a_window_that_takes_everything_changes_nothing(bench_folder: Path, tmp_path: Path) -> None:
    manifest = fit(bench_folder, Window(300_000), tmp_path / "b")
    for name in (CONTEXTS, QUESTIONS, KEYS):
        assert (tmp_path / "b" / name).read_bytes() == (bench_folder / name).read_bytes()
    before = Bench(bench_folder).manifest
    assert (manifest.fingerprint, manifest.counts, manifest.leaks) == (
        before.fingerprint,
        before.counts,
        before.leaks,
    )
    assert manifest.fit is not None
    assert (manifest.fit.unchanged, manifest.fit.refused) == (before.questions, {})


def test_a_fitted_bench_can_be_fitted_again(fitted_folder: Path, tmp_path: Path, asked_corpus: Path) -> None:
    manifest = fit(fitted_folder, Window(80_000), tmp_path / "b")
    assert manifest.fit is not None
    assert manifest.fit.bench == Bench(fitted_folder).manifest.fingerprint
    assert audit(tmp_path / "b", asked_corpus).passed


def test_a_model_counts_in_its_own_tokens(bench_folder: Path, tmp_path: Path) -> None:
    """For a model with an unknown tokenizer, a fifth more tokens are assumed."""
    model = model_info("nobody/knows")
    assert model.token_ratio > 1
    fit(bench_folder, Window(102_400, 4_096, "nobody/knows"), tmp_path / "b")
    fullest = max(context.tokens for context in Bench(tmp_path / "b").contexts())
    assert model.tokens(fullest) + 4_096 < 102_400
    assert fullest > 75_000


def test_where_four_documents_do_not_fit_nothing_is_written(bench_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match=f"window of 8K tokens.*{TOO_FEW}. Give a larger --window"):
        fit(bench_folder, Window(8_192), tmp_path / "new" / "b")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "b").mkdir()
    with pytest.raises(FathomError, match="larger --window"):
        fit(bench_folder, Window(8_192), tmp_path / "b")
    assert list((tmp_path / "b").iterdir()) == []


def test_a_context_of_which_four_documents_do_not_fit_is_counted(bench_folder: Path, tmp_path: Path) -> None:
    said = fit(bench_folder, Window(34_000), tmp_path / "b").fit
    assert said is not None
    assert said.refused[TOO_FEW] > 0 < said.recomputed
    assert audit(tmp_path / "b", Bench(bench_folder).corpus_folder).passed
    assert all(len(context.documents) >= MIN_DOCUMENTS for context in Bench(tmp_path / "b").contexts())


def test_two_contexts_never_become_one(bench_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a smaller context is already in the bench, its questions are left out."""
    whole = fitting.lay_out_again
    first = next(Bench(bench_folder).contexts())
    monkeypatch.setattr(fitting, "lay_out_again", lambda *parts: whole(*parts).model_copy(update={"id": first.id}))
    said = fit(bench_folder, WINDOW, tmp_path / "b").fit
    assert said is not None
    assert said.recomputed == 0
    assert set(said.refused) == {DUPLICATE}


# What stops it.


def test_two_ways_that_disagree_stop_it(bench_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numeric_build, "answer_of_tables", lambda program, tables: Text(value="another answer"))
    with pytest.raises(DisagreementError):
        fit(bench_folder, WINDOW, tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_refused(bench_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FathomError, match="not empty"):
        fit(bench_folder, WINDOW, tmp_path)
    with pytest.raises(FathomError, match="not empty"):
        fit(bench_folder, WINDOW, bench_folder)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def _of_another_version(manifest: dict[str, Any]) -> None:
    manifest["fathom"] = "0.0.1"


def _newer(manifest: dict[str, Any]) -> None:
    manifest["format"] = 99


def _changed(manifest: dict[str, Any]) -> None:
    manifest["fingerprint"] = "0" * 64


def _elsewhere(manifest: dict[str, Any]) -> None:
    manifest["corpus"] = "nowhere"


def _from_another_corpus(manifest: dict[str, Any]) -> None:
    manifest["corpus_fingerprint"] = "0" * 64


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_of_another_version, "was built by Fathom 0.0.1"),
        (_newer, "newer version of Fathom"),
        (_changed, "was changed after it was built"),
        (_elsewhere, "Give its folder with --corpus"),
        (_from_another_corpus, "is not the one"),
    ],
)
def test_a_bench_that_proves_nothing_is_refused(
    change: Callable[[dict[str, Any]], None], said: str, bench_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "tampered"
    shutil.copytree(bench_folder, folder)
    (tmp_path / "corpus").symlink_to(Bench(bench_folder).corpus_folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(FathomError, match=said):
        fit(folder, WINDOW, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_missing_file_is_named(bench_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(bench_folder, tmp_path / "cut")
    (tmp_path / "cut" / KEYS).unlink()
    with pytest.raises(FathomError, match=f"lacks {KEYS}"):
        fit(tmp_path / "cut", WINDOW, tmp_path / "b", Bench(bench_folder).corpus_folder)


def test_a_tokenizer_that_cannot_be_had_is_named(corpus: Corpus) -> None:
    with pytest.raises(FathomError, match="counted with the tokenizer 'mine@0123456789ab'"):
        fitting._TokenCounter(corpus, "mine@0123456789ab")


def test_decimals_are_compared_as_such() -> None:
    """The comparison above would detect a difference."""
    assert plain(Number(value=Decimal("1.5"))) == expected(Number(value=Decimal(0)), [(1.5,)])
    assert plain(Number(value=Decimal("1.5"))) != expected(Number(value=Decimal(0)), [(1.25,)])
