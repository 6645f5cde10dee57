"""Bad input: one sentence with the thing, the fault and the next step; exit code 2; no traceback; nothing lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fathom.corpus.manifest import FILE_NAME as MANIFEST
from fathom.corpus.store import STORE, UNFINISHED, Corpus
from tests.conftest import Fathom
from tests.signaling import run_until


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Check that the exit code is 2 and that the message is one line with all of `words`."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("fathom: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.fixture
def copy(small_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(small_folder, tmp_path / "copy")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("generate",), ("--out", "fathom generate --help")),
        (("generate", "--out", "x", "--seed", "seven"), ("--seed", "'seven'", "integer", "--help")),
        (("generate", "--out", "x", "--seed", "1.5"), ("--seed", "'1.5'", "integer")),
        (("generate", "--out", "x", "--tokens", "12Q"), ("'12Q' is not a length", "64K")),
        (("generate", "--out", "x", "--tokens", "0"), ("'0' is out of range", "64K")),
        (("generate", "--out", "x", "--documents", "0"), ("--documents", "range")),
        (
            ("generate", "--out", "x", "--documents", "5", "--tokens", "5K"),
            ("--documents and --tokens", "Give one of them"),
        ),
        (("generate", "--out", "x", "--domains", "astrology"), ("no domain 'astrology'", "physics")),
        (("generate", "--out", "x", "--processes", "0"), ("--processes", "range")),
        (("contexts",), ("CORPUS", "--help")),
        (("contexts", "nowhere"), ("no corpus 'nowhere'", "fathom generate")),
        (("contexts", "nowhere", "--lengths", "0"), ("'0' is out of range",)),
        (("contexts", "nowhere", "--lengths", "64K,12Q"), ("'12Q' is not a length",)),
        (("contexts", "nowhere", "--lengths", "64K,64K"), ("--lengths", "twice")),
        (("contexts", "nowhere", "--lengths", ""), ("--lengths is empty",)),
        (("contexts", "nowhere", "--sampling", ","), ("--sampling is empty",)),
        (("contexts", "nowhere", "--sampling", "sideways"), ("--sampling", "'sideways'", "bfs")),
        (("contexts", "nowhere", "--kinds", "novel"), ("--kinds", "'novel'", "report")),
        (("build", "numeric", "nowhere", "--out", "b", "--unanswerable", "nan"), ("unanswerable",)),
        (("show", "nowhere"), ("no corpus 'nowhere'", "fathom generate")),
        (("conjure",), ("There is no command 'conjure'", "fathom --help")),
        (("--verbose",), ("--verbose", "fathom --help")),
    ],
)
def test_invalid_arguments_are_reported_in_one_sentence(
    words: tuple[str, ...], said: tuple[str, ...], fathom: Fathom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(fathom(*words), *said)
    assert list(tmp_path.iterdir()) == []


def test_a_newer_corpus(copy: Path, fathom: Fathom) -> None:
    manifest = json.loads((copy / MANIFEST).read_text())
    (copy / MANIFEST).write_text(json.dumps({**manifest, "format": 99}))
    refused(fathom("contexts", copy), "newer version of Fathom", "Update Fathom")
    refused(fathom("show", copy), "newer version of Fathom")


def test_a_half_written_manifest(copy: Path, fathom: Fathom) -> None:
    (copy / MANIFEST).write_bytes((copy / MANIFEST).read_bytes()[:100])
    refused(fathom("show", copy), str(copy / MANIFEST), "not JSON", "Restore a copy")


def test_a_half_written_store(copy: Path, fathom: Fathom) -> None:
    (copy / STORE).write_bytes((copy / STORE).read_bytes()[:300_000])
    refused(fathom("contexts", copy, "--lengths", "64K"), str(copy / STORE))
    assert not (copy / "contexts.jsonl").exists()


def test_half_written_contexts(copy: Path, fathom: Fathom) -> None:
    words = ("contexts", copy, "--lengths", "64K", "--count", "3")
    assert fathom(*words).returncode == 0
    whole = (copy / "contexts.jsonl").read_bytes()
    (copy / "contexts.jsonl").write_bytes(whole[:-20])
    refused(fathom(*words), "does not match its report", "again")
    refused(fathom("show", copy, "c-0"), "does not match its report")
    assert fathom(*words, "--replace").returncode == 0
    assert (copy / "contexts.jsonl").read_bytes() == whole


def test_an_unknown_id(copy: Path, fathom: Fathom) -> None:
    refused(fathom("show", copy, "gen-0"), "no document 'gen-0'")
    refused(fathom("show", copy, "c-0"), "does not exist", f"fathom contexts {copy}")


def test_no_permission(copy: Path, fathom: Fathom) -> None:
    """Even root cannot write files to /sys."""
    refused(
        fathom("generate", "--out", "/sys/corpus", "--documents", "2"), "/sys/corpus", "permission", "Choose another"
    )
    refused(fathom("contexts", copy, "--lengths", "64K", "--out", "/sys/c.jsonl"), "/sys/c", "permission")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_in_an_own_folder(tmp_path: Path, fathom: Fathom) -> None:
    tmp_path.chmod(0o500)
    refused(fathom("generate", "--out", tmp_path / "c", "--documents", "2"), "permission")
    tmp_path.chmod(0o700)


def test_a_missing_folder(copy: Path, fathom: Fathom, tmp_path: Path) -> None:
    refused(fathom("contexts", copy, "--out", tmp_path / "no" / "c.jsonl"), "no/c.jsonl", "does not exist")


def test_an_unknown_subject(copy: Path, fathom: Fathom) -> None:
    refused(fathom("contexts", copy, "--subjects", "alchemy"), "no subject 'alchemy'", "computer-science")


def test_the_output_folder_is_a_file(tmp_path: Path, fathom: Fathom) -> None:
    (tmp_path / "notes").write_text("mine")
    refused(fathom("generate", "--out", tmp_path / "notes"), "it is a file", "Give a folder")
    refused(fathom("generate", "--out", tmp_path / "notes" / "c"), "a file, not a folder")
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_full_disk_loses_nothing_and_the_command_resumes(tmp_path: Path, fathom: Fathom) -> None:
    """A resource limit keeps files below a megabyte until it is lifted."""
    folder = tmp_path / "c"
    words = [sys.executable, "-m", "fathom", "generate", "--out", str(folder), "--documents", "80", "--processes", "1"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit)
    refused(done, str(folder / UNFINISHED), "again")
    saved = (folder / UNFINISHED).stat().st_size
    assert saved > 0
    assert fathom(*words[3:]).returncode == 0
    with Corpus(folder) as corpus:
        assert len(corpus) == 80


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A file system of one megabyte in a separate namespace, if the system allows that."""
    probe = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("this system lends no mount namespace, so no disk can be made to fill up")
    return tmp_path


def test_a_really_full_disk(small_disk: Path) -> None:
    """Everything happens inside one namespace, whose one-megabyte disk ends with it."""
    python = f"'{sys.executable}' -m fathom"
    script = f"""
        mount -t tmpfs -o size=1m tmpfs '{small_disk}' || exit 9
        {python} generate --out '{small_disk}/c' --documents 100 --processes 1; first=$?
        test -s '{small_disk}/c/{UNFINISHED}' || exit 8
        exit $first
    """
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    refused(done, "the disk is full", "Free some space")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_says_how_to_resume(tmp_path: Path, number: signal.Signals) -> None:
    """Job schedulers send SIGTERM, and a terminal that is closed SIGHUP."""
    words = ["generate", "--out", tmp_path / "c", "--documents", "400", "--processes", "2"]
    stopped = run_until("fathom.corpus.store:CorpusWriter.add", 3, *words, number=number)
    assert stopped.returncode == 130
    assert "fathom: interrupted. Run the same command again to resume.\n" in stopped.stderr
    assert "Traceback" not in stopped.stderr
