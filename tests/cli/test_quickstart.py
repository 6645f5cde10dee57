"""`fathom quickstart`: from documents to a first audited bench."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom as package
from fathom.api.benches import preparation_of
from fathom.api.contexts import LENGTHS, MAX_LENGTH, choose_lengths
from fathom.api.prices import price_range
from fathom.api.quickstart import MIN_QUESTIONS, QUESTIONS, _choose_known, choose
from fathom.cli.contexts import _shortfalls
from fathom.contexts.sampling import SamplingCount, SamplingReport, SamplingSettings
from fathom.corpus.store import Corpus
from tests.conftest import Fathom


@pytest.fixture(scope="module")
def documents(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Markdown files, and one that is no document."""
    folder = tmp_path_factory.mktemp("documents")
    with Corpus(small_folder) as corpus:
        for number, document in enumerate(corpus.documents()):
            if number < 8:
                (folder / f"{number}.md").write_text(document.text)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    return folder


def test_documents_become_an_audited_bench(documents: Path, tmp_path: Path, fathom: Fathom) -> None:
    done = fathom("quickstart", documents, "--out", tmp_path / "first")
    assert done.returncode == 0, done.stderr
    assert "audit passed" in done.stdout
    assert done.stdout.count("\nkey (") == 3
    assert "estimated price of" in done.stdout
    assert "will give wide intervals" in done.stdout
    again = f"next: fathom quickstart {documents} --out {tmp_path / 'first'} --model "
    assert done.stdout.splitlines()[-1].startswith(again)
    commands = [line[2:] for line in done.stdout.splitlines() if line.startswith("$ fathom")]
    assert [command.split()[1] for command in commands] == ["ingest", "contexts", "build", "audit", "show"]
    # The recipe that it writes gives the same bench.
    rebuilt = fathom("build", "--recipe", tmp_path / "first" / "recipe.toml")
    assert "already built from the same inputs" in rebuilt.stderr
    assert "was built with --seed 0" in fathom("quickstart", documents, "--out", tmp_path / "first", "--seed", 1).stderr
    resumed = fathom("quickstart", documents, "--out", tmp_path / "first", "--model", "sim/oracle")
    assert resumed.returncode == 0, resumed.stderr
    assert "has been read before" in resumed.stdout
    assert "has been audited before" in resumed.stdout
    assert "\nkey (" not in resumed.stdout
    assert (tmp_path / "first" / "report.html").exists()
    assert [run.name for run in (tmp_path / "first" / "runs").iterdir()] == ["sim-oracle"]
    # Responses that are missing do not prevent a report.
    (tmp_path / "first" / "report.html").unlink()
    failing = fathom("quickstart", documents, "--out", tmp_path / "first", "--model", "sim/reader?timeout=0.6")
    assert failing.returncode == 1
    assert "responses are missing: run the same command again" in failing.stdout
    assert (tmp_path / "first" / "report.html").exists()


def test_in_python(documents: Path, tmp_path: Path) -> None:
    bench, run = package.quickstart(documents, tmp_path / "first", model="sim/oracle")
    assert run is not None
    assert len(run.responses()) == len(bench)


def test_a_mistyped_path_and_too_few_documents(documents: Path, tmp_path: Path, fathom: Fathom) -> None:
    mistyped = fathom("quickstart", tmp_path / "nowhere", "--out", tmp_path / "first")
    assert mistyped.returncode == 2
    assert "does not exist" in mistyped.stderr
    # The corrected command can write to the same folder.
    one = fathom("quickstart", documents / "0.md", "--out", tmp_path / "first")
    assert one.returncode == 2
    assert "has only 1" in one.stderr
    others = fathom("quickstart", documents / "1.md", "--out", tmp_path / "first")
    assert "already contains a corpus" in others.stderr
    corpus = fathom("quickstart", tmp_path / "first" / "corpus", "--out", tmp_path / "second")
    assert "is a corpus: its documents have been read" in corpus.stderr
    among = fathom("quickstart", documents, "--out", documents)
    assert "is the folder of the documents" in among.stderr


