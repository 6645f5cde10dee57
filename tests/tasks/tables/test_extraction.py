"""Extractors that vote: quotes, majorities, error rates, files, resume."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest

import fathom
from fathom.api import extraction
from fathom.api.extraction import ExtractionOptions, extract_figures, plan_extraction
from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Prompt
from fathom.models.simulated import SimulatedModel
from fathom.records.documents import Fact
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.spans import Span
from fathom.runs.roles import RoleModel
from fathom.tasks.tables.extractor import ExtractedFigure, ExtractionTask, excerpts, located, parse_response
from fathom.tasks.tables.figures import FigureId, StatedFigure, document_figures
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.pack import FieldKind, Pack
from fathom.tasks.tables.simulated_extractor import _format_claim, predicted_shares, simulated_response
from fathom.tasks.tables.votes import Vote, VotedFigure, Votes, decide
from tests.commands import run_command
from tests.tasks.tables.test_table_facts import PACK, read, table

TEXT = "# Alder\n\nSales rose to GBP 3.25 million.\n\n| Staff | 1,068 | 990 |\n| Margin | (1.7)% |\n"
SUBJECT = ExtractionTask("a", TEXT, "en", "Alder", 2020, ("sales", "staff"))


@pytest.mark.parametrize(
    ("claim", "kind", "value"),
    [
        (ExtractedFigure("3.25", "million GBP", "Sales rose to GBP 3.25 million."), "money", "3250000 GBP"),
        (ExtractedFigure("3,250,000", "GBP", "Sales rose to GBP 3.25 million."), "money", "3250000 GBP"),
        (ExtractedFigure("GBP 3.25", "million GBP", "GBP 3.25 million"), "money", "3250000 GBP"),
        (ExtractedFigure("1,068", "", "Staff 1,068 990"), "count", "1068"),
        (ExtractedFigure("990", "persons", "| Staff | 1,068 | 990 |"), "count", "990"),
        (ExtractedFigure("-1.7", "%", "Margin | (1.7)%"), "percent", "-1.7 %"),
        (ExtractedFigure("3.25", "million", "Sales rose to GBP 3.25 million."), "money", None),
        (ExtractedFigure("3.26", "million GBP", "Sales rose to GBP 3.25 million."), "money", None),
        (ExtractedFigure("1,068", "", "Staff: 1,068"), "count", "1068"),
        (ExtractedFigure("1,068", "", "Staff members: 1,068"), "count", None),
        (ExtractedFigure("990", "", "Staff | 990"), "count", None),
        (ExtractedFigure("1,068", "", ""), "count", None),
        (ExtractedFigure("about a thousand", "", "Staff 1,068"), "count", None),
        (ExtractedFigure("1,068", "%", "Staff | 1,068"), "count", None),
    ],
)
def test_a_claim_needs_a_quote_that_prints_its_number(
    claim: ExtractedFigure, kind: FieldKind, value: str | None
) -> None:
    fact = located(claim, "sales", SUBJECT, kind)
    assert (None if fact is None else f"{fact.value} {fact.unit}".strip()) == value
    if fact is not None:
        assert re.sub(r"\D", "", fact.span.of(TEXT)) in re.sub(r"\D", "", claim.quote)


def fact(value: int) -> Fact:
    return Fact(entity="Alder", attribute="staff", value=Decimal(value), unit="", span=Span(0, 1))


def test_more_than_half_of_all_votes_decide() -> None:
    assert decide("a", "staff", [fact(5), fact(5), fact(6)]).decision == "accepted"
    assert decide("a", "staff", [fact(5), fact(5), "null", "invalid"]).decision == "no majority"
    assert decide("a", "staff", ["null", "null", fact(5)]).decision == "not stated"
    assert decide("a", "staff", ["invalid", "invalid", fact(5)]).decision == "no majority"
    kept = decide("a", "staff", [fact(5), fact(5), fact(6)])
    assert kept.fact == fact(5) and kept.votes == {"5": 2, "6": 1}


def test_responses_are_json_with_anything_around_it() -> None:
    parsed = parse_response(
        'Here:\n```json\n{"sales": {"value": 5, "unit": null, "quote": "x"}}\n```', ["sales", "staff"]
    )
    assert parsed == {"sales": ExtractedFigure("5", "", "x"), "staff": None}
    assert parse_response("{'sales': {'value': 5,}}", ["sales"]) == {"sales": ExtractedFigure("5", "", "")}
    assert parse_response("{}", ["sales"]) == {"sales": None}
    for text in ("", "no figures", '{"staff": {"value": 5}}', "}{"):
        with pytest.raises(ValueError, match=r".*"):
            parse_response(text, ["sales"])


def test_the_error_of_accepted_values_is_what_the_arithmetic_predicts() -> None:
    rows = [f"{name} | {number}" for number, name in enumerate(["Employees", "Guests", "Visits", "Doors", "Desks"], 40)]
    labels = {"staff": "Employees", "guests": "Guests", "visits": "Visits", "doors": "Doors", "desks": "Desks"}
    pack = Pack.model_validate(
        {
            "name": "shops",
            "summary": "Shops",
            "en": {"noun": "shop", "plural": "shops"},
            "period": {"en": ["year"]},
            "fields": {
                name: {"attributes": [name], "labels": [label], "kind": "count", "en": [name]}
                for name, label in labels.items()
            },
        }
    )
    document = read(table("2020", *rows))
    subject = ExtractionTask(document.id, document.text, "en", "Alder Stores", 2020, tuple(pack.fields))
    truth = document_figures(document, pack)
    assert truth is not None
    simulated = SimulatedModel.parse("sim/extractor?error=0.3&miss=0.1")
    counts: Counter[str] = Counter()
    for seed in range(200):
        ballots = []
        for turn in range(3):
            rng = Random(f"{seed}.{turn}")
            text = simulated_response(simulated, document, 2020, subject.fields, pack, rng)
            ballots.append(parse_response(text, subject.fields))
        for field in subject.fields:
            claims = [ballot[field] for ballot in ballots]
            votes: list[Vote] = [
                located(claim, field, subject, "count") or "invalid" if claim else "null" for claim in claims
            ]
            decided = decide(document.id, field, votes)
            right = truth.figures[FigureId(field, 2020)]
            assert isinstance(right, StatedFigure)
            wrong = decided.fact is not None and decided.fact.value != right.value
            counts["wrong" if wrong else decided.decision] += 1
    wanted = predicted_shares([0.3] * 3, 0.1)
    assert sum(wanted) == pytest.approx(1)
    for name, share in zip(("accepted", "wrong", "not stated", "no majority"), wanted, strict=True):
        # Four standard deviations of 1,000 figures.
        assert counts[name] / 1_000 == pytest.approx(share, abs=4 * (share * (1 - share) / 1_000) ** 0.5), name


def test_votes_of_extractors_with_other_error_rates() -> None:
    # By hand: all three are correct, or two of them are.
    shares = predicted_shares([0.0, 0.5, 1.0], 0.0, wrong_values=1)
    assert shares == pytest.approx((0.5, 0.5, 0, 0)), "the second decides"
    assert predicted_shares([0.2, 0.2, 0.2], 0.0).correct == pytest.approx(0.8**3 + 3 * 0.8**2 * 0.2)


def test_a_simulated_extractor_writes_months_as_questions_do() -> None:
    document = read(table("2020", "Busiest month | 2020-11", "Employees | 31"))
    figure = StatedFigure(Decimal(202011), MONTH, document.id, Span(document.text.index("2020-11"), len(document.text)))
    stated = _format_claim(figure, document)
    assert stated["value"] == "2020-11" and stated["quote"].startswith("| Busiest month")


# Files.

FILLER = "The shops were open on most days of the year, and customers were content. " * 12


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six reports whose tables state the staff and the margin; the sales are in a sentence only."""
    folder = tmp_path_factory.mktemp("shops")
    for number, name in enumerate(["Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel"], start=1):
        figures = table("2020", f"Employees | {number * 13}", f"Margin | {number}%")
        sales = f"Net sales came to EUR {number * 7} million."
        text = f"# {name} Stores: Annual Report 2020\n\n{FILLER}\n\n{sales}\n\n{figures}\n"
        (folder / f"{name}.md").write_text(text, "utf-8")
    corpus = folder / "corpus"
    fathom.ingest([folder], out=corpus, processes=1).close()
    (folder / "shops.toml").write_text(
        'name = "shops"\nsummary = "Shops"\nen = { noun = "shop", plural = "shops" }\nperiod = { en = ["year"] }\n'
        '[fields.sales]\nattributes = ["sales"]\nlabels = ["Net sales"]\nkind = "money"\nen = ["net sales"]\n'
        '[fields.staff]\nattributes = ["staff"]\nlabels = ["Employees"]\nkind = "count"\nen = ["number of employees"]\n'
        '[fields.margin]\nattributes = ["margin"]\nlabels = ["Margin"]\nkind = "percent"\nen = ["margin"]\n',
        "utf-8",
    )
    return folder


