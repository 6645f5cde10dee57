"""Universities: faculties that admit, teach and award; income and spending; research; halls of residence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random

from fathom.corpus.generated.reports.entity import Entity, Origin, combine_words, pick_words, year_key
from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    YEARS,
    FigureKey,
    Inputs,
    Ledger,
    Restatement,
    drift_within,
    growth,
    rounded,
    share,
    shocks,
    split,
    walk,
)
from fathom.corpus.generated.reports.pack import LanguagePack
from fathom.corpus.generated.reports.style import FigureStyle, choose_style
from fathom.records.rng import rng_for

_PER_STUDENT: Mapping[str, tuple[float, float, float]] = {
    "tuition_income": (4200, 9500, 250),
    "government_grants": (3000, 9000, 300),
    "research_income": (1500, 8000, 350),
    "endowment_income": (150, 1600, 150),
    "other_income": (600, 2200, 150),
    "endowment": (6000, 52000, 2500),
    "net_assets": (14000, 48000, 900),
    "student_aid": (500, 2300, 120),
    "capital_spending": (700, 3200, 300),
}
"""Amounts of money per student in plain units: lowest, highest, and the maximum change in a year."""

_PER_MILLE: Mapping[str, tuple[float, float, float]] = {
    "margin": (-25, 60, 18),
    "women_share": (440, 610, 8),
    "international_share": (70, 310, 14),
    "retention_rate": (810, 965, 8),
    "graduation_rate": (560, 900, 12),
    "employment_rate": (720, 960, 14),
    "undergraduate_weight": (600, 740, 8),
    "doctoral_weight": (40, 95, 4),
    "part_time_weight": (90, 240, 9),
}
"""Shares in tenths of a percent: lowest, highest, and the maximum change in a year."""

_INCOMES = ("tuition_income", "government_grants", "research_income", "endowment_income", "other_income")
_EXPENSES = ("staff_costs", "operating_expenses", "depreciation", "interest_costs")
_BY_FACULTY = ("applicants", "admitted", "entrants", "students", "degrees_awarded", "academic_staff")
_COPIED = (
    *("tuition_income", "government_grants", "research_income", "endowment_income", "other_income"),
    *("endowment", "net_assets", "student_aid", "capital_spending", "women_share", "retention_rate"),
    *("graduation_rate", "employment_rate", "professional_staff", "publications", "patents_filed"),
    *("doctorates_awarded", "research_projects", "research_awards", "library_loans"),
)
"""Inputs that are printed unchanged."""


def generate_university(origin: Origin, pack: LanguagePack) -> Entity:
    """The university; the same for the same origin."""
    rng = rng_for(origin.seed, origin.domain, "university", origin.number)
    names = pack.names
    fullness = max(rng.uniform(0.1, 1), rng.uniform(0.1, 1))
    towns = combine_words(names["beginnings"], names["endings"])
    town, pattern = pick_words([towns, names["patterns"]], origin.seed, origin.domain, origin.number)
    name = pattern.format(town=town)
    faculties = tuple(rng.sample(names["faculties"], 5 + round(7 * fullness * rng.uniform(0.7, 1))))
    halls = tuple(rng.sample(names["halls"], rng.randint(4, 8)))
    programmes = tuple(rng.sample(names["programmes"], rng.randint(6, 11)))
    size = rng.choice((5000, 9000, 16000, 26000)) * rng.uniform(0.7, 1.5)
    style = choose_style(rng, pack.language, pack.metrics, small=True)
    inputs = _draw_inputs(rng, size, faculties, halls, programmes, style)
    derive = partial(_derive, faculties=faculties, halls=halls, programmes=programmes)
    return Entity(
        origin=origin,
        name=name,
        metrics=pack.metrics,
        words={"name": name, "town": town, **_words(rng, names)},
        parts={"faculty": faculties, "hall": halls, "programme": programmes},
        style=style,
        fullness=fullness,
        inputs=inputs,
        derive=derive,
        restatements=_restatements(rng, inputs, faculties),
    )


def _words(rng: Random, names: Mapping[str, list[str]]) -> dict[str, str]:
    """The people and projects that the templates mention."""
    people = combine_words(names["given"], [f" {family}" for family in names["families"]])
    head, chair, provost = rng.sample(people, 3)
    institute, other_institute = rng.sample(names["institutes"], 2)
    return {
        "office": rng.choice(names["offices"]),
        "head": head,
        "chair": chair,
        "provost": provost,
        "institute": institute,
        "other_institute": other_institute,
        "building": rng.choice(names["buildings"]),
        "founded": str(rng.randint(1821, 1972)),
        "river": rng.choice(names["rivers"]),
    }


def _draw_inputs(
    rng: Random,
    size: float,
    faculties: tuple[str, ...],
    halls: tuple[str, ...],
    programmes: tuple[str, ...],
    style: FigureStyle,
) -> Inputs:
    """The university's drawn figures for all years; `size` is about its first number of students."""
    inputs: Inputs = {}
    _add_faculties(rng, inputs, size, faculties)
    _add_halls(rng, inputs, size, halls)
    _add_programmes(rng, inputs, programmes)
    grains_per_unit = (10**style.money_decimals, style.money_size)
    amounts = {metric: drift_within(rng, *bounds) for metric, bounds in _PER_STUDENT.items()}
    rates = {metric: drift_within(rng, *bounds) for metric, bounds in _PER_MILLE.items()}
    weights = [rng.uniform(5.2, 6.2), rng.uniform(2.6, 3.4), rng.uniform(0.5, 0.9), rng.uniform(0.08, 0.2)]
    for at, year in enumerate(YEARS):
        students = sum(inputs[year_key("students", year, faculty)] for faculty in faculties)
        for metric, path in amounts.items():
            inputs[year_key(metric, year)] = rounded(int(path[at] * students) * grains_per_unit[0], grains_per_unit[1])
        inputs.update({year_key(metric, year): int(path[at]) for metric, path in rates.items()})
        for metric, weight in zip(_EXPENSES, weights, strict=True):
            inputs[year_key("weight", year, metric)] = int(1000 * weight * rng.uniform(0.97, 1.03))
        awards = int(inputs[year_key("research_income", year)] * rng.uniform(0.85, 1.4))
        inputs[year_key("research_awards", year)] = awards
        staff = sum(inputs[year_key("academic_staff", year, faculty)] for faculty in faculties)
        inputs[year_key("professional_staff", year)] = int(staff * rng.uniform(1.0, 1.15))
        inputs[year_key("publications", year)] = int(staff * rng.uniform(1.6, 2.3))
        inputs[year_key("patents_filed", year)] = 3 + int(staff * rng.uniform(0.01, 0.035))
        inputs[year_key("doctorates_awarded", year)] = 8 + int(students * rng.uniform(0.008, 0.014))
        inputs[year_key("research_projects", year)] = int(staff * rng.uniform(0.35, 0.6))
        inputs[year_key("library_loans", year)] = int(students * rng.uniform(6, 15))
    return inputs


