"""The commands: help, output as text and JSON, terminals."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.cli import demo
from fathom.cli.main import COMMANDS
from fathom.corpus.store import Corpus, CorpusWriter, pack
from fathom.records.spans import Span
from fathom.runs.folder import read_responses
from tests.conftest import Fathom


def test_help_loads_nothing_heavy() -> None:
    """Heavy imports would make `fathom --help` slow; `benchmarks/start.py` measures it."""
    script = (
        "import sys; from fathom.cli.main import main; main(['--help']);"
        "heavy = {'pydantic', 'zstandard', 'rich', 'fathom.corpus.store'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=60)


def test_a_family_that_is_not_asked_for_is_not_loaded() -> None:
    script = "import sys, fathom.cli.build; assert 'sqlglot' not in sys.modules and 'fathom.tasks' in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=60)


def test_every_command_has_help_with_an_example(fathom: Fathom) -> None:
    listing = fathom("--help").stdout
    for name, line in COMMANDS.items():
        assert name in listing
        assert line in listing
        done = fathom(name, "--help")
        assert done.returncode == 0
        assert f"fathom {name}" in done.stdout
        assert "Example" in done.stdout


def test_without_arguments_it_prints_help(fathom: Fathom) -> None:
    done = fathom()
    assert done.returncode == 2
    assert "Start here:" in done.stdout


def test_generate_contexts_and_show(tmp_path: Path, fathom: Fathom) -> None:
    corpus = tmp_path / "corpus"
    made = fathom("generate", "--out", corpus, "--documents", 30, "--seed", 2)
    assert "30 documents" in made.stdout
    gathered = fathom("contexts", corpus, "--lengths", "64K", "--count", 4)
    assert "4 contexts from 30 documents" in gathered.stdout
    assert fathom("contexts", corpus, "--lengths", "64K", "--count", 4).stdout == gathered.stdout
    first = json.loads((corpus / "contexts.jsonl").read_text().splitlines()[0])
    shown = fathom("show", corpus, first["id"]).stdout
    assert shown.startswith("===== Article 1\n# ")
    assert shown.endswith("===== End of articles\n")
    assert json.loads(fathom("show", corpus, first["id"], "--json").stdout) == first
    document = first["places"][0]["document"]
    assert shown.startswith("===== Article 1\n" + fathom("show", corpus, document).stdout)
    assert json.loads(fathom("show", corpus, document, "--json").stdout)["id"] == document
    overview = fathom("show", corpus).stdout
    assert "... and 10 more" in overview


def test_results_as_json(tmp_path: Path, fathom: Fathom) -> None:
    corpus = tmp_path / "corpus"
    manifest = json.loads(fathom("generate", "--out", corpus, "--documents", 20, "--json").stdout)
    assert manifest["documents"] == 20
    report = json.loads(fathom("contexts", corpus, "--lengths", "64K", "--count", 2, "--json").stdout)
    assert sum(count["sampled"] for count in report["counts"]) == 2
    assert json.loads(fathom("show", corpus, "--json").stdout) == manifest


def test_splits_without_contexts_are_named(small_folder: Path, tmp_path: Path, fathom: Fathom) -> None:
    words = (
        "contexts",
        small_folder,
        "--lengths",
        "64K",
        "--splits",
        "train=70,dev=10,test=20",
        "--sampling",
        "random",
    )
    two = fathom(*words, "--count", 2, "--out", tmp_path / "two.jsonl")
    assert two.returncode == 0, two.stderr
    line = "  dev, test: no contexts, since there are more splits than contexts of a length. Use --count 3 or more"
    assert line in two.stdout.splitlines()
    three = fathom(*words, "--count", 3, "--out", tmp_path / "three.jsonl")
    assert three.returncode == 0, three.stderr
    assert "no contexts" not in three.stdout


def test_the_demo_runs(tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    """One small part, with simulated models and then with the embedded model."""
    letters = demo.PARTS[-1]
    models = (*demo.SIMULATED[:2], demo.DemoRun("closed-book", "sim/random", "closed-book"))
    part = replace(letters, documents=20, lengths=("1500",), count=1, sampling=("random",), questions=3, runs=models)
    monkeypatch.setattr(demo, "PARTS", (part,))
    done = fathom("demo", "--out", tmp_path / "demo")
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.rindex("accuracy") :].splitlines()
    assert [line.split()[0] for line in table[1:4]] == ["letters-careful", "letters-hasty", "letters-closed-book"]
    assert (tmp_path / "demo" / "report.html").stat().st_size > 100_000
    responses = read_responses(tmp_path / "demo" / "runs" / "letters-hasty")
    assert len(responses) == 3
    # Without the context: the embedded model would take half a minute to read one.
    embedded = (demo.DemoRun("embedded", "local/smollm2", "closed-book"),)
    monkeypatch.setattr(demo, "PARTS", (part, replace(part, runs=embedded, max_tokens=8)))
    again = fathom("demo", "--out", tmp_path / "demo")
    assert again.returncode == 0, again.stderr
    assert "local/smollm2: A low score is expected" in again.stdout
    assert read_responses(tmp_path / "demo" / "runs" / "letters-hasty") == responses
    real = read_responses(tmp_path / "demo" / "runs" / "letters-embedded").values()
    assert [bool(one.text) for one in real] == [True] * 3


def test_the_demo_is_within_the_models_and_families() -> None:
    """Its benches have two families, at 32K to 128K tokens for simulated models, and the embedded model answers."""
    simulated = [part for part in demo.PARTS if all(one.model.startswith("sim/") for one in part.runs)]
    assert {part.family for part in simulated} == {"numeric", "tables"}
    assert {length for part in simulated for length in part.lengths} == {"32K", "64K", "128K"}
    assert {one.model for part in demo.PARTS if part not in simulated for one in part.runs} == {"local/smollm2"}


def test_a_terminal_without_unicode_is_not_an_error(mixed_folder: Path, fathom: Fathom) -> None:
    done = fathom("show", mixed_folder, PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "\\u" in done.stdout


def test_a_closed_pipe_is_not_an_error(small_folder: Path) -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m fathom show '{small_folder}' | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""


def test_a_terminal_shows_a_progress_bar(tmp_path: Path) -> None:
    """A real pseudo-terminal, so that the bar is drawn."""
    ours, theirs = pty.openpty()
    work = subprocess.Popen(
        [sys.executable, "-m", "fathom", "generate", "--out", tmp_path / "c", "--documents", "12", "--processes", "1"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    while piece := _read(ours):
        drawn += piece
    os.close(ours)
    assert work.wait() == 0
    assert b"Generating" in drawn
    assert b"12/12" in drawn


def test_a_document_cannot_control_the_terminal(small: Corpus, tmp_path: Path) -> None:
    document = next(small.documents())
    text = document.text.replace("# ", "# \x1b[2J\x1b]0;owned\x07", 1)
    bare: dict[str, object] = {"text": text, "title": Span(2, 30), "authors": (), "abstract": None}
    bare |= dict.fromkeys(("sections", "paragraphs", "sentences", "citations", "references"), ())
    bare |= dict.fromkeys(("tables", "facts", "claims"), ())
    with CorpusWriter(tmp_path / "c", {"test": 1}) as writer:
        writer.add(pack(document.model_copy(update=bare)))
        writer.finish()
    for words in (["show", str(tmp_path / "c")], ["show", str(tmp_path / "c"), document.id]):
        ours, theirs = pty.openpty()
        work = subprocess.Popen([sys.executable, "-m", "fathom", *words], stdout=theirs)
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
        os.close(ours)
        assert work.wait() == 0
        assert b"\x1b" not in shown
        assert b"\\x1b[2J" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux raises it when the other end of a terminal is closed.
        return b""


def test_a_suggested_option_ends_its_sentence_once(fathom: Fathom) -> None:
    done = fathom("audit", "bench", "--jsn")
    assert done.returncode == 2
    assert "'--json'? See `fathom" in done.stderr
