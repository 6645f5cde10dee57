"""Lists of responses in many phrasings, each with the verdict of a fair reader.

    python benchmarks/response_phrases.py [LIST ...] [--quiet]

A list is a text file of `phrases/`: "= JSON" is an answer key, "+ TEXT" a response that states it, "- TEXT" one that
does not, and ⏎ a new line. Each list was written before the parser was changed for it, so that the first run on a list
shows what an unseen phrasing meets; docs/numeric.md has those figures. By default all lists are read.
"""

from __future__ import annotations

import argparse
import json
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


class Phrase(NamedTuple):
    key: Answer
    text: str
    accept: bool


def phrases(path: Path) -> Iterator[Phrase]:
    """The responses of a list."""
    key: Answer | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark, _, rest = line.partition(" ")
        match mark:
            case "=":
                key = _ANSWER.validate_python(json.loads(rest))
            case "+" | "-" if key is not None:
                yield Phrase(key, rest.replace("⏎", "\n"), mark == "+")
            case "#" | "":
                pass
            case _:
                raise SystemExit(f"{path}, line {number}: expected '=', '+', '-' or '#' and a space")


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
