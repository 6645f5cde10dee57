"""The store: documents read back unchanged, damage is detected, nothing existing is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from random import Random

import pytest

from fathom.corpus.generate import Recipe, generate
from fathom.corpus.manifest import FILE_NAME as MANIFEST
from fathom.corpus.manifest import FORMAT
from fathom.corpus.store import STORE, UNFINISHED, Corpus, CorpusWriter, pack
from fathom.models.tokenizers import tokenizer
from fathom.records.errors import FathomError
from fathom.records.record import digest
from tests.sharing import SharedFolders


@pytest.fixture
def copy(small_folder: Path, tmp_path: Path) -> Path:
    """The small corpus once more, to be damaged."""
    return shutil.copytree(small_folder, tmp_path / "copy")


def test_reads_documents_back_unchanged(small: Corpus, tmp_path: Path) -> None:
    documents = list(small.documents())
    with CorpusWriter(tmp_path / "again", {"test": 1}) as writer:
        for document in documents:
            writer.add(pack(document))
        manifest = writer.finish()
    assert manifest.fingerprint == small.manifest.fingerprint
    with Corpus(tmp_path / "again") as again:
        assert list(again.documents()) == documents


def test_every_read_method_agrees(small: Corpus) -> None:
    counter = tokenizer()
    counts = small.token_counts(counter)
    texts = dict(small.texts())
    for listed in small.entries():
        document = small.document(listed.id)
        assert (listed.title, listed.subject, listed.year) == (document.title_text, document.subject, document.year)
        assert listed.characters == len(document.text)
        assert listed.fingerprint == digest(document.text.encode())
        assert document.text.encode() == texts[listed.id] == small.stored_text(listed.id).utf8
        assert counts[listed.id] == counter.count(document.text)
    assert sum(counts.values()) == small.manifest.tokens
    assert len(small) == len(counts) == 48


def test_links_are_the_documents_own_references(small: Corpus) -> None:
    wanted = sorted((document.id, cited) for document in small.documents() for cited in document.cited)
    assert [tuple(link) for link in small.links()] == wanted
    assert wanted


def test_counts_with_a_tokenizer_that_is_not_stored(small: Corpus) -> None:
    counter = tokenizer("cl100k")
    first = next(small.entries())
    assert small.token_counts(counter)[first.id] == counter.count(small.text(first.id))


def test_names_a_missing_document(small: Corpus) -> None:
    for look in (small.document, small.text):
        with pytest.raises(FathomError, match="has no document 'a-none'"):
            look("a-none")


def test_refuses_a_duplicate_document(small: Corpus, tmp_path: Path) -> None:
    document = next(small.documents())
    with CorpusWriter(tmp_path / "twice", {"test": 1}) as writer:
        writer.add(pack(document))
        with pytest.raises(FathomError, match="already"):
            writer.add(pack(document))


def test_refuses_a_newer_corpus(copy: Path) -> None:
    manifest = json.loads((copy / MANIFEST).read_text())
    # A newer format may well have fields that this one does not know: it must not be reported as damage.
    (copy / MANIFEST).write_text(json.dumps({**manifest, "format": FORMAT + 1, "fathom": "9.9", "color": "blue"}))
    with pytest.raises(
        FathomError, match=rf"written by a newer version of Fathom \(9.9, format {FORMAT + 1}.* Update Fathom"
    ):
        Corpus(copy)


def test_refuses_an_older_corpus(copy: Path) -> None:
    manifest = json.loads((copy / MANIFEST).read_text())
    (copy / MANIFEST).write_text(json.dumps({**manifest, "format": FORMAT - 1}))
    with pytest.raises(FathomError, match=r"written by an older version of Fathom .* Create the corpus again\.$"):
        Corpus(copy)


def test_does_not_take_another_folder_for_an_older_corpus(copy: Path) -> None:
    (copy / MANIFEST).write_text(json.dumps({"format": FORMAT - 1, "fathom": "0.1.0", "families": ["numeric"]}))
    with pytest.raises(FathomError, match="is not a corpus: its manifest.json describes something else"):
        Corpus(copy)


def test_does_not_continue_a_corpus_of_another_version(small: Corpus, tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "begun", {"test": 1}) as writer:
        writer.add(pack(next(small.documents())))
        writer.save()
    with sqlite3.connect(tmp_path / "begun" / UNFINISHED) as begun:
        begun.execute(f"PRAGMA user_version = {FORMAT - 1}")
    with pytest.raises(FathomError, match="started by another version of Fathom"):
        CorpusWriter(tmp_path / "begun", {"test": 1})


@pytest.mark.parametrize("content", ["", "{", "[]", "null", f'{{"format": {FORMAT}}}', '{"format": "one"}'])
def test_refuses_a_broken_manifest(copy: Path, content: str) -> None:
    (copy / MANIFEST).write_text(content)
    with pytest.raises(FathomError, match=r"(is not JSON|is not the manifest)"):
        Corpus(copy)


def test_refuses_a_corpus_without_its_store(copy: Path) -> None:
    (copy / STORE).unlink()
    with pytest.raises(FathomError, match="has no corpus.sqlite"):
        Corpus(copy)


@pytest.mark.parametrize("kept", [0, 50, 5_000, 500_000])
def test_detects_a_truncated_store(copy: Path, kept: int) -> None:
    content = (copy / STORE).read_bytes()
    assert len(content) > kept
    (copy / STORE).write_bytes(content[:kept])
    with (
        pytest.raises(FathomError, match=r"(damaged|truncated|Create it again|build the corpus again)"),
        Corpus(copy) as corpus,
    ):
        for _ in corpus.documents():
            pass


def test_detects_a_store_with_missing_documents(copy: Path) -> None:
    with sqlite3.connect(copy / STORE) as db:
        db.execute("DELETE FROM documents WHERE number = 7")
    with pytest.raises(FathomError, match="has 47 documents, but its manifest counts 48"):
        Corpus(copy)


def test_names_a_damaged_document(copy: Path) -> None:
    with sqlite3.connect(copy / STORE) as db:
        db.execute("UPDATE documents SET parts = x'00', outline = x'00' WHERE number = 1")
        db.execute("UPDATE tokens SET lines = x'00' WHERE document = 1")
    with Corpus(copy) as corpus:
        first = next(corpus.entries())
        for read in (corpus.document, corpus.bibliographic_record, corpus.outline, corpus.lines):
            with pytest.raises(FathomError, match=f"Document '{first.id}' .* is damaged"):
                read(first.id)
        with pytest.raises(FathomError, match=f"Document '{first.id}' .* is damaged"):
            corpus.works()


def test_does_not_overwrite_another_corpus(copy: Path) -> None:
    before = (copy / STORE).read_bytes()
    with pytest.raises(FathomError, match="already contains a corpus .seed 3, not 4"):
        generate(copy, Recipe(seed=4, documents=48))
    assert (copy / STORE).read_bytes() == before


def test_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(FathomError, match=r"not empty \(it contains 'thesis.tex'\)"):
        generate(tmp_path, Recipe(documents=2))
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", [STORE, f"{STORE}.new", "contexts.jsonl"])
def test_does_not_overwrite_a_foreign_file_of_the_same_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(FathomError, match="not empty"):
        generate(tmp_path, Recipe(documents=2))
    assert (tmp_path / name).read_text() == "precious"


def test_a_corpus_without_its_store_is_not_finished(copy: Path) -> None:
    (copy / STORE).unlink()
    with pytest.raises(FathomError, match="already contains a corpus"):
        generate(copy, Recipe(seed=3, documents=48))


def test_documents_with_different_texts_have_different_ids(small: Corpus, tmp_path: Path) -> None:
    generate(tmp_path / "c", Recipe(seed=3, documents=6, domains=("physics",)))
    with Corpus(tmp_path / "c") as other:
        assert not {document.id for document in other.entries()} & {document.id for document in small.entries()}


def test_refuses_other_settings_for_an_unfinished_corpus(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "c", {"seed": 1}) as writer:
        writer.save()
    assert (tmp_path / "c" / UNFINISHED).exists()
    with pytest.raises(FathomError, match="not a finished corpus"):
        Corpus(tmp_path / "c")
    with pytest.raises(FathomError, match="unfinished corpus with other settings .seed 1, not 2"):
        CorpusWriter(tmp_path / "c", {"seed": 2})


def test_refuses_a_second_writer(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "c", {"seed": 1}), pytest.raises(FathomError, match="another process is using it"):
        CorpusWriter(tmp_path / "c", {"seed": 1})


def test_the_text_cache_is_bounded(small_folder: Path) -> None:
    with Corpus(small_folder) as plenty, Corpus(small_folder, cache_bytes=100_000) as little:
        ids = [listed.id for listed in plenty.entries()]
        for id in (*ids, *reversed(ids), *ids[:3]):
            assert little.text(id) == plenty.text(id)
        assert sum(len(text.utf8) for text in little._recent._texts.values()) <= 100_000


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_raise_an_error_or_change_no_text(build_once: SharedFolders, tmp_path: Path, seed: int) -> None:
    """Real damage at random places: whatever is still shown is what was written."""
    few = build_once("few", lambda folder: generate(folder / "corpus", Recipe(seed=3, documents=6))) / "corpus"
    with Corpus(few) as corpus:
        written = {document.id: document for document in corpus.documents()}
    copy = shutil.copytree(few, tmp_path / "copy")
    rng = Random(seed)
    whole = (copy / STORE).read_bytes()
    for _ in range(12):
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 3, 40))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        (copy / STORE).write_bytes(damaged)
        try:
            with Corpus(copy) as corpus:
                for id, text in corpus.texts():
                    assert text == written[id].text.encode()
                for document in corpus.documents():
                    assert document == written[document.id]
        except FathomError as error:
            assert "\n" not in str(error)


def test_refuses_a_header_with_an_excessive_size(copy: Path) -> None:
    header = bytes.fromhex("28b52ffde0") + (1 << 44).to_bytes(8, "little")
    with sqlite3.connect(copy / STORE) as db:
        db.execute("UPDATE documents SET text = ? WHERE number = 1", (header,))
    with Corpus(copy) as corpus, pytest.raises(FathomError, match="damaged"):
        corpus.text(next(corpus.entries()).id)


def test_detects_missing_token_counts(copy: Path) -> None:
    with sqlite3.connect(copy / STORE) as db:
        db.execute("DELETE FROM tokens WHERE document = 3")
    with Corpus(copy) as corpus, pytest.raises(FathomError, match="lengths for 47 of 48 documents"):
        corpus.token_counts(tokenizer())
