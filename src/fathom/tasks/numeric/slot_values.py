"""Values for the slots of templates.

Answerable questions get values of their own context. Unanswerable ones get values of other collections of the corpus.
Both are drawn so that values are equally frequent among them: neither the values nor the wording tells that a question
has no answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import comb
from random import Random

from fathom.records.rng import rng_for
from fathom.tasks.numeric.schema import AUTHORS, POSITION, SCHEMA
from fathom.tasks.numeric.sources import Source
from fathom.tasks.numeric.tables import Tables, build_tables
from fathom.tasks.numeric.templates import Template
from fathom.tasks.programs import tree

FEW = (2, 3)
"""Minimum numbers of citations or articles that questions ask for."""

SAMPLE = 240
"""Articles of the corpus that are read to weigh values."""

COLLECTIONS = 24
"""Collections of each size that values for unanswerable questions are drawn from."""

CHANCE_OF_NONE = 0.03
"""Values that leave nothing in fewer contexts of a size are drawn less often for answerable questions, and those that
leave nothing in more contexts less often for unanswerable ones."""


class SlotValues:
    """The values that one collection of articles has for slots."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._view = tables.evaluation.view(SCHEMA.main)
        self._present: dict[tree.Measure, Sequence[int]] = {}

    def options(self, slot: tree.Slot, template: Template, rng: Random) -> Sequence[int | str]:
        """The values that may fill the slot, except titles."""
        match slot.kind:
            case "number":
                assert slot.of is not None
                return self.present(slot.of)
            case "position":
                first = any(
                    isinstance(node, tree.Compare) and node.measure == POSITION and node.sign == "="
                    for node in template.conditions
                )
                most = max(self.present(AUTHORS), default=0)
                # "At a position no less than 1" would exclude no author.
                return range(1 if first else 2, max(3, most + 1))
            case "few":
                return FEW
            case "name":
                return self._names
            case "fragment":
                words = self._title_words
                return [word[: rng.randint(4, len(word))] for word in rng.sample(words, min(3, len(words)))]
        raise ValueError(f"'{slot.kind}' is not a kind of slot")

    def present(self, of: tree.Measure) -> Sequence[int]:
        """The different values of a measure, rounded down."""
        if of not in self._present:
            try:
                self._present[of] = sorted(set(map(int, self._view.scale(of).values)))
            except ZeroDivisionError:
                # An editorial may have no authors to divide by.
                self._present[of] = ()
        return self._present[of]

    @cached_property
    def _names(self) -> Sequence[str]:
        """Names to ask about: people with several articles if there are at least three, else all."""
        # "Wei Zhang (2)" is printed nowhere.
        often = Counter(row.name for row in self._tables.authors if not row.name.endswith(")"))
        several = [name for name, count in often.items() if count > 1]
        return several if len(several) >= 3 else list(often)

    @cached_property
    def _title_words(self) -> Sequence[str]:
        """They consist of letters only, so they contain no wildcards of LIKE."""
        titles = "\n".join(row.title for row in self._tables.articles)
        return sorted({word.lower() for word in re.findall(r"[A-Za-z]{5,}", titles)})


class CorpusSample:
    """A sample of the corpus: the values that occur in it, and how many of its articles meet a condition."""

    def __init__(self, sources: Sequence[Source], seed: int) -> None:
        self._sources = sources
        self._seed = seed
        self._tables = build_tables(sources)
        self._collections = lru_cache(maxsize=None)(self._collection)

    def collection(self, size: int, rng: Random) -> SlotValues:
        """A random collection of about this many articles."""
        return self._collections(min(size, len(self._sources)), rng.randrange(COLLECTIONS))

    def _collection(self, size: int, number: int) -> SlotValues:
        rng = rng_for(self._seed, "collection", size, number)
        return SlotValues(build_tables(rng.sample(self._sources, size)))

    def chance(self, template: Template, values: tree.Bindings, size: int, kept: range, empty: bool) -> float:
        """How often these values are to be used where they fit, such that answerable and unanswerable questions match.

        In a context of `size` articles, the values leave nothing with chance `none` and a suitable number of articles
        (in `kept`) with chance `some`. Both kinds of questions get them in proportion to `some * min(1, none / limit)`.
        """
        if template.relates_articles:
            return 1.0
        share = self._share(template, values)
        none = (1 - share) ** size
        if not empty:
            return min(1.0, none / CHANCE_OF_NONE)
        # An answerable question gets values that articles of its context have.
        others = max(0, size - template.lenders.all)
        some = sum(_binomial(count - template.lenders.meeting, others, share) for count in kept)
        # In a long context, the chance may be too small for a float.
        return some * min(1.0, CHANCE_OF_NONE / none) if none else some

    def _share(self, template: Template, values: tree.Bindings) -> float:
        """The share of the corpus's articles that meet the condition; never quite zero or one."""
        tables = self._divisible if template.divisors else self._tables
        view = tables.evaluation.view(SCHEMA.by_name["article_author"] if template.over_bylines else SCHEMA.main)
        found = len(view.entities(view.mask(template.program.where, values)))
        return (found + 0.5) / (len(tables.articles) + 1)

    @cached_property
    def _divisible(self) -> Tables:
        """The articles whose counts can be divided by."""
        return build_tables([one for one in self._sources if 0 not in (one.author_count, one.reference_count)])


def _binomial(count: int, size: int, share: float) -> float:
    """The chance that `count` of `size` articles meet a condition that this share meets."""
    if not 0 <= count <= size:
        return 0.0
    return comb(size, count) * share**count * (1 - share) ** (size - count)
