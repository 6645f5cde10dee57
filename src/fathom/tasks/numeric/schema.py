"""The schema of a context's tables, conditions on articles and people, and the skill and topic of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fathom.records.documents import FieldName
from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import ColumnSpec, ConditionPhrase, Relation, Schema, SchemaTable

WORDS, AUTHORS, REFERENCES = (
    tree.Column("title_word_count"),
    tree.Column("author_count"),
    tree.Column("reference_count"),
)
COUNTS = (WORDS, AUTHORS, REFERENCES)
TITLE, NAME, POSITION = tree.Column("article_title"), tree.Column("author_name"), tree.Column("author_position")
NAMES = tree.Values(NAME, distinct=True)
"""The output of programs that list people."""
PEOPLE = tree.CountDistinct(NAME)
"""The output of programs that count people."""


# Conditions on how articles and people relate. Each is one phrase of the schema.


def cites(least: int | tree.Slot = 1) -> tree.Condition:
    """An article cites at least this many other articles of the context."""
    return tree.Exists("citing", None, least)


def cited(least: int | tree.Slot = 1) -> tree.Condition:
    """An article is cited by at least this many other articles of the context."""
    return tree.Exists("cited", None, least)


def cites_article(title: str | tree.Slot) -> tree.Condition:
    return tree.Exists("citing", tree.Exists("cited article", tree.Compare(TITLE, "=", title)))


def cited_by_article(title: str | tree.Slot) -> tree.Condition:
    return tree.Exists("cited", tree.Exists("citing article", tree.Compare(TITLE, "=", title)))


def has_author(name: str | tree.Slot) -> tree.Condition:
    return tree.Exists("authors", tree.Compare(NAME, "=", name))


def shares_author(title: str | tree.Slot) -> tree.Condition:
    """An article has an author in common with the named article and is not that article."""
    named = tree.Exists("article", tree.Compare(TITLE, "=", title))
    return tree.Exists("authors", tree.And(tree.Exists("bylines", named), tree.Not(named)))


def wrote_at_least(least: int | tree.Slot) -> tree.Condition:
    """A person is an author of at least this many articles of the context."""
    return tree.Exists("bylines", None, least)


def at_position(sign: tree.Comparator, value: int | tree.Slot) -> tree.Condition:
    """A name has this position in a byline, counted from one."""
    return tree.Compare(POSITION, sign, value)


def title_contains(fragment: str | tree.Slot) -> tree.Condition:
    return tree.Contains(TITLE, fragment)


def _count(name: str, minimum: int, *nouns: str) -> ColumnSpec:
    return ColumnSpec(name, "integer", nouns, minimum=minimum, nonzero=True)


def _is_possible(table: str, row: Mapping[str, int]) -> bool:
    """Whether a row can occur: an author at position 7 has at least 6 coauthors, and a byline at least one author."""
    least = max(row.get("author_position", 0), 1 if table == "article_author" else 0)
    return row.get("author_count", least) >= least


SCHEMA = Schema(
    # The tables of the SciTrek paper's appendix B, except that positions are counted from one.
    tables=(
        SchemaTable(
            "articles",
            (
                ColumnSpec("article_id", "integer"),
                ColumnSpec("article_title", "text", ("title",)),
                _count(
                    *("title_word_count", 1),
                    *("number of words in the title", "title word count", "title length in words"),
                ),
                _count("author_count", 0, "number of authors", "author count", "count of listed authors"),
                _count(
                    *("reference_count", 0),
                    *("number of references", "reference count", "number of entries in the reference list"),
                ),
            ),
            noun="article",
            plural="articles",
            key="article_id",
            label="article_title",
        ),
        SchemaTable(
            "article_author",
            (
                ColumnSpec("article_id", "integer"),
                ColumnSpec("author_name", "text", ("author",)),
                ColumnSpec("author_position", "integer", ("position in the author list",), minimum=1),
            ),
            noun="article",
            plural="articles",
            joined_by="article_id",
            serial="relation_id",
        ),
        SchemaTable(
            "citing_cited",
            (ColumnSpec("article_id_citing", "integer"), ColumnSpec("article_id_cited", "integer")),
            serial="relation_id",
        ),
    ),
    relations=(
        Relation("authors", "article_id", "article_author", "article_id"),
        Relation("bylines", "author_name", "article_author", "author_name"),
        Relation("article", "article_id", "articles", "article_id"),
        Relation("citing", "article_id", "citing_cited", "article_id_citing"),
        Relation("cited", "article_id", "citing_cited", "article_id_cited"),
        Relation("citing article", "article_id_citing", "articles", "article_id"),
        Relation("cited article", "article_id_cited", "articles", "article_id"),
    ),
    phrases=(
        ConditionPhrase(
            "cites",
            cites(),
            "that cite at least one of the other articles",
            "that cite none of the other articles",
        ),
        ConditionPhrase(
            "cites",
            cites(tree.Slot("few", 0)),
            "that cite at least {0} of the other articles",
            "that cite fewer than {0} of the other articles",
        ),
        ConditionPhrase(
            "cited",
            cited(),
            "that are cited by at least one of the other articles",
            "that are cited by none of the other articles",
        ),
        ConditionPhrase(
            "cited",
            cited(tree.Slot("few", 0)),
            "that are cited by at least {0} of the other articles",
            "that are cited by fewer than {0} of the other articles",
        ),
        ConditionPhrase(
            "cites article",
            cites_article(tree.Slot("title", 0)),
            "that cite the article “{0}”",
            "that do not cite the article “{0}”",
        ),
        ConditionPhrase(
            "cited by article",
            cited_by_article(tree.Slot("title", 0)),
            "that are cited by the article “{0}”",
            "that are not cited by the article “{0}”",
        ),
        ConditionPhrase(
            "has author",
            has_author(tree.Slot("name", 0)),
            "that have {0} among their authors",
            "that do not have {0} among their authors",
        ),
        ConditionPhrase(
            "shares author",
            shares_author(tree.Slot("title", 0)),
            "that have at least one author in common with the article “{0}”",
            "that have no author in common with the article “{0}”",
            convention="That article itself does not count.",
        ),
        ConditionPhrase(
            "wrote at least",
            wrote_at_least(tree.Slot("few", 0)),
            "who wrote at least {0} of the articles",
            "who wrote fewer than {0} of the articles",
        ),
    ),
    is_possible=_is_possible,
)


def relations(node: Any) -> Iterator[tuple[str, Any]]:
    """The names of the relational conditions of a tree, each with the number, name or title in it."""
    for part in SCHEMA.nodes(node):
        phrased = SCHEMA.phrase_of(part) if isinstance(part, tree.Exists) else None
        if phrased is not None:
            phrase, values = phrased
            yield phrase.name, values[0] if values else 1


def named_texts(node: Any) -> Iterator[tuple[tree.Column, str]]:
    """The names and titles that a tree compares with, each with its column, in order."""
    for part in tree.nodes(node):
        match part:
            case tree.Compare(tree.Column() as column, _, str(value)):
                yield column, value
            case tree.OneOf(tree.Column() as column, values):
                yield from ((column, value) for value in values if isinstance(value, str))


# The skill and the topic of a program, which are tags of its question.

Skill = Literal[
    "aggregating", "sorting", "filtering", "filtering+aggregating", "filtering+sorting", "relational filtering"
]
QuestionTopic = Literal[
    "author count",
    "author list",
    "author relation",
    "reference count",
    "citation relation",
    "title list",
    "title word count",
]
TOPIC_OF: dict[str, QuestionTopic] = {
    "title_word_count": "title word count",
    "author_count": "author count",
    "reference_count": "reference count",
}


def followed_relations(node: Any) -> set[str]:
    """The names of the schema's relations that a tree follows; the way from a name to its article is none."""
    return {part.relation for part in tree.nodes(node) if isinstance(part, tree.Exists | tree.RelatedCount)} - {
        "article"
    }


