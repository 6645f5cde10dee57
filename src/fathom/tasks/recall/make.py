"""Probes from a corpus: as many of each task as were asked for, spread over the years of the documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import zip_longest

from pydantic import Field, JsonValue

from fathom.contexts.layout import LAYOUT, Piece, boundary, closing, context_id, forges_boundary, placed
from fathom.corpus.ages import appeared
from fathom.corpus.retitling import telling_words
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.articles import Article, ArticleId, Position
from fathom.records.chance import rng_for
from fathom.records.contexts import Context, edited
from fathom.records.questions import Question
from fathom.records.record import Record, digest, short_id
from fathom.scoring.answers import Passage, Text
from fathom.scoring.keys import Key, Proof
from fathom.tasks.family import Asked, Item
from fathom.tasks.recall.probes import BLANK, LEAST, STEPS, Citing, Probe, Task, title_probe

NAME = "recall"


class Recalling(Record):
    """What is asked of the family."""

    tasks: tuple[Task, ...] = ("citation", "title")
    items: Position = 400
    """For each task."""
    per_paper: Position = 4
    """Citations of one article that are probed."""
    characters: int = Field(default=20_000, ge=LEAST)
    """Before a citation that are shown; an article that is longer up to there begins with a later paragraph."""


class RecallMaker:
    """Makes the probes of one corpus."""

    def __init__(self, corpus: Corpus, asked: Asked, seed: int) -> None:
        self.settings = Recalling.model_validate(asked.own.get(NAME, {}))
        self._corpus = corpus
        self._seed = seed
        self._made: Counter[str] = Counter()
        self._steps: Counter[str] = Counter()
        self._articles: Counter[str] = Counter()

    @cached_property
    def _frequency(self) -> Counter[str]:
        """In how many titles each word stands."""
        return Counter(word for listed in self._corpus.listing() for word in telling_words(listed.title))

    def make(self, watch: Callable[[], None]) -> Iterator[tuple[Context, list[Item]]]:
        """Each probe with its own context."""
        for id in self._order():
            if all(self._is_full(task) for task in self.settings.tasks):
                break
            article = self._corpus.article(id)
            for probe in self._probes(article):
                self._made[probe.task] += 1
                context = _laid_out(probe)
                yield context, [item(probe, context)]
            watch()

    def _order(self) -> list[ArticleId]:
        """Every article, one of each year in turn: a trend over years needs all of them."""
        years: dict[int, list[ArticleId]] = defaultdict(list)
        for listed in self._corpus.listing():
            years[listed.year or 0].append(listed.id)
        for year, ids in years.items():
            rng_for(self._seed, NAME, year).shuffle(ids)
        turns = zip_longest(*(ids for _, ids in sorted(years.items())))
        return [id for turn in turns for id in turn if id is not None]

    def _is_full(self, task: str) -> bool:
        return self._made[task] >= self.settings.items

    def _probes(self, article: Article) -> Iterator[Probe]:
        if forges_boundary(article.text.encode()):
            self._articles["could be taken for several"] += 1
            return
        rng = rng_for(self._seed, NAME, article.id)
        self._articles["looked at"] += 1
        if "title" in self.settings.tasks and not self._is_full("title"):
            probe = title_probe(article, self._frequency, rng)
            self._articles["without a telling word in the title"] += probe is None
            yield from () if probe is None else (probe,)
        if "citation" in self.settings.tasks and not self._is_full("citation"):
            yield from self._citations(article)

    def _citations(self, article: Article) -> Iterator[Probe]:
        citing = Citing(article, self.settings.characters)
        found = list(citing.probes())
        self._steps.update(citing.steps)
        self._articles["whose citations name nobody"] += bool(article.citations) and not citing.steps[STEPS[2]]
        rng = rng_for(self._seed, NAME, "citations", article.id)
        room = min(self.settings.per_paper, self.settings.items - self._made["citation"], len(found))
        yield from sorted(rng.sample(found, room), key=lambda probe: probe.place)

    def report(self) -> dict[str, JsonValue]:
        """What was made, and how many articles and citations fell out where."""
        return {
            "asked": self.settings.items,
            "made": {task: self._made[task] for task in self.settings.tasks},
            "articles": dict(sorted(self._articles.items())),
            "citations": {step: self._steps[step] for step in STEPS},
        }

    def why_none(self) -> str:
        """Why nothing can be probed."""
        for _ in self.make(lambda: None):  # it makes nothing, and counts what falls out where
            pass
        steps = ", ".join(f"{step} {self._steps[step]:,}" for step in STEPS)
        reasons = {
            "title": "no title has a telling word",
            "citation": f"no citation goes on with a name that was not named before (citations {steps})",
        }
        wanted = {"title": "that have titles", "citation": "that cite by author and year"}
        return (
            f"Nothing of '{self._corpus.folder}' can be probed: "
            f"{', and '.join(reasons[task] for task in self.settings.tasks)}. "
            f"Ingest articles {' or '.join(wanted[task] for task in self.settings.tasks)}."
        )


def _laid_out(probe: Probe) -> Context:
    """The context that shows the probe's piece alone."""
    text = edited(probe.article.text, probe.edits)
    count = tokenizer(DEFAULT).count
    piece = Piece(probe.article.id, len(text), count(text), probe.edits)
    places, tokens = placed([piece], lambda number: count(boundary(number)))
    tokens += count(closing(LAYOUT))
    return Context(
        id=context_id([digest(probe.article.text.encode())], LAYOUT, [probe.edits]),
        layout=LAYOUT,
        length=-(-tokens // 1_024) * 1_024,
        tokens=tokens,
        tokenizer=DEFAULT,
        way="alone",
        places=places,
    )


def item(probe: Probe, context: Context) -> Item:
    """The probe as a question, and its key."""
    article, place = probe.article, f"{probe.place.start}-{probe.place.end}"
    tags: dict[str, str] = {"task": probe.task}
    month = appeared(article)
    if month is not None:
        tags["year"] = str(month.year)
    if article.subject is not None:
        tags["subject"] = article.subject
    id = short_id("q", context.id)
    asks = f"cites entry {probe.entry}" if probe.task == "citation" else "has in its title"
    return Item(
        Question(id=id, family=NAME, context_id=context.id, text=wording(probe.task, article), tags=tags),
        Key(
            question_id=id,
            answer=Text(value=probe.names[0], aliases=probe.names[1:]),
            proof=Proof(
                program=f"{article.id} {asks} at {place}",
                rows=((article.id, str(probe.entry), place, probe.names[0]),),
                passages=(Passage(article=article.id, span=probe.place),),
            ),
        ),
    )


def wording(task: str, article: Article) -> str:
    """What is asked; of a title with where and when it appeared, as far as that is known."""
    if task == "citation":
        return (
            "The text breaks off in the middle. Continue it: write the very words that come next in the document, "
            "citations included."
        )
    where = f" in {article.venue}" if article.venue else ""
    when = f" in {article.year}" if article.year is not None else ""
    told = f" It appeared{where}{when}." if where or when else ""
    return f"One word of the document's title reads {BLANK}.{told} Which word is it? Give the word alone."
