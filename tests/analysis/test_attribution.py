"""Simulated faults are named as causes; random guesses are not explained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fathom.analysis.analyze import Analysis, analyze
from fathom.analysis.attribution import CauseEstimator, CauseMatch, is_tied
from fathom.analysis.findings import Attribution
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.rng import rng_for
from fathom.tasks.bench import Bench
from fathom.tasks.family import Fault
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.programs.faults import Interpretation
from tests.analysis.conftest import Ran

MIXED = "sim/reader?" + "&".join(f"{fault}=0.06" for fault in FAULTS)
FEW = "sim/reader?drop-filter=0.2&ignore-not=0.4&reverse=0.2&miss-document=0.3"


@pytest.fixture(scope="module")
def single(ran_small: Ran) -> Analysis:
    """A run for each fault, without others."""
    return analyze([ran_small(f"sim/reader?{fault}=0.5") for fault in FAULTS])


@pytest.fixture(scope="module")
def single_of_many(ran: Ran) -> Analysis:
    """The same on more questions."""
    return analyze([ran(f"sim/reader?{fault}=0.5") for fault in FAULTS])


def attribution_of(analysis: Analysis, model: str) -> Attribution:
    [found] = [run.attribution for run in analysis.findings.runs if run.info.model == model]
    assert found is not None
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_a_single_fault_is_named(single: Analysis, fault: str) -> None:
    attribution = attribution_of(single, f"sim/reader?{fault}=0.5")
    named = {cause.name: cause.count for cause in attribution.causes}
    assert named.get(fault, 0) >= 0.95 * attribution.explained
    assert attribution.explained >= 0.85 * attribution.incorrect, (
        "in a short context, several faults may explain one answer"
    )


@pytest.mark.slow
def test_a_single_fault_is_named_in_longer_contexts(single_of_many: Analysis) -> None:
    for fault in FAULTS:
        attribution = attribution_of(single_of_many, f"sim/reader?{fault}=0.5")
        assert {cause.name: cause.count for cause in attribution.causes}.get(fault, 0) >= 0.9 * attribution.incorrect, (
            fault
        )


@pytest.mark.slow
def test_the_rate_of_a_fault_is_estimated(single_of_many: Analysis) -> None:
    """For faults with enough exposed questions; one interval in twenty may miss."""
    seen = missed = 0
    for fault in FAULTS:
        for cause in attribution_of(single_of_many, f"sim/reader?{fault}=0.5").causes:
            if cause.name == fault and cause.exposed_questions > 100:
                seen += 1
                assert cause.rate is not None
                missed += not cause.rate.low <= 0.5 <= cause.rate.high
                assert cause.rate.value == pytest.approx(0.5, abs=0.12), fault
    assert seen >= 4
    assert missed <= 1


def struck(bench: Path, name: str, seed: int) -> Mapping[str, list[str]]:
    """Which faults occurred in each question, drawn again as the simulator drew them."""
    found = {}
    opened, simulated = Bench(bench), SimulatedModel.parse(name)
    with Corpus(opened.corpus_folder) as corpus:
        simulator = Simulator(corpus)
        for context, items in opened.by_context():
            for item in items:
                rng = rng_for(seed, simulated.name, item.question.id, 0, 0)
                reading = Interpretation(program_of(item.key), simulator.read(context))
                mine: list[str] = []
                for fault in [name for name in FAULTS if simulated.happens(name, rng)]:
                    after = FAULTS[fault].apply(reading, rng)
                    if after is not None:
                        reading, mine = after, [*mine, fault]
                found[item.question.id] = mine
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [MIXED, FEW], ids=["fourteen faults at once", "four faults at once"])
def test_with_many_faults_the_correct_one_is_named_or_none(ran: Ran, examined: Path, name: str) -> None:
    analysis = analyze([ran(name, "--seed", seed) for seed in range(3)])
    items = []
    for seed, found in enumerate(analysis.items.values()):
        truth = struck(examined, name, seed)
        items += [(item, truth[item.question_id]) for item in found if item.outcome == "incorrect"]
    items = [(item, faults) for item, faults in items if len(faults) == 1]
    named = [(item, faults) for item, faults in items if not item.unclear]
    right = [item for item, faults in named if [item.candidates[0].cause] == faults]
    assert len(items) > 100
    assert len(right) >= 0.9 * len(named)
    assert len(named) >= 0.7 * len(items)
    for item, faults in items:
        assert faults[0] in {suspect.cause for suspect in item.candidates}, "the true cause is always a candidate"


def test_random_guesses_are_unclear(ran_small: Ran) -> None:
    [run] = analyze([ran_small("sim/random")]).findings.runs
    assert run.attribution is not None
    assert run.attribution.unclear >= 0.8 * run.attribution.incorrect


def test_two_missed_documents_are_found(ran_small: Ran) -> None:
    analysis = analyze([ran_small("sim/reader?miss=0.2")])
    attribution = attribution_of(analysis, "sim/reader?miss=0.2")
    named = {cause.name: cause.count for cause in attribution.causes}
    assert named["miss-document"] >= 0.75 * attribution.incorrect
    details = [item.candidates[0].detail for item in analysis.all_items() if item.candidates]
    assert any(detail.startswith("articles ") for detail in details)


# The estimator.

KINDS = {"one": Fault("one", "does one thing", "computing"), "two": Fault("two", "does another", "reading")}


def attributing(*fittings: dict[str, float], readable: int = 100) -> CauseEstimator:
    made = CauseEstimator(KINDS)
    made.answers = readable
    made.exposure.update(one=readable / 2, two=readable / 2)
    for number, likely in enumerate(fittings):
        made.add_incorrect(CauseMatch(f"q{number}", 0, "ranking", likely, dict.fromkeys(likely, "somewhere")), number)
    return made


def test_an_ambiguous_answer_is_attributed_by_the_rates_in_the_run() -> None:
    settled = attributing(*[{"one": 1.0}] * 20, {"one": 1.0, "two": 1.0}).estimate()
    last = list(settled.answers())[-1]
    assert [suspect.cause for suspect in last.candidates] == ["one", "two"]
    assert last.candidates[0].probability > 0.8
    assert not last.unclear


def test_a_tie_is_unclear_and_lists_its_candidates() -> None:
    settled = attributing(*[{"one": 1.0, "two": 1.0}] * 5).estimate()
    for answer in settled.answers():
        assert answer.unclear
        assert is_tied(answer.candidates)
    assert settled.attribution.tied == settled.attribution.unclear == 5
    assert settled.attribution.explained == 0


def test_an_answer_that_no_fault_gives_is_unclear() -> None:
    settled = attributing({}, {"one": 1.0}).estimate()
    assert settled.explain(0).unclear.startswith("no single fault")
    assert settled.attribution.incorrect == 2


def test_no_causes_without_incorrect_answers() -> None:
    attribution = attributing().estimate().attribution
    assert (attribution.incorrect, attribution.explained, attribution.causes) == (0, 0, ())


def test_rates_are_not_shrunk_to_the_average() -> None:
    made = CauseEstimator(KINDS)
    for number in range(40):
        made.add_exposure({"one": 1.0, "two": 0.1}, number // 4)
    for number in range(20):
        made.add_incorrect(CauseMatch(f"q{number}", 0, "ranking", {"one": 1.0}, {"one": "somewhere"}), number // 4)
    made.add_incorrect(CauseMatch("q20", 0, "ranking", {"two": 1.0}, {"two": "elsewhere"}), 5)
    one, two = made.estimate().attribution.causes
    assert one.rate is not None
    assert one.rate.value == pytest.approx(one.expected_count / 40)
    assert one.rate.low < one.rate.value < one.rate.high
    assert two.rate is None, "it could have changed four answers"