def skill(program: tree.Program) -> Skill:
    """The one of the SciTrek paper's six skills that the program requires."""
    if followed_relations(program):
        return "relational filtering"
    aggregates = isinstance(program.output, tree.Result | tree.GroupedResults | tree.GroupsAggregate)
    if program.where is None:
        return "sorting" if program.order else "aggregating" if aggregates else "filtering"
    return "filtering+sorting" if program.order else "filtering+aggregating" if aggregates else "filtering"


def topic(program: tree.Program) -> QuestionTopic:
    """One of the SciTrek paper's seven topics: that of the program's relation if it has one, else of its output."""
    followed = followed_relations(program)
    if any(_PART_OF_RELATION[name] == "references" for name in followed):
        return "citation relation"
    if followed:
        return "author relation"
    if over_bylines(program):
        return "author list"
    match program.output:
        case tree.Labels() | tree.Columns():
            return "title list"
        case _:
            counted = next((node for node in SCHEMA.nodes(program) if node in COUNTS), None)
            return TOPIC_OF[counted.name] if counted is not None else "title list"


def over_bylines(program: tree.Program) -> bool:
    """Whether the program runs over the names in bylines and not over articles."""
    return SCHEMA.base(program).name == "article_author"


def is_about_people(where: tree.Condition | None) -> bool:
    """Whether a condition is on names in bylines and not on articles."""
    return where is not None and over_bylines(tree.Program(tree.Count(), where))


