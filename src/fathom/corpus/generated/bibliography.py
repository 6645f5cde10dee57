"""The bibliography of a generated document: numbers or labels of the cited works, and citation markers by style."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from fathom.corpus.generated.draft import Draft
from fathom.corpus.generated.people import Person, initials_of
from fathom.corpus.generated.world import ArticleStyle, Work
from fathom.records.documents import Citation, CitationType, Reference
from fathom.records.names import without_accents
from fathom.records.spans import Span

NEAR, SEVERAL = 0.8, 4
"""The probability that a work cited again alone is one of the corpus, if the document cites at least four of those;
with fewer, the wordings about one work would run out."""


class Bibliography:
    """The works that a document cites, numbered, in the order of their first mention."""

    def __init__(self, works: Sequence[Work], style: ArticleStyle, rng: Random) -> None:
        self._style = style
        mentions = list(works)
        rng.shuffle(mentions)
        self._unmentioned = mentions[::-1]
        self._mentioned: list[Work] = []
        # In list order.
        self._listed = mentions if style.by_appearance else sorted(mentions, key=_alphabetical)
        self._numbers = {work.title: number for number, work in enumerate(self._listed, start=1)}
        self._years = _years(self._listed)
        self.citations: list[Citation] = []

    @property
    def left(self) -> int:
        """The number of works not yet mentioned."""
        return len(self._unmentioned)

    def take(self, rng: Random, count: int = 1, fresh: bool = True) -> list[Work]:
        """Works to cite next: new ones in order while there are any, else some mentioned before.

        A work cited again alone is mostly one of the same field, and so in the corpus.
        """
        works: list[Work] = []
        while fresh and self._unmentioned and len(works) < count:
            works.append(self._unmentioned.pop())
        self._mentioned.extend(works)
        if not works and self._mentioned:
            same_field = [work for work in self._mentioned if work.document is not None]
            candidates = (
                same_field if len(same_field) >= SEVERAL and count == 1 and rng.random() < NEAR else self._mentioned
            )
            works = rng.sample(candidates, min(count, len(candidates)))
        return works

    def mark(
        self,
        draft: Draft,
        works: Sequence[Work],
        citation_type: CitationType,
        name: Span | None = None,
        authors: Span | None = None,
    ) -> None:
        """Write the citation marker for `works`: "[3, 7]", "(Lind, 2018; Wu, 2020)", "<sup>3,7</sup>"."""
        if self._style.marks == "author-year":
            opening, closing, between = "(", ")", "; "
            pieces = [([work], f"{in_text(work.people, '&')}, {self._years[work.title]}") for work in works]
        else:
            superscript = self._style.marks == "superscript"
            opening, closing, between = ("<sup>", "</sup>", ",") if superscript else ("[", "]", ", ")
            pieces = self._runs(works)
        start = draft.write(opening).start
        marked: list[tuple[Work, Span]] = []
        for index, (members, text) in enumerate(pieces):
            if index:
                draft.write(between)
            span = draft.write(text)
            marked.extend((member, span) for member in members)
        group = Span(start, draft.write(closing).end)
        for work, span in marked:
            self._record(work, span, group, citation_type, name, authors)

    def mention(self, draft: Draft, work: Work, opening: bool) -> None:
        """Write the work's authors as part of the sentence: "Lind and Wu (2018)", "Lind and Wu [12]"."""
        authors = in_text(work.people, "and")
        # "van Lind" becomes "Van Lind" at the start of a sentence.
        author_span = draft.write(authors[0].upper() + authors[1:] if opening else authors)
        if self._style.marks == "author-year":
            mention_span = Span(author_span.start, draft.write(f" ({self._years[work.title]})").end)
            self._record(work, mention_span, mention_span, "descriptive", authors=author_span)
            return
        if self._style.marks == "numeric":
            draft.write(" ")
        self.mark(draft, [work], "descriptive", authors=author_span)

    def write_list(self, draft: Draft) -> list[Reference]:
        """Write the reference list, one entry per line."""
        return [self._entry(draft, number, work) for number, work in enumerate(self._listed, start=1)]

    def _runs(self, works: Sequence[Work]) -> list[tuple[list[Work], str]]:
        """The numbers of `works`; three or more consecutive ones become a range."""
        numbered = sorted(works, key=lambda work: self._numbers[work.title])
        runs: list[list[Work]] = []
        for work in numbered:
            if runs and self._numbers[work.title] == self._numbers[runs[-1][-1].title] + 1:
                runs[-1].append(work)
            else:
                runs.append([work])
        pieces: list[tuple[list[Work], str]] = []
        for run in runs:
            if len(run) >= 3:
                pieces.append((run, f"{self._numbers[run[0].title]}–{self._numbers[run[-1].title]}"))
            else:
                pieces.extend(([work], str(self._numbers[work.title])) for work in run)
        return pieces

    def _record(
        self,
        work: Work,
        span: Span,
        group: Span,
        citation_type: CitationType,
        name: Span | None = None,
        authors: Span | None = None,
    ) -> None:
        self.citations.append(
            Citation(
                span=span,
                group=group,
                reference=self._numbers[work.title],
                style=self._style.marks,
                type=citation_type,
                name=name,
                authors=authors,
            )
        )

    def _entry(self, draft: Draft, number: int, work: Work) -> Reference:
        form = self._style.references
        start = draft.here
        if self._style.marks == "numeric":
            draft.write(f"[{number}] ")
        elif self._style.marks == "superscript":
            draft.write(f"{number}. ")
        limit = min(_AUTHORS_LISTED[form], _AUTHORS_IN_BRIEF) if self._style.brief else _AUTHORS_LISTED[form]
        authors = _write_authors(draft, work.people, form, limit)
        pages = str(work.pages[0]) if self._style.brief else "{}–{}".format(*work.pages)
        year = self._years[work.title]
        if form == "year-first":
            draft.write(f" ({year}). ")
            title = _write_title(draft, work.title)
            draft.write(f" *{work.venue}*, {work.volume}, {pages}.")
        elif form == "quoted":
            draft.write(", “")
            title = draft.write(work.title)
            comma = "" if work.title.endswith("?") else ","
            page = "p." if self._style.brief else "pp."
            draft.write(f"{comma}” *{work.venue}*, vol. {work.volume}, {page} {pages}, {year}.")
        else:
            draft.write(". ")
            title = _write_title(draft, work.title)
            compact = f" {work.venue} {year};{work.volume}:{pages}."
            draft.write(compact if form == "compact" else f" *{work.venue}*, {work.volume}:{pages}, {year}.")
        if work.doi is not None:
            draft.write(f" doi:{work.doi}")
        span = Span(start, draft.here)
        draft.write("\n")
        return Reference(
            number=number,
            span=span,
            title=title,
            authors=tuple(authors),
            year=work.year,
            ids={"doi": work.doi} if work.doi is not None else {},
            document=work.document,
        )


