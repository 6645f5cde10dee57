"""Location of quotes in real documents: distorted quotes, quotes of other documents, speed, and hostile quotes.

    python benchmarks/quotes.py CORPUS... [--half even|odd] [--quotes 400] [--foreign 10000] [--show 5]

Passages of each document (sentences, pairs of sentences, table rows) are distorted in one way after another, and
located. A place is correct if its intersection over union with the words that are left of the passage is at least 0.9.
Targets: at least 99% of each kind, at least 2,000 quotes per second including the index of each document, and no
false location of a passage of another document. A location is not false if it has all words of the passage in order
(without another number in place of one), or nine in ten of its letters: two documents share the sentence but for words
that the quote leaves out. `--half` keeps the documents whose
file name has an even or odd SHA-1, so that rules are developed on one half and measured on the other.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rapidfuzz import fuzz

from fathom.corpus.store import Corpus
from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.scoring.quotes import QuoteLocator

MIN_OVERLAP = 0.9
SHARED = 90
"""Passages with this percentage of common letters are one sentence that two documents share."""
LEFT_OUT = 0.1
"""The share of words that are left out."""


@dataclass(frozen=True)
class Passage:
    """A passage of a document that is quoted."""

    document: Document
    span: Span

    @property
    def text(self) -> str:
        return self.span.of(self.document.text)

    @property
    def citations(self) -> list[Span]:
        groups = {citation.group for citation in self.document.citations if self.span.contains(citation.group)}
        return sorted(group.shifted(-self.span.start) for group in groups)


@dataclass(frozen=True)
class Quote:
    """A distorted quote and the part of the passage that it should locate."""

    text: str
    target: Span


Distortion = Callable[[Passage, random.Random], Quote | None]


def whole(passage: Passage, text: str) -> Quote | None:
    """A quote of the whole passage; None if the distortion changed nothing."""
    return None if text == passage.text else Quote(text, passage.span)


def spaces(passage: Passage, rng: random.Random) -> Quote | None:
    return whole(passage, re.sub(r"\s+", lambda _: rng.choice([" ", "  ", "\n", "\t", "\u00a0", " \n"]), passage.text))


def no_spaces_at_marks(passage: Passage, rng: random.Random) -> Quote | None:
    return whole(passage, re.sub(r"(?<=[,;:)\]])\s|\s(?=[(\[])", "", passage.text))


def hyphens(passage: Passage, rng: random.Random) -> Quote | None:
    def divide(found: re.Match[str]) -> str:
        at = rng.randrange(2, len(found[0]) - 2)
        return f"{found[0][:at]}-\n{found[0][at:]}" if rng.random() < 0.2 else found[0]

    return whole(passage, re.sub(r"(?<![\\A-Za-z])[A-Za-z]{6,}", divide, passage.text))


def joined_hyphens(passage: Passage, rng: random.Random) -> Quote | None:
    return whole(passage, re.sub(r"(?<=[a-z])-(?=[a-z])", lambda _: rng.choice(["", " ", "- "]), passage.text))


def ligatures(passage: Passage, rng: random.Random) -> Quote | None:
    text = passage.text
    for plain, ligature in (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("ff", "ﬀ"), ("æ", "ae")):
        text = text.replace(plain, ligature)
    return whole(passage, text)


def marks(passage: Passage, rng: random.Random) -> Quote | None:
    text = re.sub('[“”„«»"「」]', lambda _: rng.choice(['"', "“", "”", "''", "«"]), passage.text)
    text = re.sub("[‘’'`]", lambda _: rng.choice(["'", "’", "`"]), text)
    return whole(passage, re.sub("[-‐‑‒–—−]", lambda _: rng.choice(["-", "–", "—", "−", "--"]), text))


def case(passage: Passage, rng: random.Random) -> Quote | None:
    return whole(passage, rng.choice([str.upper, str.lower, str.title, str.swapcase])(passage.text))


def markdown(passage: Passage, rng: random.Random) -> Quote | None:
    mark = rng.choice(["**", "*", "_", "`", "***"])
    words = [f"{mark}{word}{mark}" if rng.random() < 0.2 else word for word in passage.text.split(" ")]
    return whole(passage, rng.choice(["", "> ", "- ", '"']) + " ".join(words))


def latex(passage: Passage, rng: random.Random) -> Quote | None:
    text = passage.text
    for plain, command in (("%", r"\%"), ("&", r"\&"), ("±", r"$\pm$"), ("α", r"$\alpha$"), ("β", r"$\beta$")):
        text = text.replace(plain, command)
    text = text.replace("≤", r"\leq").replace("–", "--").replace("“", "``").replace("”", "''")
    frame = rng.choice([r"\textbf{%s}", r"\emph{%s}", "$%s$", r"\textit{%s}", "%s"])
    words = [frame.replace("%s", word) if rng.random() < 0.15 else word for word in text.split(" ")]
    return whole(passage, rng.choice([" ", "~"]).join(words))


def borders(passage: Passage, rng: random.Random) -> Quote | None:
    if "|" not in passage.text:
        return None
    return whole(passage, passage.text.replace("|", rng.choice(["", "\t", ",", ";", " || "])))


def citations(passage: Passage, rng: random.Random) -> Quote | None:
    text = passage.text
    inner = [group for group in passage.citations if text[group.start] in "[(" and text[group.end - 1] in "])"]
    if not inner or inner[0].start == 0:
        return None
    for group in reversed(inner):
        text = text[: group.start].rstrip() + text[group.end :]
    words = re.search(r"\w", text)
    at_end = not re.search(r"\w", passage.text[inner[-1].end :])
    end = passage.span.start + inner[-1].start if at_end else passage.span.end
    return Quote(text, Span(passage.span.start, end)) if words else None


def pieces(passage: Passage) -> list[re.Match[str]]:
    """The words of a passage, or its characters and numbers if it is Chinese."""
    return list(re.finditer(r"[〇零一二三四五六七八九十百千]+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+", passage.text))


def kept_quote(passage: Passage, kept: Sequence[re.Match[str]]) -> Quote:
    """A quote of some words of a passage."""
    glue = "" if re.search(r"[\u3400-\u9fff]", passage.text) else " "
    named = [piece for piece in kept if any(map(str.isalnum, piece[0]))] or kept
    span = Span(named[0].start(), named[-1].end()).shifted(passage.span.start)
    # Two numbers whose middle is left out stay two numbers.
    return Quote(re.sub(r"(?<=\d)\x00(?=\d)", " ", "\0".join(piece[0] for piece in kept)).replace("\0", glue), span)


def left_out(passage: Passage, rng: random.Random) -> Quote | None:
    words = pieces(passage)
    # A row of a table without one of its cells is another row.
    if len(words) < 6 or "|" in passage.text:
        return None
    gone = {at for at in range(len(words)) if rng.random() < LEFT_OUT} or {rng.randrange(1, len(words) - 1)}
    # What is left out is a limited share of each quote, not only on average.
    gone = set(sorted(gone)[: max(1, len(words) // 5)])
    return kept_quote(passage, [word for at, word in enumerate(words) if at not in gone])


def ellipsis(passage: Passage, rng: random.Random) -> Quote | None:
    words = pieces(passage)
    if len(words) < 12:
        return None
    start = rng.randrange(3, len(words) - 6)
    count = rng.randrange(2, len(words) - start - 3)
    sign = rng.choice([" ... ", " … ", "...", " [...] ", " […] ", " (...) ", ". . . "])
    one, two = kept_quote(passage, words[:start]), kept_quote(passage, words[start + count :])
    return Quote(one.text + sign + two.text, passage.span)


def part(passage: Passage, rng: random.Random) -> Quote | None:
    words = pieces(passage)
    if len(words) < 8:
        return None
    start = rng.randrange(0, len(words) - 6)
    return kept_quote(passage, words[start : rng.randrange(start + 5, len(words))])


def several(passage: Passage, rng: random.Random) -> Quote | None:
    """Words left out, and then other marks, case and spaces."""
    quote = left_out(passage, rng)
    for distort in (marks, ligatures, hyphens, markdown, spaces):
        if quote is not None:
            again = distort(_Distorted(passage.document, passage.span, quote.text), rng)
            quote = Quote(again.text, quote.target) if again else quote
    return quote


@dataclass(frozen=True)
class _Distorted(Passage):
    """A passage whose text is already distorted."""

    words: str = ""

    @property
    def text(self) -> str:
        return self.words


DISTORTIONS: dict[str, Distortion] = {
    "none": lambda passage, rng: Quote(passage.text, passage.span),
    "spaces": spaces, "spaces at marks": no_spaces_at_marks, "hyphens at line ends": hyphens,
    "hyphens joined": joined_hyphens, "ligatures": ligatures, "quotation marks and dashes": marks, "case": case,
    "Markdown": markdown, "LaTeX": latex, "cell borders": borders, "citations left out": citations,
    "ellipsis": ellipsis, "words left out": left_out, "a part": part, "several at once": several,
}  # fmt: skip


# Passages.


def file_name(document: Document) -> str:
    return document.source.rpartition("/")[2]


def in_half(document: Document, half: str) -> bool:
    odd = hashlib.sha1(file_name(document).encode(), usedforsecurity=False).digest()[-1] % 2
    return not half or odd == (half == "odd")


def passages(document: Document, count: int, rng: random.Random) -> Iterator[Passage]:
    """Sentences, pairs of sentences and table rows of at least five words."""
    text, sentences = document.text, document.sentences
    spans = [*sentences, *(Span(one.start, two.end) for one, two in pairwise(sentences))]
    rows = {}
    for table in document.tables:
        for cell in table.cells:
            start, end = text.rfind("\n", 0, cell.span.start) + 1, text.find("\n", cell.span.end)
            rows[start, end] = Span(start, end)
    spans = rng.sample(spans, min(len(spans), count)) + rng.sample(list(rows.values()), min(len(rows), count // 10))
    for span in spans:
        if len(re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", span.of(text))) >= 5 and len(span.of(text)) < 2_000:
            yield Passage(document, span)


def plain_words(text: str) -> str:
    """The letters and digits of a text; independent of the normal form of the locator."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def is_shared(quote: str, place: str) -> bool:
    """Whether two documents share a sentence but for some words; independent of the rules of the locator."""
    ours, theirs = (re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.casefold()) for text in (quote, place))
    at = -1
    for word in ours:
        if word not in theirs[at + 1 :]:
            return fuzz.ratio(plain_words(quote), plain_words(place)) >= SHARED
        before, at = at, theirs.index(word, at + 1)
        # A number that follows another number in the place is of something else: "total 5", "total 3, men 5".
        if word[0].isdecimal() and any(other[0].isdecimal() for other in theirs[before + 1 : at]):
            return False
    return True


