"""A recipe gives the same bytes: on one core or two, with any hash seed, and however often it was killed."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.store import STORE, UNFINISHED, Corpus
from fathom.records.errors import FathomError
from tests.conftest import Fathom
from tests.sharing import SharedFolders
from tests.signaling import run_until

DOCUMENTS = 24
"""Two of each domain."""


def content(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def wanted(build_once: SharedFolders) -> dict[str, bytes]:
    """The bytes that one process writes here."""
    recipe = Recipe(domains=parse_domains("articles,reports"), seed=11, documents=DOCUMENTS)
    return content(build_once("all-domains", lambda folder: generate(folder / "corpus", recipe)) / "corpus")


def test_gives_the_same_bytes_from_two_processes_with_another_hash_seed(
    wanted: dict[str, bytes], tmp_path: Path, fathom: Fathom
) -> None:
    words = ("--domains", "articles,reports", "--seed", 11, "--documents", DOCUMENTS, "--processes", 2)
    done = fathom("generate", "--out", tmp_path / "c", *words, PYTHONHASHSEED="4242")
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "c") == wanted


def test_gives_the_same_bytes_after_repeated_kills(wanted: dict[str, bytes], tmp_path: Path, fathom: Fathom) -> None:
    """Real processes, killed with no chance to clean up: before, at and after a save. The last one may finish."""
    recipe = ("--domains", "articles,reports", "--seed", 11, "--documents", DOCUMENTS)
    words = ("generate", "--out", tmp_path / "c", *recipe, "--processes", 1)
    for calls in (3, 8, 11):
        killed = run_until(
            "fathom.corpus.store:CorpusWriter.add",
            calls,
            *words,
            values={"fathom.corpus.generate:SAVE_INTERVAL": 4},
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    with closing(sqlite3.connect(tmp_path / "c" / UNFINISHED)) as unfinished:
        # None of the first 3, then 4 of 8, then 12 of the 15.
        assert unfinished.execute("SELECT count(*) FROM documents").fetchone() == (12,)
    done = fathom(*words)
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "c") == wanted


def test_recovers_from_a_kill_between_the_last_two_steps(
    wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest was written, the unfinished store not yet deleted."""
    recipe = Recipe(domains=parse_domains("articles,reports"), seed=11, documents=DOCUMENTS)
    monkeypatch.setattr(Path, "unlink", lambda path, missing_ok=False: None)
    generate(tmp_path / "c", recipe)
    monkeypatch.undo()
    assert sorted(content(tmp_path / "c")) == sorted([*wanted, UNFINISHED])
    generate(tmp_path / "c", recipe)
    assert content(tmp_path / "c") == wanted


def test_does_not_generate_a_finished_corpus_again(small_folder: Path) -> None:
    before = (small_folder / STORE).stat().st_mtime_ns
    manifest = generate(small_folder, Recipe(seed=3, documents=48))
    assert manifest.documents == 48
    assert (small_folder / STORE).stat().st_mtime_ns == before


def test_a_recipe_gives_the_recorded_fingerprint(tmp_path: Path) -> None:
    """On any machine and any Python. Whoever changes what the generator writes raises its version and this line."""
    recipe = Recipe(domains=parse_domains("articles,reports"), seed=2, documents=24)
    assert generate(tmp_path / "c", recipe).fingerprint[:16] == "a089b6e87813742f"


def test_letters_have_the_recorded_fingerprint(tmp_path: Path) -> None:
    manifest = generate(tmp_path / "c", Recipe(length="short", seed=2, documents=24))
    assert manifest.fingerprint[:16] == "3ffa37a1236a4fae"
    assert manifest.recipe["length"] == "short"


def test_letters_are_the_same_from_any_process(tmp_path: Path, fathom: Fathom) -> None:
    words = ("--length", "short", "--seed", 2, "--documents", 24, "--processes", 2)
    done = fathom("generate", "--out", tmp_path / "two", *words, PYTHONHASHSEED="4242")
    assert done.returncode == 0, done.stderr
    generate(tmp_path / "one", Recipe(length="short", seed=2, documents=24))
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_larger_corpus_of_letters_starts_with_the_smaller(tmp_path: Path) -> None:
    for documents in (20, 30):
        generate(tmp_path / str(documents), Recipe(length="short", seed=2, documents=documents))
    with Corpus(tmp_path / "20") as smaller, Corpus(tmp_path / "30") as larger:
        assert list(larger.documents())[:20] == list(smaller.documents())


def test_a_letter_and_an_article_never_share_an_id(small: Corpus, tmp_path: Path) -> None:
    generate(tmp_path / "c", Recipe(length="short", seed=3, documents=48))
    with Corpus(tmp_path / "c") as letters:
        assert not {entry.id for entry in letters.entries()} & {entry.id for entry in small.entries()}


def test_refuses_short_reports(tmp_path: Path, fathom: Fathom) -> None:
    with pytest.raises(FathomError, match=r"Only articles have a short form.*companies-zh.*Remove"):
        Recipe(domains=parse_domains("physics,companies-zh"), length="short", documents=2)
    done = fathom("generate", "--out", tmp_path / "c", "--length", "short", "--domains", "reports")
    assert done.returncode == 2
    assert done.stderr.startswith("fathom: Only articles have a short form")
    assert not (tmp_path / "c").exists()


def test_a_larger_corpus_starts_with_the_smaller(small: Corpus, tmp_path: Path) -> None:
    generate(tmp_path / "c", Recipe(seed=3, documents=12))
    with Corpus(tmp_path / "c") as smaller:
        assert [entry.id for entry in smaller.entries()] == [entry.id for entry in small.entries()][:12]
        assert next(smaller.documents()) == next(small.documents())


def test_tokens_set_the_size(tmp_path: Path) -> None:
    manifest = generate(tmp_path / "c", Recipe(seed=1, tokens=100_000, domains=("physics",)))
    with Corpus(tmp_path / "c") as corpus:
        last = corpus.document([listed.id for listed in corpus.entries()][-1])
    assert manifest.tokens >= 100_000
    assert manifest.tokens - len(last.text) / 2 < 100_000
    assert manifest.subjects == {"physics": manifest.documents}


def test_domains_alternate(mixed_folder: Path) -> None:
    with Corpus(mixed_folder) as corpus:
        assert set(corpus.manifest.subjects.values()) == {2}
        assert len(corpus.manifest.subjects) == len(parse_domains("articles,reports")) == 12
        assert corpus.manifest.kinds == {"article": 16, "report": 8}
        assert corpus.manifest.languages == {"en": 22, "zh": 2}


def test_parses_domains_with_spaces_and_hyphens() -> None:
    assert parse_domains("articles") == SUBJECTS
    assert parse_domains("computer-science, physics,physics") == ("computer science", "physics")
    assert parse_domains("companies-zh") == ("companies-zh",)
    for wrong in ("", ",", "astrology"):
        with pytest.raises(FathomError, match=r"(no domain|empty)"):
            parse_domains(wrong)
