"""Puzzles over five kinds of documents in two languages: proofs, shortcut baselines and planted faults.

    python benchmarks/puzzles.py SEED... [--documents 66] [--out study.jsonl]

For each seed: generates a corpus, builds puzzles, audits the bench, removes each fact that a puzzle needs from its
document, answers with the shortcut baselines, scores responses with planted faults with and without the checklist, and
puts instructions into responses. With --out, the counts of each seed are appended there; seeds that are there already
are not measured again, so that a study of 1,000 puzzles can be done in parts. Prints the totals. Targets: no fact can
be left out, baselines below 5%, and below 2% of the guessed answers accepted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from random import Random

import fathom
from _judge_attacks import attacked
from _measuring import workplace
from fathom.analysis.intervals import wilson
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.documents import Fact
from fathom.records.questions import Response
from fathom.tasks.bench import Bench
from fathom.tasks.family import Item
from fathom.tasks.puzzles.baselines import closed_book, lexical, single_passage
from fathom.tasks.puzzles.check import check, check_answer
from fathom.tasks.puzzles.checklist import FACT
from fathom.tasks.puzzles.evaluate import result
from fathom.tasks.puzzles.faults import FAULTS
from fathom.tasks.puzzles.puzzle import PuzzleSource, same_value
from fathom.tasks.puzzles.simulate import Simulator
from fathom.tasks.puzzles.sources import source_of
from fathom.tasks.puzzles.tree import parse

DOMAINS = "prose,reports,articles"
PLANTED = ("guess", "wrong-way", "contradict", "copy", "miss", "right-way")
BASELINES = {"single passage": single_passage, "lexical": lexical}


def measured(seed: int, documents: int, folder: Path) -> Counter[str]:
    """The counts of one seed."""
    corpus = fathom.generate(folder / "corpus", documents=documents, domains=DOMAINS, seed=seed)
    fathom.build("puzzles", corpus, out=folder / "bench", seed=seed, items=4 * documents)
    bench = Bench(folder / "bench")
    counts: Counter[str] = Counter()
    for one in fathom.Bench(folder / "bench").audit().checks:
        counts["audit: checked"] += one.checked
        counts["audit: failed"] += one.failed
    with bench.open_corpus() as store:
        simulator = Simulator(store, bench.all_keys)
        for context, items in bench.by_context():
            source = source_of(store.document(context.documents[0]))
            assert source is not None
            for item in items:
                counts["puzzles"] += 1
                counts[f"kind: {item.question.tags['kind']}, {item.question.tags['language']}"] += 1
                counts[f"steps: {item.question.tags['steps']}"] += 1
                counts.update(dropped(source, item))
                counts.update(shortcuts(source, item))
                texts = {name: said(simulator, context, item, name) for name in ("none", *PLANTED)}
                for fault, text in texts.items():
                    # A fault that cannot happen leaves the solution complete: a name is not computed, say.
                    if fault == "none" or text != texts["none"]:
                        counts.update(accepted(item, f"planted {fault}", text))
                if counts["puzzles"] % 10 == 0:
                    counts.update(attacks(item, texts["none"]))
                    counts.update(attacks(item, texts["guess"]))
    return counts


def said(simulator: Simulator, context: Context, item: Item, fault: str) -> str:
    """The response of a simulated model with one fault."""
    simulated = SimulatedModel.parse("sim/oracle" if fault == "none" else f"sim/reader?{fault}=1")
    resolved = simulated.resolved([one.name for one in FAULTS])
    return simulator.text(context, item, resolved, Random(item.question.id + fault))


def dropped(source: PuzzleSource, item: Item) -> Counter[str]:
    """How many facts a puzzle needs, and without how many of them the answer stays the same."""
    facts, program = source.document.facts, parse(item.key.proof.program)
    answer = result(program, facts)
    assert answer is not None
    counts: Counter[str] = Counter()
    for row in item.key.proof.rows:
        if row[0] == FACT:
            rest = [fact for fact in facts if not is_stated(fact, row)]
            counts["facts: dropped"] += 1
            counts["facts: dispensable"] += len(rest) == len(facts) or same_value(result(program, rest), answer)
    return counts


def is_stated(fact: Fact, row: tuple[str, ...]) -> bool:
    """Whether a fact is the one of a row of a proof, wherever the document states it."""
    value = fact.name or (f"{fact.value:f}" if fact.value is not None else "")
    return (fact.entity, fact.part, fact.attribute, fact.period, value) == (*row[1:5], row[6])


def shortcuts(source: PuzzleSource, item: Item) -> Counter[str]:
    """Correct answers of the shortcut baselines."""
    answers = {name: baseline(source, item)[1] for name, baseline in BASELINES.items()}
    answers["closed book"] = closed_book(source, item)
    return Counter({f"baseline {name}": is_correct(item, f"Answer: {said}") for name, said in answers.items()})


def is_correct(item: Item, text: str) -> int:
    return int(check_answer(item.key, response(item, text)).outcome == "correct")


def response(item: Item, text: str) -> Response:
    return Response(question_id=item.question.id, outcome="answered", text=text)


def accepted(item: Item, name: str, text: str) -> Counter[str]:
    """Whether a response is accepted on its answer alone, and with the checklist."""
    process = int(check(item.key, response(item, text)).outcome == "correct")
    return Counter({f"{name}: responses": 1, f"{name}: answer": is_correct(item, text), f"{name}: process": process})


def attacks(item: Item, text: str) -> Counter[str]:
    """How many instructions in a response change the verdict of the step checker."""
    before = check(item.key, response(item, text)).outcome
    found = [check(item.key, response(item, one)).outcome != before for one in attacked(text)]
    return Counter({"attacks: tried": len(found), "attacks: changed": sum(found)})


def read(path: Path | None) -> dict[int, Counter[str]]:
    """The seeds that were measured before."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    return {record["seed"]: Counter(record["counts"]) for record in map(json.loads, lines)}


def show(counts: Counter[str]) -> None:
    """Print the counts, and shares with Wilson intervals."""
    for name in sorted(counts):
        group, _, rest = name.partition(": ")
        whole = (
            counts["puzzles"] if name.startswith("baseline") else counts[f"{group}: responses"] * (rest != "responses")
        )
        if whole:
            low, high = wilson(counts[name] / whole, whole, 1.96)
            print(f"{name:32} {counts[name]:>6,} of {whole:,}: {counts[name] / whole:.1%} ({low:.1%}-{high:.1%})")
        else:
            print(f"{name:32} {counts[name]:>6,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="+", type=int)
    parser.add_argument("--documents", type=int, default=66)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = read(given.out)
    for seed in given.seeds:
        if seed not in found:
            with workplace() as folder:
                found[seed] = measured(seed, given.documents, folder)
            if given.out is not None:
                with given.out.open("a") as file:
                    file.write(json.dumps({"seed": seed, "counts": found[seed]}) + "\n")
    total: Counter[str] = Counter()
    for seed in given.seeds:
        total.update(found[seed])  # unlike a sum, this keeps counts of zero
    show(total)


if __name__ == "__main__":
    main()
