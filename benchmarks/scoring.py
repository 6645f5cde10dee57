"""Typed verdicts per second on one core, compared with the SciTrek-compatible scorer.

Target: at most 5 times the CPU time of that scorer, which only compares strings. Unlike verdicts per second, a ratio
does not depend on the machine and what else runs on it. It was 2.5 before the parser read sentences, other languages,
remarks, retractions and decorated lists.

Responses have many forms, correct and incorrect, short and reasoned, to every type of key that the numeric family asks
for. Each round has its own names and titles, so that nothing is cached from the round before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import NamedTuple

from _measuring import best
from fathom.records.questions import Response
from fathom.scoring.answer_types.format import published
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, Unanswerable, ValueSet
from fathom.scoring.check import check_response
from fathom.scoring.keys import Key, Proof
from fathom.scoring.scitrek import compare

RESPONSES = 20_000
BATCH = 400
SYLLABLES = ("ka", "lin", "mo", "ter", "vas", "ü", "ren", "shi", "pol", "an", "dro", "ne")
WORDS = (
    "tides",
    "of",
    "shallow",
    "seas",
    "models",
    "for",
    "noisy",
    "data",
    "learning",
    "and",
    "graphs",
    "under",
    "drift",
)


def name(rng: Random) -> str:
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))).title() for _ in range(2))


def title(rng: Random) -> str:
    words = rng.choices(WORDS, k=rng.randint(4, 12))
    return " ".join(words).capitalize() + (f", {rng.choice(WORDS)} {rng.choice(WORDS)}" if rng.random() < 0.2 else "")


def a_key(rng: Random, kind: int, names: list[str], titles: list[str]) -> Answer:
    """An answer of a type that the numeric family asks for: mostly numbers and lists of names and titles."""
    texts: list[Scalar] = [Text(value=value) for value in rng.sample(rng.choice((names, titles)), rng.randint(1, 12))]
    numbers: list[Scalar] = [Number(value=Decimal(value)) for value in rng.sample(range(2000), rng.randint(1, 8))]
    if kind < 3:
        return Number(value=Decimal(rng.randrange(5000)))
    if kind == 3:
        return Number(value=Decimal(rng.randrange(10_000)) / 300, decimals=2)
    if kind == 4:
        return Text(value=rng.choice(titles))
    if kind == 5:
        return ValueSet(items=tuple(texts))
    if kind == 6:
        return Ranking(groups=(tuple(texts[:2]), *((text,) for text in texts[2:])))
    if kind == 7:
        return Multiset(items=tuple(numbers))
    if kind == 8:
        rows = tuple((number, Number(value=Decimal(rng.randrange(99)))) for number in numbers)
        return Rows(columns=("references", "articles"), rows=rows)
    return Unanswerable()


def lines(answer: Answer) -> list[str]:
    """The lines of a response that lists the answer."""
    if isinstance(answer, Rows):
        return ["; ".join(str(cell.value) for cell in row) for row in answer.rows]
    if isinstance(answer, Ranking):
        return [str(item.value) for group in answer.groups for item in group]
    if isinstance(answer, ValueSet | Multiset):
        return [str(item.value) for item in answer.items]
    if isinstance(answer, Number):
        return [f"{round(answer.value, 2):,}" if answer.decimals else f"{answer.value:,}"]
    return ["NULL"] if not isinstance(answer, Text) else [answer.value]


def a_response(rng: Random, values: list[str]) -> str:
    """A response in one of the forms that models use: bare, listed, marked, boxed, reasoned."""
    if len(values) > 1 and rng.random() < 0.3:
        rng.shuffle(values)
    if len(values) > 1 and rng.random() < 0.2:
        values = values[1:]
    reasons = "".join(f"Step {step}: article {rng.randrange(90)} counts, which makes {step}.\n" for step in range(12))
    form = rng.randrange(6)
    if form == 0:
        return "\n".join(values)
    if form == 1:
        return "\n".join(f"{place}. {line}" for place, line in enumerate(values, start=1))
    if form == 2:
        return f"{reasons}\n**Final answer:**\n" + "\n".join(f"- {line}" for line in values)
    if form == 3:
        return f"{reasons}\nSo the answer is \\boxed{{\\text{{{'; '.join(values)}}}}}."
    if form == 4:
        return "Answer: " + "; ".join(values)
    return "\n".join(values)


class Costs(NamedTuple):
    """The CPU time and the counts of one round."""

    typed: float
    compatible: float
    correct: int
    exact: int
    characters: int


def batches(rng: Random) -> Iterator[list[tuple[Key, Response]]]:
    """Keys with responses, a few hundred at a time, as a run reads them from its files."""
    names, titles = [name(rng) for _ in range(3000)], [title(rng) for _ in range(3000)]
    for _ in range(RESPONSES // BATCH):
        pairs = []
        for place in range(BATCH):
            kind = rng.randrange(10)
            answer = a_key(rng, kind, names, titles)
            given = answer if rng.random() < 0.6 else a_key(rng, kind, names, titles)
            text = a_response(rng, ["NULL"] if rng.random() < 0.05 else lines(given))
            key = Key(question_id=f"q-{place}", answer=answer, proof=Proof(program=""))
            pairs.append((key, Response(question_id=key.question_id, outcome="answered", text=text)))
        yield pairs


def costs(seed: int) -> Costs:
    """The CPU time of both scorers over the same responses; names and titles are new to both."""
    typed = compatible = 0.0
    correct = exact = characters = 0
    for pairs in batches(Random(seed)):
        texts = [(published(key.answer), response.text) for key, response in pairs]
        start = time.process_time()
        for key, response in pairs:
            correct += check_response(key, response).outcome == "correct"
        between = time.process_time()
        for reference, generation in texts:
            exact += compare(reference, generation).exact
        typed += between - start
        compatible += time.process_time() - between
        characters += sum(len(generation) for _, generation in texts)
    return Costs(typed, compatible, correct, exact, characters)


rounds = [costs(seed) for seed in range(5)]
typed, compatible = (RESPONSES / best([getattr(round, kind) for round in rounds]) for kind in ("typed", "compatible"))
first = rounds[0]
print(
    f"{RESPONSES:,} responses of {first.characters / RESPONSES:.0f} characters on average, one core, CPU time, "
    f"best of 5:"
)
share = f"{first.correct / RESPONSES:.0%} correct"
print(f"  typed verdicts      {typed:7,.0f} per second ({share})")
print(f"  SciTrek-compatible  {compatible:7,.0f} per second ({first.exact / RESPONSES:.0%} exact matches)")
print(f"typed verdicts take {compatible / typed:.1f} times as long (promised: at most 5)")
