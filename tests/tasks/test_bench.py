"""Benches: guarantees checked from the files, and an audit that fails when it should."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import fathom as api
from fathom import tasks
from fathom.contexts.files import FILE_NAME
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Text,
    Unanswerable,
    ValueSet,
)
from fathom.scoring.verdicts import Verdict
from fathom.tasks.auditing import audit
from fathom.tasks.bench import Bench
from fathom.tasks.bench_folder import CONTEXTS, KEYS, MANIFEST, QUESTIONS
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.catalog import FAMILIES, family, family_names
from fathom.tasks.family import Family, FromCorpus
from tests.conftest import Fathom
from tests.signaling import forked, run_until

Json = dict[str, Any]
numeric_audit: Any = import_module("fathom.tasks.numeric.audit")
"""The module; the family offers its function under the same name."""


def printed(answer: Answer) -> str:
    """The answer as a careful model would write it."""

    def atom(value: Number | Text) -> str:
        if isinstance(value, Text):
            return value.value
        return str(round(value.value, value.decimals)) if value.decimals is not None else str(value.value)

    match answer:
        case Number() | Text():
            return atom(answer)
        case ValueSet(items=items) | Multiset(items=items):
            return "\n".join(map(atom, items))
        case Ranking(groups=groups):
            return "\n".join(atom(item) for group in groups for item in group)
        case Rows(rows=rows):
            return "\n".join("; ".join(map(atom, row)) for row in rows)
        case Unanswerable():
            return "NULL"
        case Choice(option=option):
            return str(option)
        case Assignment(options=options):
            return ", ".join(map(str, options))
        case _:
            raise TypeError(f"no family asks for {answer.type} yet")


def saying(id: str, text: str) -> Response:
    return Response(question_id=id, outcome="answered", text=text)


LOADED: tuple[Family, ...] = tuple(map(family, FAMILIES))
SHARED_PACKAGES = {"programs"}
"""Packages of `fathom.tasks` that are no family."""


def test_the_catalog_lists_every_family() -> None:
    packages = {found.name for found in iter_modules(tasks.__path__) if found.ispkg}
    assert set(FAMILIES) == packages - SHARED_PACKAGES
    assert tuple(loaded.name for loaded in LOADED) == FAMILIES == family_names()


ABOUT_ARTICLES = [
    loaded for loaded in LOADED if loaded.name not in ("tables", "puzzles") and not loaded.check_reads_context
]
"""The audits in tests/tasks/tables, tests/tasks/claims and tests/tasks/puzzles try the correct answers of the other
families; an answer to a puzzle needs its steps."""


@pytest.mark.parametrize("asked", ABOUT_ARTICLES, ids=lambda asked: asked.name)
def test_every_key_opens_its_own_question(asked: Family, bench: Bench, few_citing: Path, tmp_path: Path) -> None:
    opened = 0
    if isinstance(asked.build, FromCorpus):
        few = {"items": 2} if "items" in asked.settings.model_fields else {}
        build(BuildInputs(few_citing, Path("none"), {asked.name: few}, 0), tmp_path / "own")
        bench = Bench(tmp_path / "own")
    for _, items in bench.by_context():
        for item in items:
            if item.question.family != asked.name:
                continue
            answer = printed(item.key.answer)
            for text in (answer, f"Let me see.\n\nAnswer: {answer}", f"**Answer:**\n{answer}"):
                verdict = asked.check(item.key, saying(item.question.id, text))
                assert verdict.outcome == "correct", (item.question.text, text, verdict)
            assert asked.check(item.key, saying(item.question.id, "")).outcome != "correct"
            opened += 1
    assert opened == bench.manifest.questions


def test_no_key_opens_another_question(bench: Bench) -> None:
    """The answer to one question is correct for another of the same context only if their answers are equal."""
    check = family("numeric").check
    for _, items in bench.by_context():
        for item in items:
            for two in items:
                same = item.key.answer == two.key.answer
                if not same and item.key.answer.type == two.key.answer.type:
                    verdict = check(two.key, saying(two.question.id, printed(item.key.answer)))
                    assert verdict.outcome != "correct" or _equivalent(item.key.answer, two.key.answer)


def _equivalent(one: Answer, two: Answer) -> bool:
    """Two keys of one type that one response may match: sorts of the same values, and numbers that round to one."""
    if isinstance(one, Number) and isinstance(two, Number):
        decimals = min(number.decimals if number.decimals is not None else 9 for number in (one, two))
        return abs(one.value - two.value) <= Decimal(10) ** -decimals / 2
    return sorted(printed(one).split("\n")) == sorted(printed(two).split("\n"))


def test_questions_are_as_planned(bench: Bench) -> None:
    counts = bench.manifest.counts
    skills = counts["skill"]
    assert len(skills) == 6
    assert max(skills.values()) < 1.5 * min(skills.values())
    assert len(counts["topic"]) == 7
    share = counts["answer"]["none"] / bench.manifest.questions
    assert 0.05 <= share <= 0.15
    by_context: dict[str, set[str]] = defaultdict(set)
    for question in bench.all_questions():
        by_context[question.context_id].add(question.tags["skill"])
    # A small context may lack what one skill needs: two documents that cite one another, say.
    assert sum(len(found) == 6 for found in by_context.values()) >= 0.9 * len(by_context)
    assert min(len(items) for _, items in bench.by_context()) >= 8


def test_results_have_planned_sizes(bench: Bench) -> None:
    zero_or_one = total = 0
    for key in bench.all_keys():
        match key.answer:
            case Ranking(groups=groups):
                assert len(groups) >= 2
                assert sum(map(len, groups)) >= 3
            case ValueSet(items=items) | Multiset(items=items):
                assert len(items) <= 12
            case Number(value=value):
                total += 1
                zero_or_one += value in (0, 1)
    assert zero_or_one / total < 0.05


def test_nothing_in_a_question_tells_its_key(bench_folder: Path) -> None:
    fields = set(json.loads((bench_folder / QUESTIONS).read_text().split("\n")[0]))
    assert fields == {"id", "family", "context_id", "text", "split", "tags"}


def test_splits_share_nothing(bench: Bench) -> None:
    assert bench.manifest.leaks == {"test/train": {"contexts": 0, "documents": 0, "programs": 0, "templates": 0}}
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for context, items in bench.by_context():
        for item in items:
            assert item.question.split == context.split
            seen[context.split]["documents"].update(context.documents)
            seen[context.split]["templates"].add(item.question.tags["template"])
            seen[context.split]["programs"].add(item.key.proof.program)
    assert set(seen) == {"train", "test"}
    for kind, found in seen["train"].items():
        assert not found & seen["test"][kind]


def test_no_question_names_a_person_of_another_split(asked_corpus: Path, tmp_path: Path) -> None:
    joined = "FROM articles JOIN article_author USING (article_id) WHERE author_name = '{author-name}'"
    asked = ("article_title", "MAX(reference_count)", "MIN(author_count)")
    (tmp_path / "mine.json").write_text(json.dumps([{"sql": f"SELECT {one} {joined}"} for one in asked]))
    contexts = tmp_path / FILE_NAME
    lines = (asked_corpus / FILE_NAME).read_text().splitlines(keepends=True)
    contexts.write_text("".join(line for line in lines if '"length":65536' in line))
    numeric = {"unanswerable": 1.0, "questions": 3, "templates": tmp_path / "mine.json"}
    build(BuildInputs(asked_corpus, contexts, {"numeric": numeric}, 0), tmp_path / "b")
    named: dict[str, set[str]] = defaultdict(set)
    people: dict[str, set[str]] = defaultdict(set)
    with Corpus(asked_corpus) as corpus:
        for context, items in Bench(tmp_path / "b").by_context():
            for item in items:
                named[context.split].update(re.findall(r"author_name = '([^']+)'", item.key.proof.program))
            for id in context.documents:
                document = corpus.document(id)
                people[context.split].update(author.span.of(document.text) for author in document.authors)
    assert min(len(names) for names in named.values()) >= 5
    assert not named["train"] & (people["test"] - people["train"])
    assert not named["test"] & (people["train"] - people["test"])


@pytest.mark.parametrize(
    "held_out",
    [("skill=sorting", "topic=author relation"), ("length=64K", "skill=filtering")],
)
def test_what_is_held_out_is_asked_in_a_part_of_the_test_split(
    held_out: tuple[str, ...], asked_corpus: Path, tmp_path: Path
) -> None:
    contexts = _some_contexts(asked_corpus, 2, tmp_path)
    build(BuildInputs(asked_corpus, contexts, {"numeric": {"hold_out": held_out}}, 0), tmp_path / "b")
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for question in Bench(tmp_path / "b").all_questions():
        out = any(f"{tag}={value}" in held_out for tag, value in question.tags.items())
        assert question.tags["distribution"] == ("out" if out else "in")
        found[question.split][question.tags["distribution"]] += 1
    assert set(found["train"]) == {"in"}
    assert set(found["test"]) == {"in", "out"}
    assert found["test"]["out"] >= 0.4 * sum(found["test"].values())


def test_the_same_bytes_with_one_process_and_with_two(asked_corpus: Path, tmp_path: Path) -> None:
    contexts = _short_contexts(asked_corpus, 2, tmp_path)
    numeric = {"template_splits": {"train": 70, "test": 30}}
    one, two = (
        build(BuildInputs(asked_corpus, contexts, {"numeric": numeric}, 4), tmp_path / str(number), processes=number)
        for number in (1, 2)
    )
    assert set(one.counts["split"]) == {"train", "test"}
    for name in (CONTEXTS, QUESTIONS, KEYS):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert one == two


def test_passages_contain_what_the_question_needs(bench: Bench, asked_corpus: Path) -> None:
    with Corpus(asked_corpus) as corpus:
        read = cache(corpus.document)
        for _, items in list(bench.by_context())[:8]:
            for item in items:
                for passage in item.key.proof.passages:
                    document = read(passage.document)
                    words = passage.span.of(document.text)
                    byline = " and ".join(a.span.of(document.text) for a in document.authors[-1:])
                    assert (
                        words == document.title_text
                        or byline in words
                        or document.references[0].span.of(document.text) in words
                    )


# The audit.


def test_a_valid_bench_passes_its_audit(bench_folder: Path) -> None:
    audit_report = audit(bench_folder)
    assert audit_report.passed
    assert json.loads((bench_folder / "audit.json").read_text())["questions"] == audit_report.questions
    undetected = next(checked.measures for checked in audit_report.checks if checked.name == "undetected mutants")
    assert undetected["all: anywhere"] < 0.01
    assert undetected["all: on the collection"] > undetected["all: anywhere"]


def copied(bench_folder: Path, folder: Path) -> Path:
    """A bench to tamper with, which still finds its corpus."""
    shutil.copytree(bench_folder, folder)
    bench = Bench(bench_folder)
    link = Path(os.path.normpath(folder / bench.manifest.corpus))
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(bench.corpus_folder)
    return folder


@pytest.fixture
def tiny_copy(tiny_bench: Path, tmp_path: Path) -> Path:
    """A tiny bench to tamper with, whose audit takes a moment."""
    (tmp_path / "copy").mkdir()
    return copied(tiny_bench, tmp_path / "copy" / "bench")


def _change_answer(key: Json) -> None:
    if key["answer"]["type"] == "number":
        key["answer"]["value"] = str(float(key["answer"]["value"]) + 1)


def _change_program(key: Json) -> None:
    key["proof"]["program"] = "SELECT COUNT(*) FROM articles WHERE author_count > 1000"


def _garble_program(key: Json) -> None:
    key["proof"]["program"] = key["proof"]["program"].replace("author", "auth0r").replace("reference", "(((")


def _move_passage(key: Json) -> None:
    for passage in key["proof"]["passages"]:
        passage["span"] = [0, 10**9]


def _drop_passage(key: Json) -> None:
    key["proof"]["passages"] = key["proof"]["passages"][1:]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (_change_answer, "the query reproduces the key"),
        (_change_program, "the query reproduces the key"),
        (_garble_program, "the query can be parsed and run"),
        (_move_passage, "every passage lies in a shown document"),
        (_drop_passage, "the passages are the required ones"),
    ],
)
def test_a_key_that_was_tampered_with_is_found(change: Callable[[Json], None], rule: str, tiny_copy: Path) -> None:
    folder = tiny_copy
    keys = [json.loads(line) for line in (folder / KEYS).read_text().splitlines()]
    for key in keys[:20]:
        change(key)
    (folder / KEYS).write_text("".join(json.dumps(key) + "\n" for key in keys))
    audit_report = audit(folder)
    assert not audit_report.passed
    failed = {checked.name for checked in audit_report.checks if checked.failed}
    assert {rule, "the files are unchanged"} <= failed


def _ask_the_opposite(question: Json) -> None:
    for one, two in (("above", "below"), ("largest", "smallest"), ("ascending", "descending"), ("at least", "at most")):
        question["text"] = question["text"].replace(one, two)


def _swap_topic(question: Json) -> None:
    question["tags"]["topic"] = "title list" if question["tags"]["topic"] != "title list" else "author list"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (_ask_the_opposite, "the wording matches the program"),
        (_swap_topic, "the tags match the program"),
    ],
)
def test_a_question_that_was_tampered_with_is_found(change: Callable[[Json], None], rule: str, tiny_copy: Path) -> None:
    folder = tiny_copy
    questions = [json.loads(line) for line in (folder / QUESTIONS).read_text().splitlines()]
    before = [json.dumps(question) for question in questions]
    for question in questions[:20]:
        change(question)
    changed = sum(json.dumps(question) != one for question, one in zip(questions, before, strict=True))
    (folder / QUESTIONS).write_text("".join(json.dumps(question) + "\n" for question in questions))
    failed = {checked.name: checked.failed for checked in audit(folder).checks if checked.failed}
    assert failed[rule] == changed > 0


def test_the_check_is_tried_on_every_item(bench_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that accepts every response fails the audit, and so does one that accepts none."""
    with Corpus(Bench(bench_folder).corpus_folder) as corpus:
        for outcome, rule in (("correct", "near misses are rejected"), ("incorrect", "correct answers are accepted")):
            monkeypatch.setattr(
                numeric_audit, "check_response", lambda key, response, said=outcome: _verdict(response, said)
            )
            auditor = numeric_audit.NumericAuditor(corpus, 0, measured=False)
            for context, items in islice(Bench(bench_folder).by_context(), 2):
                auditor.check(context, items)
            assert {result.name for result in auditor.results() if result.failed} == {rule}


