"""The experiments of generated articles: the methods compared, their metrics, and the numbers as printed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from fathom.corpus.generated.lexicon import MeasuredQuantity, Phrase
from fathom.corpus.generated.world import ResearchSubject


@dataclass(frozen=True)
class Experiment:
    """A comparison on one data set, with its result as printed."""

    number: int
    """Counted from zero; the first is the headline experiment."""
    quantity: MeasuredQuantity
    """The measured quantity."""
    material: Phrase
    """The data set."""
    object: Phrase
    setting: Phrase
    rival: Phrase
    """The method that the article's own method is compared with."""
    others: tuple[Phrase, ...]
    """Other methods in the table; none that another experiment compares by the same quantity."""
    columns: tuple[Phrase, ...]
    """The data sets in the table, its own first."""
    best: str
    """The value of the article's own method."""
    base: str
    """The value of the rival."""

    @property
    def gain(self) -> str:
        """The relative change between the two values as printed."""
        base = Decimal(self.base)
        return f"{abs(Decimal(self.best) - base) / base * 100:.1f}%"

    @property
    def direction(self) -> str:
        return "lower" if Decimal(self.best) < Decimal(self.base) else "higher"


def invent_experiments(rng: Random, study: ResearchSubject, count: int) -> list[Experiment]:
    """`count` experiments that cannot be confused with one another; the first is the headline.

    No two measure the same quantity on the same data set, and no two compare with the same rival by the same quantity:
    a claim that names quantity and rival is supported by the evidence of exactly one experiment.
    """
    topic = study.topic
    main = (study.material, study.quantity)
    pairs = [(material, quantity) for material in topic.materials for quantity in topic.quantities]
    pairs = [main, *rng.sample([pair for pair in pairs if pair != main], count - 1)]
    rivals = _rivals(rng, study, [quantity for _, quantity in pairs])
    return [_invent(rng, study, number, pairs, rivals) for number in range(count)]


def _rivals(rng: Random, study: ResearchSubject, quantities: list[MeasuredQuantity]) -> list[Phrase]:
    """A rival for each experiment, different wherever the quantity is the same."""
    rivals = [study.rival]
    for number, quantity in enumerate(quantities[1:], start=1):
        used_rivals = [
            rival
            for rival, rival_quantity in zip(rivals, quantities[:number], strict=True)
            if rival_quantity == quantity
        ]
        rivals.append(rng.choice([m for m in study.topic.methods if m != study.method and m not in used_rivals]))
    return rivals


def _invent(
    rng: Random, study: ResearchSubject, number: int, pairs: list[tuple[Phrase, MeasuredQuantity]], rivals: list[Phrase]
) -> Experiment:
    material, quantity = pairs[number]
    topic = study.topic
    compared_methods = {
        rival.own for rival, (_, rival_quantity) in zip(rivals, pairs, strict=True) if rival_quantity == quantity
    }
    other_methods = [
        method for method in topic.methods if method != study.method and method.own not in compared_methods
    ]
    columns = [column for column in topic.materials if column != material]
    best, base = two_values(rng, quantity)
    return Experiment(
        number=number,
        quantity=quantity,
        material=material,
        object=study.object if number == 0 else rng.choice(topic.objects),
        setting=study.setting if number == 0 else rng.choice(topic.settings),
        rival=rivals[number],
        others=tuple(rng.sample(other_methods, min(len(other_methods), rng.randint(1, 3)))),
        columns=(material, *rng.sample(columns, rng.randint(1, 3))),
        best=best,
        base=base,
    )


def two_values(rng: Random, quantity: MeasuredQuantity) -> tuple[str, str]:
    """Two values as printed, for the article's own method and its rival; the first is clearly better."""
    step = 10.0**-quantity.digits
    base = rng.uniform(
        quantity.low + 0.35 * (quantity.high - quantity.low), quantity.low + 0.65 * (quantity.high - quantity.low)
    )
    margin = (base - quantity.low) if quantity.lower_is_better else (quantity.high - base)
    change = max(step, margin * rng.uniform(0.1, 0.85))
    best = base - change if quantity.lower_is_better else base + change
    printed = quantity.printed(best), quantity.printed(base)
    return printed if printed[0] != printed[1] else two_values(rng, quantity)


def between(rng: Random, quantity: MeasuredQuantity, best: str, base: str) -> str:
    """A value for one of the other methods, near that of the rival."""
    spread = abs(float(best) - float(base))
    return quantity.printed(min(quantity.high, max(quantity.low, float(base) + spread * rng.uniform(-0.7, 0.7))))


def scatter(rng: Random, mean: Decimal, runs: int, digits: int) -> list[str]:
    """Values of single runs as printed; their mean is exactly `mean`."""
    step = Decimal(1).scaleb(-digits)
    reach = max(1, int(abs(mean) / step / 25))
    offsets = [rng.randint(-reach, reach) for _ in range(runs)]
    # The excess of the offsets is spread over the runs, one step each.
    excess = sum(offsets)
    for index in range(abs(excess)):
        offsets[index % runs] -= 1 if excess > 0 else -1
    return [f"{mean + offset * step:.{digits}f}" for offset in offsets]
