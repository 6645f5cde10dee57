"""The spellings of names in generated documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fathom.records.documents import Document


def names_in(document: Document) -> list[str]:
    """The entities and names of the facts of a document, each once."""
    found = (name for fact in document.facts for name in (fact.entity, fact.part, fact.name) if name)
    return list(dict.fromkeys(found))


def spellings(name: str, others: Collection[str], roles: Sequence[str]) -> tuple[str, ...]:
    """The name, and shorter forms of it that no other name has: without an article or a role, the family name alone."""
    forms = [name]
    if name.startswith("the "):
        forms.append(name[4:])
    for role in roles:
        for lead in (f"the {role} ", role):
            bare = name.removeprefix(lead)
            if bare == name or not bare.strip():
                continue
            if lead.endswith(" "):
                forms += [f"{bare}, the {role}", f"{bare} (the {role})", f"{bare} ({role})", f"the {role}"]
            forms += [bare, bare.rpartition(" ")[2]]
            break
    kept = [
        form
        for form in dict.fromkeys(forms)
        if form == name or not any(form in other for other in others if other != name)
    ]
    return tuple(kept)
