"""Web pages as blogs, news sites, documentation tools and publishers write them."""

from __future__ import annotations

import json

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.html_article.reader import matches, read
from fathom.corpus.readers.parsed_document import NoCompanions, ReadError
from fathom.records.documents import Document

ONE = "Marshes hold salt after a dry summer, and the reeds die back before the rushes do, as everybody here knows."
TWO = "We pumped water from three creeks on every second day, and boiled it down in the kitchen to see what was left."
THREE = "The upper creek was the saltiest, and the old harbor, to our surprise, was hardly salty at all in spring."


def page(head: str, body: str, attributes: str = "") -> bytes:
    start = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{head}</head>'
    return f"{start}<body {attributes}>{body}</body></html>".encode()


def linked(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def document(content: bytes, name: str = "page.html") -> Document:
    (one,) = read(content, name, NoCompanions())
    one.format = one.format or "html-article"
    return assemble(one)


def authors(read_in: Document) -> list[str]:
    return [author.span.of(read_in.text) for author in read_in.authors]


WORDPRESS = page(
    "<title>Salt in the marsh - Creek Diary</title>"
    + linked(
        {
            "@context": "https://schema.org",
            "@graph": [
                {"@type": "WebPage", "name": "Salt in the marsh - Creek Diary", "datePublished": "2020-01-01"},
                {
                    "@type": "Article",
                    "headline": "Salt in the marsh",
                    "author": {"name": "Ines Caldwell", "@id": "https://creek.example/#/person/1"},
                    "datePublished": "2021-05-04T08:00:00+00:00",
                    "publisher": {"@type": "Organization", "name": "Creek Diary"},
                },
            ],
        }
    ),
    f"""<header id="masthead" class="site-header"><h1 class="site-title">Creek Diary</h1>
<nav class="main-navigation"><ul><li><a href="/">Home</a></li><li><a href="/about">About</a></li></ul></nav></header>
<div id="page"><main id="main" class="site-main"><article class="post-12 post type-post category-salt tag-reeds">
<header class="entry-header"><h1 class="entry-title">Salt in the marsh</h1><div class="entry-meta">Posted on
<time class="entry-date published" datetime="2021-05-04">May 4, 2021</time> by <a rel="author" href="/a">Ines
Caldwell</a></div></header>
<div class="entry-content"><p>{ONE}</p><h2>Pumping</h2><p>{TWO}</p><ul><li>the upper creek</li>
<li>the mill creek</li></ul>
<figure class="wp-block-table"><table><thead><tr><th>Creek</th><th>Salt</th></tr></thead><tbody><tr><td>Upper</td>
<td>12</td></tr>
</tbody></table></figure><p>{THREE}</p>
<div class="sharedaddy sd-sharing-enabled"><div class="share"><h3>Share this:</h3><ul><li><a href="#f">Mail</a>
</li></ul></div></div></div>
<footer class="entry-footer">Filed under <a href="/salt">Salt</a></footer></article>
<section id="comments" class="comments-area"><h2>Two thoughts on this</h2>
<p>{"I saw the same thing happen in my garden. " * 3}</p></section></main>
<aside id="secondary" class="widget-area"><h2>Recent posts</h2><ul><li><a href="/x">Ten dry shoes</a></li></ul>
</aside></div>
<footer id="colophon" class="site-footer">Powered by people. We use cookies.</footer>""",
    'class="post-template-default single single-post nav-open"',
)

MEDIUM = page(
    "<title>Salt in the marsh. Why reeds die first | by Ines Caldwell | Creek Notes | Medium</title>"
    '<meta property="og:site_name" content="Medium"><meta property="og:title" content="Salt in the marsh">'
    '<meta property="article:published_time" content="2021-05-04T10:00:00.000Z">'
    '<meta name="author" content="Ines Caldwell">',
    f"""<div id="root"><div class="a b c"><div class="d"><div class="e"><a href="/signin">Sign in</a>
<a href="/x">Get started</a></div></div>
<div class="f"><div><article><div class="g"><div><section><div class="h i"><div>
<h1 class="pw-post-title">Salt in the marsh</h1>
<div class="j"><div><a href="/@i" rel="noopener follow">Ines Caldwell</a><button>Follow</button>
<span>6 min read</span></div></div>
<p class="pw-post-body-paragraph">{ONE}</p><p class="pw-post-body-paragraph">{TWO}</p><h1 class="k">Pumping</h1>
<blockquote><p>{THREE}</p></blockquote></div></div></section></div></div></article></div></div>
<div class="l"><div><h2>More from Ines Caldwell</h2><div><a href="/1"><h3>Ten dry shoes</h3></a></div></div></div>
</div></div>""",
)

NEWS = page(
    "<title>Salt found in marsh | The Creek Times</title>"
    + linked(
        [
            {"@type": "BreadcrumbList", "itemListElement": []},
            {
                "@type": ["NewsArticle"],
                "headline": "Salt found in marsh",
                "datePublished": "2021-05-04",
                "author": [{"@type": "Person", "name": "Ines Caldwell"}, {"@type": "Person", "name": "Otto Brandt"}],
            },
        ]
    ),
    f"""<div id="cookie-banner" class="consent-overlay">
<p>{"We and our partners store data on your device to improve this. " * 4}</p>
<button>Accept all</button></div><div class="site"><div class="story"><h1>Salt found in marsh</h1>
<div class="byline">By Ines Caldwell and Otto Brandt</div>
<div class="story-body__inner"><p>{ONE}</p><div class="advertisement">
<p>{"Buy a new pump today and save a great deal of money. " * 2}</p></div>
<p>{TWO}</p><div class="related-topics"><h2>Related topics</h2><ul><li><a href="/t">Marshes</a></li><li>
<a href="/u">Salt</a></li></ul></div>
<p>{THREE}</p></div></div><div class="most-read"><h2>Most read</h2><ol><li>
<a href="/1">A long story about shoes and the people who wear them</a></li>
<li><a href="/2">Another long story about the weather and the sea</a></li></ol></div></div>
<div class="site-footer"><p>Terms</p></div>""",
)

SPHINX = page(
    "<title>Pumping guide &#8212; creek 1.2 documentation</title>",
    f"""<div class="related" role="navigation"><ul><li><a href="genindex.html">index</a></li></ul></div>
<div class="document">
<div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><section id="pumping-guide">
<h1>Pumping guide<a class="headerlink" href="#pumping-guide" title="Link to this heading">¶</a></h1><p>{ONE}</p>
<section id="sites"><h2>Sites<a class="headerlink" href="#sites">¶</a></h2><p>{TWO}</p><pre>pump --fast
  creek</pre></section></section></div></div></div>
<div class="sphinxsidebar" role="navigation"><h3>Navigation</h3><ul><li><a href="x.html">Next</a></li></ul></div>
</div>
<div class="footer" role="contentinfo">Built by a tool.</div>""",
)

WIKI = page(
    "<title>Marsh salt - Wikipedia</title>"
    + linked(
        {
            "@type": "Article",
            "name": "Marsh salt",
            "headline": "salt in marshes",
            "author": {"@type": "Organization", "name": "Contributors"},
        }
    ),
    f"""<div id="content" class="mw-body" role="main"><h1 id="firstHeading">Marsh salt</h1><div id="mw-content-text">
<p>{ONE}<sup id="cite_ref-1" class="reference"><a href="#cite_note-osei-1">[1]</a></sup></p>
<h2>Pumping<span class="mw-editsection">[<a href="/e">edit</a>]</span></h2><p>{TWO}
<sup class="reference"><a href="#cite_note-moreau-2">[2]</a></sup></p>
<h2>References</h2><ol class="references"><li id="cite_note-osei-1"><span class="mw-cite-backlink">
<a href="#cite_ref-1">^</a></span>
<span class="reference-text">Osei, P., Lund, K. (2015). Reeds and salt in dry summers. Marsh Letters 12,
44-61.</span></li>
<li id="cite_note-moreau-2">
<span class="mw-cite-backlink">^</span> Moreau, J. (2018). A pump for every creek. Journal of Field Methods 7,
101-119.</li></ol></div></div>""",
)


def test_reads_a_wordpress_post() -> None:
    post = document(WORDPRESS)
    assert (post.title_text, authors(post), post.year) == ("Salt in the marsh", ["Ines Caldwell"], 2021)
    assert [section.heading.of(post.text) for section in post.sections if section.heading] == ["Pumping"]
    assert (post.kind, len(post.tables), ONE in post.text, THREE in post.text) == ("article", 1, True, True)
    for noise in ("Creek Diary", "Home", "Share this", "garden", "Recent posts", "cookies", "Filed under"):
        assert noise not in post.text


def test_reads_a_post_in_anonymous_elements() -> None:
    post = document(MEDIUM)
    assert (post.title_text, authors(post), post.year) == ("Salt in the marsh", ["Ines Caldwell"], 2021)
    assert all(text in post.text for text in (ONE, TWO, THREE))
    assert not any(noise in post.text for noise in ("Sign in", "Ten dry shoes", "Follow"))


def test_reads_a_news_story() -> None:
    story = document(NEWS)
    assert (story.title_text, authors(story)) == ("Salt found in marsh", ["Ines Caldwell", "Otto Brandt"])
    assert all(text in story.text for text in (ONE, TWO, THREE))
    for noise in ("partners", "new pump", "Related topics", "Most read", "shoes", "Terms"):
        assert noise not in story.text


def test_reads_documentation() -> None:
    guide = document(SPHINX)
    assert (guide.title_text, guide.state("authors"), guide.kind) == ("Pumping guide", "unknown", "report")
    assert [section.heading.of(guide.text) for section in guide.sections if section.heading] == ["Sites"]
    assert "pump --fast\n  creek" in guide.text
    assert not any(noise in guide.text for noise in ("¶", "index", "Navigation", "Built"))


def test_reads_an_encyclopedia_with_notes() -> None:
    article = document(WIKI)
    assert article.state("authors") == "unknown"
    assert len(article.references) == 2
    assert [citation.reference for citation in article.citations] == [1, 2]
    assert "[edit]" not in article.text and "^" not in article.text


def test_reads_the_tags_of_a_publisher() -> None:
    head = (
        '<title>x</title><meta name="citation_title" content="Salt &amp; reeds">'
        '<meta content="Caldwell, Ines" name="citation_author">'
        '<meta name="citation_author" content="Brandt, Otto"><meta name="citation_date" content="2021/3/14">'
        '<meta name="citation_doi" content="https://doi.org/10.5555/salt.1">'
        '<meta name="citation_journal_title" content="Marsh Letters">'
    )
    paper = document(page(head, f"<div><h2>Abstract</h2><p>{ONE}</p><h2>Sites</h2><p>{TWO}</p><p>{THREE}</p></div>"))
    assert (paper.title_text, authors(paper)) == ("Salt & reeds", ["Ines Caldwell", "Otto Brandt"])
    assert (paper.year, paper.ids["doi"], paper.venue) == (2021, "10.5555/salt.1", "Marsh Letters")
    assert paper.abstract is not None


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="author" content="Creek Diary"><meta property="og:site_name" content="Creek Diary">',
        '<meta name="author" content="admin">',
        '<meta name="author" content="https://creek.example/ines">',
        linked({"@type": "Article", "author": {"@type": "Organization", "name": "Creek Diary"}}),
        linked({"@type": "Article", "author": {"@type": "Person", "name": "The editorial team of the Creek Diary"}}),
        "",
    ],
)
def test_authors_that_are_not_people_are_unknown(head: str) -> None:
    read_in = document(page(f"<title>Salt</title>{head}", f"<p>{ONE}</p><p>{TWO}</p><p>{THREE}</p>"))
    assert (authors(read_in), read_in.state("authors")) == ([], "unknown")


