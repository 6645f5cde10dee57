"""A build of citation items, and the proof of a key, in plain words."""

from __future__ import annotations

from typing import Any, cast

from pydantic import JsonValue

from fathom.scoring.keys import Key
from fathom.tasks.citations.type_rule import TypeChecks


def describe(report: dict[str, JsonValue]) -> list[str]:
    """The lines of the summary: citations that meet each requirement; items and a baseline by task and level."""
    known = cast(dict[str, Any], report)
    steps = ", ".join(f"{count:,} {step}" for step, count in known["citations"].items())
    lines = [f"  citations of {known['papers']:,} {'paper' if known['papers'] == 1 else 'papers'}: {steps}"]
    if known.get("left out"):
        lines.append("  not used: " + ", ".join(f"{what} {count:,}" for what, count in known["left out"].items()))
    empty = [cell for cell, built in known["items"].items() if not built["built"]]
    for cell, built in known["items"].items():
        if cell in empty:
            continue
        kept = f" ({built['kept share']:.0%} of the possible ones are kept)" if built["kept share"] != 1.0 else ""
        lines.append(f"  {cell}: {built['built']:,} of {built['requested']:,} requested{kept}{_baseline(built)}")
    if empty:
        lines.append(f"  no items: {'; '.join(empty)}")
    if "type checks" in known:
        lines.append(_type_checks(TypeChecks.model_validate(known["type checks"])))
    return lines


def _baseline(built: dict[str, Any]) -> str:
    """The first baseline; an audit prints all of them. The best of many matchers has what chance gives beside it."""
    found = [f"{name} {share:.0%}" for name, share in built["baselines"].items()]
    shown = found[:2] if found and found[0].startswith("best") else found[:1]
    return f"; baseline: {', '.join(shown)}" if shown else ""


def _type_checks(checks: TypeChecks) -> str:
    unanswered = f", and the {checks.without:,} that it gave no response for" if checks.without else ""
    return (
        f"  {checks.model} checked {checks.citations - checks.without:,} of {checks.citations:,} citation types: "
        f"{checks.agree:,} agree with the rule, {checks.disagree:,} disagree, {checks.unclear:,} unclear; "
        f"only the first are asked about{unanswered}"
    )


def explain(key: Key) -> list[str]:
    """The works that the paper cites at each mask, and the passages of them that support the citation."""
    masks = {place: number for number, place in enumerate(dict.fromkeys(row[2] for row in key.proof.rows), start=1)}
    papers = {row[0] for row in key.proof.rows}
    evidence = [
        f"Evidence in {passage.document}: characters {passage.span.start}-{passage.span.end}."
        for passage in key.proof.passages
        if passage.document not in papers
    ]
    cited = [
        f"At mask {masks[place]} the paper {paper} cites {work}: characters {place}, entry {entry} of its list."
        for paper, work, place, entry in key.proof.rows
    ]
    return [*cited, *evidence]