def _verdict(response: Response, outcome: str) -> Verdict:
    return Verdict.model_validate(
        {"question_id": response.question_id, "outcome": outcome, "score": float(outcome == "correct")}
    )


def test_an_order_that_depends_on_hidden_rows_is_found(bench_folder: Path) -> None:
    """As in a third of the paper's items, a tie is broken by the order of rows, which becomes part of the answer."""
    bench = Bench(bench_folder)
    ties = [
        (context, item, item.key.answer)
        for context, items in bench.by_context()
        for item in items
        if isinstance(item.key.answer, Ranking) and any(len(group) > 1 for group in item.key.answer.groups)
    ]
    assert ties
    with Corpus(bench.corpus_folder) as corpus:
        auditor = numeric_audit.NumericAuditor(corpus, 0, measured=False)
        for context, item, answer in ties[:3]:
            broken = answer.model_copy(update={"groups": tuple((one,) for group in answer.groups for one in group)})
            auditor.check(context, [replace(item, key=item.key.model_copy(update={"answer": broken}))])
        failed = {result.name for result in auditor.results() if result.failed}
    assert "the order of rows does not change the answer" in failed


def test_a_lost_key_is_an_error(bench_folder: Path, tmp_path: Path) -> None:
    folder = copied(bench_folder, tmp_path / "b")
    lines = (folder / KEYS).read_bytes().splitlines(keepends=True)
    (folder / KEYS).write_bytes(b"".join(lines[1:] + lines[:1]))
    with pytest.raises(FathomError, match="is paired with the key of"):
        audit(folder)


