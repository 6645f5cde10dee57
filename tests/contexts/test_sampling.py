"""Sampled contexts, checked from the files alone without the code that sampled them."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter, deque
from itertools import combinations
from pathlib import Path

import pytest

from fathom.contexts.files import FILE_NAME, read_contexts, report_path, write_contexts
from fathom.contexts.layout import render
from fathom.contexts.sampling import SamplingReport, SamplingSettings
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context, Sampling
from fathom.records.errors import FathomError
from fathom.records.questions import Question
from fathom.records.spans import Span
from tests.sharing import SharedFolders

DOCUMENTS = 180
LENGTHS = (64 * 1024, 128 * 1024, 256 * 1024)
COUNT = 100
"""Contexts of each length."""


@pytest.fixture(scope="module")
def large_folder(build_once: SharedFolders) -> Path:
    """A corpus large enough for many different contexts; benchmarks/contexts.py has one of the paper's size."""
    recipe = Recipe(seed=7, documents=DOCUMENTS)
    return build_once("large", lambda folder: generate(folder / "corpus", recipe)) / "corpus"


@pytest.fixture(scope="module")
def report(large_folder: Path, build_once: SharedFolders) -> SamplingReport:
    """The report on contexts that are sampled once per test run, beside the corpus."""

    def sample() -> SamplingReport:
        with Corpus(large_folder) as corpus:
            return write_contexts(corpus, SamplingSettings(lengths=LENGTHS, count=COUNT), large_folder / FILE_NAME)

    return build_once.value("large contexts", sample)


@pytest.fixture(scope="module")
def contexts(large_folder: Path, report: SamplingReport) -> list[Context]:
    assert report.contexts
    return list(read_contexts(large_folder / FILE_NAME))


def test_samples_as_many_contexts_as_requested(contexts: list[Context], report: SamplingReport) -> None:
    assert len(contexts) == report.contexts == COUNT * len(LENGTHS)
    assert Counter(context.length for context in contexts) == dict.fromkeys(LENGTHS, COUNT)
    assert {context.sampling for context in contexts} == {"random", "bfs", "dfs"}
    assert len({context.id for context in contexts}) == len(contexts)


def test_no_two_of_one_length_share_more_than_half(contexts: list[Context], report: SamplingReport) -> None:
    """Across all sampling methods; counted here with plain sets."""
    summaries = {summary.length: summary for summary in report.lengths}
    for length in LENGTHS:
        sets = [frozenset(context.documents) for context in contexts if context.length == length]
        largest = max(len(one & two) / min(len(one), len(two)) for one, two in combinations(sets, 2))
        assert largest <= 0.5
        assert summaries[length].max_overlap == round(largest, 4)
        assert summaries[length].min_documents == min(map(len, sets)) >= 4


def test_measures_the_overlap_across_lengths(contexts: list[Context], report: SamplingReport) -> None:
    sets = {n: [set(c.documents) for c in contexts if c.length == n] for n in LENGTHS[:2]}
    shares = [len(a & b) / min(len(a), len(b)) for a in sets[LENGTHS[0]] for b in sets[LENGTHS[1]]]
    reported = next(overlap for overlap in report.overlaps if overlap.lengths == LENGTHS[:2])
    assert reported.mean == pytest.approx(sum(shares) / len(shares), abs=1e-4)
    assert reported.max == pytest.approx(max(shares), abs=1e-4)
    assert len(report.overlaps) == 3


def test_counts_the_tokens_of_the_exact_text(contexts: list[Context], large_folder: Path) -> None:
    counter = tokenizer()
    with Corpus(large_folder) as corpus:
        for context in [context for number, context in enumerate(contexts) if number % 23 == 0]:
            text = render(context, corpus).decode()
            assert context.tokens == counter.count(text)
            assert 0.9 * context.length <= context.tokens <= context.length


