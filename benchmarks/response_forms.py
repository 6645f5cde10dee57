"""A mutation study of the checker: correct and incorrect answers in the many forms in which models write them.

Benches of `numeric` and `citations` are built over each corpus. Every item gets correct responses, incorrect ones in
the same forms, and responses without an answer; the label comes from how a response was made, not from the checker.
Forms about which careful graders may disagree are labeled doubtful: reported, not counted. Target: no incorrect
response is accepted, and under 1% of the correct ones are not.

    python benchmarks/response_forms.py [--corpus CORPUS:LENGTH ...] [--each 8] [--seed 0] [--failures FILE]

The forms were written before their author had read the parser.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from _forms_frames import changed_minds, frames, hedges, matching_arguments, without_answer, wrap
from _forms_held_out import held_out
from _forms_renderings import Rendering, renderings
from _forms_values import Article, Subject, Value, equal_values, subject_of, wrong_values
from _measuring import workplace
from fathom.analysis.intervals import wilson
from fathom.api.benches import Bench, build
from fathom.api.corpora import generate, open_corpus
from fathom.records.documents import Document
from fathom.records.errors import FathomError

CONTEXTS = 14
QUESTIONS = 16
CITATIONS = 25
LIMIT = 0.01
"""Correct responses that may be rejected."""


@dataclass(frozen=True)
class Case:
    """One response with its label and how it was made."""

    subject: Subject
    text: str
    correct: bool
    doubtful: bool
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    case: Case
    outcome: str
    parsed: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", action="append", default=[], help="a corpus and the length of its contexts")
    parser.add_argument("--each", type=int, default=8, help="correct and incorrect responses for each item")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--held-out", action="store_true", help="the held-out forms in place of the others")
    parser.add_argument("--failures", type=Path, help="write every failure to this JSON Lines file")
    chosen = parser.parse_args()
    with workplace() as folder:
        corpora = [one.rsplit(":", 1) for one in chosen.corpus] or [generated(folder, chosen.seed)]
        subjects = [one for number, (path, length) in enumerate(corpora)
                    for one in subjects_of(folder / str(number), Path(path), length, chosen.seed)]  # fmt: skip
    cases = [
        case for subject in subjects for case in cases_of(subject, subjects, chosen.each, chosen.seed, chosen.held_out)
    ]
    failed = report(cases)
    if chosen.failures:
        write(chosen.failures, failed)
    accepted = sum(not one.case.correct and not one.case.doubtful for one in failed)
    rejected = sum(one.case.correct and not one.case.doubtful for one in failed)
    correct = sum(case.correct and not case.doubtful for case in cases)
    if accepted or rejected > LIMIT * correct:
        raise SystemExit(1)


def generated(folder: Path, seed: int) -> list[str]:
    generate(folder / "corpus", documents=60, seed=seed, processes=1)
    return [str(folder / "corpus"), "64K"]


def subjects_of(folder: Path, path: Path, length: str, seed: int) -> Iterator[Subject]:
    """The items of both families over one corpus."""
    folder.mkdir()
    with open_corpus(path) as corpus:
        corpus.contexts(length, count=CONTEXTS, out=folder / "contexts.jsonl", seed=seed)
        contexts = folder / "contexts.jsonl"
        benches = [build("numeric", path, folder / "numeric", contexts=contexts, questions=QUESTIONS, seed=seed)]
        try:
            tasks = ["choice", "cloze", "set"]
            benches.append(build("citations", path, folder / "citations", items=CITATIONS, tasks=tasks, seed=seed))
        except FathomError as error:
            print(f"{path}: no citations: {error}")
        for bench in benches:
            yield from _subjects(bench, {document.id: document for document in corpus.documents()})


def _subjects(bench: Bench, documents: Mapping[str, Document]) -> Iterator[Subject]:
    for item in bench.items():
        articles = []
        for number, place in enumerate(item.context.places, 1):
            document = documents[place.document]
            title = document.title and document.text[document.title.start : document.title.end]
            names = tuple(document.text[one.span.start : one.span.end] for one in document.authors if one.span)
            if title:
                articles.append(Article(number, title, names, len(document.references)))
        if articles:
            yield subject_of(item, articles)


def cases_of(subject: Subject, subjects: Sequence[Subject], each: int, seed: int, held: bool) -> Iterator[Case]:
    """All responses to one item; with `held` those in the held-out forms."""
    rng = Random(f"{seed}-{subject.item.question.id}")
    wrongs = wrong_values(subject, rng)
    if held:
        yield from _held_out(subject, wrongs, rng)
        return
    if subject.kind == "selection":
        return
    # Clozes are few.
    for _ in range(4 * each if subject.kind == "assignment" else each):
        name, wrong = rng.choice(wrongs)
        yield from written(subject, equal_values(subject, rng), one_line(wrong), (), True, rng)
        yield from written(subject, wrong, one_line(subject.value), (f"wrong: {name}",), False, rng)
    right = one_line(subject.value)
    for name, text in rng.sample(list(without_answer(subject, right, rng)), 4):
        yield Case(subject, text, False, False, (f"no answer: {name}",))
    yield from _with_both(subject, wrongs, rng)
    yield from _of_another(subject, subjects, rng)
    if subject.textual and isinstance(subject.value, list) and len(subject.value[-1]) > 25:
        cut = "\n".join([*subject.value[:-1], subject.value[-1][: len(subject.value[-1]) * 2 // 5]])
        yield Case(subject, f"Answer:\n{cut}", False, False, ("no answer: cut in a title",))


def _held_out(subject: Subject, wrongs: Sequence[tuple[str, Value]], rng: Random) -> Iterator[Case]:
    """A third of the held-out forms with a correct value, and a third with an incorrect one."""
    name, wrong = rng.choice([one for one in wrongs if one[1] is not None] or wrongs)
    right = equal_values(subject, rng)
    for value, other, correct in ((right, wrong, True), (wrong, right, False)):
        cases = list(held_out(subject, value, one_line(other), rng))
        for form, text, doubtful in rng.sample(cases, min(len(cases), 8)):
            yield Case(subject, text, correct, doubtful, (form,) if correct else (form, f"wrong: {name}"))


def written(
    subject: Subject, value: Value, other: str, forms: tuple[str, ...], correct: bool, rng: Random
) -> Iterator[Case]:
    """The value in one rendering, frame and wrapper; `other` is a value with the opposite label, to be mentioned."""
    found = renderings(subject, value, rng)
    if not found:
        return
    rendering: Rendering = rng.choice(found)
    frame, core, marked = rng.choice(frames(rendering))
    wrapper, text = wrap(core, marked, rendering.shape, subject, rng, other)
    kind = "titles or names" if subject.textual else subject.kind
    names = (f"{kind}: {rendering.name}", f"frame: {frame}", f"wrapper: {wrapper}", *forms)
    yield Case(subject, text, correct, rendering.doubtful, names)


def one_line(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return "; ".join(": ".join(one) if isinstance(one, tuple) else str(one) for one in value)
    return str(value)


def _with_both(subject: Subject, wrongs: Sequence[tuple[str, Value]], rng: Random) -> Iterator[Case]:
    """Responses that name a correct and an incorrect value."""
    _, wrong = rng.choice(wrongs)
    right = one_line(subject.value)
    short = subject.kind in ("number", "choice")
    options = [one for _, one in wrongs if isinstance(one, int) and 1 <= one <= 4] or [one for _, one in wrongs if one]
    other = rng.choice(options)
    if short:
        for name, text in rng.sample(list(hedges(subject, subject.value, other, rng)), 4):
            yield Case(subject, text, False, False, (name,))
    if short or subject.kind == "none":
        for name, text, good in rng.sample(list(changed_minds(subject, right, one_line(wrong), rng)), 4):
            yield Case(subject, text, good, False, (f"changed mind: {name}",))
    if subject.kind == "choice":
        arguments = list(matching_arguments(int(right), int(str(other)), rng))
        for name, text, good in rng.sample(arguments, 8):
            yield Case(subject, text, good, False, (name,))


def _of_another(subject: Subject, subjects: Sequence[Subject], rng: Random) -> Iterator[Case]:
    """The answer of another question."""
    another = rng.choice(subjects)
    # The same words in another order may be the same answer.
    if words(another.item.answer) == words(subject.item.answer):
        return
    yield Case(subject, f"Answer:\n{another.item.answer}", False, False, ("answer of another question",))


def words(text: str) -> set[str]:
    """The words of a text; 3.00 is 3."""
    return {re.sub(r"\.0+\Z", "", word) for word in re.findall(r"[\w.]+", text.casefold())}


def report(cases: Sequence[Case]) -> list[Failure]:
    """Check every response, print the figures, and return the failures."""
    failed = []
    for case in cases:
        verdict = case.subject.item.check(case.text)
        if (verdict.outcome == "correct") != case.correct:
            failed.append(Failure(case, verdict.outcome, str(verdict.parsed)))
    print(f"{len(cases):,} responses to {len({case.subject.item.question.id for case in cases}):,} items")
    for correct, label in ((False, "false accepts"), (True, "false rejects")):
        for doubtful in (False, True):
            all_cases = [case for case in cases if case.correct is correct and case.doubtful is doubtful]
            bad = [one for one in failed if one.case.correct is correct and one.case.doubtful is doubtful]
            _print_share(label + (", doubtful forms (not counted)" if doubtful else ""), len(bad), len(all_cases))
            if not doubtful:
                _print_forms(bad, all_cases)
    return failed


def _print_share(label: str, bad: int, size: int) -> None:
    low, high = wilson(bad / size, size, 1.96) if size else (0.0, 1.0)
    share = bad / size if size else 0.0
    print(f"\n{label}: {bad} of {size:,} ({share:.2%}, 95% interval {low:.2%}-{high:.2%})")


def _print_forms(bad: Sequence[Failure], cases: Sequence[Case]) -> None:
    total = Counter(form for case in cases for form in case.forms)
    found: dict[str, list[Failure]] = defaultdict(list)
    for one in bad:
        for form in one.case.forms:
            found[form].append(one)
    kinds = Counter(case.subject.kind for case in cases)
    for kind, count in sorted(kinds.items()):
        print(f"  {kind:<12} {sum(one.case.subject.kind == kind for one in bad):>5} of {count:,}")
    worst = sorted(found.items(), key=lambda pair: (-len(pair[1]) / total[pair[0]], -len(pair[1])))
    for form, ones in worst[:40]:
        example = min((one.case.text for one in ones), key=len)
        print(f"  {len(ones):>4} of {total[form]:<5} {form:<56} {example[:90]!r}")


def write(path: Path, failed: Sequence[Failure]) -> None:
    with path.open("w") as file:
        for one in failed:
            case = one.case
            line = {"kind": case.subject.kind, "correct": case.correct, "doubtful": case.doubtful, "forms": case.forms,
                    "text": case.text, "answer": case.subject.item.answer, "outcome": one.outcome,
                    "parsed": one.parsed, "question": case.subject.question}  # fmt: skip
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
