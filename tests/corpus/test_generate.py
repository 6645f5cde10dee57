"""A recipe gives the same bytes: on one core or two, with any hash seed, and however often it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fathom.corpus.generate import Recipe, generate, parse_domains
from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.manifest import FILE_NAME as MANIFEST
from fathom.corpus.store import STORE, UNFINISHED, Corpus
from fathom.records.errors import FathomError
from tests.conftest import Fathom
from tests.sharing import SharedFolders

DOCUMENTS = 24
"""Two of each domain."""


def content(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def wanted(build_once: SharedFolders) -> dict[str, bytes]:
    """The bytes that one process writes here."""
    recipe = Recipe(domains=parse_domains("articles,reports"), seed=11, documents=DOCUMENTS)
    return content(build_once("all-domains", lambda folder: generate(folder / "corpus", recipe)) / "corpus")


@pytest.mark.parametrize(("processes", "hash_seed"), [(1, "0"), (2, "4242")])
def test_gives_the_same_bytes_from_any_number_of_processes(
    processes: int, hash_seed: str, wanted: dict[str, bytes], tmp_path: Path, fathom: Fathom
) -> None:
    words = ("--domains", "articles,reports", "--seed", 11, "--documents", DOCUMENTS, "--processes", processes)
    done = fathom("generate", "--out", tmp_path / "c", *words, PYTHONHASHSEED=hash_seed)
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "c") == wanted


def test_gives_the_same_bytes_after_repeated_kills(wanted: dict[str, bytes], tmp_path: Path) -> None:
    """Real processes, killed with no chance to clean up; the last one is let finish."""
    folder = tmp_path / "c"
    words = ["generate", "--out", folder, "--domains", "articles,reports", "--seed", "11", "--documents", DOCUMENTS]
    kills = 0
    for patience in (0.5, 0.7, 0.9, 1.1, 1.3, 60):
        work = subprocess.Popen(
            [sys.executable, "-m", "fathom", *map(str, words), "--processes", "1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + patience
        while work.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if work.poll() is None:
            os.kill(work.pid, signal.SIGKILL)
            kills += 1
        _, errors = work.communicate()
        if work.returncode == 0:
            break
        assert work.returncode == -signal.SIGKILL, errors
        if (folder / MANIFEST).exists() and not (folder / UNFINISHED).exists():
            assert content(folder) == wanted, "killed after the work was done"
    assert kills
    assert content(folder) == wanted


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
    for processes, hash_seed in ((1, "0"), (2, "4242")):
        words = ("--length", "short", "--seed", 2, "--documents", 40, "--processes", processes)
        done = fathom("generate", "--out", tmp_path / hash_seed, *words, PYTHONHASHSEED=hash_seed)
        assert done.returncode == 0, done.stderr
    assert content(tmp_path / "0") == content(tmp_path / "4242")


def test_a_larger_corpus_of_letters_starts_with_the_smaller(tmp_path: Path) -> None:
    for documents in (20, 30):
        generate(tmp_path / str(documents), Recipe(length="short", seed=2, documents=documents))
    with Corpus(tmp_path / "20") as smaller, Corpus(tmp_path / "30") as larger:
        assert list(larger.documents())[:20] == list(smaller.documents())


def test_a_letter_and_an_article_never_share_an_id(small: Corpus, tmp_path: Path) -> None:
    generate(tmp_path / "c", Recipe(length="short", seed=3, documents=48))
    with Corpus(tmp_path / "c") as letters:
        assert not {one.id for one in letters.entries()} & {one.id for one in small.entries()}


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