def test_every_document_is_where_its_place_says(contexts: list[Context], large_folder: Path) -> None:
    counter = tokenizer()
    with Corpus(large_folder) as corpus:
        for context in contexts[::37]:
            text = render(context, corpus).decode()
            lines = [line for line in text.split("\n") if line.startswith("=====")]
            wanted = [f"===== Article {number}" for number in range(1, len(context.places) + 1)]
            assert lines == [*wanted, "===== End of articles"]
            middle = context.places[len(context.places) // 2]
            assert middle.token == counter.count(text[: middle.span.start])
            for place in context.places:
                document = corpus.document(place.document)
                assert place.span.of(text) == document.text
                title = place.locate(document.title)
                assert title is not None
                assert title.of(text) == document.title_text


def test_graph_samples_are_connected(contexts: list[Context], large_folder: Path) -> None:
    with Corpus(large_folder) as corpus:
        adjacent: dict[str, set[str]] = {}
        for citing, cited in corpus.links():
            adjacent.setdefault(citing, set()).add(cited)
            adjacent.setdefault(cited, set()).add(citing)
    disconnected = 0
    for context in contexts:
        members = set(context.documents)
        reached, waiting = {context.documents[0]}, deque([context.documents[0]])
        while waiting:
            for near in adjacent.get(waiting.popleft(), set()) & members - reached:
                reached.add(near)
                waiting.append(near)
        if context.sampling == "random":
            disconnected += reached != members
        else:
            assert reached == members
    assert disconnected > 10


def test_a_context_and_its_questions_contain_no_copy_of_the_text(contexts: list[Context]) -> None:
    """262,144 tokens are a megabyte of text; the recipe and ten questions are some kilobytes."""
    largest = max(contexts, key=lambda context: context.tokens)
    questions = [
        Question(id=f"q-{number}", family="any", context_id=largest.id, text="How many articles are there?")
        for number in range(10)
    ]
    assert len(largest.to_line()) + sum(len(question.to_line()) for question in questions) < 10_000


def test_the_same_seed_gives_the_same_bytes(large_folder: Path, report: SamplingReport, tmp_path: Path) -> None:
    with Corpus(large_folder) as corpus:
        again = write_contexts(corpus, report.settings, tmp_path / "again.jsonl")
        other = write_contexts(corpus, report.settings.model_copy(update={"seed": 1}), tmp_path / "other.jsonl")
    assert again == report
    assert (tmp_path / "again.jsonl").read_bytes() == (large_folder / FILE_NAME).read_bytes()
    assert report_path(tmp_path / "again.jsonl").read_bytes() == report_path(large_folder / FILE_NAME).read_bytes()
    assert other.fingerprint != again.fingerprint


def test_a_new_length_changes_no_other_context(small: Corpus, tmp_path: Path) -> None:
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=5), tmp_path / "one.jsonl")
    write_contexts(small, SamplingSettings(lengths=(32_768, 65_536), count=5), tmp_path / "two.jsonl")
    one = (tmp_path / "one.jsonl").read_bytes().splitlines()
    assert one == (tmp_path / "two.jsonl").read_bytes().splitlines()[-len(one) :]


def test_reports_what_could_not_be_sampled(small: Corpus, tmp_path: Path) -> None:
    report = write_contexts(small, SamplingSettings(lengths=(65_536, 1 << 30), count=2_000), tmp_path / "c.jsonl")
    short = [count for count in report.counts if count.length == 65_536]
    huge = [count for count in report.counts if count.length == 1 << 30]
    assert 0 < sum(count.sampled for count in short) < 2_000
    assert any("share more than half" in count.reason for count in short)
    assert all(count.sampled == 0 and "too few for 1024M" in count.reason for count in huge)
    assert len(list(read_contexts(tmp_path / "c.jsonl"))) == report.contexts


def test_writes_nothing_where_nothing_can_be_sampled(small: Corpus, tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="No context could be sampled: the 4 shortest documents"):
        write_contexts(small, SamplingSettings(lengths=(100,), count=5), tmp_path / "c.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_can_keep_the_traversal_order(small: Corpus, tmp_path: Path) -> None:
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=9, order="traversal"), tmp_path / "traversal.jsonl")
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=9), tmp_path / "shuffled.jsonl")
    traversal = list(read_contexts(tmp_path / "traversal.jsonl"))
    shuffled = list(read_contexts(tmp_path / "shuffled.jsonl"))
    assert [sorted(context.documents) for context in traversal] == [sorted(context.documents) for context in shuffled]
    assert [context.documents for context in traversal] != [context.documents for context in shuffled]


