"""A study of the checker with responses in forms that were written without looking at it.

    python benchmarks/response_forms_blind.py BENCH... [--seed 31] [--per-type 5] [--half developed|kept]

Whoever wrote the forms saw the prompts and not the parser, and wrote down what language models write: markers in many
languages, Markdown, LaTeX, JSON, tables, tags, drafts that are taken back, remarks. A form is left out where fair
readers of the prompt would disagree about it. For every item, the correct answer in every form must be accepted; near
misses in the same forms, and responses that contradict themselves, hedge or stop, must be rejected. Prints false
rejections and false acceptances by family, type of answer and form.

The forms are divided into two halves by a hash of their names: rules were changed while looking at the failures of one
half only.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import fathom
from _blind_frames import FRAMES, SPOILED
from _blind_renderings import RENDERINGS
from _blind_sheets import MUTATIONS, NUMBERED, Sheet, sheet_of
from _blind_spoiled import SPOILED_BY_KIND

# Near misses in forms that are drawn for each item, beside each mutation in the plain form.
_MUTATED_FORMS = 25

# What does not contradict a key of NULL, or may be meant as a list of everything.
_UNDECIDED = {"none": ("cannot tell", "i do not know", "right in think tags, then refused")}
_MAY_BE_ALL = ("set", "multiset", "ranking", "selection", "rows", "assignment")


@dataclass(frozen=True)
class Trial:
    """One response and what a fair reader says about it."""

    form: str
    text: str
    accept: bool


@dataclass(frozen=True)
class Failure:
    """A verdict that a fair reader does not share."""

    family: str
    kind: str
    trial: Trial
    key: str
    question_id: str


def half_of(form: str) -> str:
    """The half of the forms that a form belongs to; a near miss belongs to the half of the form it is written in."""
    name = form.rpartition(" in ")[2] if form.startswith("mutated") else form
    return "developed" if hashlib.sha1(name.encode()).digest()[0] % 2 == 0 else "kept"


def _reasoning(sheet: Sheet, rng: random.Random) -> str:
    if sheet.kind in NUMBERED:
        return (
            "The paper says that the hidden work introduced a sampling scheme.\n"
            "Candidate 1 is about optimization. Candidate 2 describes a data set.\n"
            "Candidate 3 studies convergence rates, and candidate 4 compares estimators."
        )
    if sheet.chinese:
        first, second = rng.randint(1000, 9000), rng.randint(1000, 9000)
        return f"逐份查看文档：第一份报告的数值为{first:,}，第二份为{second:,}。然后比较这些数值。"
    entries = [f"Article {place}: {rng.randint(2, 9)} authors, {rng.randint(3, 60)} references." for place in (1, 2, 3)]
    return "\n".join(
        ("I go through the documents one by one.", *entries, "The remaining ones are checked in the same way.")
    )


def _reads_as_minus(template: str, sheet: Sheet, other: Sheet) -> bool:
    """A dash or parentheses around a number may be meant as its sign where the sign is what differs."""
    signs = any(line.startswith("-") for line in (*sheet.lines, *other.lines))
    return signs and template in (FRAMES["dash"], FRAMES["in parentheses"])


def _filled(template: str, sheet: Sheet, other: Sheet, rng: random.Random) -> str | None:
    if _reads_as_minus(template, sheet, other):
        return None
    needed = {"@I": sheet.inline, "@WI": other.inline}
    if any(mark in template and text is None for mark, text in needed.items()):
        return None
    text = template.replace("@R", _reasoning(sheet, rng)).replace("@Q", sheet.question)
    for mark, value in (("@WB", other.block), ("@WI", other.inline), ("@B", sheet.block), ("@I", sheet.inline)):
        text = text.replace(mark, value or "")
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in template else text


def _forms(sheet: Sheet, other: Sheet, rng: random.Random) -> Iterator[tuple[str, str]]:
    """The answer of a sheet in every form; `other` is what drafts in it say first."""
    for name, template in FRAMES.items():
        if text := _filled(template, sheet, other, rng):
            yield f"frame: {name}", text
    for name, rendering in RENDERINGS[sheet.kind].items():
        if text := rendering(sheet, rng):
            yield f"{sheet.kind}: {name}", text


def _mutants(sheet: Sheet, rng: random.Random) -> list[tuple[str, Sheet]]:
    made = ((mutation.__name__, mutation(sheet, rng)) for mutation in MUTATIONS)
    return [(name, mutant) for name, mutant in made if mutant is not None]


def trials(sheet: Sheet, rng: random.Random) -> Iterator[Trial]:
    """The responses of one item."""
    mutants = _mutants(sheet, rng)
    if not mutants:
        return  # one name, and the bench has no other
    other = rng.choice(mutants)[1]
    for form, text in _forms(sheet, other, rng):
        yield Trial(form, text, True)
    for name, mutant in mutants:
        yield Trial(f"mutated: {name} in frame: asked for", f"Answer: {mutant.block}", False)
    for _ in range(_MUTATED_FORMS):
        name, mutant = rng.choice(mutants)
        form, text = rng.choice(list(_forms(mutant, sheet, rng)))
        yield Trial(f"mutated: {name} in {form}", text, False)
    for name, template in SPOILED.items():
        skipped = name in _UNDECIDED.get(sheet.kind, ()) or (name == "all of them" and sheet.kind in _MAY_BE_ALL)
        response = None if skipped else _filled(template, sheet, other, rng)
        if response is not None:
            yield Trial(f"spoiled: {name}", response, False)
    for name, spoiled in SPOILED_BY_KIND[sheet.kind].items():
        response = spoiled(sheet, rng)
        if response is not None:
            yield Trial(f"spoiled {sheet.kind}: {name}", response, False)


def _sheets(
    bench: fathom.Bench, folder: Path, per_type: int, rng: random.Random
) -> Iterator[tuple[fathom.BenchItem, Sheet]]:
    """Items of a bench, a few of each type of answer, with their sheets."""
    corpus = fathom.open_corpus(folder / bench.manifest.corpus)
    items = list(bench.items())
    titles = {place.document: _title(corpus, place.document) for item in items for place in item.context.places}
    rng.shuffle(items)
    known = set(titles.values())
    sheets = [(item, sheet_of(item.key.answer, item.question.text, ())) for item in items]
    names = sorted(
        {line for _, sheet in sheets if sheet.kind in ("set", "ranking") and not sheet.numeric for line in sheet.lines}
        - known
    )
    taken: Counter[str] = Counter()
    for item, sheet in sheets:
        # A percentage needs its sign, which the plain forms here lack.
        if sheet.unit == "%" or taken[sheet.kind] == per_type:
            continue
        taken[sheet.kind] += 1
        asks_titles = any(line in known for line in sheet.lines) or (
            sheet.kind == "none" and "title" in item.question.text
        )
        pool = sorted({titles[place.document] for place in item.context.places}) if asks_titles else names
        yield (
            item,
            sheet_of(item.key.answer, item.question.text, tuple(value for value in pool if _unlike(value, sheet))),
        )


@cache
def _title(corpus: fathom.Corpus, document_id: str) -> str:
    document = corpus.document(document_id)
    return document.text[document.title.start : document.title.end] if document.title else ""


def _unlike(value: str, sheet: Sheet) -> bool:
    """Not another spelling of an item of the key, and not in the question."""
    if not value or len(value) < 4 or value in sheet.question:
        return False
    last = value.rsplit(maxsplit=1)[-1].lower()
    return all(last not in line.lower() and line.lower() not in value.lower() for line in sheet.lines)


def run(
    folders: list[Path], seed: int, per_type: int, half: str | None
) -> tuple[Counter[tuple[str, str, bool]], list[Failure]]:
    """Counts of trials by family, type of answer and expected verdict, and the failures."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    failures = []
    for folder in folders:
        bench = fathom.open_bench(folder)
        rng = random.Random(f"{seed} {folder.name}")
        for item, sheet in _sheets(bench, folder, per_type, rng):
            for trial in trials(sheet, rng):
                if half and half_of(trial.form) != half:
                    continue
                counts[item.question.family, sheet.kind, trial.accept] += 1
                if (item.check(trial.text).outcome == "correct") != trial.accept:
                    failures.append(Failure(item.question.family, sheet.kind, trial, item.answer, item.question.id))
    return counts, failures


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole:,} ({part / whole:.2%})" if whole else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--per-type", type=int, default=5, help="items of each type of answer from each bench")
    parser.add_argument("--half", choices=("developed", "kept"))
    parser.add_argument("--show", type=int, default=0, help="examples to print for each form that fails")
    arguments = parser.parse_args()
    counts, failures = run(arguments.benches, arguments.seed, arguments.per_type, arguments.half)
    for accept, word in ((True, "false rejections"), (False, "false acceptances")):
        wrong = Counter((failure.family, failure.kind) for failure in failures if failure.trial.accept == accept)
        total = sum(count for (_, _, expected), count in counts.items() if expected == accept)
        print(f"{word}: {_share(sum(wrong.values()), total)}")
        for (family, kind, expected), count in sorted(counts.items()):
            if expected == accept:
                print(f"  {family:10} {kind:11} {_share(wrong[family, kind], count)}")
        forms = Counter(failure.trial.form for failure in failures if failure.trial.accept == accept)
        for form, count in forms.most_common():
            print(f"    {count:4}  [{half_of(form)}] {form}")
            for failure in [one for one in failures if one.trial.form == form][: arguments.show]:
                print(f"          {failure.question_id} key {failure.key[:100]!r}: {failure.trial.text[-300:]!r}")


if __name__ == "__main__":
    main()
