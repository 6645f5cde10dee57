"""Two layers become one, and a bench is built from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from fathom.annotate.adjudication import Adjudicator
from fathom.annotate.layers import (
    ADJUDICATED,
    AdjudicatorDecision,
    ClaimMark,
    EvidenceLink,
    EvidenceMark,
    Layer,
    claims_of,
    layer_of,
)
from fathom.annotate.project import Project
from fathom.api.annotating import create_project, export_annotations
from fathom.corpus.store import Corpus
from fathom.records.spans import Span
from tests.annotate.conftest import Opening, problems, serving_project
from tests.conftest import Fathom

SENTENCES = [Span(start, start + 9) for start in range(0, 100, 10)]
TEXT = "Sentence. " * 10


def layer(*claims: tuple[int, tuple[int, ...]], kind: str | None = None) -> Layer:
    """A layer of claims by the number of their sentence, with evidence."""
    found: Layer = {}
    for claim, evidence in claims:
        found[f"c-{claim}"] = ClaimMark.model_validate({"span": SENTENCES[claim], "type": kind})
        for one in evidence:
            found[f"e-{one}"] = EvidenceMark(span=SENTENCES[one])
            found[f"l-{claim}-{one}"] = EvidenceLink(claim=f"c-{claim}", evidence=f"e-{one}")
    return found


def decided(adjudicator: Adjudicator, current: Layer, number: int, state: str, base: str = "") -> Layer:
    group = adjudicator.groups[number]
    decision = AdjudicatorDecision.model_validate(
        {"sources": group.sources, "state": state, "reason": "unclear", "by": "eve"}
    )
    values = adjudicator.decide(current, group, decision, base, None)
    after = {**current, **values}
    return {id: one for id, one in after.items() if one is not None}


def test_claims_that_match_are_one_group_and_merge() -> None:
    layers = {"ada": layer((0, (3, 4)), (1, ()), kind="result"), "ben": layer((0, (4, 5)), (2, (3,)))}
    adjudicator = Adjudicator("d", layers, SENTENCES)
    names = [[version.annotator for version in group.versions] for group in adjudicator.groups]
    assert names == [["ada", "ben"], ["ada"], ["ben"]]
    current = decided(adjudicator, {}, 0, "merged", "ben")
    [claim] = claims_of(current)
    assert claim.type == "result"
    assert [one.span for one in claim.evidence] == [SENTENCES[3], SENTENCES[4], SENTENCES[5]]
    # Evidence of two claims is one mark, and stays for the other claim if a decision changes.
    current = decided(adjudicator, current, 2, "accepted")
    assert sum(isinstance(one, EvidenceMark) for one in current.values()) == 3
    current = decided(adjudicator, current, 0, "accepted", "ada")
    assert [len(one.evidence) for one in claims_of(current)] == [2, 1]
    current = decided(adjudicator, current, 0, "dropped")
    [claim] = claims_of(current)
    assert claim.span == SENTENCES[2]
    assert [one.span for one in claim.evidence] == [SENTENCES[3]]
    assert sum(isinstance(one, EvidenceMark) for one in current.values()) == 1


@pytest.fixture
def annotated(small_folder: Path, tmp_path: Path) -> Path:
    """A project over generated articles that two annotators marked from the planted claims; ben leaves some out."""
    folder = tmp_path / "project"
    create_project(small_folder, folder, ["ada", "ben"], adjudicators=["eve"])
    with Project(folder) as project, Corpus(small_folder) as corpus:
        for id in project.settings.documents[:2]:
            document = corpus.document(id)
            # Three claims are enough for every decision, and each decision loads the page again.
            for name, claims in (("ada", document.claims[:3]), ("ben", document.claims[1:3])):
                project.change(id, name, 0, dict(layer_of(claims)), document.text)
                project.set_done(id, name, 1, True)
    return folder


def test_a_bench_is_built_from_adjudicated_layers(
    annotated: Path, small_folder: Path, tmp_path: Path, opening: Opening, fathom: Fathom
) -> None:
    with serving_project(annotated, small_folder) as served:
        page = opening(served.link("eve"), color_scheme="dark")
        assert "ada, ben" in page.inner_text("table")
        assert problems(page) == []
        for number in range(2):
            page.goto(f"http://127.0.0.1:{served.port}/")
            page.locator("table.documents a").nth(number).click()
            page.wait_for_selector("html[data-ready]")
            count = page.locator("section.group").count()
            page.click("#done")
            expect(page.locator("#saved")).to_contain_text("no final decision")
            for claim in range(count):
                section = page.locator("section.group").nth(claim)
                both = section.locator("button[data-state=merged]").count() > 0
                if claim == 0:
                    section.locator("button[data-state=dropped]").click()  # refused: it needs a reason
                    section.locator("input[name=words]").fill("only one of two saw it <b>")
                    section.locator("button[data-state=dropped]").click()
                elif claim == 1:
                    section.locator("input[name=words]").fill("is this evidence?")
                    section.locator("button[data-state=discuss]").click()
                    expect(page.locator("section.group").nth(claim).locator(".comments")).to_contain_text("is this")
                    page.locator("section.group").nth(claim).locator("button[data-state=merged]").first.click()
                else:
                    section.locator(f"button[data-state={'merged' if both else 'accepted'}]").first.click()
                expect(page.locator("#saved")).to_contain_text(f"{count - claim - 1} of {count} claims open")
            if number == 0:
                page.wait_for_selector("html[data-ready]")
                assert problems(page) == []
                page.click("#undo")
                expect(page.locator("#saved")).to_contain_text(f"1 of {count} claims open")
                page.click("#redo")
                expect(page.locator("#saved")).to_contain_text(f"0 of {count} claims open")
            page.click("#done")
            page.wait_for_selector("#done[aria-pressed=true]")
        ada = opening(served.link("ada"))
        ada.goto(f"http://127.0.0.1:{served.port}/adjudication/1")
        assert "Only adjudicators" in ada.inner_text("main")
    report = export_annotations(annotated, tmp_path / "claims.jsonl")
    assert report.annotators == {"ada": 2, "ben": 2, ADJUDICATED: 2}
    assert report.decisions["dropped"] == 2
    bench, answers = tmp_path / "bench", tmp_path / "run"
    built = fathom(
        "build", "claims", small_folder, "--annotations", tmp_path / "claims.jsonl", "--tasks", "claims", "--out", bench
    )
    assert built.returncode == 0, built.stderr
    assert fathom("audit", bench).returncode == 0
    assert fathom("run", bench, "--model", "sim/reader", "--out", answers).returncode == 0
    assert "100.0%" in fathom("score", answers).stdout
    agreed = fathom("agree", tmp_path / "claims.jsonl", "--corpus", small_folder)
    assert "ada, ben" in agreed.stdout
