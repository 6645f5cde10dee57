"""Particles of family names: one list, as words and as a pattern."""

from __future__ import annotations

import re

import pytest

from fathom.corpus.readers.parsing.bylines import author_from_name
from fathom.records.names import PARTICLE, PARTICLES, is_group_name, is_particle


@pytest.mark.parametrize(("word", "wanted"), [("van", True), ("Von", True), ("y", True), ("E", False), ("Lind", False)])
def test_a_single_capital_is_an_initial(word: str, wanted: bool) -> None:
    assert is_particle(word) is wanted


def test_the_pattern_knows_every_particle_in_either_case() -> None:
    for particle in PARTICLES:
        for word in (particle, particle.capitalize()):
            assert re.fullmatch(PARTICLE, word) and is_particle(word)
    assert not re.fullmatch(PARTICLE, "vander")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Jan van der Berg", "van der Berg"),
        ("Maria E Lopez", "Lopez"),
        ("Ana Ortega y Soto", "Ortega y Soto"),
        ("Ali bin Omar", "bin Omar"),
    ],
)
def test_particles_belong_to_the_family_name(name: str, family: str) -> None:
    assert author_from_name(name).family == family


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Fenwick River Consortium", True),
        ("the WEST Study Group", True),
        ("Working Group on Ferns", True),
        ("ATLAS Collaboration", True),
        ("Salt Investigators", True),
        ("蕨类研究协作组", True),
        ("Ann College", False),
        ("Union, Petra", False),
        ("Ada Lind", False),
        ("Teamer Groupson", False),
        ("Consortium", False),
    ],
)
def test_groups_are_told_from_people(name: str, group: bool) -> None:
    assert is_group_name(name) == group
