"""Frequent given names, as evidence that two capitalized words are a person."""

from __future__ import annotations

from fathom.records.names import without_accents

_NAMES = """
aaron abdul abigail ada adam adrian agnes ahmed aisha akira alain alan albert alejandro alessandro alex alexander
alexandra alfred ali alice alicia alina alison amanda amelia amin amir amit amy ana anastasia anders andrea andreas
andrei andrew andrzej angela anil anita anja ann anna anne annika anthony antoine anton antonio ari arjun arnold
arthur arun asha astrid barbara beatriz ben benjamin bernard bernd beth betty bill bob boris brandon brenda brian
bruce carl carla carlo carlos carmen carol caroline catherine cecilia celine charles charlotte chen chloe chris
christian christina christine christoph christopher claire clara claudia colin cristina cynthia daniel daniela david
deborah denis diana diego dmitri dominik donald dorothy edgar eduardo edward eleanor elena eli elias elin elisabeth
elizabeth ella ellen emil emily emma eric erik erika ethan eugene eva evelyn fabian fatima felix fernando fiona
florian frances francesca francesco francis francisco franck frank franz fred frederic fredrik friedrich gabriel gary
georg george gerald giovanni giulia giuseppe grace graham greg gregory guido gustav hannah hans harold harry hassan
heather heidi heinrich helen helena henri henrik henry herbert hiroshi howard hugo ian ibrahim igor ingrid irene iris
isaac isabel isabella ivan jack jacob jakob james jan jane janet jason javier jean jeff jeffrey jennifer jens jeremy
jessica jin joan joanna joao joel johan johannes john jon jonas jonathan jordan jorge jose joseph joshua juan judith
julia julian julie jun jurgen karen karin karl kate katharina katherine kathleen keith kelly ken kenji kenneth kevin
khalid kim klaus kristin kumar kyle lars laura lauren lea lee leila lena leo leon leonard li liam lily linda lisa
louis louise luca lucas lucia lucy luis luke lydia magnus manuel marc marco margaret maria marie marina mario mark
marta martha martin mary mathias matt matteo matthew matthias maurice max maya mehmet mei melissa michael michel
michelle miguel mike mikhail milan min minh miriam mohamed mohammad mohammed monica monika muhammad nadia nancy
natalia natalie nathan neil nicholas nick nicola nicolas nicole nikolai nils nina noah nora olga oliver olivia omar
oscar otto pablo pamela patricia patrick paul paula pavel pedro peter petra philip philippe pierre piotr priya rachel
rafael rahul raj rajesh ralf ralph ravi raymond rebecca renata rene ricardo richard rita robert roberto robin roger
roland rolf roman ronald rosa ross roy ruth ryan sally salma sam samantha samuel sandra sanjay santiago sara sarah
sascha scott sean sebastian sergei sergey sergio sharon shu silvia simon simone sofia sofie sonia sophia sophie soren
stefan stefano stella stephan stephanie stephen steve steven stuart sunil susan susanne suzanne sven svetlana takeshi
tanja tara tatiana terry thomas thorsten tim timothy tina tobias todd tom tomas tony tracy ulrich ursula ute valentina
vera veronica vicente victor victoria vijay vincent virginia vladimir walter wang wei wendy werner wilhelm will
william wolfgang xavier xiao yan yang yasmin yi ying yong yoshi yuki yuri yusuf yvonne zahra zhang zoe
"""
GIVEN_NAMES = frozenset(_NAMES.split())
"""In lower case, without accents."""


def has_given_name(name: str) -> bool:
    """Return whether a name starts with a frequent given name or has an initial: "Jane Doe", "J. Doe"."""
    words = name.replace("-", " ").split()
    if not words:
        return False
    initials = any(len(word.rstrip(".")) == 1 and word[0].isupper() for word in words[:-1])
    return initials or without_accents(words[0]).casefold() in GIVEN_NAMES
