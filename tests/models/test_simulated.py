"""Names of simulated answerers: one name each, and no dial that means nothing."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.models.simulated import DIALS, KINDS, READING_FAULTS, Simulated
from fathom.records.errors import FathomError

CHANCES = st.floats(0, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_is_a_name(kind: str) -> None:
    assert Simulated.parse(f"sim/{kind}") == Simulated(kind)
    assert Simulated(kind).name == f"sim/{kind}"


@given(st.dictionaries(st.sampled_from(DIALS), CHANCES))
def test_a_name_parses_back(dials: dict[str, float]) -> None:
    made = Simulated("reader", tuple(dials.items()))
    assert Simulated.parse(made.name) == made
    assert {dial: made.chance(dial) for dial in DIALS} == {dial: dials.get(dial, 0) for dial in DIALS}


@given(st.permutations([("miss", "0.20"), ("reverse", "1e-1"), ("timeout", "1"), ("refuse", "0.0")]))
def test_one_answerer_has_one_name(settings: list[tuple[str, str]]) -> None:
    name = "sim/reader?" + "&".join(f"{dial}={chance}" for dial, chance in settings)
    assert Simulated.parse(name).name == "sim/reader?miss=0.2&reverse=0.1&timeout=1"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt/reader", "begin with 'sim/'"),
        ("sim/genius", "There are sim/oracle, sim/null"),
        ("sim/", "There is no simulated answerer 'sim/'"),
        ("sim/oracle?miss=0.2", "has no dials"),
        ("sim/reader?luck=0.2", "no dial 'luck'. Its dials are miss, drop-filter"),
        ("sim/reader?forget=0.2", "no dial 'forget'"),
        ("sim/memorizer?miss=0.2", "no dial 'miss'. Its dials are refuse, timeout, forget"),
        ("sim/reader?", "no dial ''"),
        ("sim/reader?miss=0.1&", "no dial ''"),
        ("sim/reader?miss", "set to ''"),
        ("sim/reader?miss=often", "set to 'often'"),
        ("sim/reader?miss=1.5", "set to 1.5. Give a number from 0 to 1"),
        ("sim/reader?miss=-0.1", "set to -0.1"),
        ("sim/reader?miss=nan", "set to nan"),
        ("sim/reader?miss=inf", "set to inf"),
        ("sim/reader?miss=0.1&miss=0.2", "set twice"),
    ],
)
def test_a_bad_name_is_refused_with_what_is_known(name: str, said: str) -> None:
    with pytest.raises(FathomError) as caught:
        Simulated.parse(name)
    assert said in str(caught.value)


def test_faults_come_as_often_as_dialled() -> None:
    simulated = Simulated.parse("sim/reader?ignore-not=0.3&miscount=1&miss=0.5&format=1&reverse=0.05")
    rng = Random(1)
    drawn = [simulated.faults(rng) for _ in range(4000)]
    often = {fault: sum(fault in faults for faults in drawn) / len(drawn) for fault in READING_FAULTS}
    assert often["miscount"] == 1
    assert often["ignore-not"] == pytest.approx(0.3, abs=0.03)
    assert often["reverse"] == pytest.approx(0.05, abs=0.02)
    assert sum(often.values()) == often["miscount"] + often["ignore-not"] + often["reverse"]
    assert {fault for faults in drawn for fault in faults} <= set(READING_FAULTS)


def test_chance_repeats_and_a_dial_at_zero_draws_nothing() -> None:
    simulated = Simulated.parse("sim/reader?boundary=0.5&reverse=0.5")
    assert [simulated.faults(Random(seed)) for seed in range(99)] == [
        simulated.faults(Random(seed)) for seed in range(99)
    ]
    rng = Random(2)
    before = rng.getstate()
    assert not simulated.befalls("timeout", rng)
    assert Simulated("oracle").faults(rng) == ()
    assert rng.getstate() == before
