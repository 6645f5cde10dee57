"""Names of simulated models: one canonical name each, and unknown parameters are refused."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.models.simulated import KINDS, SimulatedModel
from fathom.records.errors import FathomError

CHANCES = st.floats(0, 1)
FAULTS = ("miss", "drop-filter", "reverse")
PARAMETERS = (*FAULTS, "format", "refuse", "timeout")


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_is_a_name(kind: str) -> None:
    assert SimulatedModel.parse(f"sim/{kind}") == SimulatedModel(kind)
    assert SimulatedModel(kind).name == f"sim/{kind}"


@given(st.dictionaries(st.sampled_from(PARAMETERS), CHANCES))
def test_a_name_parses_back(parameters: dict[str, float]) -> None:
    made = SimulatedModel("reader", tuple(parameters.items()))
    assert SimulatedModel.parse(made.name) == made
    assert {parameter: made.chance(parameter) for parameter in PARAMETERS} == {
        parameter: parameters.get(parameter, 0) for parameter in PARAMETERS
    }


@given(st.permutations([("miss", "0.20"), ("reverse", "1e-1"), ("timeout", "1"), ("refuse", "0.0")]))
def test_one_model_has_one_name(settings: list[tuple[str, str]]) -> None:
    name = "sim/reader?" + "&".join(f"{parameter}={chance}" for parameter, chance in settings)
    assert SimulatedModel.parse(name).resolved(FAULTS).name == "sim/reader?miss=0.2&reverse=0.1&timeout=1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpt/reader", "begin with 'sim/'"),
        ("sim/genius", "Choose among sim/oracle, sim/null"),
        ("sim/", "There is no simulated model 'sim/'"),
        ("sim/oracle?miss=0.2", "has no parameters"),
        ("sim/reader?luck=0.2", "no parameter 'luck' on this bench. Its parameters are miss, drop-filter"),
        ("sim/reader?forget=0.2", "no parameter 'forget'"),
        ("sim/memorizer?miss=0.2", "no parameter 'miss' on this bench. Its parameters are refuse, timeout, forget"),
        ("sim/reader?", "The parameter '' is set to ''"),
        ("sim/reader?miss=0.1&", "The parameter '' is set to ''"),
        ("sim/reader?miss", "set to ''"),
        ("sim/reader?miss=often", "set to 'often'"),
        ("sim/reader?miss=1.5", "set to 1.5. Use a number from 0 to 1"),
        ("sim/reader?miss=-0.1", "set to -0.1"),
        ("sim/reader?miss=nan", "set to nan"),
        ("sim/reader?miss=inf", "set to inf"),
        ("sim/reader?miss=0.1&miss=0.2", "set twice"),
    ],
)
def test_a_bad_name_is_refused_with_the_known_names(name: str, message: str) -> None:
    with pytest.raises(FathomError) as caught:
        SimulatedModel.parse(name).resolved(FAULTS)
    assert message in str(caught.value)


def test_faults_happen_as_often_as_dialed() -> None:
    simulated = SimulatedModel.parse("sim/reader?reverse=0.3&miss=1&drop-filter=0.05")
    rng = Random(1)
    often = {parameter: sum(simulated.happens(parameter, rng) for _ in range(4000)) / 4000 for parameter in FAULTS}
    assert often["miss"] == 1
    assert often["reverse"] == pytest.approx(0.3, abs=0.03)
    assert often["drop-filter"] == pytest.approx(0.05, abs=0.02)


def test_a_dial_at_zero_draws_nothing() -> None:
    rng = Random(2)
    before = rng.getstate()
    assert not SimulatedModel.parse("sim/reader?reverse=0.5").happens("timeout", rng)
    assert rng.getstate() == before
