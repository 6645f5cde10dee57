"""The spellings of names in generated documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from fathom.records.documents import Document

MIN_WORD_LENGTH = 4
"""The minimum number of letters of a word that abbreviates a name of several words."""


def names_in(document: Document) -> list[str]:
    """The entities and names of the facts of a document, each once."""
    names = (name for fact in document.facts for name in (fact.entity, fact.part, fact.name) if name)
    return list(dict.fromkeys(names))


def spellings(name: str, other_names: Collection[str], roles: Sequence[str]) -> tuple[str, ...]:
    """The name, and shorter forms of it that no other name has: without an article or a role, the family name alone."""
    role, bare = split_role(name, roles)
    forms = [name]
    if name.startswith("the "):
        forms.append(name[4:])
    if role and role.isascii():
        family = bare.rpartition(" ")[2]
        forms += [f"{bare}, the {role}", f"{bare} (the {role})", f"{bare} ({role})", f"{bare}, {role}"]
        forms += [f"{role} ({bare})", f"{role} {family}", f"the {role}", bare, family]
    elif role:
        forms += [f"{bare}({role})", f"{role}({bare})", bare]
    return _distinct(name, forms, other_names)


def short_forms(name: str, other_names: Collection[str], roles: Sequence[str]) -> tuple[str, ...]:
    """Forms that a solution uses after it named the entity: the role alone, one word of a longer name."""
    role, bare = split_role(name, roles)
    if role:
        return _distinct(name, [role], other_names)
    if not bare.isascii():
        return _distinct(name, [bare[start:] for start in range(1, len(bare) - 1)], other_names) + _distinct(
            name, [bare[:-1]] if len(bare) > 2 else [], other_names
        )
    words = [word for word in re.findall(r"\w+", bare.removeprefix("the ")) if len(word) >= MIN_WORD_LENGTH]
    return _distinct(name, words if len(words) > 1 else [], other_names)


def split_role(name: str, roles: Sequence[str]) -> tuple[str, str]:
    """The role before the name of a person and the name itself; the role is empty if there is none."""
    for role in roles:
        bare = name.removeprefix(f"the {role} " if role.isascii() else role)
        if bare != name and bare.strip():
            return role, bare
    return "", name


def namesakes(name: str, other_names: Collection[str], roles: Sequence[str]) -> tuple[str, ...]:
    """The roles of other people with the same name."""
    bare = split_role(name, roles)[1]
    split_names = (split_role(other, roles) for other in other_names if other != name)
    return tuple(dict.fromkeys(role for role, other in split_names if role and other == bare))


def _distinct(name: str, forms: Sequence[str], other_names: Collection[str]) -> tuple[str, ...]:
    """The forms that are part of no other name."""
    folded = [other.casefold() for other in other_names if other != name]
    return tuple(
        form for form in dict.fromkeys(forms) if form == name or not any(form.casefold() in other for other in folded)
    )
