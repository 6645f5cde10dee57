"""The store: a log of changes, revisions, undo and redo, and what survives."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.annotate.layers import (
    AdjudicatorDecision,
    ClaimMark,
    EvidenceLink,
    EvidenceMark,
    LayerChange,
    claims_of,
    layer_of,
)
from fathom.annotate.project import FILE, Project, ProjectSettings, StaleRevisionError
from fathom.annotate.selection import DocumentFilter, Range, assign, mathematics_share, select
from fathom.api.annotating import create_project, import_into_project, project_summary
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import Claim, Evidence
from fathom.records.errors import FathomError
from fathom.records.files import write_records
from fathom.records.rng import rng_for
from fathom.records.spans import Span

TEXT = "The energy is halved. " * 20


def empty(folder: Path) -> Project:
    settings = ProjectSettings(corpus="..", corpus_fingerprint="f", documents=("d",))
    return Project.create(folder, settings)


def test_a_change_is_stored_and_a_stale_one_is_refused_with_what_changed(tmp_path: Path) -> None:
    with empty(tmp_path) as project:
        first = project.change("d", "ada", 0, {"c-1": ClaimMark(span=Span(0, 21))}, TEXT)
        assert first.revision == 1
        with pytest.raises(StaleRevisionError) as stale:
            project.change("d", "ada", 0, {"c-2": ClaimMark(span=Span(22, 43))}, TEXT)
        assert stale.value.saved.revision == 1
        assert stale.value.saved.values == {"c-1": ClaimMark(span=Span(0, 21))}
        assert list(project.layer("d", "ada").elements) == ["c-1"]
        # Another annotator has a layer, and revisions, of their own.
        assert project.change("d", "ben", 0, {"c-1": ClaimMark(span=Span(22, 43))}, TEXT).revision == 1


def test_spans_are_trimmed_and_invalid_changes_leave_no_trace(tmp_path: Path) -> None:
    with empty(tmp_path) as project:
        saved = project.change("d", "ada", 0, {"c-1": ClaimMark(span=Span(21, 45))}, TEXT)
        assert saved.values["c-1"] == ClaimMark(span=Span(22, 45))
        for values in (
            {"c-2": ClaimMark(span=Span(0, 10_000))},
            {"c-2": ClaimMark(span=Span(21, 22))},
            {"l-1": EvidenceLink(claim="c-1", evidence="e-9")},
            {"l-1": EvidenceLink(claim="c-1", evidence="c-1")},
        ):
            with pytest.raises(FathomError):
                project.change("d", "ada", 1, dict[str, object](values), TEXT)  # type: ignore[arg-type]
        assert project.layer("d", "ada").revision == 1
        assert len(list(project.log("d", "ada"))) == 1


def test_a_removed_mark_takes_its_links_along_and_undo_brings_all_back(tmp_path: Path) -> None:
    with empty(tmp_path) as project:
        values: LayerChange = {
            "c-1": ClaimMark(span=Span(0, 21)),
            "e-1": EvidenceMark(span=Span(22, 43)),
            "l-1": EvidenceLink(claim="c-1", evidence="e-1", polarity="contradicts"),
        }
        project.change("d", "ada", 0, values, TEXT)
        before = project.layer("d", "ada").elements
        removed = project.change("d", "ada", 1, {"e-1": None}, TEXT)
        assert removed.values == {"e-1": None, "l-1": None}
        assert list(project.layer("d", "ada").elements) == ["c-1"]
        assert project.undo("d", "ada", 2).can_redo
        assert project.layer("d", "ada").elements == before
        assert project.redo("d", "ada", 3).revision == 4
        assert list(project.layer("d", "ada").elements) == ["c-1"]


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["add", "change", "remove", "undo", "redo"]), max_size=25))
def test_undo_and_redo_follow_a_simple_model(actions: list[str]) -> None:
    states: list[dict[str, int]] = [{}]
    place = 0
    with tempfile.TemporaryDirectory() as folder, empty(Path(folder)) as project:
        for number, action in enumerate(actions):
            revision = project.layer("d", "ada").revision
            current = states[place]
            if action == "undo":
                project.undo("d", "ada", revision)
                place = max(0, place - 1)
                continue
            if action == "redo":
                project.redo("d", "ada", revision)
                place = min(len(states) - 1, place + 1)
                continue
            id = f"c-{number}" if action == "add" or not current else sorted(current)[0]
            after = dict(current)
            if action == "remove" and current:
                del after[id]
            else:
                after[id] = number + 1
            value = ClaimMark(span=Span(0, after[id])) if id in after else None
            project.change("d", "ada", revision, {id: value}, TEXT)
            states = [*states[: place + 1], after]
            place += 1
        found = project.layer("d", "ada")
        # A span that ends in a space is trimmed.
        assert {id: one.span.end for id, one in found.elements.items() if isinstance(one, ClaimMark)} == {
            id: len(TEXT[:end].rstrip()) for id, end in states[place].items()
        }
        assert (found.can_undo, found.can_redo) == (place > 0, place < len(states) - 1)
        assert [one["revision"] for one in project.log("d", "ada")] == list(range(1, found.revision + 1))


def test_two_processes_lose_no_update(tmp_path: Path) -> None:
    empty(tmp_path).close()
    script = """