@pytest.mark.parametrize("name", [KEYS, QUESTIONS])
def test_a_file_cut_short_is_an_error(name: str, bench_folder: Path, tmp_path: Path) -> None:
    folder = copied(bench_folder, tmp_path / "b")
    (folder / name).write_bytes(b"".join((folder / name).read_bytes().splitlines(keepends=True)[:7]))
    with pytest.raises(FathomError, match="does not have one key for each question"):
        audit(folder)


def test_a_manifest_with_incorrect_counts_is_detected(tiny_copy: Path) -> None:
    folder = tiny_copy
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["counts"]["skill"]["sorting"] += 1
    (folder / MANIFEST).write_text(json.dumps(manifest))
    failed = {checked.name for checked in audit(folder).checks if checked.failed}
    assert failed == {"the manifest's counts match the files"}


def test_another_corpus_is_refused(bench_folder: Path, small_folder: Path) -> None:
    with pytest.raises(FathomError, match="is not the one that the bench"):
        audit(bench_folder, small_folder)


def test_an_audit_finds_the_corpus_from_any_folder(
    bench_folder: Path, tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Bench(bench_folder).manifest.corpus == "../corpus"
    monkeypatch.chdir(tiny_bench.parent.parent)
    assert audit(Path(tiny_bench.parent.name) / "bench").passed
    lost = shutil.copytree(tiny_bench, tmp_path / "b")
    with pytest.raises(FathomError, match="Give its folder with --corpus"):
        audit(lost)


# A build says what it did not do.


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hold_out": ["skill=poetry"]}, "'poetry' is not a skill"),
        ({"template_splits": {"dev": 1}}, "--template-splits"),
    ],
)
def test_where_no_question_can_be_made_the_cause_is_named(
    settings: dict[str, Any], said: str, asked_corpus: Path, tmp_path: Path
) -> None:
    contexts = tmp_path / "contexts.jsonl"
    lines = (asked_corpus / FILE_NAME).read_text().splitlines(keepends=True)
    contexts.write_text("".join(line for line in lines if '"split":"test"' in line))
    with pytest.raises(FathomError, match=said):
        build(BuildInputs(asked_corpus, contexts, {"numeric": settings}, 0), tmp_path / "b")


