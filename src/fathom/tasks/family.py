"""The shape of a family. A module with these names is one: nothing registers it, and no base class feeds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Protocol

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.questions import Question, Reply
from fathom.scoring.keys import Key
from fathom.scoring.verdicts import Verdict


@dataclass(frozen=True)
class Item:
    """A question with its key. They part ways when they are written, and never meet again where answers are made."""

    question: Question
    key: Key


class Builder(Protocol):
    """Makes a family's items for one corpus; it may keep what it read, for the next context."""

    def build(self, context: Context, rng: Random) -> Iterator[Item]: ...


class Family(Protocol):
    """What a family's folder offers."""

    @property
    def name(self) -> str: ...

    def builder(self, corpus: Corpus) -> Builder: ...

    def check(self, key: Key, reply: Reply) -> Verdict: ...