import sys
from pathlib import Path
from fathom.annotate.layers import ClaimMark
from fathom.annotate.project import Project, StaleRevisionError
from fathom.records.spans import Span
with Project(Path(sys.argv[1])) as project:
    for number in range(40):
        while True:
            revision = project.layer("d", "ada").revision
            try:
                values = {f"c-{sys.argv[2]}-{number}": ClaimMark(span=Span(0, 3))}
                project.change("d", "ada", revision, values, "abc")
                break
            except StaleRevisionError:
                continue
"""
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in "xy"]
    assert [one.wait(120) for one in running] == [0, 0]
    with Project(tmp_path) as project:
        state = project.layer("d", "ada")
        assert state.revision == len(state.elements) == 80


def test_an_interrupt_ends_the_server_and_names_the_next_command(corpus: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "fathom", "annotate", corpus, "--project", tmp_path / "p", "--annotator", "ada"]
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if "Ctrl+C" in line:
                break
        server.send_signal(signal.SIGINT)
        rest = server.stdout.read()
        assert server.wait(30) == 0
    assert "next: fathom annotations export" in rest


def test_the_file_with_the_tokens_is_private(tmp_path: Path) -> None:
    empty(tmp_path).close()
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_layer_and_an_annotation_have_the_same_claims() -> None:
    shared = Evidence(span=Span(5, 9), type="primary", note="seen")
    claims = (
        Claim(span=Span(0, 4), evidence=(shared, Evidence(span=Span(10, 12), polarity="contradicts")), justified=False),
        Claim(span=Span(2, 4), evidence=(shared,), type="result", conclusion="x", note="unsure"),
        Claim(span=Span(2, 6), no_evidence_reason="none"),
    )
    layer = layer_of(claims)
    assert claims_of(layer) == claims
    assert sum(isinstance(one, EvidenceMark) for one in layer.values()) == 2


def test_a_dropped_claim_needs_a_reason(tmp_path: Path) -> None:
    sources = ({"annotator": "ada", "id": "c-1"},)
    with empty(tmp_path) as project, pytest.raises(FathomError, match="reason"):
        dropped = AdjudicatorDecision.model_validate({"sources": sources, "state": "dropped"})
        project.change("d", "adjudicated", 0, {"d-1": dropped}, TEXT)


# Selection and assignment.


def test_filters_select_documents_and_count_the_others(small: Corpus) -> None:
    years = [entry.year or 0 for entry in small.entries()]
    low = sorted(years)[len(years) // 2]
    found = select(small, DocumentFilter(year=Range(low, None)))
    assert len(found.documents) == sum(year >= low for year in years)
    assert found.excluded == {"another year": len(years) - len(found.documents)}
    short = select(small, DocumentFilter(pages=Range.parse("-10"), limit=3, seed=1))
    assert len(short.documents) == 3
    assert short == select(small, DocumentFilter(pages=Range.parse("-10"), limit=3, seed=1))
    assert all(len(small.text(id)) <= 30_000 for id in short.documents)


@pytest.mark.parametrize("text", ["", "x", "5-3", "-", "1-2-3"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(FathomError, match="range"):
        Range.parse(text)


def test_the_share_of_mathematics() -> None:
    assert mathematics_share("plain text") == 0
    assert mathematics_share("$a+b$ text") == pytest.approx(0.5)
    assert mathematics_share("a ∈ B") == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(10))
def test_doubled_documents_have_two_annotators_and_work_is_even(seed: int) -> None:
    documents = [f"d{number}" for number in range(31)]
    given = assign(documents, ["a", "b", "c"], 11, rng_for(seed, "x"))
    counts = [sum(id in mine for mine in given.values()) for id in documents]
    assert counts.count(2) == 11
    assert counts.count(1) == 20
    assert max(map(len, given.values())) - min(map(len, given.values())) <= 1
    with pytest.raises(FathomError, match="two annotators"):
        assign(documents, ["a"], 3, rng_for(seed, "x"))


def test_people_are_added_and_annotations_imported(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    create_project(corpus, folder, ["ada"])
    create_project(corpus, folder, ["ben"])
    assert project_summary(folder).annotators == {"ada": 2, "ben": 2}
    with Project(folder) as project:
        document = project.settings.documents[0]
    file = tmp_path / "claims.jsonl"
    write_records(file, [Annotation(document=document, annotator="zoe", claims=(Claim(span=Span(0, 5)),))])
    assert import_into_project(folder, file) == 1
    assert project_summary(folder).done == {"zoe": 1}
    with pytest.raises(FathomError, match="already"):
        import_into_project(folder, file)
    write_records(file, [Annotation(document=document, annotator="yan", claims=(Claim(span=Span(0, 99_999)),))])
    with pytest.raises(FathomError, match="not in document"):
        import_into_project(folder, file)
    divided = tmp_path / "divided"
    create_project(corpus, divided, ["ada", "ben"], double=1)
    with pytest.raises(FathomError, match="divided"):
        create_project(corpus, divided, ["cid"])
    for name in ("", "a/b", "x" * 81, "a\nb", "adjudicated"):
        with pytest.raises(FathomError):
            create_project(corpus, folder, [name])