def test_own_templates_that_never_fit_are_named_as_the_cause(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path
) -> None:
    never = "SELECT COUNT(*) FROM articles WHERE author_count = 77"
    (tmp_path / "mine.json").write_text(json.dumps([{"sql": never}]))
    numeric = {"templates": tmp_path / "mine.json"}
    with pytest.raises(FathomError, match="no template of '.*mine.json' has suitable values here"):
        build(BuildInputs(asked_corpus, few_contexts, {"numeric": numeric}, 0), tmp_path / "b")


def test_missing_questions_are_counted(asked_corpus: Path, few_contexts: Path, tmp_path: Path, fathom: Fathom) -> None:
    (tmp_path / "mine.json").write_text(json.dumps([{"sql": "SELECT MAX(author_count) FROM articles"}]))
    words = (
        "build",
        "numeric",
        asked_corpus,
        "--contexts",
        few_contexts,
        "--out",
        tmp_path / "b",
        "--templates",
        tmp_path / "mine.json",
        "--questions",
        3,
    )
    said = fathom(*words, "--processes", 1).stdout
    manifest = Bench(tmp_path / "b").manifest
    fewer = 3 * manifest.contexts - manifest.questions
    assert fewer
    assert manifest.missing == {"no user template fits the documents": fewer}
    assert f"{fewer:,} fewer than requested: no user template fits the documents" in said
    again = fathom(*words, "--processes", 2)
    assert again.returncode == 0
    assert "already built from the same inputs" in again.stderr
    assert again.stdout == said
    (tmp_path / "mine.json").write_text(json.dumps([{"sql": "SELECT MIN(author_count) FROM articles"}]))
    assert fathom(*words).returncode == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_says_that_nothing_was_written(
    asked_corpus: Path, tmp_path: Path, number: signal.Signals
) -> None:
    words = ["build", "numeric", asked_corpus, "--out", tmp_path / "b", "--questions", "2", "--processes", "1"]
    stopped = run_until("fathom.tasks.bench_counts:BenchCounts.add", 2, *words, number=number)
    assert stopped.returncode == 130
    assert stopped.stderr == "fathom: interrupted. No bench was written; run the same command to start again.\n"
    assert not (tmp_path / "b").exists()