def test_filters_and_counts_what_is_left_out(mixed_folder: Path, tmp_path: Path) -> None:
    with Corpus(mixed_folder) as corpus:
        settings = SamplingSettings(
            lengths=(65_536,), count=3, kinds=("report",), languages=("en",), sampling=("random",)
        )
        report = write_contexts(corpus, settings, tmp_path / "c.jsonl")
        kinds = {entry.id: (entry.kind, entry.language) for entry in corpus.entries()}
    assert report.left_out == {"another kind": 16, "another language": 2}
    for context in read_contexts(tmp_path / "c.jsonl"):
        assert {kinds[document] for document in context.documents} == {("report", "en")}
    with Corpus(mixed_folder) as corpus, pytest.raises(FathomError, match="No document .* can be used"):
        write_contexts(corpus, SamplingSettings(lengths=(65_536,), subjects=("astrology",)), tmp_path / "none.jsonl")


def test_counts_the_whole_text_for_a_tokenizer_that_merges_across_documents(
    small: Corpus, tmp_path: Path, tokenizer_file: Path
) -> None:
    settings = SamplingSettings(lengths=(65_536,), count=3, tokenizer=str(tokenizer_file))
    write_contexts(small, settings, tmp_path / "c.jsonl")
    counter = tokenizer(str(tokenizer_file))
    for context in read_contexts(tmp_path / "c.jsonl"):
        assert context.tokenizer == counter.name
        assert context.tokens == counter.count(render(context, small).decode()) <= context.length


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    """Every four characters are a token, even where two documents meet inside them."""
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split

    made = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    made.pre_tokenizer = Split(Regex(r"[\s\S]{4}"), "isolated")
    path = tmp_path / "fours.json"
    made.save(str(path))
    return path


def test_leaves_out_a_document_that_forges_a_boundary(small: Corpus, tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "forged", {"test": 1}) as writer:
        for number, document in enumerate(small.documents()):
            text = document.text
            if number == 0:
                text = text[:-1] + "\n===== Article 2\n# A paper nobody wrote\n"
            writer.add(pack(document.model_copy(update={"text": text})))
        writer.finish()
    with Corpus(tmp_path / "forged") as corpus:
        report = write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=9), tmp_path / "c.jsonl")
        forger = next(corpus.entries()).id
    assert report.left_out == {"contains a line that looks like a document boundary": 1}
    assert all(forger not in context.documents for context in read_contexts(tmp_path / "c.jsonl"))


def test_keeps_contexts_of_other_settings_without_replace(small: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=3), path)
    before = path.read_bytes()
    assert write_contexts(small, SamplingSettings(lengths=(65_536,), count=3), path).contexts == 3
    with pytest.raises(FathomError, match="other settings"):
        write_contexts(small, SamplingSettings(lengths=(65_536,), count=4), path)
    assert path.read_bytes() == before
    assert write_contexts(small, SamplingSettings(lengths=(65_536,), count=4), path, replace=True).contexts == 4


def test_recovers_from_a_kill_between_report_and_contexts(small: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    settings = SamplingSettings(lengths=(65_536,), count=3)
    write_contexts(small, settings, path)
    whole = path.read_bytes()
    path.unlink()
    assert write_contexts(small, settings, path).contexts == 3
    assert path.read_bytes() == whole
    path.unlink()
    with pytest.raises(FathomError, match="other settings"):
        write_contexts(small, SamplingSettings(lengths=(65_536,), count=4), path)


def test_removes_drafts_of_killed_processes(small: Corpus, tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / f".c.jsonl.{gone.pid}.part").write_text("half")
    (tmp_path / f".c.jsonl.{os.getpid()}.part").write_text("ours, still being written")
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=1), tmp_path / "c.jsonl")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["c.jsonl", "c.report.json"]