# Measurements.


def is_correct(document: Document, quote: Quote, found: Span | None) -> bool:
    if found is None:
        return False
    common = min(found.end, quote.target.end) - max(found.start, quote.target.start)
    union = max(found.end, quote.target.end) - min(found.start, quote.target.start)
    if common / union >= MIN_OVERLAP:
        return True
    # A passage that occurs twice is located at its first place, and so are two parts of a quote.
    text = plain_words(found.of(document.text))
    if text == plain_words(quote.target.of(document.text)):
        return True
    parts = [plain_words(part) for part in re.split(r"\W*(?:…|\.\s?\.\s?\.)\W*", quote.text)]
    short = found.end - found.start <= 1.5 * (quote.target.end - quote.target.start)
    return len(parts) == 2 and short and text.startswith(parts[0]) and text.endswith(parts[1])


def measure_distortions(documents: Sequence[Document], count: int, show: int) -> None:
    rng = random.Random(17)
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    seconds, shown = 0.0, 0
    for document in documents:
        quotes = [
            (name, quote)
            for passage in passages(document, count, rng)
            for name, distort in DISTORTIONS.items()
            if (quote := distort(passage, rng)) is not None
        ]
        start = time.process_time()
        locator = QuoteLocator(document.text)
        found = [locator.locate(quote.text) for _, quote in quotes]
        seconds += time.process_time() - start
        for (name, quote), span in zip(quotes, found, strict=True):
            total[name] += 1
            right[name] += is_correct(document, quote, span)
            if not is_correct(document, quote, span) and shown < show:
                shown += 1
                print(f"    {name}: {quote.text!r}\n      {quote.target.of(document.text)!r}")
                print(f"      located: {None if span is None else span.of(document.text)!r}")
    if total:
        print("  " + ", ".join(f"{name} {right[name] / total[name]:.2%} of {total[name]}" for name in total))
        print(f"  all: {right.total() / total.total():.3%} of {total.total()}", end="")
        print(f", {total.total() / max(seconds, 1e-9):,.0f} quotes per second (CPU, with the index)")


