"""Random articles and their LaTeX source in the layouts of publishers, for the study of PDF layouts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


def _words(text: str) -> list[str]:
    return text.split()


_GIVEN = _words(
    """Ada Tom Lia Marta Otto Nora Wei Priya Chidi Elena Jürgen Søren María José Anaïs Zoë Hiroshi Yuki Omar Leila
Ngozi Ivan Petra Kwame Ingrid Rafael Sofía Dmitri Aisha Björn Chen Mei Paulo Renée Sanjay Tamsin Ulrich Vera Walid
Xenia Jean-Luc Ana-Maria"""
)
_FAMILY = _words(
    """Quill Reyes Faber Gill Osei Lund Moreau Tan Birk Holm Weiss Abel Voss Chen Ito Park Dorn Eriks Hahn Wolff
Müller García Nielsen Øvergård Kowalski Novák Okafor Haddad Smith-Jones O'Brien Fernández Lindqvist Tanaka Yamamoto
Nguyen Ivanova Petrov Costa Almeida Rossi Bianchi Dubois Lefèvre Schmidt Larsen Banerjee Iyer"""
)
_PARTICLED = ["van der Meer", "de la Cruz", "von Arx", "ten Brink", "dos Santos"]
_TOPICS = """sediment transport|grain sorting|flood memory|channel migration|sparse attention|graph embeddings|lattice
models|spin glasses|protein folding|soil moisture|query planning|speech decoding|urban heat|wave scattering|causal
discovery|map matching|code review|thin films|galaxy surveys|enzyme kinetics""".replace("\n", " ").split("|")
_QUALITIES = """Robust|Adaptive|Scalable|Hierarchical|Bayesian|Efficient|Latent|Non-linear|Multi-scale|Self-supervised|
Optimal|Weakly coupled""".replace("\n", "").split("|")
_SETTINGS = """in Mountain Rivers|under Distribution Shift|at Low Temperature|with Few Labels|for Long Documents|on
Commodity Hardware|across Languages|in Dense Cities|from Noisy Surveys|without Ground Truth""".replace("\n", " ").split(
    "|"
)
_SUBTITLES = (
    "A Nine-Year Study of Forty Sites and What They Remember",
    "Theory, Algorithms, and an Open Benchmark for Practitioners",
    "Evidence from Repeated Measurements, Simulations, and Field Notes",
    "Lessons from Three Deployments and a Negative Result",
)
INSTITUTIONS = (
    ("University of Fenwick", "Fenwick", "Norway"),
    ("Halden Institute of Technology", "Halden", "Sweden"),
    ("Northgate College", "Northgate", "Canada"),
    ("National Laboratory of Rivers", "Marlow", "UK"),
    ("Department of Physics, Marlow University", "Orrin", "Chile"),
    ("Orrin Research", "Basel", "Switzerland"),
)
_VENUES = (
    "River Journal",
    "Journal of Field Methods",
    "Earth Surface Letters",
    "Proceedings of the Conference on Models",
    "Annals of Measurement",
    "Physical Notes B",
)
_NOUNS = _words(
    "model survey sample signal estimate bound layer channel query sensor basin state network record kernel"
)
_VERBS = _words("shows predicts limits explains reduces follows separates carries recovers exceeds")
_STATES = ("small", "large", "noisy", "known", "missing")
_HEADINGS = (
    *("Introduction", "Related Work", "Method", "Experimental Setup", "Results", "Discussion", "Limitations"),
    "Conclusion",
)
_AUTHOR_COUNTS = (1, 2, 3, 4, 5, 6, 8, 12, 2, 3)


@dataclass(frozen=True)
class Person:
    given: str
    family: str
    institution: int = 0
    """Index into `INSTITUTIONS`."""

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def initials(self) -> str:
        return " ".join(f"{word[0]}." for word in self.given.replace(".", "").split())

    @property
    def place(self) -> str:
        institution, city, country = INSTITUTIONS[self.institution]
        return f"{institution}, {city}, {country}"

    @property
    def address(self) -> str:
        name = f"{self.given[0]}.{self.family.split()[-1]}".lower()
        return name.encode("ascii", "ignore").decode().replace("'", "") + "@example.org"


@dataclass(frozen=True)
class Work:
    """An entry of the reference list."""

    key: str
    authors: tuple[Person, ...]
    year: int
    title: str
    venue: str
    volume: int
    pages: tuple[int, int]


@dataclass
class Article:
    title: str
    authors: list[Person]
    abstract: str
    sections: list[tuple[str, list[str]]]
    """Headings and paragraphs, with citations as `\\CITE{key,key}`."""
    references: list[Work]
    citations: list[str]
    """Keys in text order."""
    variant: int
    """Chooses among the forms of a layout."""
    numbered: bool
    """Whether headings have numbers."""

    @property
    def institutions(self) -> list[int]:
        return sorted({person.institution for person in self.authors})

    def mark(self, person: Person) -> int:
        """Return the number of an author's institution."""
        return self.institutions.index(person.institution) + 1