def test_detects_a_partial_file_of_contexts(small: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    settings = SamplingSettings(lengths=(65_536,), count=3)
    write_contexts(small, settings, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    with pytest.raises(FathomError, match="does not match its report"):
        write_contexts(small, settings, path)
    path.write_bytes(b"".join(lines)[:-9])
    with pytest.raises(FathomError, match="does not match its report"):
        write_contexts(small, settings, path)


def test_refuses_an_unknown_layout(small: Corpus, tmp_path: Path) -> None:
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=1), tmp_path / "c.jsonl")
    line = json.loads((tmp_path / "c.jsonl").read_text())
    with pytest.raises(FathomError, match="does not know"):
        render(Context.model_validate({**line, "layout": "spiral/9"}), small)


def test_refuses_a_context_whose_documents_have_other_texts(small: Corpus, tmp_path: Path) -> None:
    """The ids are equal but the texts differ: a key computed on one must not be used with the other."""
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=1), tmp_path / "c.jsonl")
    context = next(read_contexts(tmp_path / "c.jsonl"))
    with CorpusWriter(tmp_path / "changed", {"test": 1}) as writer:
        for document in small.documents():
            text = document.text.replace(" the ", " a ") if document.id == context.documents[0] else document.text
            stripped = {"sections", "paragraphs", "sentences", "citations", "references", "tables", "facts", "claims"}
            bare = dict.fromkeys(stripped, ()) | {"abstract": None, "text": text}
            writer.add(pack(document.model_copy(update=bare)))
        writer.finish()
    with Corpus(tmp_path / "changed") as changed, pytest.raises(FathomError, match="another text there"):
        render(context, changed)


def test_refuses_a_context_of_another_corpus(small: Corpus, tmp_path: Path) -> None:
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=1), tmp_path / "c.jsonl")
    context = next(read_contexts(tmp_path / "c.jsonl"))
    foreign = context.places[0].model_copy(update={"document": "gen-0", "span": Span(0, 1)})
    with pytest.raises(FathomError, match="has no document 'gen-0'"):
        render(context.model_copy(update={"places": (foreign,)}), small)


def test_leaves_out_a_copy_of_a_document(small: Corpus, tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "doubled", {"test": 1}) as writer:
        for document in small.documents():
            writer.add(pack(document))
            writer.add(pack(document.model_copy(update={"id": f"copy-of-{document.id}"})))
        writer.finish()
    with Corpus(tmp_path / "doubled") as corpus:
        report = write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=9), tmp_path / "c.jsonl")
    assert report.left_out == {"same text as another document": 48}
    ids = [context.id for context in read_contexts(tmp_path / "c.jsonl")]
    assert len(set(ids)) == len(ids)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, small_folder: Path) -> Path:
    """A corpus in which every second document also has a preprint with almost the same text."""
    folder = tmp_path_factory.mktemp("versions") / "corpus"
    with Corpus(small_folder) as small, CorpusWriter(folder, {"test": 1}) as writer:
        for number, document in enumerate(small.documents()):
            writer.add(pack(document.model_copy(update={"work": f"w-{number}" if number % 2 == 0 else None})))
            if number % 2 == 0:
                draft = {
                    "id": f"draft-of-{document.id}",
                    "work": f"w-{number}",
                    "text": document.text + "A preprint.\n",
                }
                writer.add(pack(document.model_copy(update=draft)))
        writer.finish()
    return folder


def _original(document: str) -> str:
    return document.removeprefix("draft-of-")


@pytest.mark.parametrize("sampling", ["random", "bfs", "dfs"])
def test_no_context_contains_two_versions_of_a_work(twice: Path, tmp_path: Path, sampling: Sampling) -> None:
    with Corpus(twice) as corpus:
        # At the larger length nearly every work is needed, so a walk meets the second version of many.
        write_contexts(
            corpus, SamplingSettings(lengths=(65_536, 524_288), count=12, sampling=(sampling,)), tmp_path / "c.jsonl"
        )
    contexts = list(read_contexts(tmp_path / "c.jsonl"))
    assert {context.length for context in contexts} == {65_536, 524_288}
    for context in contexts:
        assert len({_original(document) for document in context.documents}) == len(context.documents)
    shown = {document for context in contexts for document in context.documents}
    assert any(document != _original(document) for document in shown)
    assert any(f"draft-of-{document}" in shown for document in shown)