FEW = {"questions": 2}
FINGERPRINT = "fathom.tasks.bench_folder.fingerprint_of"
"""Called when contexts, questions and keys have their names and the manifest has not."""


def killed_at_the_end(corpus: Path, contexts: Path, folder: Path) -> None:
    """Build a bench, and die when only the manifest is missing."""

    def work() -> None:
        pytest.MonkeyPatch().setattr(FINGERPRINT, lambda folder: os.kill(os.getpid(), signal.SIGKILL))
        build(BuildInputs(corpus, contexts, {"numeric": FEW}, 0), folder)

    assert forked(work).returncode == -signal.SIGKILL


@pytest.fixture
def few_contexts(asked_corpus: Path, tmp_path: Path) -> Path:
    """A file with two of the contexts, for builds whose questions do not matter."""
    return _short_contexts(asked_corpus, 1, tmp_path)


def _short_contexts(asked_corpus: Path, count: int, folder: Path) -> Path:
    """A file with so many contexts of each split, all of the smaller length."""
    lines = [line for line in (asked_corpus / FILE_NAME).read_text().splitlines() if '"length":65536,' in line]
    chosen = [line for split in ("train", "test") for line in [line for line in lines if f'"{split}"' in line][:count]]
    assert len(chosen) == 2 * count
    (folder / "few").mkdir()
    (folder / "few" / FILE_NAME).write_text("".join(f"{line}\n" for line in chosen))
    return folder / "few" / FILE_NAME


