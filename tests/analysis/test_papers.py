"""Every command in docs/tables-of-the-papers.md runs on small benches."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

import fathom
from fathom.contexts.files import FILE_NAME, write_contexts
from fathom.contexts.sampling import SamplingSettings
from fathom.corpus.store import Corpus
from fathom.records.documents import Passage
from fathom.records.files import read_records, write_records
from fathom.records.questions import Response, Step
from fathom.records.spans import Span
from fathom.runs.folder import RESPONSES, VERDICTS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.catalog import family_names
from tests.commands import run_command
from tests.report.sample import Player, play
from tests.sharing import SharedFolders
from tests.tasks.citations.conftest import cited_once
from tests.tasks.tables.conftest import make_reports
from tests.transcripts import ROOT

PAGE = (ROOT / "docs" / "tables-of-the-papers.md").read_text()
COMMANDS = list(dict.fromkeys(re.findall(r"`(fathom (?:table|analyze) runs/[^`]*)`", PAGE)))


def family_of(command: str) -> str:
    return command.split("runs/")[1].split(maxsplit=1)[0]


@pytest.fixture(scope="module")
def workspace(small_folder: Path, citing_corpus: Path, claims_bench: Path, build_once: SharedFolders) -> Path:
    """A folder with runs on benches of six families; never write to it."""
    tables = build_once("housing reports", make_reports) / "bench"
    citations = cited_once(citing_corpus, build_once).folder

    def make(folder: Path) -> None:
        good, poor = (
            Player("a", "sim/reader?miss=0.05", "full", "base", 1.0),
            Player("b", "sim/random", "full", "trained"),
        )
        numeric = folder / "numeric"
        with Corpus(small_folder) as corpus:
            write_contexts(corpus, SamplingSettings(lengths=(65_536, 131_072), count=2), folder / FILE_NAME)
        settings = {"questions": 8, "hold_out": ["skill=sorting"]}
        build(BuildInputs(small_folder, folder / FILE_NAME, {"numeric": settings}, 1), numeric)
        build(
            BuildInputs(small_folder, folder / "none.jsonl", {"memorization": {"items": 12}}, 0),
            folder / "memorization",
        )
        for system in ("full", "three-pass"):
            out = folder / "runs" / "claims" / system
            fathom.run(claims_bench, model="sim/reader?miss=0.3", system=system, out=out).score()
        build(BuildInputs(small_folder, folder / "none.jsonl", {"puzzles": {"items": 4}}, 0), folder / "puzzles")
        prompts: tuple[Literal["direct", "cot"], ...] = ("direct", "cot")
        for prompting in prompts:
            out = folder / "runs" / "puzzles" / prompting
            fathom.run(folder / "puzzles", model="sim/reader", prompting=prompting, samples=3, out=out).score()
        benches = {name: folder / name for name in ("numeric", "memorization")}
        benches |= {"tables": tables, "citations": citations}
        for name, bench in benches.items():
            for player in (good, poor):
                play(bench, folder / "runs" / name / player.name, player)
        play(numeric, folder / "runs" / "numeric" / "c", replace(good, system="tables"))
        _retrieving(play(tables, folder / "runs" / "tables" / "rag", replace(good, system="rag")))

    return build_once("papers", make)


def _retrieving(run: Path) -> None:
    """Give every response a trace with one retrieved passage."""
    step = Step(kind="retrieval", passages=(Passage(document="d-1", span=Span(0, 1)),))
    responses = [record.model_copy(update={"trace": (step,)}) for record in read_records(run / RESPONSES, Response)]
    write_records(run / RESPONSES, responses)
    (run / VERDICTS).unlink()


def test_every_paper_and_every_published_item_is_listed() -> None:
    titles = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert titles == ["SciTrek", "SCALAR", "CorpusQA", "CLAIM-BENCH", "DocPuzzle"]
    assert len(COMMANDS) > 40
    assert {family_of(command) for command in COMMANDS} <= {*family_names()}
    numbers = {"SciTrek": (20, 7), "SCALAR": (7, 7), "CorpusQA": (5, 4), "CLAIM-BENCH": (1, 7), "DocPuzzle": (1, 1)}
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        tables, figures = numbers[section.split("\n")[0]]
        assert _named(section, "Table") >= set(range(1, tables + 1)), section[:12]
        assert _named(section, "Figure") >= set(range(1, figures + 1)), section[:12]


def _named(section: str, noun: str) -> set[int]:
    """The numbers after "Table" or "Figures", such as "Tables 11 to 13" and "Table 1 (examples), 2 (...), 3"."""
    found: set[int] = set()
    for cell in re.findall(r"^\| (.*?) \|", section, re.MULTILINE):
        for part in re.findall(rf"{noun}s?((?:(?!Table|Figure).)*)", re.sub(r"\([^)]*\)", "", cell)):
            head = part.split(":")[0]
            for first, last in re.findall(r"(\d+) to (\d+)", head):
                found |= set(range(int(first), int(last) + 1))
            found |= {int(number) for number in re.findall(r"\d+", head)}
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    done = run_command(*shlex.split(command)[1:])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