def test_copyright_lines_are_no_dates() -> None:
    read_in = document(
        page("<title>Salt</title>", f"<article><p>{ONE}</p><p>{TWO}</p></article><footer>© 2019</footer>")
    )
    assert read_in.year is None


def test_text_in_divisions_without_paragraphs() -> None:
    read_in = document(page("<title>Salt</title>", f"<div class=x>{ONE}<br><br>{TWO}</div><div class=x>{THREE}</div>"))
    assert all(text in read_in.text for text in (ONE, TWO, THREE))


def test_a_page_of_tables_stays_tabular() -> None:
    rows = "".join(f"<tr><td>creek {n}</td><td>{n}</td></tr>" for n in range(200))
    (parsed,) = read(
        page("<title>Counts</title>", f"<h1>Counts</h1><p>Few.</p><table>{rows}</table>"), "a.html", NoCompanions()
    )
    assert (parsed.format, parsed.kind) == ("tabular", "report")


@pytest.mark.parametrize("caption", ["Income (EUR million)", "<b>Table 2</b> Income (EUR million)"])
def test_tables_have_their_captions(caption: str) -> None:
    """Also one that does not begin with "Table 2": its unit is that of the figures."""
    table = (
        f"<table><caption>{caption}</caption><tr><th></th><th>2023</th></tr><tr><td>Sales</td><td>4.2</td></tr></table>"
    )
    read_in = document(page("<title>Salt</title>", f"<article><p>{ONE}</p><p>{TWO}</p>{table}<p>{THREE}</p></article>"))
    (found,) = read_in.tables
    assert found.caption is not None and found.caption.of(read_in.text).endswith("Income (EUR million)")


