"""Questions about titles, authors and references whose answers are computed by SQL: count, sort, filter, relate."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from fathom.scoring.check import check_response
from fathom.tasks.family import Family, Fault, Item, PerContext, Tag
from fathom.tasks.numeric.audit import NumericAuditor
from fathom.tasks.numeric.build import builder
from fathom.tasks.numeric.diagnose import Diagnoser
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import explain
from fathom.tasks.numeric.refit import Refitter
from fathom.tasks.numeric.settings import NumericSettings
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.numeric.swap import Swapper
from fathom.tasks.numeric.views import required_passages, views

_READING = frozenset({"references-as-citations", "wrong-position", "other-column"})
"""Faults that occur only when a text is read: in a table, the column names identify each number."""


def _fault(name: str, description: str) -> Fault:
    return Fault(
        name,
        description,
        "finding" if name == "miss-document" else "reading" if name in _READING else "computing",
    )


def _shortfall(settings: NumericSettings, built: int) -> Mapping[str, int]:
    if built >= settings.questions:
        return {}
    if not built and settings.hold_out:
        reason = "held out"
    elif not built and settings.template_splits:
        reason = "no template for the split"
    else:
        user_templates = settings.templates is not None
        reason = "no user template fits the documents" if user_templates else "the documents allow no more"
    return {reason: settings.questions - built}


def _explain_empty(settings: NumericSettings) -> str:
    if settings.hold_out:
        return (
            f"with --hold-out {','.join(settings.hold_out)} only the test split may ask about them. "
            "Hold out less, or sample contexts with a test split."
        )
    if settings.template_splits:
        return (
            "no template assigned to their splits fits. "
            "Name the splits of the contexts in --template-splits, with larger shares."
        )
    if settings.templates is not None:
        return f"no template of '{settings.templates}' has suitable values here. Add more templates."
    return "no template fits their documents. Use contexts of other documents."


def _warnings(settings: NumericSettings) -> Sequence[str]:
    if settings.templates is None:
        return []
    from fathom.tasks.numeric.user_templates import read_user_templates

    rejected = read_user_templates(settings.templates).rejected
    return [f"{settings.templates}, {rejection.position}, is left out: {rejection.reason}." for rejection in rejected]


def _leaks(item: Item) -> Mapping[str, str]:
    # A program without constants, such as a plain maximum, is shared by every question of its template.
    return {"programs": item.key.proof.program, "templates": item.question.tags.get("template", "")}


FAMILY = Family(
    name="numeric",
    summary="Questions about titles, authors and references; every answer is computed by SQL.",
    settings=NumericSettings,
    build=PerContext(
        builder,
        shortfall=_shortfall,
        explain_empty=_explain_empty,
        unasked=lambda builder, context: builder.unasked(context),
        kind="article",
        report=lambda settings: {"sqlite": sqlite3.sqlite_version},
    ),
    check=check_response,
    audit=NumericAuditor,
    views=lambda corpus, report: views(corpus),
    tags=(
        Tag("skill", "Skill", summary=True),
        Tag("topic", "Topic"),
        Tag("length", "Context length", summary=True),
        Tag("sampling", "Context sampling"),
        Tag("distribution", "Distribution (out: held out)"),
        Tag("template", "Template", grouped=False),
    ),
    cross_tabs=(("skill", "topic"), ("skill", "length")),
    faults=(
        Fault("miss", "misses each document with this probability", "finding", diagnosed=False),
        *(_fault(fault.name, fault.describe) for fault in FAULTS.values()),
    ),
    refit=lambda corpus, report: Refitter(corpus),
    swap=Swapper,
    simulate=Simulator,
    diagnose=Diagnoser,
    passages=required_passages,
    starter=lambda corpus, questions: {"questions": questions},
    fields=("title", "authors", "references"),
    explain=explain,
    warnings=_warnings,
    leaks=_leaks,
)