def _some_contexts(asked_corpus: Path, step: int, folder: Path) -> Path:
    """A file with every n-th context: all lengths and splits, but fewer of each."""
    lines = (asked_corpus / FILE_NAME).read_bytes().splitlines(keepends=True)
    (folder / "few").mkdir()
    (folder / "few" / FILE_NAME).write_bytes(b"".join(lines[::step]))
    return folder / "few" / FILE_NAME


def test_a_build_that_was_killed_at_its_end_starts_again(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path
) -> None:
    killed_at_the_end(asked_corpus, few_contexts, tmp_path / "b")
    assert {CONTEXTS, QUESTIONS, KEYS} < {path.name for path in (tmp_path / "b").iterdir()}
    with pytest.raises(FathomError, match="There is no bench"):
        Bench(tmp_path / "b")
    build(BuildInputs(asked_corpus, few_contexts, {"numeric": FEW}, 0), tmp_path / "b")
    build(BuildInputs(asked_corpus, few_contexts, {"numeric": FEW}, 0), tmp_path / "c")
    assert Bench(tmp_path / "b").manifest.fingerprint == Bench(tmp_path / "c").manifest.fingerprint
    assert {path.name for path in (tmp_path / "b").iterdir()} == {CONTEXTS, QUESTIONS, KEYS, MANIFEST}


def test_a_build_that_fails_at_its_very_end_leaves_nothing(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FINGERPRINT, lambda folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build(BuildInputs(asked_corpus, few_contexts, {"numeric": FEW}, 0), tmp_path / "b")
    assert not (tmp_path / "b").exists()


def killed_at(event: str, name: str, corpus: Path, contexts: Path, folder: Path) -> None:
    """Build a bench, and die before a file is opened or removed, when it starts afresh or clears away what it made."""

    def kill(happened: str, about: tuple[Any, ...]) -> None:
        if happened != event or not (file := Path(str(about[0]))).name.startswith(name):
            return
        if event == "open" or file.exists():
            os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        sys.addaudithook(kill)
        pytest.MonkeyPatch().setattr(FINGERPRINT, lambda folder: 1 / 0)
        build(BuildInputs(corpus, contexts, {"numeric": FEW}, 0), folder)

    assert forked(work).returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("kills", "event", "name"),
    [
        (2, "open", ".manifest.json"),
        (2, "os.remove", "contexts"),
        (2, "os.remove", "questions"),
        (1, "os.remove", "contexts"),
        (1, "os.remove", "questions"),
    ],
)
def test_a_build_that_was_killed_at_its_start_or_cleanup_starts_again(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path, kills: int, event: str, name: str
) -> None:
    folder = tmp_path / "b"
    if kills == 2:
        killed_at_the_end(asked_corpus, few_contexts, folder)
    killed_at(event, name, asked_corpus, few_contexts, folder)
    build(BuildInputs(asked_corpus, few_contexts, {"numeric": FEW}, 0), folder)
    assert {path.name for path in folder.iterdir()} == {CONTEXTS, QUESTIONS, KEYS, MANIFEST}