def names_people(program: tree.Program) -> bool:
    """Whether the answer depends on which names belong to one person."""
    return NAME in tree.nodes(program) or bool(followed_relations(program) & {"authors", "bylines"})


ArticlePart = Literal["title", "byline", "references"]
FIELD_OF: dict[ArticlePart, FieldName] = {"title": "title", "byline": "authors", "references": "references"}
"""The field of a document that each part is."""
_PARTS: dict[Any, ArticlePart] = {
    tree.Labels(): "title",
    TITLE: "title",
    WORDS: "title",
    NAME: "byline",
    POSITION: "byline",
    AUTHORS: "byline",
    REFERENCES: "references",
}


def parts_read(program: tree.Program) -> frozenset[ArticlePart]:
    """The parts of an article that the program needs."""
    read_nodes = (node for node in SCHEMA.nodes(program) if isinstance(node, tree.Labels | tree.Column))
    needed = {_PARTS[node] for node in read_nodes}
    needed.update(_PART_OF_RELATION[name] for name in followed_relations(program))
    return frozenset(needed or {"title"})


_PART_OF_RELATION: dict[str, ArticlePart] = {
    **dict.fromkeys(("authors", "bylines", "article"), "byline"),
    **dict.fromkeys(("citing", "cited", "citing article", "cited article"), "references"),
}


@dataclass(frozen=True)
class RequiredParts:
    """What must be known of the articles for the answer of a program to be known."""

    read: frozenset[ArticlePart]
    """The parts that it reads of the articles that its conditions do not exclude."""
    of_all: frozenset[ArticlePart]
    """Parts that must be known of every article: only all bylines show that a person wrote no other article."""
    in_every_condition: frozenset[ArticlePart]
    """Parts that are read before any article is excluded, so they are needed of every article as well."""
    citations: bool
    """Whether it depends on which articles cite which."""


def needs(program: tree.Program) -> RequiredParts:
    """What the program needs, for any values of its slots."""
    of_all: set[ArticlePart] = {"byline"} if over_bylines(program) else set()
    relations = [_PART_OF_RELATION[name] for name in followed_relations(program)]
    of_all.update(relations)
    of_all.update(_PARTS[node] for node in tree.nodes(program) if node in (NAME, POSITION, TITLE))
    read = parts_read(program)
    return RequiredParts(
        read,
        frozenset(of_all),
        frozenset(part for part in read if not _may_exclude(program.where, part)),
        "references" in relations,
    )


def _may_exclude(where: tree.Condition | None, part: ArticlePart) -> bool:
    """Whether the condition can be false without looking at the part."""
    match where:
        case None:
            return False
        case tree.And(left, right):
            return _may_exclude(left, part) or _may_exclude(right, part)
        case tree.Or(left, right):
            return _may_exclude(left, part) and _may_exclude(right, part)
        case _:
            return part not in parts_read(tree.Program(tree.Count(), where))
