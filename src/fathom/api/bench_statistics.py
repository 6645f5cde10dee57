"""Statistics of a bench: its items by every tag, the sizes of contexts and questions, templates and operators."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import median

from fathom.records.documents import NonNegativeInt
from fathom.records.record import Record
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnoser, Tag

_WORD = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
"""A word, or a Chinese character: Chinese has no spaces between words."""


class NumberRange(Record):
    """The smallest, the median and the largest of some numbers."""

    smallest: float
    median: float
    largest: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> NumberRange:
        """The range of at least one number."""
        found = list(numbers)
        return cls(smallest=min(found), median=median(found), largest=max(found))


class BenchStatistics(Record):
    """The statistics of a bench."""

    questions: NonNegativeInt
    contexts: NonNegativeInt
    documents: NonNegativeInt
    """Different documents in its contexts."""
    counts: dict[str, dict[str, NonNegativeInt]]
    """Questions by family, split, answer type and each tag."""
    documents_per_context: NumberRange
    tokens_per_context: NumberRange
    questions_per_context: NumberRange
    words_per_question: NumberRange
    passages_per_question: NumberRange
    """Passages that prove the key."""
    variety: dict[str, dict[str, NonNegativeInt]] = {}
    """For each tag with many values, such as `template`: different values by the value of the family's first tag."""
    operators: dict[str, NonNegativeInt] = {}
    """Questions by operator of their programs; a question may have several."""


def bench_statistics(bench: Bench) -> BenchStatistics:
    """The statistics of a bench, from its files and its corpus."""
    documents: set[str] = set()
    sizes: dict[str, list[float]] = defaultdict(list)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    operators: Counter[str] = Counter()
    with bench.open_corpus() as corpus:
        diagnosers: dict[str, Diagnoser | None] = {
            name: (make(corpus) if (make := family(name).diagnose) is not None else None)
            for name in bench.manifest.families
        }
        for context, items in bench.by_context():
            documents.update(context.documents)
            sizes["documents"].append(len(context.documents))
            sizes["tokens"].append(context.tokens)
            sizes["questions"].append(len(items))
            for item in items:
                sizes["words"].append(len(_WORD.findall(item.question.text)))
                sizes["passages"].append(len(item.key.proof.passages))
                first, varied = _tags(family(item.question.family).tags)
                for tag in varied:
                    if tag.name in item.question.tags:
                        group = item.question.tags.get(first, "all")
                        values[tag.name, group].add(item.question.tags[tag.name])
                diagnoser = diagnosers[item.question.family]
                if diagnoser is not None:
                    operators.update(diagnoser.diagnose(context, item).operators)
    variety: dict[str, dict[str, int]] = defaultdict(dict)
    for (tag_name, group), found in sorted(values.items()):
        variety[tag_name][group] = len(found)
    return BenchStatistics(
        questions=bench.manifest.questions,
        contexts=bench.manifest.contexts,
        documents=len(documents),
        counts=bench.manifest.counts,
        documents_per_context=NumberRange.of(sizes["documents"]),
        tokens_per_context=NumberRange.of(sizes["tokens"]),
        questions_per_context=NumberRange.of(sizes["questions"]),
        words_per_question=NumberRange.of(sizes["words"]),
        passages_per_question=NumberRange.of(sizes["passages"]),
        variety=dict(variety),
        operators=dict(sorted(operators.items(), key=lambda entry: (-entry[1], entry[0]))),
    )


def _tags(tags: tuple[Tag, ...]) -> tuple[str, list[Tag]]:
    """The name of the first tag, which groups the others, and the tags with too many values to list."""
    return (tags[0].name if tags else ""), [tag for tag in tags if not tag.grouped]