def test_a_context_of_preprints_counts_as_similar_to_that_of_their_articles(twice: Path, tmp_path: Path) -> None:
    with Corpus(twice) as corpus:
        report = write_contexts(corpus, SamplingSettings(lengths=(65_536,), count=200), tmp_path / "c.jsonl")
    sets = [frozenset(map(_original, context.documents)) for context in read_contexts(tmp_path / "c.jsonl")]
    largest = max(len(one & two) / min(len(one), len(two)) for one, two in combinations(sets, 2))
    assert report.lengths[0].max_overlap == round(largest, 4) <= 0.5


def test_splits_share_no_work(twice: Path, tmp_path: Path) -> None:
    settings = SamplingSettings(lengths=(32_768,), count=90, min_documents=2, splits={"train": 60, "test": 40})
    with Corpus(twice) as corpus:
        write_contexts(corpus, settings, tmp_path / "c.jsonl")
    works: dict[str, set[str]] = {}
    for context in read_contexts(tmp_path / "c.jsonl"):
        works.setdefault(context.split, set()).update(map(_original, context.documents))
    assert works["train"]
    assert works["test"]
    assert not works["train"] & works["test"]


def test_detects_a_changed_tokenizer_file(small: Corpus, tmp_path: Path, tokenizer_file: Path) -> None:
    settings = SamplingSettings(lengths=(65_536,), count=1, tokenizer=str(tokenizer_file))
    write_contexts(small, settings, tmp_path / "c.jsonl")
    tokenizer_file.write_text(tokenizer_file.read_text().replace("{4}", "{3}"))
    tokenizer.cache_clear()
    with pytest.raises(FathomError, match="other settings"):
        write_contexts(small, settings, tmp_path / "c.jsonl")


def test_splits_share_no_document_and_keep_clusters_together(large_folder: Path, tmp_path: Path) -> None:
    settings = SamplingSettings(lengths=(65_536, 131_072), count=30, splits={"train": 70, "dev": 10, "test": 20})
    with Corpus(large_folder) as corpus:
        report = write_contexts(corpus, settings, tmp_path / "c.jsonl")
        links = list(corpus.links())
    members: dict[str, set[str]] = {"train": set(), "dev": set(), "test": set()}
    counted: Counter[str] = Counter()
    for context in read_contexts(tmp_path / "c.jsonl"):
        members[context.split].update(context.documents)
        counted[context.split] += 1
    for one, two in combinations(members.values(), 2):
        assert not one & two
    assert counted == {"train": 42, "dev": 6, "test": 12}
    assert sum(report.splits.values()) == DOCUMENTS
    assert report.splits["train"] > report.splits["test"] > report.splits["dev"]
    split_of = {document: split for split, documents in members.items() for document in documents}
    known = [(split_of[a], split_of[b]) for a, b in links if a in split_of and b in split_of]
    # By chance 54% of the links would stay inside a split.
    assert sum(one == two for one, two in known) / len(known) > 0.75


@pytest.mark.parametrize(
    ("count", "expected"),
    [(2, {"train": 2}), (3, {"train": 1, "dev": 1, "test": 1}), (4, {"train": 2, "dev": 1, "test": 1})],
)
def test_every_split_has_a_context_if_there_are_enough(
    large_folder: Path, tmp_path: Path, count: int, expected: dict[str, int]
) -> None:
    settings = SamplingSettings(lengths=(65_536,), count=count, splits={"train": 70, "dev": 10, "test": 20})
    with Corpus(large_folder) as corpus:
        write_contexts(corpus, settings, tmp_path / "c.jsonl")
    assert Counter(context.split for context in read_contexts(tmp_path / "c.jsonl")) == expected


def test_a_changed_token_count_is_found(small: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_contexts(small, SamplingSettings(lengths=(65_536,), count=2), path)
    [first, *_] = read_contexts(path)
    path.write_text(path.read_text().replace(f'"tokens":{first.tokens},', f'"tokens":{first.tokens - 1},'))
    with pytest.raises(FathomError, match=r"does not match its report 'c\.report\.json'"):
        read_contexts(path)
    report_path(path).unlink()
    assert next(read_contexts(path)).tokens == first.tokens - 1
