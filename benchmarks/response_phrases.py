"""Lists of responses in many phrasings, each with the verdict of a fair reader.

    python benchmarks/response_phrases.py [LIST ...] [--quiet]

A list is a text file of `phrases/`: "= JSON" is an answer key, "+ TEXT" a response that states it, "- TEXT" one that
does not, and ⏎ a new line. "| TEXT" is a frame for all keys that follow, in which @ is the answer and @W another one;
"! TEXT" is a frame that does not state the answer @. "* TEXT" is a spelling of the key for every frame, "/ TEXT" one of
another answer. Each list was written before the parser was changed for it, so that the first run on a list
shows what an unseen phrasing meets; docs/numeric.md has those figures. By default all lists are read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from fathom.analysis.intervals import wilson
from fathom.scoring.answer_types.compare import compare
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer

LISTS = Path(__file__).parent / "phrases"
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
_IN_JSON = re.compile(r"(?:```json\s*)?\{|final_answer\(")
_WRAPPED = re.compile(r'(: \[|: \{|"|“|`|\*|\$|\\boxed\{|text\{|textbf\{)@(?!W)')
_WRAPPED_IN = {
    ": [": "[{",
    ": {": "[{",
    '"': '"“',
    "“": '"“',
    "`": "`",
    "*": "*",
    "$": "$",
    "\\boxed{": "*",
    "text{": "*{",
    "textbf{": "*{",
}
"""What an answer must not contain in a frame that wraps it so."""


class Phrase(NamedTuple):
    key: Answer
    text: str
    accept: bool
    framed: bool = False
    """Whether it is a spelling in a frame, and no line of its own."""


class _Section(NamedTuple):
    """A key with its spellings and responses; frames are those of the whole list."""

    key: Answer
    lines: dict[str, list[str]]

    def phrases(self, frames: dict[str, list[str]]) -> Iterator[Phrase]:
        for mark, accept in (("+", True), ("-", False)):
            yield from (Phrase(self.key, text, accept) for text in self.lines[mark])
        correct, others = self.lines["*"], self.lines["/"]
        for spelling in (*correct, *others):
            first = others[0] if spelling in correct else correct[0]
            for frame in frames["|"]:
                if (text := _framed(frame, spelling, first)) is not None:
                    yield Phrase(self.key, text, spelling in correct, framed=True)
        for frame in frames["!"] if correct else ():
            # That there is no answer is what a response without one may mean.
            text = None if self.key.type == "none" and "@W" not in frame else _framed(frame, correct[0], others[0])
            if text is not None:
                yield Phrase(self.key, text, False, framed=True)


def _framed(frame: str, answer: str, other: str) -> str | None:
    """The answer in a frame, unless nobody would write it there: in brackets twice, or several lines in a sentence."""
    in_json = _IN_JSON.match(frame)
    wrapped = None if in_json else _WRAPPED.search(frame)
    if "\n" in answer and not re.search(r"(?m)^@$", frame):
        return None
    if wrapped and any(mark in answer for mark in _WRAPPED_IN[wrapped[1]]):
        return None
    if in_json:
        answer, other = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (answer, other))
    return frame.replace("@W", other).replace("@", answer)


def phrases(path: Path) -> Iterator[Phrase]:
    """The responses of a list."""
    frames: dict[str, list[str]] = {"|": [], "!": []}
    sections: list[_Section] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark, _, rest = line.partition(" ")
        text = rest.replace("⏎", "\n")
        match mark:
            case "=":
                sections.append(_Section(_ANSWER.validate_python(json.loads(rest)), {one: [] for one in "+-*/"}))
            case "|" | "!":
                frames[mark].append(text)
            case "+" | "-" | "*" | "/" if sections:
                sections[-1].lines[mark].append(text)
            case "#" | "":
                pass
            case _:
                raise SystemExit(f"{path}, line {number}: expected a mark such as '=' or '+' and a space")
    for section in sections:
        yield from section.phrases(frames)


def accepted(phrase: Phrase) -> bool:
    parsed = parse_response(phrase.text, phrase.key)
    return parsed is not None and compare(phrase.key, parsed)[0] >= 1.0


def report(path: Path, quiet: bool) -> int:
    """Print the figures of a list; returns the number of wrong verdicts."""
    found = list(phrases(path))
    wrong = [phrase for phrase in found if accepted(phrase) != phrase.accept]
    for accept, label in ((False, "false accepts"), (True, "false rejects")):
        sizes = Counter(phrase.key.type for phrase in found if phrase.accept == accept)
        bad = [phrase for phrase in wrong if phrase.accept == accept]
        size = sizes.total()
        low, high = wilson(len(bad) / size, size, 1.96)
        kinds = Counter(phrase.key.type for phrase in bad)
        print(f"{path.stem}: {label}: {len(bad)} of {size} ({len(bad) / size:.1%}, 95% interval {low:.1%}-{high:.1%})")
        print("  " + ", ".join(f"{kind} {kinds[kind]} of {count}" for kind, count in sizes.items()))
        for phrase in [] if quiet else bad:
            print(f"    {phrase.key.type}: {phrase.text!r} read as {parse_response(phrase.text, phrase.key)!s}")
    return len(wrong)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="*", type=Path)
    parser.add_argument("--quiet", action="store_true", help="figures only")
    arguments = parser.parse_args()
    wrong = [report(path, arguments.quiet) for path in arguments.lists or sorted(LISTS.glob("*.txt"))]
    raise SystemExit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()