class Reader:
    """A model that finds the sales, except in the report of one shop."""

    def __init__(self, fails: str = "") -> None:
        self.calls = 0
        self.fails = fails

    def __call__(self, prompt: Prompt) -> str:
        self.calls += 1
        text = "".join(map(str, prompt.messages[-1].parts))
        match = re.search(r"Net sales came to EUR (\d+) million\.", text)
        assert (
            match is not None and "- sales: net sales, an amount of money, year 2020" in text and "staff:" not in text
        )
        if self.fails and self.fails in text:
            return "I cannot read this."
        return json.dumps({"sales": {"value": match[1], "unit": "million EUR", "quote": match[0]}})


def use(monkeypatch: pytest.MonkeyPatch, reader: Reader) -> None:
    monkeypatch.setattr(extraction, "role_model", lambda name, **more: RoleModel(name, ModelInfo(), None, reader))


def test_a_response_that_is_cut_off_counts_as_far_as_it_is_complete() -> None:
    cut = '{"sales": {"value": "3", "unit": "EUR", "quote": "EUR 3"}, "staff": {"value": "7'
    assert parse_response(cut, ("sales", "staff")) == {"sales": ExtractedFigure("3", "EUR", "EUR 3"), "staff": None}
    with pytest.raises(ValueError):
        parse_response('{"sales": {"value": "3', ("sales",))


