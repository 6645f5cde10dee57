"""Corpora of generated articles with missing fields, and their keys recomputed from the text that questions show.

The articles are written in one known layout, so that their fields can be read from the shown text with a few lines of
code. Nothing here uses the tables of the family `numeric`, whose keys it checks.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, Literal

from fathom.contexts.layout import render
from fathom.corpus.selftest.decompose import decompose
from fathom.corpus.selftest.formats import markdown
from fathom.corpus.store import Corpus
from fathom.records.documents import Document
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Text, Unanswerable, ValueSet
from fathom.tasks.bench import Bench

Field = Literal["authors", "references", "abstract"]
FIELDS: tuple[Field, ...] = ("authors", "references", "abstract")

REFERENCES = "\n## References\n"
FILLINGS: tuple[tuple[int, int, int], ...] = ((0, 0, 0), (1, 1, 1), (3, 40, 2), (60, 7, 9), (12, 200, 3))
"""Made-up numbers of authors, of references, and of named authors or cited articles, for what was removed."""


@dataclass
class Damage:
    """What was removed from which articles, by title."""

    removed: dict[Field, set[str]] = field(default_factory=lambda: {name: set() for name in FIELDS})


# Writing.


def write_articles(documents: Iterable[Document], folder: Path, share: dict[Field, float], seed: int) -> Damage:
    """Write the articles as Markdown files, with a share of each field removed."""
    damage = Damage()
    articles = list(documents)
    folder.mkdir(parents=True)
    chosen = {
        name: set(Random(f"{seed} {name}").sample(range(len(articles)), round(part * len(articles))))
        for name, part in share.items()
    }
    for number, document in enumerate(articles):
        text = markdown(decompose(document))["paper.md"].decode()
        for name in FIELDS:
            if number in chosen.get(name, ()):
                text = _without(text, name, Random(f"{seed} {number}"))
                if name != "references" or REFERENCES not in text:
                    damage.removed[name].add(document.title_text)
        (folder / f"article-{number:03}.md").write_text(text)
    return damage


def _without(text: str, name: Field, rng: Random) -> str:
    """The article without the field. Of a reference list, all is removed or only the second half."""
    if name == "authors":
        title, _, rest = text.split("\n\n", 2)
        return f"{title}\n\n{rest}"
    if name == "references":
        body, _, entries = text.partition(REFERENCES)
        lines = entries.strip().splitlines()
        kept = lines[: len(lines) // 2] if rng.random() < 0.3 else []
        return body + (REFERENCES + "\n" + "\n".join(kept) + "\n" if kept else "\n")
    return re.sub(r"\n## Abstract\n\n.*?\n(?=\n## )", "", text, count=1, flags=re.DOTALL)


# Reading the shown text.


@dataclass(frozen=True)
class ShownArticle:
    """The fields of an article as its shown text prints them; None for what was removed."""

    title: str
    authors: tuple[str, ...] | None
    references: tuple[str, ...] | None


def shown_articles(text: str, damage: Damage) -> list[ShownArticle]:
    """The articles of a context, read from its text."""
    pieces = re.split(r"^===== (?:Article \d+|End.*)$", text, flags=re.MULTILINE)
    return [_shown(piece.strip(), damage) for piece in pieces if piece.strip().startswith("# ")]


def _shown(text: str, damage: Damage) -> ShownArticle:
    heading, byline, _ = text.split("\n\n", 2)
    title = heading.removeprefix("# ")
    _, _, entries = text.partition(REFERENCES)
    return ShownArticle(
        title=title,
        authors=None if title in damage.removed["authors"] or byline.startswith("#") else tuple(byline.split(", ")),
        references=(
            None
            if title in damage.removed["references"]
            else tuple(re.sub(r"^\d+\. ", "", line) for line in entries.strip().splitlines() if line.strip())
        ),
    )


def person(name: str) -> str:
    """The same for "Marta K. Lind" and "M. Lind": the family name and the first initial."""
    given, _, family = name.partition(" ") if re.match(r"\S+\. \S", name) else (name[:1], "", name.split(" ", 1)[-1])
    given, family = _folded(given), _folded(family)
    words = [word for word in family.split() if not re.fullmatch(r"(?:\w\.-?)+", word)]
    particles = [word for word in words if word[:1].islower()]
    return " ".join([given[:1], *particles, words[-1] if words else family]).casefold()


def _folded(text: str) -> str:
    """The letters without accents: "Lüders" is also printed as "Luders"."""
    plain = unicodedata.normalize("NFKD", text.translate(str.maketrans("øØłŁđĐ", "oOlLdD")).replace("ß", "ss"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


# Recomputing.


@dataclass
class Recomputed:
    """The result of recomputing the keys of a bench."""

    questions: int = 0
    wrong: list[str] = field(default_factory=list)
    """Questions whose key differs from the shown text."""
    touching: list[str] = field(default_factory=list)
    """Questions whose answer depends on something that was removed."""
    undecided: list[str] = field(default_factory=list)
    """Citation items of which a citation could not be found in the files."""
    about: Counter[str] = field(default_factory=Counter)
    """Questions on authors, references and other things."""


def recompute(bench_folder: Path, damage: Damage) -> Recomputed:
    """Every key of the family `numeric` recomputed from the shown texts."""
    bench, result = Bench(bench_folder), Recomputed()
    with bench.open_corpus() as corpus:
        for context, items in bench.by_context():
            articles = shown_articles(_text(corpus, context), damage)
            for item in items:
                if item.question.family != "numeric":
                    continue
                statement = item.key.proof.program
                result.questions += 1
                result.about[_topic(statement)] += 1
                answers = [_answers(articles, statement, filling) for filling in FILLINGS]
                if any(answer != answers[0] for answer in answers) or _reads_removed(articles, statement):
                    result.touching.append(f"{item.question.id} {statement}")
                if not any(_agrees(item.key.answer, rows) for rows in answers):
                    result.wrong.append(f"{item.question.id} {statement}")
    return result


def _text(corpus: Corpus, context: Any) -> str:
    return render(context, corpus).decode()


def _topic(statement: str) -> str:
    plain = re.sub(r"'(?:[^']|'')*'", "''", statement)
    return "authors" if "author" in plain else "references" if re.search("reference|cit", plain) else "titles"


def _reads_removed(articles: Sequence[ShownArticle], statement: str) -> bool:
    """Whether the statement joins a table that lacks the rows of an article."""
    plain = re.sub(r"'(?:[^']|'')*'", "''", statement)
    return ("article_author" in plain and any(article.authors is None for article in articles)) or (
        "citing_cited" in plain and any(article.references is None for article in articles)
    )


def _answers(articles: Sequence[ShownArticle], statement: str, filling: tuple[int, int, int]) -> list[tuple[Any, ...]]:
    """The rows of the statement over tables read from the shown text; what was removed gets made-up values."""
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE TABLE articles (article_id, article_title, title_word_count, author_count, reference_count)"
    )
    database.execute("CREATE TABLE article_author (relation_id, article_id, author_name, author_position)")
    database.execute("CREATE TABLE citing_cited (relation_id, article_id_citing, article_id_cited)")
    names = _fullest(articles)
    for number, article in enumerate(articles, start=1):
        authors, references, related = filling
        counts = (
            authors if article.authors is None else len(article.authors),
            references if article.references is None else len(article.references),
        )
        database.execute(
            "INSERT INTO articles VALUES (?, ?, ?, ?, ?)", (number, article.title, len(article.title.split()), *counts)
        )
        byline = list(dict.fromkeys(names.values()))[:related] if article.authors is None else article.authors
        for position, name in enumerate(byline, start=1):
            row = (number, names.get(person(name), name), position)
            database.execute("INSERT INTO article_author VALUES (NULL, ?, ?, ?)", row)
        for cited in _cited(number, article, articles, related):
            database.execute("INSERT INTO citing_cited VALUES (NULL, ?, ?)", (number, cited))
    return database.execute(statement).fetchall()


def _fullest(articles: Sequence[ShownArticle]) -> dict[str, str]:
    """For each person, the longest printed name."""
    names: dict[str, str] = {}
    for name in (name for article in articles for name in article.authors or ()):
        known = names.setdefault(person(name), name)
        names[person(name)] = max(known, name, key=lambda one: (len(one), one))
    return names


def _cited(number: int, article: ShownArticle, articles: Sequence[ShownArticle], related: int) -> Iterator[int]:
    for other, one in enumerate(articles, start=1):
        if other == number:
            continue
        if article.references is None:
            if other <= related:
                yield other
        elif any(plain(one.title) in plain(entry) for entry in article.references):
            yield other


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold()


# Comparing.


def _agrees(answer: Answer, rows: list[tuple[Any, ...]]) -> bool:
    """Whether the rows are the key's answer."""
    match answer:
        case Unanswerable():
            return not rows or rows[0][0] in (None, 0)
        case Number(value=value, decimals=decimals):
            return len(rows) == 1 and _cell(rows[0][0], decimals) == _cell(value, decimals)
        case ValueSet(items=items):
            return {_scalar(item) for item in items} == {_cell(row[0]) for row in rows}
        case Multiset(items=items):
            return Counter(map(_scalar, items)) == Counter(_cell(row[0]) for row in rows)
        case Rows(rows=wanted):
            decimals = next((cell.decimals for row in wanted for cell in row[1:] if isinstance(cell, Number)), None)
            found = Counter((_cell(row[0]), _cell(row[1], decimals)) for row in rows if row[1] is not None)
            return Counter((_scalar(row[0]), _scalar(row[1])) for row in wanted) == found
        case Ranking(groups=groups):
            tied = [sorted(str(_cell(row[0])) for row in group) for _, group in groupby(rows, key=lambda row: row[1:])]
            return [sorted(str(_scalar(item)) for item in group) for group in groups] == tied
        case _:
            return False


def _scalar(item: Text | Number) -> object:
    return _cell(item.value, item.decimals if isinstance(item, Number) else None)


def _cell(value: Any, decimals: int | None = None) -> object:
    if isinstance(value, str):
        return value
    if value is None:
        return None
    step = Decimal(1).scaleb(-(9 if decimals is None else decimals))
    return Decimal(str(value)).quantize(step, rounding=ROUND_HALF_UP).normalize() + 0
