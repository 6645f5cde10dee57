"""Chunks of a context, search in them, and answers from what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import anyio
import numpy as np
import pytest

import fathom
from fathom.contexts.sampling import ContextSampler, SamplingSettings
from fathom.corpus.store import Corpus
from fathom.models.prompts import TextReference
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response
from fathom.systems.catalog import load_system
from fathom.systems.chunking import ChunkUnit, chunk_spans, chunks_of_documents, stretches
from fathom.systems.protocol import ContextView, count_tokens
from fathom.systems.rag import NOTE, Rag, merged
from fathom.systems.retrieval.dense import known_share, pieces_of
from fathom.systems.retrieval.hops import exact_strings, search_in_hops, sentences_with
from fathom.systems.retrieval.index import BALANCE, ContextIndex, Query, balanced, by_prominence, fuse
from fathom.systems.retrieval.lexical import words
from fathom.systems.retrieval.rerank import parse_order
from fathom.systems.retrieval.settings import Fusion, IndexSettings, Method
from fathom.tasks.numeric.views import views
from tests.systems.scripted import Scripted


@pytest.fixture
def seen(small: Corpus) -> Iterator[ContextView]:
    [context] = ContextSampler(small, SamplingSettings(lengths=(65_536,), count=1, sampling=("bfs",))).contexts()
    yield ContextView(context, views(small))


def shown(session: Scripted) -> str:
    """The latest prompt as it is sent."""
    parts = [part for message in session.asked[-1].messages for part in message.parts]
    return "".join(
        session.view.text(part.form, part.start, part.end) if isinstance(part, TextReference) else part
        for part in parts
    )


def ask(system: Rag, desk: Scripted, text: str) -> Response:
    question = Question(id="q-1", family="numeric", context_id=desk.view.context.id, text=text)
    return anyio.run(partial(system.answer, question, desk))


# Chunks.


def test_parts_in_order_cover_the_whole_text(seen: ContextView) -> None:
    text = seen.text()[: seen.length]
    for size in (500, 4_000, 10_000_000):
        cut = list(stretches(seen, size))
        assert "".join(text[part.start : part.end] for part in cut) == text
        assert all(seen.count(text[part.start : part.end]) <= size for part in cut)
    for part in stretches(seen, 4_000):
        before = re.findall(r"^===== (Article \d+)$", text[: part.start + 20], re.MULTILINE)
        assert part.first.label == before[-1]


@pytest.mark.parametrize("overlap", [64, 500])
def test_a_text_that_begins_otherwise_is_not_cut_into_chunks_of_one_character_more_each(overlap: int) -> None:
    """The length of a token is measured at the beginning of a document, where another language may be used."""
    text = "Introduction " * 2_000 + "第一条为了保障" * 3_000
    spans = list(chunk_spans(text, 512, overlap))
    assert all(one.start < two.start <= one.end for one, two in pairwise(spans))
    assert spans[-1].end == len(text)
    assert len(spans) < 6 * count_tokens(text) / 512


@pytest.mark.parametrize("unit", ["tokens", "sections"])
def test_chunks_cover_each_document_within_their_size(seen: ContextView, unit: ChunkUnit) -> None:
    text = seen.text()
    for size, overlap in ((200, 0), (512, 64)):
        covered: dict[int, int] = {}
        for chunk in chunks_of_documents(seen, size, overlap, unit):
            span = seen.documents[chunk.document - 1].span
            assert seen.count(text[chunk.start : chunk.end]) <= size
            assert span.start <= chunk.start < chunk.end <= span.end
            assert chunk.start <= covered.get(chunk.document, span.start)  # no gap
            assert chunk.end > covered.get(chunk.document, span.start)
            covered[chunk.document] = chunk.end
        assert covered == {document.number: document.span.end for document in seen.documents}


def test_a_chunk_of_sections_begins_at_a_heading_or_continues_a_long_section(seen: ContextView) -> None:
    text = seen.text()
    cut = list(chunks_of_documents(seen, 800, 0, "sections"))
    at_heading = [chunk for chunk in cut if text[chunk.start] == "#"]
    assert len(at_heading) > len(seen.documents)
    # What does not begin at a heading continues a section that alone is longer than a chunk.
    headings = [match.start() for match in re.finditer(r"^#", text, re.MULTILINE)]
    for before, chunk in pairwise(cut):
        if text[chunk.start] != "#" and chunk.document == before.document:
            begin = max(heading for heading in headings if heading < chunk.start)
            end = min([heading for heading in headings if heading > chunk.start], default=len(text))
            assert seen.count(text[begin:end]) > 600


def test_text_without_spaces_is_covered_without_gaps(tmp_path: Path) -> None:
    corpus = fathom.generate(tmp_path / "corpus", documents=8, domains="companies-zh", seed=4)
    [context] = corpus.contexts(["64K"], 1, sampling=["random"])
    with fathom.open_corpus(tmp_path / "corpus") as opened:
        view = ContextView(context, views(opened))
        for size, overlap in ((64, 16), (256, 64)):
            ends = {document.number: document.span.start for document in view.documents}
            for chunk in chunks_of_documents(view, size, overlap):
                assert chunk.start <= ends[chunk.document] < chunk.end
                ends[chunk.document] = chunk.end
            assert ends == {document.number: document.span.end for document in view.documents}


# Search.


@pytest.mark.parametrize("method", ["lexical", "dense", "hybrid"])
def test_the_title_of_a_document_finds_the_document(
    seen: ContextView, small: Corpus, tmp_path: Path, method: Method
) -> None:
    desk = Scripted(seen, folder=tmp_path)
    index = ContextIndex(desk, IndexSettings(method, 256, 32))
    for document in seen.documents:
        # Others may cite it, and a chunk of their references has the title, too.
        found = islice(index.search(small.document(document.id).title_text), 5)
        assert document.number in {chunk.document for chunk in found}


def test_an_index_is_built_once_and_embeds_a_shared_document_once(seen: ContextView, tmp_path: Path) -> None:
    desk = Scripted(seen, folder=tmp_path)
    for _ in range(3):
        ContextIndex(desk, IndexSettings("dense"))
    # The chunks of each document, and their vectors.
    assert desk.made == ["context", *["bench"] * 2 * len(seen.documents)]
    # Another context with one document less reads and embeds nothing again.
    fewer = seen.context.model_copy(update={"places": seen.context.places[:-1]})
    other = Scripted(ContextView(fewer, seen.views), folder=tmp_path)
    other.artifact = lambda name, make, scope="context": desk.artifact(  # type: ignore[method-assign]
        f"{name} fewer" if scope == "context" else name, make, scope
    )
    desk.made.clear()
    assert len(ContextIndex(other, IndexSettings("dense"))) > 0
    assert desk.made == ["context"]


def test_a_search_without_a_known_word_finds_nothing_by_words(seen: ContextView, tmp_path: Path) -> None:
    index = ContextIndex(Scripted(seen, folder=tmp_path), IndexSettings())
    assert list(index.search("zzzzqqq ???")) == []


def test_scores_are_those_of_bm25s(seen: ContextView, small: Corpus, tmp_path: Path) -> None:
    bm25s = pytest.importorskip("bm25s")
    settings = IndexSettings("lexical", 200, 20)
    index = ContextIndex(Scripted(seen, folder=tmp_path), settings)
    cut = list(chunks_of_documents(seen, 200, 20))
    text = seen.text()
    vocabulary: dict[str, int] = {}
    ids = [[vocabulary.setdefault(word, len(vocabulary)) for word in words(text[one.start : one.end])] for one in cut]
    other = bm25s.BM25()
    other.index((ids, vocabulary), show_progress=False)
    for document in seen.documents[:5]:
        query = f"{small.document(document.id).title_text} the the method"
        known = [vocabulary[word] for word in dict.fromkeys(words(query)) if word in vocabulary]
        scores = other.get_scores_from_ids(known)
        found = list(index.search(query))
        assert len(found) == (scores > 0).sum()
        places = [cut.index(chunk) for chunk in found]
        assert scores[places] == pytest.approx(sorted(scores[scores > 0], reverse=True), rel=1e-5)


def test_words_of_scripts_without_spaces_are_pairs_of_characters() -> None:
    assert words("x") == ["x"]
    assert list(words("净利润 of ACME_2023")) == ["净利", "利润", "of", "acme", "2023"]


def test_pieces_of_a_chunk_have_all_of_its_text() -> None:
    text = "A line.\n\n" * 100 + "One long sentence without an end " * 40
    for name in ("wordllama", "http://localhost/v1#m"):
        pieces = pieces_of(text, name)
        assert "".join(pieces) == text
        assert (len(pieces) > 2) == (name == "wordllama")
    assert pieces_of("", "wordllama") == [""]
    assert "".join(pieces_of("第一句。" * 200, "wordllama")) == "第一句。" * 200


@pytest.mark.parametrize("fusion", ["scores", "ranks"])
def test_both_fusions_find_what_words_and_meaning_agree_on(
    seen: ContextView, small: Corpus, tmp_path: Path, fusion: Fusion
) -> None:
    index = ContextIndex(Scripted(seen, folder=tmp_path), IndexSettings("hybrid", 256, 32, fusion=fusion))
    title = small.document(seen.documents[0].id).title_text
    several = list(index.search(Query(title), Query("unrelated words", 0.1)))
    assert len(several) == len(set(several))
    assert 1 in {chunk.document for chunk in several[:5]}


def test_embeddings_have_no_say_on_scripts_that_they_cannot_read() -> None:
    assert known_share("净利润最高的公司是哪一家？", "wordllama") == 0
    assert known_share("Which company has the highest net profit?", "wordllama") == 1
    assert 0.4 < known_share("净利润 profit 公司", "wordllama") < 0.6
    assert known_share("净利润最高的公司是哪一家？", "http://localhost/v1#bge-m3") == 1
    assert known_share("2021", "wordllama") == 1


def test_a_document_that_resembles_the_question_does_not_crowd_out_the_others() -> None:
    documents = np.array([1, 1, 1, 1, 2, 2])
    scores = np.array([6, 5, 4, 3, 3, 0], np.float32)
    # Less a share of the mean of the document's best three: 5 of the first, and 1.5 of the second, which has two.
    off = BALANCE * np.array([5, 5, 5, 5, 1.5, 1.5])
    assert balanced(scores, documents).tolist() == pytest.approx((scores - off).tolist())
    alone = balanced(scores, np.ones(6, np.int64))
    assert np.argsort(-alone, kind="stable").tolist() == np.argsort(-scores, kind="stable").tolist()


def test_scores_weigh_more_where_the_best_chunks_stand_out() -> None:
    clear, vague = np.zeros(100, np.float32), np.linspace(-1.7, 1.7, 100, dtype=np.float32)
    clear[7] = 10
    assert by_prominence(clear)[7] / clear[7] == pytest.approx(1.0)  # 10, and nine times 0
    assert by_prominence(vague)[-1] / vague[-1] == pytest.approx(np.sort(vague)[-10:].mean() ** 2)
    assert by_prominence(np.empty(0, np.float32)).tolist() == []


def test_fusion_prefers_what_both_rankings_have() -> None:
    assert fuse([1, 2, 3], [4, 2, 5])[0] == 2
    assert fuse([1, 2], [1, 2]) == [1, 2]


# Answers.


def test_the_prompt_shows_the_best_chunks_and_the_trace_names_them(
    seen: ContextView, small: Corpus, tmp_path: Path
) -> None:
    desk = Scripted(seen, folder=tmp_path)
    wanted = seen.documents[3]
    title = small.document(wanted.id).title_text
    response = ask(Rag(k=6, chunk=200, overlap=20), desk, f'How many authors does "{title}" have?')
    assert response.text == "Answer: 4"
    sent = shown(desk)
    assert f"===== {wanted.label}\n" in sent
    assert title in sent
    # The title is quoted, so that its sentences are queries, too.
    *hops, step = desk.steps
    assert all(title in hop.input.replace("  ", " ") and not hop.passages for hop in hops)
    assert len(step.passages) == 6
    for passage in step.passages:
        assert passage.span.of(small.text(passage.document)) in sent
    assert wanted.id in {passage.document for passage in step.passages}
    estimate = Rag(k=6, chunk=200, overlap=20).estimate(
        Question(id="q-1", family="numeric", context_id=seen.context.id, text=title), seen
    )
    assert seen.count(sent) <= estimate.input_tokens


def test_a_budget_of_tokens_is_used_and_kept(seen: ContextView, tmp_path: Path) -> None:
    desk = Scripted(seen, folder=tmp_path)
    question = Question(id="q-1", family="numeric", context_id=seen.context.id, text="references and authors")
    for budget in (600, 2_048, 9_000):
        system = Rag(chunk=200, overlap=20, budget=budget, order="rank")
        ask(system, desk, question.text)
        sent = seen.count(shown(desk))
        overhead = seen.count(NOTE + seen.instruction("full, direct") + question.text)
        assert budget - 250 < sent - overhead + len(desk.steps[-1].passages) * 16 <= budget + 250
        assert sent <= system.estimate(question, seen).input_tokens
    with pytest.raises(FathomError, match="budget of 100 tokens has no room"):
        load_system("rag", settings={"budget": "100"})
    loaded = load_system("rag", settings={"budget": "8K", "hops": "1", "rerank": "40"}).system
    assert loaded == Rag(budget=8_192, hops=1, rerank=40)


# The second hop.


def test_what_a_question_names_is_shown_and_its_sentence_searched(seen: ContextView, tmp_path: Path) -> None:
    text = seen.text()
    index = ContextIndex(Scripted(seen, folder=tmp_path), IndexSettings("lexical", 200, 20))
    target = seen.documents[2].span
    # A sentence that occurs once, and names a passage by two of its words.
    sentence = next(
        match[0]
        for match in re.finditer(r"(?<=[.] )[A-Z][^.\n\"]{60,200}[.]", text[target.start : target.end])
        if text.count(" ".join(match[0].split()[:5])) == 1
    )
    quoted = " ".join(sentence.split()[:5])
    found = search_in_hops(index, f'Which works support the claim that begins "{quoted}"?')
    assert [query.text for query in found.queries] == [sentence]
    assert sentence in " ".join(index.text(one) for one in islice(found.chunks, 2))
    # What the question does not name leads nowhere, and neither does what is everywhere.
    for question in ('Which works say "colourless green ideas"?', 'How often is "the" used?', "No quotation [here]."):
        plain = search_in_hops(index, question)
        assert plain.queries == []
        assert list(plain.chunks) == list(index.search(question))


@pytest.mark.parametrize(
    ("question", "strings"),
    [
        ("One citation is hidden as [[CITATION]]; others read [[HIDDEN]].", ["[[CITATION]]", "[[HIDDEN]]"]),
        ('Is it "Deep Nets" or “Shallow Nets”? "Deep Nets" or "x"', ["Deep Nets", "Shallow Nets"]),
        ("《红楼梦》与「三国」", ["红楼梦", "三国"]),
        ('It\'s 5" long and 6" wide, [not] a marker', ["long and 6"]),
        ("[[a\nb]] [[]] plain", []),
    ],
)
def test_exact_strings_are_markers_and_quotations(question: str, strings: list[str]) -> None:
    assert [one.strip() for one in exact_strings(question)] == strings


def test_a_sentence_loses_its_markers() -> None:
    text = "One. Two is [[HIDDEN]] by [[CITATION 1]], e.g. here. Three.\nFour"
    assert list(sentences_with(text, "[[CITATION 1]]")) == ["Two is by , e.g. here."]
    assert list(sentences_with("no end [[X]]" + "y" * 5_000, "[[X]]")) == ["no end " + "y" * 600]


# Reranking.


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ("Order: 3, 1, 2", [3, 1, 2]),
        ("order: [4], [2]\n\nBecause 3 is about 1990.", [4, 2]),
        ("I think 2 helps.\n**Order:** 2 > 5 > 2 > 9 > 0", [2, 5]),
        ("3\n1\n", [3, 1]),
        ("[5, 4]", [5, 4]),
        ("Answer: 4", []),
        ("", []),
        ("Order: none of them", []),
        ("Order: " + "9" * 5_000 + ", 1", [1]),
    ],
)
def test_orders_are_parsed_in_many_forms_and_answers_are_not_orders(reply: str, order: list[int]) -> None:
    assert parse_order(reply, 5) == order


def test_the_model_puts_candidates_into_order_in_one_call(seen: ContextView, tmp_path: Path) -> None:
    text = "references authors results method"
    desk = Scripted(seen, lambda prompt: "Order: 7, 3", tmp_path)
    ask(Rag(k=4, chunk=128, overlap=16, order="rank", rerank=10, hops=1), desk, text)
    candidates, answer = ([part for part in one.own_parts if isinstance(part, TextReference)] for one in desk.asked)
    assert len(candidates) == 10
    assert [(one.start, one.end) for one in answer] == [(candidates[n].start, candidates[n].end) for n in (6, 2, 0, 1)]
    assert [step.name for step in desk.steps] == ["lexical, reranked"]
    question = Question(id="q-1", family="numeric", context_id=seen.context.id, text=text)
    estimate = Rag(k=4, chunk=128, overlap=16, rerank=10).estimate(question, seen)
    assert estimate.calls == 2
    assert seen.estimate(*desk.asked).input_tokens <= estimate.input_tokens


def test_chunks_by_rank_come_best_first_and_by_position_in_order(seen: ContextView, tmp_path: Path) -> None:
    desk = Scripted(seen, folder=tmp_path)
    for order in ("rank", "position"):
        ask(Rag(k=12, chunk=128, overlap=16, order=order), desk, "references authors results method")
    by_rank, by_position = (
        [part.start for part in prompt.own_parts if isinstance(part, TextReference)] for prompt in desk.asked
    )
    assert by_position == sorted(by_position)
    assert by_rank != sorted(by_rank)
    # Only the instruction is the same for all questions.
    assert all(len(prompt.shared_parts) == 1 for prompt in desk.asked)


def test_chunks_that_overlap_are_shown_once(seen: ContextView) -> None:
    cut = list(chunks_of_documents(seen, 128, 32))
    first = [chunk for chunk in cut if chunk.document == 1]
    [whole] = merged(first[::-1])
    assert (whole.start, whole.end) == (first[0].start, first[-1].end)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(FathomError, match="overlap of 512 tokens does not fit"):
        load_system("rag", settings={"overlap": 512})
    with pytest.raises(FathomError, match="method"):
        load_system("rag", settings={"method": "magic"})


# Simulated models.


def test_a_simulated_reader_answers_from_what_was_retrieved(tiny_bench: Path, tmp_path: Path) -> None:
    accuracy = {}
    for k in (1, 5_000):
        run = fathom.run(tiny_bench, model="sim/reader", system=Rag(k=k), out=tmp_path / str(k))
        accuracy[k] = run.score().accuracy
        [*_, retrieval, answer] = next(iter(run.responses())).trace
        assert (retrieval.kind, answer.kind) == ("retrieval", "model")
    assert accuracy[5_000] == 1.0

    async def in_a_notebook() -> float:
        run = fathom.run(tiny_bench, model="sim/reader", system=Rag(k=1), out=tmp_path / "loop")
        return run.score().accuracy

    assert anyio.run(in_a_notebook) == accuracy[1]
    assert accuracy[1] < 0.5
