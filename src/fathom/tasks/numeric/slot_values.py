"""The values that a context has for the slots of templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from fathom.tasks.numeric.schema import AUTHORS, POSITION, SCHEMA
from fathom.tasks.numeric.tables import ContextTables
from fathom.tasks.numeric.templates import Template
from fathom.tasks.programs import tree

FEW = (2, 3)
"""Minimum numbers of citations or articles that questions ask for."""

_WHOLE_WORD = re.compile(r"(?<![^\W\d_])[a-z]{5,}(?![^\W\d_])")


class SlotValues:
    """The values that the articles of one context have for slots."""

    def __init__(self, tables: ContextTables) -> None:
        self._tables = tables
        self._view = tables.evaluation.view(SCHEMA.main)
        self._present: dict[tree.Measure, Sequence[int]] = {}

    def options(self, slot: tree.Slot, template: Template) -> Sequence[int | str]:
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
                return self._title_words
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
        """Whole words of titles: those in several titles if there are at least three, else all.

        They consist of letters only, so they contain no wildcards of LIKE.
        """
        titles = [row.title.lower() for row in self._tables.articles]
        words = sorted({word for title in titles for word in _WHOLE_WORD.findall(title)})
        several = [word for word in words if sum(word in title for title in titles) > 1]
        return several if len(several) >= 3 else words
