"""Generated articles: every planted part is read back from the text independently."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice, pairwise

import pytest

from fathom.corpus.generated.lexicon import SUBJECTS
from fathom.corpus.generated.research import write_article
from fathom.corpus.generated.world import ArticleLength, ArticlePlan, World
from fathom.models.tokenizers import tokenizer
from fathom.records.documents import Citation, Claim, Document, Evidence
from fathom.records.names import without_accents
from fathom.records.spans import Span

COUNT = 240

full_only = pytest.mark.parametrize("length", ["full"], indirect=True)
short_only = pytest.mark.parametrize("length", ["short"], indirect=True)


@pytest.fixture(scope="module", params=["full", "short"])
def length(request: pytest.FixtureRequest) -> ArticleLength:
    """Every test takes documents of each length, unless it is marked for one."""
    wanted: ArticleLength = request.param
    return wanted


@pytest.fixture(scope="module")
def plans(length: ArticleLength) -> list[ArticlePlan]:
    return list(islice(World(29, SUBJECTS, length).plans(), COUNT))


@pytest.fixture(scope="module")
def articles(plans: list[ArticlePlan]) -> list[Document]:
    return list(map(write_article, plans))


@pytest.fixture(scope="module")
def by_id(articles: list[Document]) -> dict[str, Document]:
    return {article.id: article for article in articles}


# What a reader sees.


def test_title_and_byline_read_back(articles: list[Document]) -> None:
    for article in articles:
        lines = article.text.split("\n")
        assert lines[0] == f"# {article.title_text}"
        names = re.split(r", | and ", lines[2])
        assert names == [author.span.of(article.text) for author in article.authors]
        assert names == [f"{author.given} {author.family}" for author in article.authors]
        assert f"*{article.venue}*" in article.text
        assert (article.abstract is not None) == ("\n## Abstract\n" in article.text)
        if article.abstract is not None:
            assert article.text[: article.abstract.start].endswith("## Abstract\n\n")


@full_only
def test_every_full_article_has_an_abstract(articles: list[Document]) -> None:
    assert all(article.abstract is not None for article in articles)


@short_only
def test_a_letter_has_a_short_abstract_or_none(articles: list[Document]) -> None:
    abstracts = [article.abstract for article in articles if article.abstract is not None]
    assert COUNT // 10 < len(abstracts) < COUNT // 2
    for article in articles:
        if article.abstract is not None:
            assert 1 <= sum(article.abstract.contains(sentence) for sentence in article.sentences) <= 3
        assert len(article.paragraphs) - (article.abstract is not None) in (1, 2)


def test_no_slot_is_left_unfilled(articles: list[Document]) -> None:
    for article in articles:
        for wrong in ("{", "}", "  ", " .", " ,", "..", ",,", "( ", " )", "\n\n\n", " a a ", " the the ", "pletter"):
            assert wrong not in article.text, (article.id, wrong, article.text[article.text.index(wrong) - 40 :][:90])


def test_headings_are_sections_and_sections_tile_the_text(articles: list[Document], length: ArticleLength) -> None:
    for article in articles:
        printed = re.findall(r"^(##+) (.*)$", article.text, re.MULTILINE)
        assert printed == [("#" * s.level, s.heading.of(article.text)) for s in article.sections if s.heading]
        top = [section for section in article.sections if section.level == 2]
        for before, after in pairwise(top):
            assert article.text[before.span.end : after.span.start].isspace()
        assert top[-1].span.end == len(article.text) - 1
        roles = {section.role for section in article.sections}
        assert "references" in roles
        if length == "full":
            assert {"abstract", "introduction", "methods", "results", "discussion", "conclusion"} <= roles


def test_sentences_tile_paragraphs(articles: list[Document]) -> None:
    for article in articles:
        sentences = iter(article.sentences)
        for paragraph in article.paragraphs:
            position = paragraph.start
            while position < paragraph.end:
                sentence = next(sentences)
                assert sentence.start == position + (position > paragraph.start)
                assert sentence.of(article.text)[0].isupper()
                assert re.search(r"\.(</sup>)?$|\?$", sentence.of(article.text)), sentence.of(article.text)
                position = sentence.end
            assert position == paragraph.end
        assert next(sentences, None) is None


@full_only
def test_lengths_cover_the_planned_range(articles: list[Document]) -> None:
    counts = [tokenizer().count(article.text) for article in articles]
    assert min(counts) >= 2_000
    assert max(counts) <= 40_000
    assert min(counts) < 4_000
    assert max(counts) > 30_000


@short_only
def test_letters_have_250_to_600_tokens(articles: list[Document]) -> None:
    """But for a few with seven references whose names and titles are all long."""
    counts = [tokenizer().count(article.text) for article in articles]
    assert min(counts) >= 250
    assert max(counts) <= 750
    assert sum(count > 600 for count in counts) <= 0.03 * COUNT
    assert min(counts) < 300
    assert max(counts) > 560
    assert 375 <= statistics.mean(counts) <= 450


def test_titles_are_unique_and_have_the_traps_of_real_ones(articles: list[Document]) -> None:
    titles = [article.title_text for article in articles]
    assert len({title.casefold() for title in titles}) == len(titles)
    for sign in (",", "'", "?", ":"):
        assert sum(sign in title for title in titles) >= COUNT // 30
    assert any(re.search(r"\d", title) for title in titles)


def test_an_article_seldom_repeats_itself(articles: list[Document]) -> None:
    """Of a thousand sentences hardly one occurs twice."""
    for article in articles:
        sentences = [s.of(article.text) for s in article.sentences if s.end - s.start > 60]
        repeated = sum(count - 1 for count in Counter(sentences).values())
        assert repeated / len(sentences) < 0.01, article.id


# References and citations.


@full_only
def test_reference_lists_have_8_to_80_entries_and_some_are_in_the_corpus(articles: list[Document]) -> None:
    sizes = [len(article.references) for article in articles]
    assert min(sizes) >= 8
    assert max(sizes) <= 80
    assert max(sizes) > 50
    inside = [len(article.cited) for article in articles[40:]]
    assert 2 <= statistics.mean(inside) <= 15


@short_only
def test_letters_have_2_to_7_references_and_many_are_in_the_corpus(articles: list[Document]) -> None:
    sizes = Counter(len(article.references) for article in articles)
    assert sorted(sizes) == list(range(2, 8))
    inside = [len(article.cited) for article in articles[40:]]
    assert 1.2 <= statistics.mean(inside) <= 3
    assert all(len(article.cited) < len(article.references) for article in articles)


def test_no_article_cites_a_later_one_or_itself(articles: list[Document], by_id: dict[str, Document]) -> None:
    for article in articles:
        for cited in article.cited:
            assert by_id[cited].year is not None
            assert article.year is not None
            assert by_id[cited].year <= article.year  # type: ignore[operator]
            assert cited != article.id


def test_a_reference_names_the_article_it_links_to(articles: list[Document], by_id: dict[str, Document]) -> None:
    for article in articles:
        for reference in article.references:
            assert reference.title is not None
            printed = reference.span.of(article.text)
            assert "\n" not in printed
            assert str(reference.year) in printed
            assert reference.title.of(article.text) in printed
            if reference.document is not None:
                cited = by_id[reference.document]
                assert reference.title.of(article.text) == cited.title_text
                assert reference.year == cited.year
                family = without_accents(cited.authors[0].family).replace("-", " ")
                first = without_accents(reference.authors[0].of(article.text)).replace("-", " ")
                assert family in first


def test_no_title_is_linked_for_one_article_and_not_for_another(articles: list[Document]) -> None:
    """A document that prints the title of a corpus document and no link would make a wrong key."""
    titles = {article.title_text: article.id for article in articles}
    for article in articles:
        for reference in article.references:
            assert reference.title is not None
            assert titles.get(reference.title.of(article.text)) == reference.document


def test_lists_are_printed_one_entry_a_line_in_their_order(articles: list[Document]) -> None:
    for article in articles:
        section = next(section for section in article.sections if section.role == "references")
        lines = section.span.of(article.text).split("\n\n", 1)[1].split("\n")
        assert lines == [reference.span.of(article.text) for reference in article.references]


def markers(article: Document) -> Iterator[tuple[str, set[int]]]:
    """Every bracket in the prose that cites, read again by pattern, with the numbers it names."""
    body = article.text[: next(s for s in article.sections if s.role == "references").span.start]
    style = article.citations[0].style
    if style == "author-year":
        return
    pattern = r"\[([\d,\s–]+)\]" if style == "numeric" else r"<sup>([\d,–]+)</sup>"
    for match in re.finditer(pattern, body):
        numbers: set[int] = set()
        for piece in re.split(r",\s*", match[1]):
            first, _, last = piece.partition("–")
            numbers |= set(range(int(first), int(last or first) + 1))
        yield match[0], numbers


def grouped(citations: tuple[Citation, ...]) -> list[list[Citation]]:
    groups: dict[object, list[Citation]] = defaultdict(list)
    for citation in citations:
        groups[citation.group].append(citation)
    return [groups[group] for group in sorted(groups)]  # type: ignore[type-var]


def test_numeric_citations_read_back(articles: list[Document]) -> None:
    for article in articles:
        if article.citations[0].style == "author-year":
            continue
        noted = [
            (group[0].group.of(article.text), {citation.reference for citation in group})
            for group in grouped(article.citations)
        ]
        assert noted == list(markers(article))


def test_author_year_citations_match_one_entry(articles: list[Document], length: ArticleLength) -> None:
    checked = 0
    for article in articles:
        if article.citations[0].style != "author-year":
            continue
        for citation in article.citations:
            label = citation.span.of(article.text)
            match = re.fullmatch(r"(.+?)(?:, | \()(\d{4}[a-z]*)\)?", label)
            assert match is not None, label
            first = re.split(r" et al\.| & | and ", match[1])[0]
            fits = []
            for reference in article.references:
                printed = reference.span.of(article.text)
                names = [a.of(article.text).split(",")[0] for a in reference.authors]
                if label[0].isupper():
                    names[0] = names[0][0].upper() + names[0][1:]
                wanted = re.split(r" & | and ", match[1]) if "et al." not in match[1] else [first]
                enough = len(reference.authors) > 2 if "et al." in match[1] else len(reference.authors) == len(wanted)
                if enough and names[: len(wanted)] == wanted and f"({match[2]})" in printed:
                    fits.append(reference.number)
            assert fits == [citation.reference], (label, fits)
            checked += 1
    assert checked > (1_000 if length == "full" else 200)


def test_every_entry_is_cited_and_first_mentions_are_in_order(
    articles: list[Document], plans: list[ArticlePlan]
) -> None:
    for article, plan in zip(articles, plans, strict=True):
        mentioned = list(dict.fromkeys(c.reference for c in sorted(article.citations, key=lambda c: c.span)))
        assert sorted(n for n in mentioned if n) == list(range(1, len(article.references) + 1))
        if plan.style.by_appearance:
            # A range such as 4-6 puts three numbers in one place, so compare where each number is first read.
            first = [
                min(c.span.start for c in article.citations if c.reference == n) for n in range(1, len(mentioned) + 1)
            ]
            groups = {c.span.start: c.group.start for c in article.citations}
            assert [groups[start] for start in first] == sorted(groups[start] for start in first)


def test_all_citation_styles_and_types_occur(articles: list[Document], length: ArticleLength) -> None:
    styles = Counter(article.citations[0].style for article in articles)
    assert set(styles) == {"numeric", "author-year", "superscript"}
    assert min(styles.values()) >= COUNT // 20
    alone = grouped_count = 0
    for article in articles:
        assert len({citation.style for citation in article.citations}) == 1
        lone = set(article.single_citations())
        alone += len(lone)
        grouped_count += len(article.citations) - len(lone)
        for citation in article.citations:
            assert (citation.type == "attributional") == (citation.name is not None)
    enough = 3_000 if length == "full" else 200
    assert alone > enough
    assert grouped_count > enough


def test_an_attributional_citation_names_what_the_cited_work_introduces(
    articles: list[Document], by_id: dict[str, Document], length: ArticleLength
) -> None:
    checked = 0
    for article in articles:
        for citation in article.citations:
            if citation.name is None:
                continue
            name = citation.name.of(article.text)
            between = article.text[citation.name.end : citation.group.start]
            assert between in (" ", "")
            assert citation.reference is not None
            linked = article.references[citation.reference - 1].document
            if linked is not None:
                assert name in by_id[linked].text
                checked += 1
    assert checked > (100 if length == "full" else 20)


@short_only
def test_a_letter_states_what_citing_works_say_about_it(articles: list[Document], plans: list[ArticlePlan]) -> None:
    """Its name, its method and two things more stand in its own words above the references."""
    for article, plan in zip(articles, plans, strict=True):
        study = plan.work.study
        prose = article.text[: article.text.index("\n## ", article.paragraphs[-1].end - 1)].casefold()
        assert plan.work.name.casefold() in prose
        assert study.method.own.casefold() in prose
        others = (study.object.own, study.setting.own, study.material.own, study.quantity.name)
        assert sum(notion.casefold() in prose for notion in others) >= 2


def test_a_citing_sentence_retells_the_quantity(articles: list[Document], plans: list[ArticlePlan]) -> None:
    """And it says of the quantity, by whichever name, that the work moved it the better way."""
    named = retold = 0
    for article, plan in zip(articles, plans, strict=True):
        works = {work.title: work for work in plan.cited}
        for citation in article.single_citations():
            if citation.type != "descriptive":
                continue
            assert citation.reference is not None
            title = article.references[citation.reference - 1].title
            assert title is not None
            quantity = works[title.of(article.text)].study.quantity
            sentence = next(s for s in article.sentences if s.contains(citation.span)).of(article.text)
            worse = "raises" if quantity.lower_is_better else "lowers"
            for name in (quantity.name, quantity.paraphrase):
                assert not re.search(rf"\b{worse} (the )?{re.escape(name)}\b", sentence), sentence
            named += quantity.name.casefold() in sentence.casefold()
            retold += quantity.paraphrase.casefold() in sentence.casefold()
    assert retold > 20
    assert not named


def test_no_other_entry_fits_a_descriptive_sentence(plans: list[ArticlePlan]) -> None:
    """A sentence that describes a cited work names three attributes; no two works of a list share three.

    A document of the corpus reports further experiments, all with its own method, and no other entry of the list has
    that method.
    """
    for plan in plans:
        for index, one in enumerate(plan.cited):
            for two in plan.cited[:index]:
                attributes = [
                    (g.method.own, g.object.own, g.setting.own, g.material.own, g.quantity.name)
                    for g in (one.study, two.study)
                ]
                assert sum(a == b for a, b in zip(*attributes, strict=True)) <= 2
                if one.document or two.document:
                    assert one.study.method != two.study.method


def test_authors_named_in_a_sentence_have_spans(articles: list[Document], length: ArticleLength) -> None:
    """Masking a citation must be able to mask the names beside it."""
    named = 0
    for article in articles:
        for citation in article.citations:
            if citation.authors is None:
                continue
            assert citation.reference is not None
            first = article.references[citation.reference - 1].authors[0].of(article.text)
            family = re.split(r" et al\.| and ", citation.authors.of(article.text))[0]
            assert family.casefold() in first.casefold()
            assert 0 <= citation.group.start - citation.authors.end <= 1 or citation.group.contains(citation.authors)
            named += 1
    assert named > (300 if length == "full" else 50)


# People.


@short_only
def test_letters_have_one_to_six_authors(articles: list[Document]) -> None:
    assert {len(article.authors) for article in articles} == set(range(1, 7))


@short_only
def test_letters_that_cite_one_another_often_share_an_author(
    articles: list[Document], by_id: dict[str, Document]
) -> None:
    pairs = [(article, by_id[cited]) for article in articles for cited in article.cited]
    shared = sum(bool({a.person for a in one.authors} & {a.person for a in two.authors}) for one, two in pairs)
    assert shared > 0.25 * len(pairs)


def test_no_byline_has_two_similar_names(articles: list[Document]) -> None:
    for article in articles:
        printed = [author.span.of(article.text) for author in article.authors]
        assert len(set(printed)) == len(printed)


def test_an_article_prints_the_doi_that_citing_works_print(
    articles: list[Document], by_id: dict[str, Document]
) -> None:
    for article in articles:
        assert ("doi" in article.ids) == (
            "doi:" in article.text.split("\n\n")[3] or "doi:" in article.text.split("\n\n")[2]
        )
        for reference in article.references:
            if reference.document is not None:
                assert reference.ids == by_id[reference.document].ids


def test_people_publish_again_under_other_spellings(articles: list[Document]) -> None:
    spellings: dict[str, set[str]] = defaultdict(set)
    works: Counter[str] = Counter()
    bearers: dict[str, set[str]] = defaultdict(set)
    for article in articles:
        for author in article.authors:
            assert author.person is not None
            name = author.span.of(article.text)
            spellings[author.person].add(name)
            bearers[name].add(author.person)
            works[author.person] += 1
    assert sum(count > 1 for count in works.values()) > 80
    assert sum(len(names) > 1 for names in spellings.values()) > 50
    shared = sum(len(people) > 1 for people in bearers.values())
    assert 1 <= shared <= 0.1 * len(bearers)
    printed = "".join(bearers)
    for sign in ("-", "é", "'", ".", "ö"):
        assert sign in printed


# Tables, facts, claims.


def test_tables_read_back_cell_by_cell(articles: list[Document], length: ArticleLength) -> None:
    for article in articles:
        assert bool(article.tables) == (length == "full")
        for table in article.tables:
            assert table.caption is not None
            assert table.caption.of(article.text).startswith(f"Table {table.number}. ")
            lines = [line for line in table.span.of(article.text).split("\n") if line.startswith("|")]
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]
            found = {(cell.row, cell.column): cell.span.of(article.text) for cell in table.cells}
            assert found == {(r, c): value for r, row in enumerate(rows) for c, value in enumerate(row)}


def test_a_fact_has_the_value_of_its_span(articles: list[Document], length: ArticleLength) -> None:
    places: Counter[str] = Counter()
    for article in articles:
        for fact in article.facts:
            printed = fact.span.of(article.text)
            assert re.fullmatch(r"\d+(\.\d+)?", printed), printed
            assert Decimal(printed) == fact.value
            # No digit on either side: the span is the number, not a piece of one.
            assert not article.text[fact.span.start - 1].isdigit()
            assert not re.match(r"\.?\d", article.text[fact.span.end :])
            places[fact.place] += 1
    if length == "full":
        assert places["table"] > 3_000
        assert places["prose"] > 1_000
    else:
        assert places["prose"] > 50


def test_an_article_does_not_contradict_itself(articles: list[Document], length: ArticleLength) -> None:
    """The same method, measure and collection have one value wherever they are printed."""
    repeated = 0
    for article in articles:
        values: dict[tuple[str, str, str], Decimal | None] = {}
        for fact in article.facts:
            key = (fact.entity, fact.attribute, fact.part)
            repeated += key in values
            assert values.setdefault(key, fact.value) == fact.value
    assert repeated > 1_000 or length == "short"


@full_only
def test_the_evidence_of_a_claim_is_complete(articles: list[Document]) -> None:
    """Whoever finds another table of that kind would rightly call it evidence, and the key would be wrong."""
    checked = 0
    for article in articles:
        facts = {fact.span: fact for fact in article.facts}
        compared = {
            table.span: [(facts[c.span].attribute, facts[c.span].entity) for c in table.cells if c.span in facts]
            for table in article.tables
        }
        for claim in article.claims:
            for span in (evidence.span for evidence in claim.evidence if claim.type == "performance"):
                if not compared.get(span):
                    continue
                # The first row is the document's own method, the second the rival that the claim names.
                (own,) = {pair for pair in compared[span] if pair[1] == compared[span][0][1]}
                rival = next(pair for pair in compared[span] if pair != own)
                assert rival[1].casefold() in claim.span.of(article.text).casefold()
                assert rival[0] in claim.span.of(article.text)
                assert [other for other in compared if rival in compared[other]] == [span]
                checked += 1
    assert checked > 500


@full_only
def test_single_runs_average_to_the_reported_value(articles: list[Document]) -> None:
    checked = 0
    for article in articles:
        reported = {fact.value for fact in article.facts}
        for table in article.tables:
            assert table.caption is not None
            if "in single runs on" not in table.caption.of(article.text):
                continue
            for column in (1, 2):
                values = [Decimal(c.span.of(article.text)) for c in table.cells if c.column == column and not c.header]
                assert sum(values) / len(values) in reported
                checked += 1
    assert checked > 100


def test_claims_are_sentences_with_supporting_evidence(articles: list[Document], length: ArticleLength) -> None:
    distances: list[int] = []
    unsupported = supported = 0
    for article in articles:
        sentences, tables = set(article.sentences), {table.span for table in article.tables}
        assert article.claims or length == "short"
        for claim in article.claims:
            assert claim.span in sentences
            if not claim.evidence:
                unsupported += 1
                continue
            supported += 1
            for span in (evidence.span for evidence in claim.evidence):
                assert span in sentences or span in tables
                assert span != claim.span
                distances.append(span.start - claim.span.end)
            shown = " ".join(evidence.span.of(article.text) for evidence in claim.evidence)
            share = re.search(r"\d+\.\d%", claim.span.of(article.text))
            if share is not None:
                assert_change_is_shown(share[0], shown)
    assert supported > (500 if length == "full" else 60)
    assert unsupported > 50
    assert min(abs(distance) for distance in distances) <= 2
    if length == "short":
        return
    # From the next sentence to the far end of the paper, before the claim as well as after it.
    assert max(distances) > 60_000
    assert min(distances) < -20_000


SURE = {
    "high": r"\bdecided|be closed|without doubt|certain of|settled",
    "medium": r"probable|likely|without being sure|not beyond doubt|to some degree",
    "low": r"undecided|open question|no conclusion|do not allow|has to wait",
}
"""Words by which a reader tells how sure authors are."""


def _is_conclusion_on(claim: Claim, article: Document) -> bool:
    """Whether a conclusion is a sentence of its own that names what the claim is about, and says how sure it is."""
    start = article.text.find(claim.conclusion)
    assert Span(start, start + len(claim.conclusion)) in set(article.sentences)
    assert all(start != claim.span.start for claim in article.claims)
    claimed = next(fact for fact in article.facts if any(one.span.contains(fact.span) for one in claim.evidence))
    assert claimed.attribute in claim.conclusion
    return [level for level, words in SURE.items() if re.search(words, claim.conclusion)] == [claim.confidence]


def _is_limitation_of(evidence: Evidence, article: Document) -> bool:
    """Whether a limitation is a sentence that names the table that it is about."""
    start = article.text.find(evidence.limitations)
    assert Span(start, start + len(evidence.limitations)) in set(article.sentences)
    number = re.search(r"\bTable (\d+)\b", evidence.limitations)
    return number is not None and article.tables[int(number[1]) - 1].span == evidence.span


@full_only
def test_what_is_true_of_a_claim_follows_from_its_evidence(articles: list[Document]) -> None:
    types: Counter[str | None] = Counter()
    confidences: Counter[str | None] = Counter()
    statements: Counter[bool] = Counter()
    polarities: Counter[str] = Counter()
    for article in articles:
        values = {(fact.entity, fact.attribute, fact.part): fact.value for fact in article.facts}
        for claim in article.claims:
            types[claim.type] += 1
            contradicted = any(one.polarity == "contradicts" for one in claim.evidence)
            assert claim.justified == (bool(claim.evidence) and not contradicted)
            assert bool(claim.no_evidence_reason) == (not claim.evidence)
            assert not claim.conclusion or _is_conclusion_on(claim, article)
            for evidence in claim.evidence:
                assert not evidence.limitations or _is_limitation_of(evidence, article)
            statements.update(bool(evidence.limitations) for evidence in claim.evidence)
            polarities.update(evidence.polarity for evidence in claim.evidence)
            confidences[claim.confidence] += 1
            if claim.type == "result":
                words = claim.span.of(article.text)
                quantity = max((attribute for _, attribute, _ in values if attribute in words), key=len)
                parts = sorted({part for *_, part in values if part in words}, key=words.index)
                own = next(entity for entity, *_ in values if entity in words)
                one, two = (values[own, quantity, part] for part in parts)
                assert one is not None and two is not None
                assert (" higher " in words) == (one > two)
                assert claim.evidence
    assert min(types[one] for one in ("performance", "result", "methodology", "contribution", None)) > 30
    assert min(confidences[level] for level in ("high", "medium", "low", None)) > 30
    assert min(polarities["contradicts"], statements[True]) > 30


def assert_change_is_shown(share: str, evidence: str) -> None:
    """Two numbers of the evidence differ by the share that the claim states."""
    numbers = [Decimal(number) for number in dict.fromkeys(re.findall(r"(?<![\d.])\d+(?:\.\d+)?", evidence))]
    wanted = Decimal(share.rstrip("%"))
    shown = (abs(number - two) / two * 100 for number in numbers for two in numbers if two)
    assert any(abs(change - wanted) <= Decimal("0.051") for change in shown), share


def test_the_citation_graph_has_a_heavy_tail(articles: list[Document]) -> None:
    cited = Counter(id for article in articles for id in article.cited)
    counts = sorted(cited.values(), reverse=True)
    assert counts[0] >= 4 * statistics.median(counts)
