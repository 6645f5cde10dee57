"""Reads the puzzles of MuSR: stories with multiple-choice questions and trees of the reasoning steps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fathom.records.errors import FathomError

_BECAUSE = re.compile(r"\s*\bBecause\b.*$", re.DOTALL)
"""The trees give reasons in the same node: "Lily is bad at recitation. Because we find out in the story that,"."""
_SEARCH = re.compile(r"\bplace (?P<person>.+?) would look to find the (?P<thing>.+?) given\b")
"""A question on what one person knows about one thing; its tree is that of the whole story."""


class Story(NamedTuple):
    """A story with its questions."""

    text: str
    questions: Sequence[StoryQuestion]


class StoryQuestion(NamedTuple):
    """A question with its reasoning steps."""

    text: str
    options: tuple[str, ...]
    answer: str
    checklist: tuple[str, ...]
    reasoning: tuple[str, ...]
    """Every statement of the tree, in order."""


def read_stories(content: bytes, name: str) -> list[Story]:
    """The stories of a file; raises FathomError if it is no such file."""
    try:
        stories = json.loads(content)
        return [Story(story["context"], [_question(question) for question in story["questions"]]) for story in stories]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise FathomError(
            f"'{name}' has no puzzles in the format of MuSR ({type(error).__name__}: {error}). "
            "Give its JSON files, as they are or compressed."
        ) from error


def _question(entry: dict[str, Any]) -> StoryQuestion:
    options = tuple(str(choice).strip() for choice in entry["choices"])
    answer = options[entry["answer"]]
    roots = [root for tree in entry["intermediate_trees"] for root in tree["root_structure"]]
    # Murder mysteries have a tree for each suspect; only that of the murderer proves the answer.
    roots = [root for root in roots if answer.casefold() in root["value"].casefold()] or roots
    nodes = [node for root in roots for node in _nodes(root)]
    search = _SEARCH.search(entry["question"])
    if search is not None:
        search_words = (search["person"].casefold(), search["thing"].casefold())
        checklist = [
            node.value for node in nodes if node.depth and all(word in node.value.casefold() for word in search_words)
        ]
    else:
        checklist = [node.value for node in nodes if node.depth == 1 and node.is_conclusion]
    if not checklist:
        raise ValueError(f"the question '{entry['question']}' has no steps")
    return StoryQuestion(
        entry["question"].strip(),
        options,
        answer,
        tuple(dict.fromkeys(checklist)),
        tuple(dict.fromkeys(node.value for node in nodes)),
    )


class _Node(NamedTuple):
    value: str
    depth: int
    is_conclusion: bool
    """Whether other statements lead to it."""


def _nodes(node: dict[str, Any], depth: int = 0) -> Iterator[_Node]:
    value = _BECAUSE.sub("", str(node["value"])).strip()
    if value:
        yield _Node(value, depth, bool(node["children"]))
    for child in node["children"]:
        yield from _nodes(child, depth + 1)