def make_article(rng: random.Random, number: int) -> Article:
    """Return a random article; its number determines the length of the title and of the byline."""
    count = _AUTHOR_COUNTS[number % len(_AUTHOR_COUNTS)]
    institutions = rng.sample(range(len(INSTITUTIONS)), min(count, rng.randint(1, 3)))
    names = _people(rng, count)
    authors = [Person(one.given, one.family, institutions[at % len(institutions)]) for at, one in enumerate(names)]
    references = _references(rng)
    sections, citations = _sections(rng, references)
    return Article(
        title=_title(rng, number % 3),
        authors=authors,
        abstract=" ".join(_sentence(rng) + "." for _ in range(6)),
        sections=sections,
        references=references,
        citations=citations,
        variant=number % 4,
        numbered=number % 5 != 4,
    )


def _title(rng: random.Random, length: int) -> str:
    topic = rng.choice(_TOPICS).title()
    if length == 0:
        return f"{rng.choice(_QUALITIES)} {topic}"
    short = f"{rng.choice(_QUALITIES)} {topic} {rng.choice(_SETTINGS)}"
    if length == 1:
        return short if rng.random() < 0.3 else f"{short}: A Study of {rng.choice(_TOPICS).title()}"
    return f"{short}: {rng.choice(_SUBTITLES)}"


def _people(rng: random.Random, count: int) -> list[Person]:
    people: dict[str, Person] = {}
    while len(people) < count:
        initial = f" {rng.choice('ABCDEFGHJKLM')}." if rng.random() < 0.3 else ""
        family = rng.choice(_PARTICLED) if rng.random() < 0.06 else rng.choice(_FAMILY)
        person = Person(rng.choice(_GIVEN) + initial, family)
        people.setdefault(person.name, person)
    return list(people.values())


def _references(rng: random.Random) -> list[Work]:
    works: dict[tuple[str, int], Work] = {}
    for _ in range(rng.randint(12, 28)):
        authors = tuple(_people(rng, rng.choice((1, 2, 2, 3, 4))))
        year, page = rng.randint(1985, 2024), rng.randint(1, 800)
        title = f"{rng.choice(_QUALITIES)} {rng.choice(_TOPICS)} and {rng.choice(_TOPICS)}".capitalize()
        pages = (page, page + rng.randint(4, 20))
        # One work for each first author and year: citations must be unambiguous.
        works.setdefault(
            (authors[0].family, year),
            Work(f"k{len(works)}", authors, year, title, rng.choice(_VENUES), rng.randint(2, 60), pages),
        )
    return sorted(works.values(), key=lambda work: (work.authors[0].family.split()[-1].lower(), work.year))


def _sentence(rng: random.Random) -> str:
    nouns = rng.choices(_NOUNS, k=4)
    return (
        f"The {nouns[0]} of each {nouns[1]} {rng.choice(_VERBS)} the {nouns[2]} when the {nouns[3]} is"
        f" {rng.choice(_STATES)}"
    )