def _add_faculties(rng: Random, inputs: Inputs, size: float, faculties: tuple[str, ...]) -> None:
    """Applications, places, students, degrees and staff of each faculty."""
    weights = [rng.uniform(0.4, 2.0) for _ in faculties]
    blows = shocks(rng, 0.08, 0.12)
    for faculty, weight in zip(faculties, weights, strict=True):
        students = walk(
            rng, size * weight / sum(weights), rng.uniform(-0.015, 0.04), 0.03, [blow / 3 for blow in blows]
        )
        popular = walk(rng, rng.uniform(1.3, 3.6), rng.uniform(-0.02, 0.05), 0.08, blows)
        accepted, joining = drift_within(rng, 0.18, 0.72, 0.04), drift_within(rng, 0.28, 0.55, 0.03)
        leaving, load = drift_within(rng, 0.21, 0.29, 0.012), drift_within(rng, 11, 22, 0.6)
        for at, year in enumerate(YEARS):
            applicants = int(students[at] * popular[at])
            admitted = int(applicants * accepted[at])
            study = (applicants, admitted, int(admitted * joining[at]), int(students[at]))
            figures = (*study, int(students[at] * leaving[at]), 4 + int(students[at] / load[at]))
            inputs.update({year_key(m, year, faculty): n for m, n in zip(_BY_FACULTY, figures, strict=True)})


def _add_halls(rng: Random, inputs: Inputs, size: float, halls: tuple[str, ...]) -> None:
    """Beds, how many are let, and the weekly rent of each hall of residence."""
    for hall in halls:
        beds = int(size * rng.uniform(0.012, 0.045))
        occupied = drift_within(rng, 0.78, 0.995, 0.05)
        rent = walk(rng, rng.uniform(95, 240), 0.035, 0.02)
        for at, year in enumerate(YEARS):
            beds += rng.choice((0, 0, 0, 12, 24))
            inputs[year_key("beds", year, hall)] = beds
            inputs[year_key("beds_let", year, hall)] = int(beds * occupied[at])
            inputs[year_key("weekly_rent", year, hall)] = int(rent[at])


def _add_programmes(rng: Random, inputs: Inputs, programmes: tuple[str, ...]) -> None:
    """The yearly fees of each programme, in round sums."""
    for programme in programmes:
        home = walk(rng, rng.uniform(4800, 13500), 0.025, 0.02)
        extra = rng.uniform(1.5, 2.6)
        for year, fee in zip(YEARS, home, strict=True):
            inputs[year_key("home_tuition", year, programme)] = 10 * int(fee / 10)
            inputs[year_key("overseas_tuition", year, programme)] = 50 * int(fee * extra / 50)


def _restatements(rng: Random, inputs: Inputs, faculties: tuple[str, ...]) -> dict[int, Restatement]:
    """Corrections in the later reports, at most one each."""
    restatements = {}
    for year in range(FIRST_YEAR + 1, FIRST_YEAR + REPORTS):
        reason = rng.choice(("headcount", "applicants", "grants", None, None, None))
        faculty = max(faculties, key=lambda faculty: inputs[year_key("applicants", year - 1, faculty)])
        if reason is not None:
            restatements[year] = Restatement(
                year, reason, _changes(rng, inputs, year - 1, reason, faculty), {"restated_part": faculty}
            )
    return restatements


