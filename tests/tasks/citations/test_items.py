"""Items: masks, candidates, and no shortcuts to the answer."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from fathom.contexts.layout import render
from fathom.corpus.generate import Recipe, generate
from fathom.corpus.store import Corpus
from fathom.records.contexts import apply_edits
from fathom.records.documents import Passage
from fathom.records.errors import FathomError
from fathom.scoring.answers import Assignment, Choice
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.citations.audit import CitationsAuditor
from fathom.tasks.citations.baselines import by_elimination, chosen_on_others
from fathom.tasks.citations.settings import LEVELS
from fathom.tasks.citations.word_counts import letters_of, stems_in
from fathom.tasks.family import Item
from tests.tasks.citations.conftest import build_citations


def test_every_task_and_level_is_there(cited: Bench) -> None:
    cells = Counter((q.tags["task"], q.tags["level"]) for q in cited.all_questions())
    assert set(cells) == {(task, level) for task in ("choice", "cloze") for level in LEVELS}
    assert max(cells.values()) == 8
    assert list(cited.manifest.counts["level"]) == ["easy", "medium", "hard"]


def test_an_audit_proves_it(cited: Bench) -> None:
    found = audit(cited.folder)
    assert found.passed, [checked for checked in found.checks if checked.failed]
    baselines = next(checked.measures for checked in found.checks if checked.name == "baselines")
    for task in ("choice", "cloze"):
        assert baselines[f"{task}, hard: mean held-out matcher"] <= 0.35
        assert baselines[f"{task}, medium: mean held-out matcher"] > baselines[f"{task}, hard: mean held-out matcher"]
        assert baselines[f"{task}, medium: best held-out matcher"] > 0.50


def test_the_evidence_is_shown_and_named_in_the_proof(cited: Bench) -> None:
    """For every mask, passages of its work with a word of the citing sentence that at most one other candidate has."""
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in cited.by_context():
            text = render(context, corpus).decode()
            shown = {place.document: place for place in context.places[1:]}
            stems = {id: set(stems_in(place.span.of(text))) for id, place in shown.items()}
            sentences = [one for one in item.key.proof.passages if one.document not in shown]
            assert len(sentences) == len(item.key.proof.rows)
            for (_, work, _, _), sentence in zip(item.key.proof.rows, sentences, strict=True):
                cited_at = set(stems_in(sentence.span.of(corpus.text(sentence.document))))
                evidence = [one for one in item.key.proof.passages if one.document == work]
                assert evidence
                words: set[str] = set()
                for passage in evidence:
                    place = shown[work].locate(passage.span)
                    assert place is not None
                    assert place.of(text) == passage.span.of(corpus.text(work))
                    words |= set(stems_in(place.of(text)))
                assert any(sum(word in one for one in stems.values()) <= 2 for word in words & cited_at)


def test_an_audit_finds_missing_evidence(cited: Bench) -> None:
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in list(cited.by_context())[:6]:
            rows, passages = len(item.key.proof.rows), item.key.proof.passages
            title = Passage(document=context.documents[1], span=corpus.document(context.documents[1]).title)
            is_hidden = item.question.tags["candidate-text"] == "body"
            for changed, fails in ((passages, False), (passages[:rows], True), ((*passages, title), is_hidden)):
                proof = item.key.proof.model_copy(update={"passages": changed})
                item_of_proof = Item(item.question, item.key.model_copy(update={"proof": proof}))
                failed = CitationsAuditor(corpus, 0, measured=False).check(context, [item_of_proof])
                assert ("evidence for every mask is shown" in failed.get(item.question.id, ())) == fails


def test_the_masked_text_is_the_document_but_for_its_masks(cited: Bench) -> None:
    """Undoing the edits gives the document, character by character."""
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in cited.by_context():
            text = render(context, corpus).decode()
            for place in context.places:
                document = corpus.document(place.document)
                assert place.span.of(text) == apply_edits(document.text, place.edits)
            paper = corpus.document(context.documents[0])
            for row in item.key.proof.rows:
                start, end = map(int, row[2].split("-"))
                citing = [c for c in paper.citations if start <= c.group.start and c.group.end <= end]
                works = [paper.references[c.reference - 1].document for c in citing if c.reference is not None]
                assert len(works) == len(citing)
                assert works == [row[1]]
            assert item.question.tags["citations"] == "lone"


def test_the_key_is_the_paper_s_own_citation(cited: Bench) -> None:
    for context, [item] in cited.by_context():
        works = [row[1] for row in item.key.proof.rows]
        match item.key.answer:
            case Choice(option=option):
                assert [context.documents[option]] == works
            case Assignment(options=options):
                assert [context.documents[option] for option in options] == works
                assert sorted(options) == [1, 2, 3, 4]
            case other:
                pytest.fail(f"a key of type {other.type}")


def test_nothing_of_the_candidates_is_left_in_the_paper(cited: Bench) -> None:
    with Corpus(cited.corpus_folder) as corpus:
        for context, [item] in cited.by_context():
            text = render(context, corpus).decode()
            paper = corpus.document(context.documents[0])
            shown = context.places[0].span.of(text)
            assert shown.count("[[CITATION") == len(item.key.proof.rows)
            for reference in paper.references:
                if reference.document in context.documents[1:]:
                    title = reference.title.of(paper.text) if reference.title else ""
                    assert title not in shown or len(title) < 10
                    numbered = [c for c in paper.single_citations() if c.reference == reference.number]
                    for citation in numbered:
                        located = context.places[0].locate(citation.group)
                        assert located is None or citation.group.of(paper.text) != located.of(text)


def test_no_brackets_tell_the_grammar(cited: Bench) -> None:
    with Corpus(cited.corpus_folder) as corpus:
        for context, _ in cited.by_context():
            text = context.places[0].span.of(render(context, corpus).decode())
            assert not re.search(r"[(\[<]\s?\[\[CITATION(?: \d)?\]\]\s?[)\]>]", text)
            assert not re.search(r"\w\[\[CITATION", text)


def test_a_body_does_not_give_itself_away(cited: Bench) -> None:
    with Corpus(cited.corpus_folder) as corpus:
        looked = 0
        for context, [item] in cited.by_context():
            if item.question.tags["candidate-text"] != "body":
                continue
            text = render(context, corpus).decode()
            for place in context.places[1:]:
                document, shown = corpus.document(place.document), place.span.of(text)
                looked += 1
                assert letters_of(document.title_text) not in letters_of(shown)
                assert document.abstract is None or document.abstract.of(document.text) not in shown
                for section in document.sections:
                    if section.role in ("introduction", "conclusion", "references", "appendix"):
                        assert section.span.of(document.text).strip() not in shown
        assert looked


def test_candidates_are_trimmed_evenly_to_the_limit(citing_corpus: Path, tmp_path: Path) -> None:
    bench = build_citations(citing_corpus, tmp_path / "bench", items=4, characters=60_000, tasks=["choice"])
    for context, _ in bench.by_context():
        lengths = [place.span.end - place.span.start for place in context.places]
        assert sum(lengths) <= 60_000
        cut = [length for length in lengths[1:] if length > min(lengths[1:]) + 4_000]
        assert not cut or min(lengths[1:]) < 4_000 or max(lengths[1:]) - min(lengths[1:]) < 10_000


def test_positions_are_balanced(cited: Bench) -> None:
    places: dict[str, Counter[int]] = {}
    for _, [item] in cited.by_context():
        if isinstance(item.key.answer, Choice):
            places.setdefault(item.question.tags["level"], Counter())[item.key.answer.option] += 1
    assert all(max(counter.values()) - min(counter.values()) <= 1 for counter in places.values()), places


def test_a_paper_gives_at_most_so_many_items_with_other_masks(cited: Bench) -> None:
    papers: Counter[str] = Counter()
    choices: Counter[tuple[str, str]] = Counter()
    clozes: dict[str, list[set[str]]] = {}
    for context, [item] in cited.by_context():
        paper, rows = context.documents[0], item.key.proof.rows
        papers[paper] += 1
        if len(rows) == 1:
            choices[paper, rows[0][2]] += 1
        else:
            clozes.setdefault(paper, []).append({row[2] for row in rows})
    assert max(papers.values()) <= 5
    assert max(choices.values()) == 1
    assert all(len(one & two) <= 2 for found in clozes.values() for one, two in combinations(found, 2))


def test_the_same_seed_gives_the_same_bytes(varied: Bench, tmp_path: Path) -> None:
    settings = varied.manifest.settings["citations"]
    again = build_citations(varied.corpus_folder, tmp_path / "again", **settings)
    assert again.manifest.fingerprint == varied.manifest.fingerprint


def test_masking_one_leaves_the_other_mentions(citing_corpus: Path, tmp_path: Path) -> None:
    bench = build_citations(citing_corpus, tmp_path / "one", items=2, mask="one")
    assert audit(bench.folder).passed
    with Corpus(citing_corpus) as corpus:
        for context, [item] in bench.by_context():
            assert "[[HIDDEN" not in item.question.text
            assert b"[[HIDDEN" not in render(context, corpus)


@pytest.mark.parametrize(
    ("named", "answer", "chance"),
    [
        ((False, False, False, False), (2,), 1 / 4),
        ((True, True, False, True), (3,), 1.0),
        ((True, True, False, True), (1,), 0.0),
        ((True, False, False, True), (2,), 1 / 2),
        ((True, True, True, True), (2,), 1 / 4),
        ((True, False, False, False), (1, 2, 3, 4), 1 / 4),
    ],
)
def test_ruling_out_candidates(named: tuple[bool, ...], answer: tuple[int, ...], chance: float) -> None:
    assert by_elimination(named, answer, "choice") == pytest.approx(chance)


def test_a_level_of_one_s_own(citing_corpus: Path, tmp_path: Path) -> None:
    level = {"type": "descriptive", "sampling": "nearest", "candidate_text": "concise", "scope": "section"}
    bench = build_citations(citing_corpus, tmp_path / "own", items=4, **level)
    assert audit(bench.folder).passed
    assert {q.tags["scope"] for q in bench.all_questions()} == {"section"}
    with Corpus(citing_corpus) as corpus:
        for context, _ in bench.by_context():
            text = render(context, corpus).decode()
            for place in context.places[1:]:
                document = corpus.document(place.document)
                assert place.span.of(text).startswith(document.title_text)
                assert len(place.span.of(text)) < 4_000


def test_a_corpus_without_citations_gets_a_sentence(tmp_path: Path) -> None:
    generate(tmp_path / "reports", Recipe(seed=1, documents=3, domains=("companies",)))
    with pytest.raises(FathomError, match="located 0, resolved 0, with text 0, alone 0"):
        build_citations(tmp_path / "reports", tmp_path / "bench")


def test_the_best_matcher_is_chosen_on_other_papers() -> None:
    """Matchers that guess have a best one, which is at chance on other papers; one that knows is found."""
    rng = np.random.default_rng(0)
    papers = [f"paper {number // 4}" for number in range(400)]
    guesses = (rng.random((400, 100)) < 0.25).astype(float)
    chosen = chosen_on_others(papers, guesses)
    assert chosen is not None
    assert guesses.mean(axis=0).max() > 0.29
    assert abs(chosen.mean() - 0.25) < 0.04
    informed = np.where(rng.random(400) < 0.6, 1.0, guesses[:, 7])
    chosen = chosen_on_others(papers, np.column_stack([guesses, informed]))
    assert chosen is not None
    assert chosen.mean() == informed.mean()
    assert chosen_on_others(["one paper"] * 400, guesses) is None