def _sections(rng: random.Random, references: list[Work]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return sections in which every reference is cited once, and the citations in text order."""
    chosen = sorted(rng.sample(range(1, len(_HEADINGS) - 1), rng.randint(2, 5)))
    headings = [_HEADINGS[0], *(_HEADINGS[at] for at in chosen), _HEADINGS[-1]]
    waiting = rng.sample([work.key for work in references], len(references))
    per_section = -(-len(waiting) // len(headings))
    sections, citations = [], []
    for heading in headings:
        here = [waiting.pop() for _ in range(min(per_section, len(waiting)))]
        sentences: list[str] = []
        while here or len(sentences) < 14:
            group = [here.pop() for _ in range(min(len(here), rng.choice((0, 0, 1, 1, 2))))]
            citations += group
            sentences.append(_sentence(rng) + (f" \\CITE{{{','.join(group)}}}." if group else "."))
        sections.append((heading, [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]))
    return sections, citations


# LaTeX.

_ENCODING = "\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\n"


def _name(person: Person, form: str) -> str:
    if form == "full":
        return person.name
    return f"{person.family}, {person.initials}" if form == "inverted" else f"{person.initials} {person.family}"


def _names(work: Work, form: str) -> str:
    names = [_name(person, form) for person in work.authors]
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + ", and " + names[-1]


def _entry(work: Work, style: str) -> str:
    first, last = work.pages
    venue, volume, year = f"\\emph{{{work.venue}}}", work.volume, work.year
    match style:
        case "acm":
            return f"{_names(work, 'full')}. {year}. {work.title}. {venue} {volume} ({year}), {first}--{last}."
        case "ieee":
            names = _names(work, "initials")
            return f"{names}, ``{work.title},'' {venue}, vol. {volume}, pp. {first}--{last}, {year}."
        case "aps":
            return f"{_names(work, 'initials')}, {work.title}, {work.venue} \\textbf{{{volume}}}, {first} ({year})."
        case "springer":
            names = _names(work, "inverted")
            return f"{names}: {work.title}. {work.venue} \\textbf{{{volume}}}, {first}--{last} ({year})"
        case "apa":
            return f"{_names(work, 'inverted')} ({year}). {work.title}. {venue}, {volume}, {first}--{last}."
        case _:
            return f"{_names(work, 'full')}. {work.title}. {venue}, {volume}:{first}--{last}, {year}."


def _bibliography(article: Article, style: str, author_year: bool = False) -> str:
    entries = []
    for work in article.references:
        families = [person.family for person in work.authors]
        label = " and ".join(families) if len(families) < 3 else f"{families[0]} et~al."
        option = f"[{{{label}({work.year})}}]" if author_year else ""
        entries.append(f"\\bibitem{option}{{{work.key}}} {_entry(work, style)}")
    return "\\begin{thebibliography}{99}\n" + "\n\n".join(entries) + "\n\\end{thebibliography}\n"


def _body(article: Article, cite: str = "\\cite", star: str = "*") -> str:
    command = "\\section" + ("" if article.numbered else star)
    return "\n".join(
        f"{command}{{{heading}}}\n" + "\n\n".join(paragraph.replace("\\CITE", cite) for paragraph in paragraphs)
        for heading, paragraphs in article.sections
    )


def _abstract(article: Article) -> str:
    return f"\\begin{{abstract}}{article.abstract}\\end{{abstract}}\n"


def _document(head: str, body: str) -> str:
    return f"{head}\n\\begin{{document}}\n{body}\n\\end{{document}}"


def _marked(article: Article) -> tuple[list[str], list[str]]:
    """Return names with superscript numbers, and the numbered institutions."""
    names = [
        f"{person.name}$^{{{article.mark(person)}{',*' if at == 0 and article.variant else ''}}}$"
        for at, person in enumerate(article.authors)
    ]
    places = (", ".join(INSTITUTIONS[at]) for at in article.institutions)
    return names, [f"$^{{{number}}}${place}" for number, place in enumerate(places, start=1)]


def _ieee(article: Article, option: str = "conference") -> str:
    if article.variant % 2:
        authors = " \\and\n".join(
            f"\\IEEEauthorblockN{{{one.name}}}\n\\IEEEauthorblockA{{\\textit{{{INSTITUTIONS[one.institution][0]}}}\\\\"
            f"{', '.join(INSTITUTIONS[one.institution][1:])}\\\\{one.address}}}"
            for one in article.authors
        )
    else:
        names = ", ".join(f"{one.name}\\IEEEauthorrefmark{{{article.mark(one)}}}" for one in article.authors)
        authors = f"\\IEEEauthorblockN{{{names}}}\n" + "\n".join(
            f"\\IEEEauthorblockA{{\\IEEEauthorrefmark{{{number}}}{', '.join(INSTITUTIONS[at])}}}"
            for number, at in enumerate(article.institutions, start=1)
        )
    thanks = "\\thanks{This work was supported by the river fund.}" if article.variant == 3 else ""
    return _document(
        f"\\documentclass[{option}]{{IEEEtran}}\n{_ENCODING}\\usepackage{{cite}}",
        f"\\title{{{article.title}{thanks}}}\n\\author{{{authors}}}\n\\maketitle\n{_abstract(article)}"
        f"\\begin{{IEEEkeywords}}rivers, models\\end{{IEEEkeywords}}\n{_body(article)}\n"
        f"{_bibliography(article, 'ieee')}",
    )


def _ieee_journal(article: Article) -> str:
    names = ", ".join(one.name for one in article.authors)
    places = "; ".join(", ".join(INSTITUTIONS[at]) for at in article.institutions)
    return _document(
        f"\\documentclass[journal]{{IEEEtran}}\n{_ENCODING}\\usepackage{{cite}}",
        f"\\title{{{article.title}}}\n\\author{{{names}\\thanks{{The authors are with {places}.}}}}\n"
        f"\\markboth{{Journal of Rivers, Vol. 5, No. 2, May 2024}}{{{article.title}}}\n\\maketitle\n"
        f"{_abstract(article)}\\begin{{IEEEkeywords}}rivers, models\\end{{IEEEkeywords}}\n{_body(article)}\n"
        f"{_bibliography(article, 'ieee')}",
    )


def _acm(article: Article) -> str:
    authors = "\n".join(
        f"\\author{{{one.name}}}"
        + ("\\authornote{Both authors contributed equally.}" if at == 0 and article.variant else "")
        + f"\\email{{{one.address}}}\\affiliation{{\\institution{{{INSTITUTIONS[one.institution][0]}}}"
        f"\\city{{{INSTITUTIONS[one.institution][1]}}}\\country{{{INSTITUTIONS[one.institution][2]}}}}}"
        for at, one in enumerate(article.authors)
    )
    options = "sigconf" if article.numbered else "sigconf,nonacm"
    style = "acmauthoryear" if article.variant % 2 else "acmnumeric"
    return _document(
        f"\\documentclass[{options},natbib=true]{{acmart}}\n\\setcopyright{{acmlicensed}}\\acmYear{{2024}}"
        "\\acmConference[RIV '24]{Rivers}{May 2024}{Basel}\\acmDOI{10.1145/1234567.1234568}\n"
        f"\\citestyle{{{style}}}",
        f"\\title{{{article.title}}}\n{authors}\n{_abstract(article)}\\keywords{{rivers, models}}\n\\maketitle\n"
        f"{_body(article, chr(92) + 'citep', star='')}\n{_bibliography(article, 'acm', author_year=True)}",
    )


def _revtex(article: Article) -> str:
    grouped = article.variant <= 1
    if grouped:  # The authors of one institution are printed together.
        order = list(dict.fromkeys(one.institution for one in article.authors))
        article.authors.sort(key=lambda one: order.index(one.institution))
    authors = "\n".join(
        f"\\author{{{one.name}}}" + (f"\\email{{{one.address}}}" if at == 0 else "") + f"\\affiliation{{{one.place}}}"
        for at, one in enumerate(article.authors)
    )
    journal = "prl" if article.variant % 2 else "prb"
    addresses = "groupedaddress" if grouped else "superscriptaddress"
    return _document(
        f"\\documentclass[aps,{journal},twocolumn,{addresses}]{{revtex4-2}}\n{_ENCODING}",
        f"\\title{{{article.title}}}\n{authors}\n\\date{{\\today}}\n{_abstract(article)}\\maketitle\n"
        f"{_body(article)}\n{_bibliography(article, 'aps')}",
    )


def _elsevier(article: Article) -> str:
    authors = "\n".join(
        f"\\author[{article.mark(one)}]{{{one.name}{'' if at or not article.variant else chr(92) + 'corref{c}'}}}"
        for at, one in enumerate(article.authors)
    )
    places = "\n".join(
        f"\\affiliation[{number}]{{organization={{{INSTITUTIONS[at][0]}}},city={{{INSTITUTIONS[at][1]}}},"
        f"country={{{INSTITUTIONS[at][2]}}}}}"
        for number, at in enumerate(article.institutions, start=1)
    )
    author_year = article.variant % 2 == 0
    options = "final,5p,times,twocolumn" if article.variant > 1 else "preprint,12pt"
    return _document(
        f"\\documentclass[{options}{',authoryear' if author_year else ''}]{{elsarticle}}\n{_ENCODING}"
        "\\journal{River Journal}",
        f"\\begin{{frontmatter}}\n\\title{{{article.title}}}\n{authors}\n{places}\n"
        f"\\cortext[c]{{Corresponding author.}}\n{_abstract(article)}"
        f"\\begin{{keyword}}rivers \\sep models\\end{{keyword}}\n\\end{{frontmatter}}\n"
        f"{_body(article, chr(92) + 'citep')}\n"
        f"{_bibliography(article, 'apa' if author_year else 'ieee', author_year)}",
    )


def _llncs(article: Article) -> str:
    authors = " \\and\n".join(f"{one.name}\\inst{{{article.mark(one)}}}" for one in article.authors)
    places = " \\and ".join(", ".join(INSTITUTIONS[at]) for at in article.institutions)
    abstract = _abstract(article).replace("\\end{abstract}", "\\keywords{Rivers \\and Models}\\end{abstract}")
    return _document(
        f"\\documentclass[runningheads]{{llncs}}\n{_ENCODING}",
        f"\\title{{{article.title}}}\n\\author{{{authors}}}\n"
        f"\\institute{{{places}\\\\ \\email{{{article.authors[0].address}}}}}\n\\maketitle\n{abstract}"
        f"{_body(article)}\n{_bibliography(article, 'springer')}",
    )


_NEW_LINE = "\\\\"
_BOLD_OR_CAPS = ("\\large\\scshape", "\\large\\bfseries")


def _conference(article: Article) -> str:
    """Return one column with a ruled title and blocks, or a title in small capitals and names with marks."""
    blocks = article.variant % 2
    if blocks:
        authors = " \\quad ".join(
            f"\\begin{{tabular}}[t]{{c}}\\textbf{{{one.name}}}{'' if at else '$^{*}$'}\\\\"
            f"{INSTITUTIONS[one.institution][0]}\\\\{', '.join(INSTITUTIONS[one.institution][1:])}\\\\"
            f"\\texttt{{{one.address}}}\\end{{tabular}}"
            for at, one in enumerate(article.authors)
        )
        head = (
            "\\begin{center}\\rule{\\textwidth}{2pt}\\\\[8pt]{\\LARGE\\bfseries " + article.title + "\\par}"
            "\\vspace{6pt}\\rule{\\textwidth}{1pt}\\\\[14pt]\n" + authors + "\\end{center}"
            "\\begingroup\\renewcommand\\thefootnote{}\\footnotetext{38th Conference on Rivers and Models (RIV 2024).}"
            "\\endgroup"
        )
        extra = ""
    else:
        names, places = _marked(article)
        users = ", ".join(one.address.partition("@")[0] for one in article.authors[:3])
        head = (
            f"\\noindent{{\\Large\\scshape {article.title}\\par}}\\vspace{{14pt}}\\noindent"
            f"\\textbf{{{', '.join(names)}}}{_NEW_LINE}\n{_NEW_LINE.join(places)}{_NEW_LINE}"
            f"\\texttt{{\\{{{users}\\}}@example.org}}\\vspace{{12pt}}"
        )
        extra = (
            "\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}\\lhead{Published as a conference paper at RLC 2024}"
            "\\cfoot{\\thepage}\\usepackage{titlesec}\\titleformat*{\\section}{\\large\\scshape}"
        )
    return _document(
        f"\\documentclass[10pt]{{article}}\n{_ENCODING}\\usepackage{{times}}\\usepackage[margin=1.5in]{{geometry}}"
        f"\\usepackage[round]{{natbib}}\\setlength\\parindent{{0pt}}\\setlength\\parskip{{5.5pt}}{extra}",
        f"{head}\n\\begin{{center}}{_BOLD_OR_CAPS[blocks]} Abstract\\end{{center}}\n"
        f"\\begin{{quote}}{article.abstract}\\end{{quote}}\n{_body(article, chr(92) + 'citep')}\n"
        f"{_bibliography(article, 'plain', author_year=True)}",
    )


def _acl(article: Article) -> str:
    if article.variant % 2:
        names, places = _marked(article)
        address = article.authors[0].address
        lines = [f"\\textbf{{{', '.join(names)}}}", *places, f"\\texttt{{{address}}}"]
        authors = _NEW_LINE.join(lines)
    else:
        authors = " \\qquad ".join(
            f"\\begin{{tabular}}[t]{{c}}\\textbf{{{one.name}}}\\\\{INSTITUTIONS[one.institution][0]}\\\\"
            f"\\texttt{{{one.address}}}\\end{{tabular}}"
            for one in article.authors
        )
    return _document(
        f"\\documentclass[11pt,twocolumn,a4paper]{{article}}\n{_ENCODING}\\usepackage{{times}}"
        "\\usepackage[margin=2.5cm,columnsep=0.6cm]{geometry}\\usepackage{natbib}",
        f"\\twocolumn[\\begin{{center}}{{\\Large\\bfseries {article.title}\\par}}\\vspace{{12pt}}"
        f"{{\\large {authors}\\par}}"
        f"\\vspace{{20pt}}\\end{{center}}]\n\\begin{{center}}\\textbf{{Abstract}}\\end{{center}}"
        f"\\begin{{quote}}\\small {article.abstract}\\end{{quote}}\n{_body(article, chr(92) + 'citep')}\n"
        f"{_bibliography(article, 'plain', author_year=True)}",
    )


def _arxiv(article: Article) -> str:
    if article.variant < 2:
        authors = " \\and ".join(
            one.name + (f"\\thanks{{{INSTITUTIONS[one.institution][0]}}}" if not at or article.variant else "")
            for at, one in enumerate(article.authors)
        )
    else:
        names, places = _marked(article)
        authors = ", ".join(names) + "".join(f"\\\\ \\small {place}" for place in places)
    date = ("March 14, 2021", "\\today", "")[article.variant % 3]
    return _document(
        f"\\documentclass[11pt]{{article}}\n{_ENCODING}\\usepackage{{lmodern}}\\usepackage[margin=1in]{{geometry}}\n"
        f"\\title{{{article.title}}}\n\\author{{{authors}}}\n\\date{{{date}}}",
        f"\\maketitle\n{_abstract(article)}{_body(article)}\n{_bibliography(article, 'plain')}",
    )


def _ams(article: Article) -> str:
    authors = "\n".join(
        f"\\author{{{one.name}}}\\address{{{one.place}}}\\email{{{one.address}}}" for one in article.authors
    )
    return _document(
        f"\\documentclass{{amsart}}\n{_ENCODING}",
        f"\\title{{{article.title}}}\n{authors}\n\\subjclass[2020]{{Primary 60A05}}\n{_abstract(article)}\\maketitle\n"
        f"{_body(article)}\n{_bibliography(article, 'plain')}",
    )


def _jmlr(article: Article) -> str:
    rows = "\\\\[4pt]\n".join(
        f"\\textbf{{{one.name}}} \\hfill {{\\small\\scshape {one.address}}}\\\\\n\\textit{{{one.place}}}"
        for one in article.authors
    )
    running = article.authors[0].family + (" et al." if len(article.authors) > 1 else "")
    return _document(
        f"\\documentclass[11pt]{{article}}\n{_ENCODING}\\usepackage{{times}}\\usepackage[margin=1.25in]{{geometry}}"
        "\\usepackage[round]{natbib}\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}"
        f"\\chead{{\\small\\scshape {running}}}\\cfoot{{\\thepage}}\\setlength\\parindent{{15pt}}",
        "\\thispagestyle{fancy}\\noindent{\\small Journal of River Learning Research 5 (2024) 1--20\\hfill"
        f" Submitted 1/24; Published 5/24}}\\vspace{{10pt}}\n\\begin{{center}}\\Large\\bfseries {article.title}"
        f"\\end{{center}}\n\\noindent {rows}\n\n\\vspace{{8pt}}\\noindent\\textbf{{Editor:}} Ute Weiss\n\n"
        "\\begin{center}\\large\\bfseries Abstract\\end{center}"
        f"\\begin{{quote}}\\small {article.abstract}\\end{{quote}}\n\\noindent\\textbf{{Keywords:}} rivers, models\n"
        f"{_body(article, chr(92) + 'citep')}\n{_bibliography(article, 'apa', author_year=True)}",
    )


def _mnras(article: Article) -> str:
    names = "".join(
        f"{one.name}$^{{{article.mark(one)}}}$" + ("" if one is article.authors[-1] else ", ")
        for one in article.authors
    )
    places = "\\\\\n".join(
        f"$^{{{number}}}${', '.join(INSTITUTIONS[at])}" for number, at in enumerate(article.institutions, start=1)
    )
    return _document(
        f"\\documentclass[fleqn,usenatbib]{{mnras}}\n{_ENCODING}",
        f"\\title[{article.title[:30]}]{{{article.title}}}\n\\author[{article.authors[0].family} et al.]{{{names}\\\\\n"
        f"{places}}}\n\\date{{Accepted 2024. Received 2023}}\\pubyear{{2024}}\n\\maketitle\n{_abstract(article)}"
        f"\\begin{{keywords}}rivers -- models\\end{{keywords}}\n{_body(article, chr(92) + 'citep')}\n"
        f"{_bibliography(article, 'apa', author_year=True)}",
    )


def _apa(article: Article) -> str:
    """Return a manuscript of psychologists: authors of one institution share a line."""
    order = list(dict.fromkeys(one.institution for one in article.authors))
    article.authors.sort(key=lambda one: order.index(one.institution))
    if len(article.authors) > 6:
        del article.authors[6:]
    names = ", ".join(f"{{{one.name}}}" for one in article.authors)
    places = ", ".join(f"{{{one.place}}}" for one in article.authors)
    authors = f"\\authorsnames{{{names}}}\n\\authorsaffiliations{{{places}}}"
    return _document(
        f"\\documentclass[{'jou' if article.variant % 2 else 'doc'}]{{apa7}}\n{_ENCODING}\\usepackage{{natbib}}\n"
        f"\\title{{{article.title}}}\n\\shorttitle{{Rivers}}\n{authors}\n\\abstract{{{article.abstract}}}",
        f"\\maketitle\n{_body(article, chr(92) + 'citep')}\n{_bibliography(article, 'apa', author_year=True)}",
    )


LAYOUTS: dict[str, Callable[[Article], str]] = {
    "ieee": _ieee,
    "acm": _acm,
    "conference": _conference,
    "arxiv": _arxiv,
    "ams": _ams,
    "revtex": _revtex,
    "ieee-journal": _ieee_journal,
    "mnras": _mnras,
    "elsevier": _elsevier,
    "llncs": _llncs,
    "acl": _acl,
    "jmlr": _jmlr,
    "apa": _apa,
}
"""LaTeX source of an article, by layout."""

DEVELOPED = ("ieee", "acm", "conference", "arxiv", "ams", "revtex", "mnras", "ieee-journal")
"""Layouts on which the rules of the reader were written. The others were kept aside."""