def _changes(rng: Random, inputs: Inputs, year: int, reason: str, faculty: str) -> dict[FigureKey, int]:
    """The amounts that a correction for `reason` adds to the figures of `year`."""
    if reason == "headcount":
        less = max(1, int(inputs[year_key("students", year, faculty)] * rng.uniform(0.02, 0.06)))
        return {year_key("students", year, faculty): -less}
    if reason == "applicants":
        spare = inputs[year_key("applicants", year, faculty)] - inputs[year_key("admitted", year, faculty)]
        return {year_key("applicants", year, faculty): -max(1, int(spare * rng.uniform(0.03, 0.1)))}
    moved = max(1, int(inputs[year_key("research_income", year)] * rng.uniform(0.02, 0.06)))
    return {year_key("research_income", year): -moved, year_key("government_grants", year): moved}


def _derive(
    inputs: Inputs, year: int, *, faculties: tuple[str, ...], halls: tuple[str, ...], programmes: tuple[str, ...]
) -> Ledger:
    """All figures of `year`: the inputs, their sums, and the ratios."""

    def of(metric: str, part: str = "", years_back: int = 0) -> int:
        return inputs[year_key(metric, year - years_back, part)]

    def total(metric: str, parts: tuple[str, ...], years_back: int = 0) -> int:
        return sum(of(metric, part, years_back) for part in parts)

    own = {metric: of(metric) for metric in _COPIED}
    own |= {metric: total(metric, faculties) for metric in _BY_FACULTY}
    own |= {metric: total(metric, halls) for metric in ("beds", "beds_let")}
    own |= _levels(own["students"], of("undergraduate_weight"), of("doctoral_weight"), of("part_time_weight"))
    own["international_students"] = rounded(own["students"] * of("international_share"), 1000)
    own["international_share"] = share(own["international_students"], own["students"])
    own["total_income"] = sum(own[metric] for metric in _INCOMES)
    own["surplus"] = rounded(own["total_income"] * of("margin"), 1000)
    own["total_expenditure"] = own["total_income"] - own["surplus"]
    spent = split(own["total_expenditure"], [of("weight", metric) for metric in _EXPENSES])
    own |= dict(zip(_EXPENSES, spent, strict=True))
    own["total_staff"] = own["academic_staff"] + own["professional_staff"]
    own["enrolment_growth"] = growth(own["students"], total("students", faculties, 1))
    own["weekly_rent"] = rounded(sum(of("weekly_rent", hall) * of("beds", hall) for hall in halls), own["beds"])
    own["home_tuition"] = rounded(total("home_tuition", programmes), len(programmes))
    own["overseas_tuition"] = rounded(total("overseas_tuition", programmes), len(programmes))
    ledger: Ledger = {year_key(metric, year): amount for metric, amount in (own | _rates(own)).items()}
    for faculty in faculties:
        figures = {metric: of(metric, faculty) for metric in _BY_FACULTY}
        ledger.update({year_key(metric, year, faculty): n for metric, n in (figures | _study_rates(figures)).items()})
        ledger[year_key("enrolment_growth", year, faculty)] = growth(figures["students"], of("students", faculty, 1))
    for hall in halls:
        ledger.update(
            {year_key(metric, year, hall): of(metric, hall) for metric in ("beds", "beds_let", "weekly_rent")}
        )
        ledger[year_key("occupancy_rate", year, hall)] = share(of("beds_let", hall), of("beds", hall))
    for programme in programmes:
        for metric in ("home_tuition", "overseas_tuition"):
            ledger[year_key(metric, year, programme)] = of(metric, programme)
    return ledger


def _levels(students: int, undergraduate: int, doctoral: int, part_time: int) -> dict[str, int]:
    """The students by level and by mode of study; each adds up to all students."""
    levels = split(students, [undergraduate, 1000 - undergraduate - doctoral, doctoral])
    levels_by_metric = zip(
        ("undergraduate_students", "postgraduate_students", "doctoral_students"), levels, strict=True
    )
    full, part = split(students, [1000 - part_time, part_time])
    return dict(levels_by_metric) | {"full_time_students": full, "part_time_students": part}


def _study_rates(figures: Mapping[str, int]) -> dict[str, int]:
    """The rates that both the university and each faculty have."""
    return {
        "acceptance_rate": share(figures["admitted"], figures["applicants"]),
        "yield_rate": share(figures["entrants"], figures["admitted"]),
        "student_staff_ratio": rounded(10 * figures["students"], figures["academic_staff"]),
    }


def _rates(own: Mapping[str, int]) -> dict[str, int]:
    """The rates of the whole university: those of faculties, and its own."""
    return _study_rates(own) | {
        "occupancy_rate": share(own["beds_let"], own["beds"]),
        "surplus_margin": share(own["surplus"], own["total_income"]),
        "staff_cost_ratio": share(own["staff_costs"], own["total_expenditure"]),
    }