def measure_foreign(documents: Sequence[Document], count: int, show: int) -> None:
    """Passages of other documents: none may be located, unless the document has all of its words in sequence."""
    rng = random.Random(18)
    stems = [re.sub(r"\.\w+$", "", file_name(document)) for document in documents]
    each = max(1, count // len(documents))
    tried = shared = located = contained = 0
    seconds = 0.0
    for document, stem in zip(documents, stems, strict=True):
        others = [other for other, name in zip(documents, stems, strict=True) if name != stem]
        letters = plain_words(document.text)
        sources = rng.sample(others, min(len(others), 12))
        quotes = [one for other in sources for one in passages(other, -(-each * 2 // len(sources)), rng)]
        quotes = rng.sample(quotes, min(len(quotes), each))
        start = time.process_time()
        locator = QuoteLocator(document.text)
        found = [locator.locate(quote.text) for quote in quotes]
        seconds += time.process_time() - start
        for quote, span in zip(quotes, found, strict=True):
            if plain_words(quote.text) in letters:
                contained += 1
                continue
            tried += 1
            if span is None:
                continue
            is_same = is_shared(quote.text, span.of(document.text))
            shared, located = shared + is_same, located + (not is_same)
            if (is_same and shared <= show // 2) or (not is_same and located <= show):
                kind = "shared" if is_same else "FALSE"
                print(f"    {kind}: {quote.text!r}\n      at {span.of(document.text)!r}")
    print(f"  of other documents: {located} of {tried} falsely located", end="")
    print(f"; {shared} are shared but for some words, {contained} more are in both documents", end="")
    print(f"; {(tried + contained) / max(seconds, 1e-9):,.0f} per second")


def measure_hostile(document: Document) -> None:
    """The slowest of some quotes that are made to be slow, in a real text and in one of repeated words."""
    hostile = {
        "one word": "a " * 500_000, "marks": "." * 1_000_000, "brackets": "[1, (" * 200_000, "tags": "<a " * 330_000,
        "commands": "\\n" * 500_000, "ellipses": "a … " * 250_000, "Chinese": "中" * 1_000_000,
        "the text twice": document.text * 2, "common words": "the of and to in " * 550,
        "almost": "the cat " * 1_400 + "x",
        "years": "(1999" * 200_000, "text backward": document.text[::-1][:20_000],
    }  # fmt: skip
    texts = {"real": document.text, "repeated": "the cat of a " * 100_000, "digits": "1 " * 400_000}
    slowest = (0.0, "")
    for name, text in texts.items():
        for kind, quote in hostile.items():
            start = time.process_time()
            QuoteLocator(text).locate(quote)
            slowest = max(slowest, (time.process_time() - start, f"{kind} in {name}"))
    print(f"hostile quotes: at most {slowest[0]:.2f} s ({slowest[1]})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS")
    parser.add_argument("--half", choices=("even", "odd"), default="")
    parser.add_argument("--quotes", type=int, default=200, help="passages per corpus, each distorted in all ways")
    parser.add_argument("--foreign", type=int, default=10_000, help="passages of other documents per corpus")
    parser.add_argument("--show", type=int, default=0, help="errors to print")
    arguments = parser.parse_args()
    for folder in arguments.corpora:
        with Corpus(folder) as corpus:
            documents = [document for document in corpus.documents() if in_half(document, arguments.half)]
        print(f"{folder.name}: {len(documents)} documents")
        if arguments.quotes:
            chosen = random.Random(3).sample(documents, min(len(documents), 20))
            measure_distortions(chosen, -(-arguments.quotes // len(chosen)), arguments.show)
        if arguments.foreign:
            measure_foreign(documents, arguments.foreign, arguments.show)
    measure_hostile(documents[0])


if __name__ == "__main__":
    main()