def test_of_two_builds_into_one_folder_the_second_is_refused(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path
) -> None:
    """Once, an interrupted second build removed the finished files of the first."""
    words = ["build", "numeric", asked_corpus, "--out", tmp_path / "b", "--seed", "5"]
    refused: list[subprocess.CompletedProcess[str]] = []

    def other(done: int) -> None:
        if refused:
            return
        command = [sys.executable, "-m", "fathom", *map(str, words)]
        refused.append(subprocess.run(command, capture_output=True, text=True, check=False, timeout=120))

    made = build(BuildInputs(asked_corpus, few_contexts, {"numeric": FEW}, 0), tmp_path / "b", progress=other)
    assert [one.returncode for one in refused] == [2]
    assert refused[0].stderr.startswith(f"fathom: Another command is writing a bench to '{tmp_path / 'b'}'.")
    assert Bench(tmp_path / "b").manifest == made
    assert {path.name for path in (tmp_path / "b").iterdir()} == {CONTEXTS, QUESTIONS, KEYS, MANIFEST}


@pytest.mark.parametrize("drafts", [(MANIFEST, CONTEXTS, QUESTIONS, KEYS), (MANIFEST,)])
def test_contexts_that_were_put_where_a_build_was_killed_are_left_alone(
    drafts: tuple[str, ...], asked_corpus: Path, tmp_path: Path
) -> None:
    for name in drafts:
        (tmp_path / f".{name}.999999999.part").touch()
    (tmp_path / CONTEXTS).write_bytes((asked_corpus / FILE_NAME).read_bytes())
    with pytest.raises(FathomError, match=f"is not empty .it contains '{CONTEXTS}'"):
        build(BuildInputs(asked_corpus, tmp_path / CONTEXTS, {"numeric": {}}, 0), tmp_path)
    assert (tmp_path / CONTEXTS).read_bytes() == (asked_corpus / FILE_NAME).read_bytes()