def in_text(people: Sequence[Person], conjunction: str) -> str:
    """The authors as a sentence names them: "Lind", "Lind and Wu", "Lind et al."."""
    if len(people) == 1:
        return people[0].family
    if len(people) == 2:
        return f"{people[0].family} {conjunction} {people[1].family}"
    return f"{people[0].family} et al."


def _alphabetical(work: Work) -> tuple[str, int, str]:
    return without_accents(in_text(work.people, "and")).casefold(), work.year, work.title


def _years(works: Sequence[Work]) -> dict[str, str]:
    """The year of each work as printed: "2018", or "2018a" and "2018b" where names and year are the same."""
    same_label: dict[tuple[str, int], list[Work]] = defaultdict(list)
    for work in works:
        same_label[in_text(work.people, "and"), work.year].append(work)
    years: dict[str, str] = {}
    for (_, year), labeled_works in same_label.items():
        for index, work in enumerate(labeled_works):
            years[work.title] = f"{year}{_letters(index)}" if len(labeled_works) > 1 else str(year)
    return years


def _letters(index: int) -> str:
    """a to z, then aa, ab, ..."""
    return chr(97 + index) if index < 26 else _letters(index // 26 - 1) + chr(97 + index % 26)


def _write_title(draft: Draft, title: str) -> Span:
    """Write the title, and a period unless it ends in a question mark; returns the span of the title."""
    span = draft.write(title)
    if not title.endswith("?"):
        draft.write(".")
    return span


_AUTHORS_LISTED = {"plain": 20, "quoted": 6, "compact": 3, "year-first": 7}
"""Authors listed before "et al."."""
_AUTHORS_IN_BRIEF = 3
"""The same for brief references."""


def _write_authors(draft: Draft, people: Sequence[Person], form: str, limit: int) -> list[Span]:
    printed_people = people if len(people) <= limit else people[: min(3, limit)]
    spans: list[Span] = []
    for index, person in enumerate(printed_people):
        last = index == len(printed_people) - 1 and len(printed_people) == len(people)
        if index:
            draft.write(_last_separator(form, len(printed_people)) if last else ", ")
        spans.append(draft.write(_format_name(person, form)))
    if len(printed_people) < len(people):
        draft.write(", et al" if form in ("plain", "compact") else ", et al.")
    return spans


def _last_separator(form: str, authors: int) -> str:
    """The separator before the last author."""
    if form == "quoted":
        return " and " if authors == 2 else ", and "
    return {"plain": " and ", "compact": ", ", "year-first": ", & "}[form]


def _format_name(person: Person, form: str) -> str:
    initials = initials_of(person.given) + (f" {person.middle}." if person.middle else "")
    if form == "year-first":
        return f"{person.family}, {initials}"
    if form == "compact":
        return f"{person.family} {initials.replace('.', '').replace(' ', '').replace('-', '')}"
    return f"{initials} {person.family}"