def test_of_a_long_document_the_rows_with_the_labels_are_shown() -> None:
    rows = [f"Other line {number} | 1 | 2" for number in range(40)]
    document = read(table("2020 | 2019", *rows, "Employees | 31 | 29"))
    shown = excerpts(document, PACK, ("staff",), 60)
    assert "| Employees | 31 | 29 |" in shown and "2020" in shown and "Other line" not in shown


def test_accepted_figures_are_used_and_nothing_is_asked_twice(
    shops: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pack, corpus = str(shops / "shops.toml"), shops / "corpus"
    plan = plan_extraction(pack, corpus, ["one/model"], ExtractionOptions(tries=3))
    assert (plan.documents, plan.figures, plan.requests) == (6, 6, 18)
    reader = Reader(fails="# Elm")
    use(monkeypatch, reader)
    summary = extract_figures(pack, corpus, ["one/model"], ExtractionOptions(tries=3))
    assert summary.decisions == {"accepted": 5, "no majority": 1} and reader.calls == 18
    assert summary.invalid_votes == 3
    again = extract_figures(pack, corpus, ["one/model"], ExtractionOptions(tries=3))
    assert again.decisions == summary.decisions
    assert reader.calls == 18 + 3, "only the failed prompts are sent again"
    figures = list(read_records(corpus / "extracted" / "shops" / "figures.jsonl", VotedFigure))
    assert {figure.votes.get("7000000 EUR") for figure in figures} == {3, None}
    with fathom.open_corpus(corpus) as opened:
        opened.contexts(lengths=[opened.manifest.tokens + 120], count=1, sampling=["random"], min_documents=6)
        for document in opened.documents():
            found = document_figures(document, PACK, Votes(corpus, "shops").facts_in(document.id))
            assert found is not None
            sales = found.figures.get(FigureId("sales", 2020))
            assert (sales is None) == ("Elm" in document.title_text)
            assert sales is None or (isinstance(sales, StatedFigure) and sales.source == "vote")
            staff = found.figures[FigureId("staff", 2020)]
            assert isinstance(staff, StatedFigure) and staff.source == "table"
    bench = fathom.build("tables", corpus, out=tmp_path / "bench", packs=[pack], questions=20)
    assert any("net sales" in item.question.text for item in bench.items())
    assert fathom.audit(tmp_path / "bench").passed


def test_a_document_without_a_majority_can_be_discarded(shops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack, corpus = str(shops / "shops.toml"), shops / "corpus"
    use(monkeypatch, Reader(fails="# Fir"))
    summary = extract_figures(pack, corpus, ["two/model"], ExtractionOptions(tries=1), no_consensus="discard")
    assert summary.discarded == 1 and len(Votes(corpus, "shops").discarded) == 1


def test_the_command(shops: Path) -> None:
    pack, corpus = str(shops / "shops.toml"), str(shops / "corpus")
    model = "sim/extractor?miss=0.1"
    result = run_command("pack", "extract", pack, corpus, "--extractor", model, "--tries", "1", "--all-fields")
    assert "6 documents with 1 votes" in result.stdout and "accepted" in result.stdout
    planned = run_command("pack", "extract", pack, corpus, "--extractor", "openai/gpt-4.1-mini", "--plan").stdout
    assert "6 figures of 6 documents: 18 requests" in planned and "at most $" in planned


@pytest.mark.parametrize("model", ["sim/reader", "sim/extractor?wrong=0.1"])
def test_other_simulated_models_are_refused(shops: Path, model: str) -> None:
    with pytest.raises(FathomError):
        extract_figures(str(shops / "shops.toml"), shops / "corpus", [model])