def test_a_missing_key_is_an_error_before_the_documents_are_read(
    documents: Path, tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = fathom("quickstart", documents, "--out", tmp_path / "first", "--model", "openai/gpt-4.1")
    assert done.returncode == 2
    assert "needs an API key. Set it first: export OPENAI_API_KEY=..." in done.stderr
    assert not (tmp_path / "first").exists()
    monkeypatch.setenv("MINE_API_KEY", "none")
    server = ("--model", "openai-api/mine/m", "--url", "http://127.0.0.1:9/v1", "--window", "128K")
    done = fathom("quickstart", documents, "--out", tmp_path / "first", *server)
    assert done.returncode == 2
    assert "No server responds at '127.0.0.1:9'" in done.stderr
    assert not (tmp_path / "first").exists()


@pytest.mark.parametrize(
    ("documents", "known"),
    [
        (["title authors references"] * 6, ("title", "authors", "references")),
        (["title authors references"] * 4 + ["title"] * 4, ("title", "authors", "references")),
        (["title authors references"] * 3 + ["title references"] * 3, ("title", "references")),
        (["title"] * 5 + ["authors"] * 4, ("title",)),
        (["title authors references"] * 3, ()),
        ([""] * 9, ()),
    ],
)
def test_documents_with_unknown_fields_are_left_out_if_most_know_them(
    documents: list[str], known: tuple[str, ...]
) -> None:
    assert _choose_known([one.split() for one in documents], ["numeric"]) == known


def test_documents_without_anything_to_ask_about(tmp_path: Path, fathom: Fathom) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.bin").write_bytes(bytes(range(256)))
    done = fathom("quickstart", tmp_path / "notes", "--out", tmp_path / "first")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_tables_without_recurring_figures_are_nothing_to_ask_about(tmp_path: Path, fathom: Fathom) -> None:
    """A pack that cannot be drafted is no way out: manuals have tables, too."""
    (tmp_path / "manuals").mkdir()
    for number, tool in enumerate(("grep", "sort", "join", "comm", "tail", "head")):
        rows = "\n".join(f"| --{tool}-{letter} | sets {letter} of {tool} |" for letter in "abc")
        page = f"# {tool}\n\n{tool} reads lines.\n\n| Option | Meaning |\n| --- | --- |\n{rows}\n"
        (tmp_path / "manuals" / f"{number}.md").write_text(page)
    done = fathom("quickstart", tmp_path / "manuals", "--out", tmp_path / "first")
    assert done.returncode == 2
    assert done.stderr.startswith("fathom: No family can ask about the 6 documents")


def test_few_contexts_get_more_questions_each(documents: Path, small_folder: Path, tmp_path: Path) -> None:
    with package.ingest([documents / f"{number}.md" for number in range(4)], tmp_path / "corpus") as few:
        chosen = choose(few)
    assert (chosen.contexts.count, len(chosen.contexts.lengths)) == (1, 1)
    assert chosen.families["numeric"] == {"questions": MIN_QUESTIONS}
    with package.open_corpus(small_folder) as many:
        chosen = choose(many)
    assert chosen.contexts.count * len(chosen.contexts.lengths) * QUESTIONS >= MIN_QUESTIONS
    assert chosen.families["numeric"] == {"questions": QUESTIONS}


@pytest.mark.parametrize("documents", [1, 3, 5, 16, 30, 250, 10_000])
@pytest.mark.parametrize("tokens", [200, 3_000, 31_000, 40_000, 90_000])
def test_lengths_suit_the_documents(documents: int, tokens: int) -> None:
    chosen = choose_lengths([tokens] * documents)
    total = documents * tokens
    assert 1 <= len(chosen.lengths) <= 2
    assert 1 <= chosen.count <= 6
    assert 1 <= chosen.min_documents <= 4
    if chosen.lengths[0] in LENGTHS:
        assert chosen.lengths[0] >= 4 * tokens
        assert chosen.lengths[-1] <= total
        assert len(chosen.lengths) == 1 or chosen.lengths[-1] <= total / 2
        assert chosen.count >= 2
    else:
        assert documents < 10
        assert chosen.lengths[0] >= min(total, MAX_LENGTH)


def test_few_documents_of_unlike_sizes_fill_a_context() -> None:
    """Four of them exceed a round length that the sum of all would fill."""
    sizes = [9_000, 11_000, 13_000, 35_000]
    chosen = choose_lengths(sizes)
    assert (chosen.count, chosen.min_documents) == (1, 4)
    assert chosen.lengths[0] >= sum(sizes)


def test_long_contexts_leave_room_for_the_response() -> None:
    """A bench of long contexts fits models with a window of 128K."""
    assert choose_lengths([4_000] * 500).lengths == (65_536, 112 * 1_024)
    assert all(length * 8 <= window * 7 for length, window in zip(LENGTHS[-3:], (2**17, 2**18, 2**19), strict=True))


def test_versions_of_one_work_are_one_document(tmp_path: Path, fathom: Fathom) -> None:
    (tmp_path / "versions").mkdir()
    head = "---\ntitle: Thick ice of northern rivers\nauthor:\n  - Anna Lind\n  - Bo Wu\n---\n\n"
    for number in range(4):
        (tmp_path / "versions" / f"{number}.md").write_text(head + f"The ice of {1990 + number} was thick. " * 40)
    done = fathom("quickstart", tmp_path / "versions", "--out", tmp_path / "first")
    assert done.returncode == 2
    assert "has only 1" in done.stderr
    assert "that are not versions of one another" in done.stderr


def test_a_family_that_needs_a_pack_says_so(tmp_path: Path, mixed_folder: Path) -> None:
    """Reports of companies have a pack; tables about bridges need one of their own."""
    (tmp_path / "bridges").mkdir()
    for number in range(6):
        rows = f"| Main span | {900 + number} m |\n| Towers | {2 + number % 3} |\n| Lanes | {4 + number % 2} |"
        text = f"# Bridge {number}\n\nA bridge.\n\n| Property | Value |\n| --- | --- |\n{rows}\n"
        (tmp_path / "bridges" / f"{number}.md").write_text(text)
    with package.ingest(tmp_path / "bridges", tmp_path / "corpus") as bridges:
        needed = preparation_of("tables", bridges)
    assert needed is not None
    assert needed.command.startswith("fathom pack draft CORPUS --out ")
    with Corpus(mixed_folder) as reports:
        assert preparation_of("tables", reports) is None
        assert preparation_of("numeric", reports) is None


def test_the_price_comes_close_to_the_plan(tiny_bench: Path) -> None:
    bench = package.open_bench(tiny_bench)
    found = price_range(bench)
    lengths = {context.id: context.tokens for context in bench.contexts()}
    assert found.tokens == sum(lengths[question.context_id] for question in bench.all_questions())
    assert [price for price, _ in found.prices] == sorted(price for price, _ in found.prices)
    planned = package.plan(bench, model="openai/gpt-4.1").price
    price = next(price for price, name in found.prices if name == "openai/gpt-4.1")
    assert planned is not None
    assert planned / 2 < price < planned * 2


def test_samplings_that_no_document_allows_take_one_line() -> None:
    settings = SamplingSettings(lengths=(1_024, 2_048), count=2, sampling=("random", "bfs"))
    counts = [
        count
        for length in settings.lengths
        for count in (
            SamplingCount(length=length, sampling="random", requested=1, sampled=2),
            SamplingCount(length=length, sampling="bfs", requested=1, sampled=0, reason="no links"),
        )
    ]
    report = SamplingReport(
        settings=settings, corpus="x", candidates=9, left_out={}, counts=tuple(counts), fingerprint="x"
    )
    assert list(_shortfalls(report)) == ["  bfs: too few documents cite one another; sampled random instead"]
