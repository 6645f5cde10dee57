"""The family from build to audit, on planted claims."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.cli.main import main
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.questions import Response
from fathom.scoring.answers import LinkedSpans
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import KEYS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.claims.baselines import REPEATED, Baselines
from fathom.tasks.claims.check import check
from fathom.tasks.claims.keys import ClaimsProgram
from fathom.tasks.claims.measures import ALL_GAPS, GAP, KEY_GAPS, PARTS, STATEMENTS, UNJUSTIFIED, empty_counts, f1
from fathom.tasks.claims.units import units
from tests.tasks.claims.conftest import Asked

ORACLE = SimulatedModel.parse("sim/oracle")
SIDES = ("matched", "predicted", "gold")


def test_a_valid_bench_passes_its_audit(claims_bench: Path) -> None:
    audit_report = audit(claims_bench)
    assert audit_report.passed, [check for check in audit_report.checks if check.failed]
    assert {check.name: check.checked for check in audit_report.checks}["near misses are rejected"] >= 12


def test_the_oracle_has_every_measure_at_one(asked: list[Asked]) -> None:
    for one in asked:
        verdict = one.played("sim/oracle")
        assert verdict.outcome == "correct"
        measures = verdict.measures
        for part in PARTS:
            for end in ("", " by character"):
                assert len({measures[f"{part} {side}{end}"] for side in SIDES}) == 1
        for name, count in measures.items():
            if name.endswith(" compared"):
                assert count == measures[name.replace("compared", "agrees")] > 0
        for part in (*STATEMENTS.values(), UNJUSTIFIED):
            assert len({measures.get(f"{part} {side}", 0) for side in SIDES}) == 1
        assert measures["quotes fabricated"] == measures["responses repaired"] == 0
        gaps = [sorted(verdict.values[name]) for name in (GAP, ALL_GAPS, KEY_GAPS)]
        assert gaps[0] == gaps[1] == gaps[2]
        empty = empty_counts(one.item.key)
        assert empty == {name: count for name, count in measures.items() if name in empty}


MOVED = {
    "miss=0.5": {"claims recall", "evidence recall", "links recall"},
    "overlook=0.5": {"evidence recall", "links recall", "links precision"},
    "fabricate=1": {"evidence precision", "links precision", "links recall", "fabricated"},
    "shift=1": {"claims recall", "claims precision", "links recall", "links precision"},
    "mislink=1": {"links recall", "links precision"},
    "misattribute=1": {"conclusion precision", "conclusion recall", "limitations precision", "limitations recall"},
    "misjudge=1": {"attributes", "unjustified precision", "unjustified recall"},
}
"""What each fault moves. A claim without evidence is a link to nothing: to overlook all evidence of a claim predicts
such a link, and evidence for a claim that has none is a wrong link in its place."""


@pytest.mark.parametrize("parameter", MOVED)
def test_a_fault_moves_its_measures_and_no_other(parameter: str, asked: list[Asked]) -> None:
    moved: set[str] = set()
    for one in asked:
        moved |= _below_one(one.played(f"sim/reader?{parameter}").measures)
    assert moved == MOVED[parameter]


def _below_one(measures: dict[str, float]) -> set[str]:
    found = {
        f"{part} {name}"
        for part in (*PARTS, *STATEMENTS.values(), UNJUSTIFIED)
        for name, side in (("precision", "predicted"), ("recall", "gold"))
        if measures.get(f"{part} matched", 0) < measures.get(f"{part} {side}", 0)
    }
    found |= {"fabricated"} if measures["quotes fabricated"] else set()
    agreed = sum(count for name, count in measures.items() if name.endswith(" agrees"))
    compared = sum(count for name, count in measures.items() if name.endswith(" compared"))
    return found | ({"attributes"} if agreed < compared else set())


def test_faults_happen_as_often_as_set(asked: list[Asked]) -> None:
    missed = [one.played("sim/reader?miss=0.3").measures for one in asked]
    share = sum(one["claims matched"] for one in missed) / sum(one["claims gold"] for one in missed)
    assert 0.5 < share < 0.9
    assert all(one["claims matched"] == one["claims predicted"] for one in missed)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("I found no claims.", "unparseable"),
        ("", "unparseable"),
        ('{"claims": []}', "incorrect"),
        ('{"claims": [{"quote": "The purple walrus sings at dawn over the mountains of cheese."}]}', "incorrect"),
        ('{"claims": [{"quote": 7}, null, "", []]}', "incorrect"),
    ],
)
def test_responses_without_claims_score_nothing(text: str, outcome: str, asked: list[Asked]) -> None:
    verdict = asked[0].said(text)
    assert verdict.outcome == outcome
    assert verdict.score == 0
    if "walrus" in text:
        assert (verdict.measures["quotes"], verdict.measures["quotes fabricated"]) == (1, 1)


def test_the_names_of_the_paper_are_read(asked: list[Asked]) -> None:
    one = asked[0]
    claims = json.loads(one.simulator.text(one.context, one.item, ORACLE, Random(0)))["claims"]
    analysis: list[Any] = [
        {
            "claim_id": number,
            "claim": {"text": "in other words", "type": claim.get("type", ""), "exact_quote": claim["quote"]},
            "evidence": [{"evidence_text": "some", "exact_quote": each["quote"]} for each in claim["evidence"]],
            "evaluation": {"conclusion_justified": claim.get("justified"), "confidence_level": "high"},
        }
        for number, claim in enumerate(claims, start=1)
    ]
    passes = {
        "claims": [
            {"claim_id": analysi["claim_id"], "exact_quote": analysi["claim"]["exact_quote"]} for analysi in analysis
        ],
        "evidence_sets": [
            {"claim_id": analysi["claim_id"], "evidence": analysi["evidence"]} for analysi in reversed(analysis)
        ],
        "conclusions": [{"claim_id": analysi["claim_id"], **analysi["evaluation"]} for analysi in analysis],
    }
    for said in ({"analysis": analysis}, passes):
        assert one.said(json.dumps(said)).outcome == "correct"


def test_a_caption_stands_for_its_table(asked: list[Asked]) -> None:
    one = asked[0]
    claims = json.loads(one.simulator.text(one.context, one.item, ORACLE, Random(0)))
    for claim in claims["claims"]:
        for each in claim["evidence"]:
            each["quote"] = each["quote"].split("\n")[0]
    verdict = one.said(json.dumps(claims))
    assert verdict.outcome == "correct"
    assert verdict.measures["evidence matched by character"] < verdict.measures["evidence gold by character"]


def test_units_cover_a_document_in_order(planted: Corpus) -> None:
    document = next(planted.documents())
    spans = units(document)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    text = "".join("".join(span.of(document.text).split()) for span in spans)
    assert text == "".join(document.text.split())
    assert {table.span for table in document.tables} <= set(spans)


def test_claims_of_the_abstract_can_be_left_out(small_folder: Path, tmp_path: Path) -> None:
    build(BuildInputs(small_folder, Path("none"), {"claims": {"items": 4, "no_abstract": True}}, 1), tmp_path / "bench")
    assert audit(tmp_path / "bench").passed
    left_out = 0
    with Corpus(small_folder) as corpus:
        for _, items in Bench(tmp_path / "bench").by_context():
            for span in items[0].key.answer.spans:  # type: ignore[union-attr]
                abstract = corpus.document(span.passage.document).abstract
                assert abstract is None or not abstract.contains(span.passage.span)
            left_out += "Leave out what is stated in the abstract" in items[0].question.text
    assert left_out == 4


def test_several_documents_in_a_context(small_folder: Path, tmp_path: Path) -> None:
    build(BuildInputs(small_folder, Path("none"), {"claims": {"items": 2, "documents": 3}}, 1), tmp_path / "bench")
    assert audit(tmp_path / "bench").passed
    for context, items in Bench(tmp_path / "bench").by_context():
        answer = items[0].key.answer
        assert {span.passage.document for span in answer.spans} == set(context.documents)  # type: ignore[union-attr]


Json = dict[str, Any]


def _drop_claim(key: Json) -> None:
    key["answer"]["spans"] = key["answer"]["spans"][1:]


def _move_claim(key: Json) -> None:
    span = key["answer"]["spans"][0]["passage"]["span"]
    key["proof"]["rows"][0][2] = f"{span[0] + 1}-{span[1] + 1}"
    key["answer"]["spans"][0]["passage"]["span"] = [span[0] + 1, span[1] + 1]


def _change_quote(key: Json) -> None:
    key["proof"]["rows"][0][3] += " indeed"


def _relink(key: Json) -> None:
    linked = [one for one in key["answer"]["spans"] if one["links"]]
    linked[0]["links"] = linked[0]["links"][1:]


def _garble(key: Json) -> None:
    key["proof"]["program"] = "claims"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (_drop_claim, "the key has the passages of its proof"),
        (_move_claim, "every quote of the key is found in the shown text"),
        (_change_quote, "every quote of the key is found in the shown text"),
        (_relink, "the documents give the key again"),
        (_garble, "the key can be parsed and the context rendered"),
    ],
)
def test_a_key_that_was_tampered_with_is_found(
    change: Callable[[Json], None], rule: str, claims_bench: Path, tmp_path: Path
) -> None:
    shutil.copytree(claims_bench, tmp_path / "bench")
    keys = [json.loads(line) for line in (tmp_path / "bench" / KEYS).read_text().splitlines()]
    for key in keys:
        change(key)
    (tmp_path / "bench" / KEYS).write_text("".join(json.dumps(key) + "\n" for key in keys))
    audit_report = audit(tmp_path / "bench", Bench(claims_bench).corpus_folder)
    assert {check.name: check.failed for check in audit_report.checks}[rule] == len(keys)


def test_f1_of_nothing() -> None:
    assert f1({}, "claims") == 1.0
    assert f1({"claims gold": 3}, "claims") == 0.0
    assert f1({"claims gold": 4, "claims predicted": 2, "claims matched": 2}, "claims") == pytest.approx(2 / 3)


def test_baselines_are_printed_with_scores_and_agree_with_the_check(
    claims_bench: Path, asked: list[Asked], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The simulated model that finds claims by cue phrases gets what the build measured for that shortcut."""
    answers = tmp_path / "answers.jsonl"
    verdicts = []
    with answers.open("w") as file:
        for one in asked:
            text = one.simulator.text(one.context, one.item, SimulatedModel.parse("sim/lexical"), Random(0))
            file.write(json.dumps({"question_id": one.item.question.id, "text": text}) + "\n")
            verdicts.append(one.said(text))
    assert main(["score", str(claims_bench), "--answers", str(answers)]) == 0
    said = capsys.readouterr().out
    sums = {part: [sum(verdict.measures[f"{part} {side}"] for verdict in verdicts) for side in SIDES] for part in PARTS}
    f1s = (f"{part} {2 * sums[part][0] / (sums[part][1] + sums[part][2]):.3f}" for part in PARTS)
    assert f"cue phrases, lexical overlap: {', '.join(f1s)}" in said


def test_texts_in_an_annotators_words_are_compared_by_their_words(asked: list[Asked]) -> None:
    one = next(one for one in asked if one.item.key.answer.spans[0].stated)  # type: ignore[union-attr]
    key = one.item.key
    assert isinstance(key.answer, LinkedSpans)
    first = key.answer.spans[0]
    text = first.passage.span.of(one.shown.documents[first.passage.document].text)
    attributes = first.attributes | {"conclusion": "They trust it fully"}
    own = first.model_copy(update={"attributes": attributes, "stated": {}})
    key = key.model_copy(update={"answer": LinkedSpans(spans=(own, *key.answer.spans[1:]))})
    said = {"quote": text, "conclusion": "it is what they trust"}
    response = Response(question_id="q", outcome="answered", text=json.dumps({"claims": [said]}))
    counts = check(key, response, one.shown).measures
    # Three of their four words are among the five of the response.
    assert [counts[f"conclusion words {side}"] for side in SIDES] == [3, 5, 4]
    baselines = Baselines()
    baselines.add_claims([*one.shown.documents.values()], key, ClaimsProgram.parse(key))
    repeated = baselines.report()[REPEATED]
    assert isinstance(repeated, dict) and repeated.keys() == {"conclusion words"}