@pytest.mark.parametrize(
    "body",
    [
        "<ul>"
        + "".join(f'<li><a href="/{n}">A post about number {n} and others</a></li>' for n in range(40))
        + "</ul>",
        "<p>Please enable scripts.</p>",
        '<div class="cookie"><p>' + "We store data on your device. " * 20 + '</p></div><nav><a href="/">Home</a></nav>',
    ],
)
def test_a_page_without_main_text_is_refused(body: str) -> None:
    with pytest.raises(ReadError, match="no main text"):
        document(page("<title>x</title>", body))


def test_knows_pages() -> None:
    assert matches("a.html", b"<p>x") and matches("index", b"<!DOCTYPE html><html>") and matches("a.htm.gz", b"<html>")
    assert not matches("a.xml", b"<html>") and not matches(
        "a.html", b'<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL">'
    )


VIGNETTE = f"""<h1 class="title toc-ignore">Salt in the marsh</h1><h4 class="author">Ada Lind</h4>
<h4 class="date">2022-05-04</h4>
<div id="TOC"><ul><li><a href="#start">Introduction</a></li><li><a href="#end">Results</a></li></ul></div>
<div id="start"><h1>Introduction</h1><p>{ONE}</p></div><div id="end"><h1>Results</h1><p>{TWO}</p><p>{THREE}</p></div>
<div id="references"><h1>References</h1>
<div id="refs"><div class="csl-entry">Lind, Ada. n.d. “Salt in Slow Rivers.” https://salt.example/rivers.</div>
<div class="csl-entry">Roe, C., and B. Wu. 2019. “Spoons of the North.” <em>J. Spoons</em> 4: 1–9.</div>
<div class="csl-entry">Wu, Bo. 2020. “Scales and Fish.” <em>J. Scales</em> 5: 7–12.</div></div></div>
<div class="footnotes"><hr/><ol><li><p>This page was written with a spoon (Roe and Wu 2019).</p></li></ol></div>
"""


def test_the_title_of_a_vignette_is_not_its_first_section() -> None:
    read_in = document(page('<title>Salt in the marsh</title><meta name="author" content="Ada Lind">', VIGNETTE))
    assert read_in.title and read_in.title.of(read_in.text) == "Salt in the marsh" and "title" not in read_in.unknown
    assert [one.heading.of(read_in.text) for one in read_in.sections if one.heading][:2] == ["Introduction", "Results"]


def test_footnotes_below_a_reference_list_are_not_entries() -> None:
    read_in = document(page("<title>Salt in the marsh</title>", VIGNETTE))
    entries = [one.span.of(read_in.text) for one in read_in.references]
    assert [entry.split(".")[0] for entry in entries] == ["Lind, Ada", "Roe, C", "Wu, Bo"]


def test_the_title_is_unknown_if_no_heading_is_in_the_head() -> None:
    sections = f"<div><h1>Introduction</h1><p>{ONE} {TWO}</p></div><div><h1>Results</h1><p>{THREE} {TWO}</p></div>"
    assert "title" in document(page("<title>Salt in the marsh</title>", sections)).unknown
    assert "title" not in document(page("<title>Introduction - Creek Diary</title>", sections)).unknown