@pytest.mark.parametrize("name", [CONTEXTS, "notes.txt"])
def test_files_that_no_killed_build_left_are_left_alone(asked_corpus: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    (tmp_path / ".notes.txt.1.part").write_text("mine")
    with pytest.raises(FathomError, match=f"is not empty .it contains '{name}'"):
        build(BuildInputs(asked_corpus, asked_corpus / FILE_NAME, {"numeric": {}}, 0), tmp_path)
    assert (tmp_path / name).read_text() == "mine"


# The commands.


def test_build_and_audit_as_people_use_them(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path, fathom: Fathom
) -> None:
    words = ("--contexts", few_contexts, "--questions", 6, "--processes", 1)
    built = fathom("build", "numeric", asked_corpus, "--out", tmp_path / "b", *words)
    assert built.returncode == 0, built.stderr
    assert "questions over" in built.stdout
    proved = fathom("audit", tmp_path / "b")
    assert proved.returncode == 0, proved.stderr
    assert "audit passed" in proved.stdout
    assert json.loads(fathom("audit", tmp_path / "b", "--json").stdout)["checks"]
    again = fathom("build", "numeric", asked_corpus, "--out", tmp_path / "b")
    assert again.returncode == 2
    assert "not empty" in again.stderr
    keys = (tmp_path / "b" / KEYS).read_text()
    (tmp_path / "b" / KEYS).write_text(
        keys.replace('"answer":{"type":"number","value":"', '"answer":{"type":"number","value":"9')
    )
    assert fathom("audit", tmp_path / "b").returncode == 1


def test_own_templates_are_asked_and_bad_ones_named(
    asked_corpus: Path, few_contexts: Path, tmp_path: Path, fathom: Fathom
) -> None:
    mine = [
        {
            "type": "t",
            "focus": "f",
            "sql": "SELECT MAX(author_count) FROM articles WHERE reference_count > {reference-count}",
        },
        {"type": "t", "focus": "f", "sql": "DROP TABLE articles"},
    ]
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    mine_alone = ("--templates", tmp_path / "mine.json", "--contexts", few_contexts)
    words = (*mine_alone, "--questions", 1, "--processes", 1)
    built = fathom("build", "numeric", asked_corpus, "--out", tmp_path / "b", *words)
    assert built.returncode == 0, built.stderr
    assert "template 2, line 1, is left out" in built.stderr
    assert {question.tags["type"] for question in Bench(tmp_path / "b").all_questions()} == {"t"}
    assert audit(tmp_path / "b").passed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "nowhere"), ("no bench in 'nowhere'", "fathom build")),
        (("build", "numeric", "nowhere", "--out", "b"), ("does not exist", "fathom generate")),
        (("build", "poetry", "nowhere", "--out", "b"), ("There is no family 'poetry'", "numeric")),
        (("build", "numeric", "nowhere", "--out", "b", "--hold-out", "mood=bad"), ("'mood=bad'", "skill")),
        (("build", "numeric", "nowhere", "--out", "b", "--template-splits", "train=x"), ("does not take 'train=x'",)),
    ],
)
def test_misuse_is_answered_in_a_sentence(
    words: tuple[str, ...], said: tuple[str, ...], fathom: Fathom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = fathom(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert all(word in done.stderr for word in said), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_answers_are_scored_and_all_questions_count(
    bench: Bench, bench_folder: Path, tmp_path: Path, fathom: Fathom
) -> None:
    """An oracle that leaves every fourth question unanswered, and answers every fifth incorrectly."""
    lines: list[str] = []
    right = wrong = 0
    keys = list(bench.all_keys())
    for number, key in enumerate(keys):
        if number % 4 == 0:
            continue
        text = "Answer: -12345" if number % 5 == 0 else f"Answer: {printed(key.answer)}"
        right, wrong = right + (number % 5 != 0), wrong + (number % 5 == 0)
        lines.append(json.dumps({"question_id": key.question_id, "text": text}))
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n")
    words = ("score", bench_folder, "--answers", tmp_path / "answers.jsonl")
    data = json.loads(fathom(*words, "--json", "--compat", "scitrek", "--out", tmp_path / "verdicts.jsonl").stdout)
    score = data["scores"]["all"]
    assert (score["questions"], score["correct"]) == (len(keys), right)
    assert score["incorrect"] + score["unparseable"] == wrong
    assert score["unanswered"] == len(keys) - len(lines)
    assert score["accuracy"] == pytest.approx(right / len(keys))
    assert 0.3 < data["scitrek"]["all"]["exact_match"] <= right / len(keys)
    assert len((tmp_path / "verdicts.jsonl").read_text().splitlines()) == len(lines)
    assert "filtering+sorting" in fathom(*words).stdout
    for broken, said in (
        (lines[0] + "\n" + lines[0], "has two responses with sample 0"),
        ('{"question_id": "q-0", "text": ""}', "is not in the bench"),
    ):
        (tmp_path / "answers.jsonl").write_text(broken)
        done = fathom(*words)
        assert done.returncode == 2
        assert said in done.stderr
    for broken in ("{", "[]", '{"text": "4"}'):
        (tmp_path / "answers.jsonl").write_text(broken)
        assert "Line 1 of" in fathom(*words).stderr
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n")
    assert "the questions have no tag" in fathom(*words, "--by", "mood").stderr.lower()


def test_a_corpus_that_is_written_again_in_its_place_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one Python process; nothing of the first corpus is kept, also with a relative path."""
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        shutil.rmtree("corpus", ignore_errors=True)
        corpus = api.generate("corpus", documents=8, seed=seed)
        corpus.contexts(lengths=["32K"], count=1, sampling=["random"])
        bench = api.build("numeric", corpus, out=f"bench{seed}", questions=4, processes=1)
        assert bench.audit().passed


def test_a_flipped_digit_in_a_file_of_a_bench_is_found(tiny_bench: Path, tmp_path: Path) -> None:
    for name in (CONTEXTS, QUESTIONS, KEYS):
        copy = tmp_path / name
        shutil.copytree(tiny_bench, copy)
        content = (copy / name).read_bytes()
        digit = next(index for index in range(len(content) // 2, len(content)) if content[index : index + 1].isdigit())
        flipped = b"%d" % ((int(content[digit : digit + 1]) + 1) % 10)
        (copy / name).write_bytes(content[:digit] + flipped + content[digit + 1 :])
        with pytest.raises(FathomError, match=f"{name}' was changed or damaged"):
            list(Bench(copy).by_context())
