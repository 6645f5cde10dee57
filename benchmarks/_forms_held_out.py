"""Whole responses in the styles of several models, written after the parser was improved and run once before it was
changed for them.

Each form is a template that takes a value; the response is correct with a correct value, and incorrect with another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random

from _forms_renderings import ORDINALS, spelled
from _forms_values import Subject, Value

Form = Callable[[Subject, Value, str, Random], str]
"""From a subject, a value to state, another value in one line, and randomness to a response."""


def facts(subject: Subject) -> str:
    """Notes on the articles, in the style of a model that reasons."""
    return "\n".join(
        f"   - Art. {one.number} ({one.title}): {len(one.authors)} author(s); {one.references} refs."
        for one in subject.articles[:5]
    )


NUMBERS: dict[str, Form] = {
    "total in bold": lambda s, v, o, r: f"**Total: {v}**",
    "adding up in a sentence": lambda s, v, o, r: (
        f"Going through the list:\n{facts(s)}\n\nAdding these up, we get {v}."
    ),
    "result with a heading": lambda s, v, o, r: f"## Analysis\n\n{facts(s)}\n\n## Result\n\nThe value is **{v}**.",
    "answer and check": lambda s, v, o, r: f"Answer: {v}\n\n✓ Verified against all {len(s.articles)} articles.",
    "emoji": lambda s, v, o, r: f"✅ **Answer:** {v}",
    "answer with trailing tag": lambda s, v, o, r: f"Answer: {v}</s>",
    "end of turn": lambda s, v, o, r: f"Answer: {v}<|im_end|>",
    "think in brackets": lambda s, v, o, r: f"[THINK]Maybe {o}? No.[/THINK]\nAnswer: {v}",
    "thinking tags": lambda s, v, o, r: f"<thinking>Could it be {o}? I do not think so.</thinking>\n\nAnswer: {v}",
    "reasoning tag": lambda s, v, o, r: f"<reasoning>{facts(s)}</reasoning>\n<answer>{v}</answer>",
    "assistant prefix": lambda s, v, o, r: f"Assistant: Answer: {v}",
    "XML final": lambda s, v, o, r: f"<final_answer>{v}</final_answer>",
    "solution heading": lambda s, v, o, r: f"{facts(s)}\n\n**Solution:** {v}",
    "therefore result": lambda s, v, o, r: f"{facts(s)}\n\nTherefore, the result is **{v}**.",
    "LaTeX text answer": lambda s, v, o, r: rf"\[ \text{{Answer: }} {v} \]",
    "equation chain": lambda s, v, o, r: f"{facts(s)}\n\n$$x = {v}$$\n\nAnswer: {v}",
    "YAML": lambda s, v, o, r: f"answer: {v}\nconfidence: high",
    "key and value": lambda s, v, o, r: f"**Answer**\n: {v}",
    "in conclusion": lambda s, v, o, r: f"In conclusion, after going through all articles, the number is {v}.",
    "thought process": lambda s, v, o, r: f"Thought process:\n{facts(s)}\n\nFinal result: {v}",
    "two lines of answer": lambda s, v, o, r: f"Answer:\n\n**{v}**\n\n---\n*Checked twice.*",
    "Arabic comma after": lambda s, v, o, r: f"Answer: {v},",
    "Italian": lambda s, v, o, r: f"Risposta: {v}",
    "Korean": lambda s, v, o, r: f"정답: {v}",
    "Answer in a table": lambda s, v, o, r: f"| Answer |\n|---|\n| {v} |",
    "JSON with confidence": lambda s, v, o, r: json.dumps({"answer": v, "confidence": 0.9}),
    "JSON with explanation first": lambda s, v, o, r: json.dumps(
        {"explanation": f"First {o}, then more.", "final_answer": v}
    ),
    "correction in one line": lambda s, v, o, r: f"Answer: {o} — sorry, I mean {v}",
    "edit": lambda s, v, o, r: f"Answer: {o}\n\nEdit: I overlooked one article. Answer: {v}",
    "strike-through": lambda s, v, o, r: f"Answer: ~~{o}~~ {v}",
}
LISTS: dict[str, Form] = {
    "plus signs": lambda s, v, o, r: "Answer:\n" + "\n".join(f"+ {one}" for one in v),
    "hash numbers": lambda s, v, o, r: "\n".join(f"#{i} {one}" for i, one in enumerate(v, 1)),
    "ordinals": lambda s, v, o, r: "Answer:\n" + "\n".join(f"{i}: {one}" for i, one in enumerate(v, 1)),
    "numbered with dashes": lambda s, v, o, r: "Answer:\n" + "\n".join(f"{i} - {one}" for i, one in enumerate(v, 1)),
    "bold numbers": lambda s, v, o, r: "Answer:\n" + "\n".join(f"**{i}.** {one}" for i, one in enumerate(v, 1)),
    "circled numbers": lambda s, v, o, r: (
        "Answer:\n" + "\n".join(f"{chr(0x2460 + i)} {one}" for i, one in enumerate(v))
    ),
    "arrows as bullets": lambda s, v, o, r: "Answer:\n" + "\n".join(f"→ {one}" for one in v),
    "check marks": lambda s, v, o, r: "Answer:\n" + "\n".join(f"✅ {one}" for one in v),
    "nested list": lambda s, v, o, r: "**Answer:**\n- Results:\n" + "\n".join(f"  - {one}" for one in v),
    "final list after notes": lambda s, v, o, r: (
        f"Notes:\n{facts(s)}\n\nFinal list:\n" + "\n".join(f"- {one}" for one in v)
    ),
    "answer then count": lambda s, v, o, r: "Answer:\n" + "\n".join(map(str, v)) + f"\n\n({len(v)} items in total)",
    "count before": lambda s, v, o, r: (
        f"There are {len(v)} of them:\n\n" + "\n".join(f"{i}. {one}" for i, one in enumerate(v, 1))
    ),
    "answer tag": lambda s, v, o, r: f"<think>{o}</think><answer>\n" + "\n".join(map(str, v)) + "\n</answer>",
    "end of turn": lambda s, v, o, r: "Answer:\n" + "\n".join(map(str, v)) + "<|eot_id|>",
    "rule above and below": lambda s, v, o, r: "---\n" + "\n".join(map(str, v)) + "\n---",
    "YAML list": lambda s, v, o, r: "answer:\n" + "\n".join(f"  - {one}" for one in v),
    "fenced after marker": lambda s, v, o, r: "Answer:\n```\n" + "\n".join(map(str, v)) + "\n```",
    "semicolon lines": lambda s, v, o, r: "Answer:\n" + ";\n".join(map(str, v)) + ".",
    "JSON lines": lambda s, v, o, r: "Answer:\n" + "\n".join(json.dumps(one, ensure_ascii=False) for one in v),
    "JSON items": lambda s, v, o, r: json.dumps({"items": list(v)}, ensure_ascii=False),
    "JSON count and list": lambda s, v, o, r: json.dumps({"count": len(v), "answer": list(v)}, ensure_ascii=False),
    "correction of a list": lambda s, v, o, r: (
        f"Answer:\n{o}\n\nSorry, that was wrong. Answer:\n" + "\n".join(map(str, v))
    ),
    "boxed lines": lambda s, v, o, r: "\\boxed{\n" + " \\\\\n".join(rf"\text{{{one}}}" for one in v) + "\n}",
    "table with rank": lambda s, v, o, r: (
        "| Rank | Item |\n|:-:|:--|\n" + "\n".join(f"| {i}. | {one} |" for i, one in enumerate(v, 1))
    ),
    "article notes below": lambda s, v, o, r: "Answer:\n" + "\n".join(map(str, v)) + f"\n\nReasoning:\n{facts(s)}",
}
ROWS: dict[str, Form] = {
    "group lines": lambda s, v, o, r: "\n".join(f"Group with value {g}: result = {x}" for g, x in v),
    "rows with parentheses": lambda s, v, o, r: "Answer:\n" + "\n".join(f"{g} ({x})" for g, x in v),
    "numbered pairs": lambda s, v, o, r: "Answer:\n" + "\n".join(f"{i}. {g}: {x}" for i, (g, x) in enumerate(v, 1)),
    "code": lambda s, v, o, r: "Answer:\n```\n" + "\n".join(f"{g}; {x}" for g, x in v) + "\n```",
    "YAML": lambda s, v, o, r: "answer:\n" + "\n".join(f"  {g}: {x}" for g, x in v),
    "aligned": lambda s, v, o, r: "Value   Result\n" + "\n".join(f"{g:<8}{x}" for g, x in v),
    "semicolons with notes": lambda s, v, o, r: (
        "Answer:\n" + "\n".join(f"{g}; {x}" for g, x in v) + "\n\nNote: one line per group."
    ),
    "table with rank": lambda s, v, o, r: (
        "| Group | Result |\n|---|---|\n" + "\n".join(f"| **{g}** | {x} |" for g, x in v)
    ),
    "JSON groups": lambda s, v, o, r: json.dumps({"groups": [{"group": float(g), "result": float(x)} for g, x in v]}),
    "JSON rows": lambda s, v, o, r: json.dumps({"answer": [[float(g), float(x)] for g, x in v]}),
}
NONE: dict[str, Form] = {
    "so NULL": lambda s, v, o, r: f"{facts(s)}\n\nNone of these qualifies.\n\nAnswer: NULL",
    "no matches found": lambda s, v, o, r: "No matches found.",
    "no result bold": lambda s, v, o, r: "**NULL** – no article satisfies the condition.",
    "returns NULL": lambda s, v, o, r: "Since no article fits, the answer is NULL.",
    "answer would be NULL": lambda s, v, o, r: f"{facts(s)}\n\nHence the answer would be NULL.",
    "boxed NULL": lambda s, v, o, r: r"\(\boxed{\mathrm{NULL}}\)",
    "empty JSON list": lambda s, v, o, r: '{"answer": []}' if "list" in s.question else '{"answer": null}',
    "there aren't any": lambda s, v, o, r: "There aren't any such articles.",
    "YAML null": lambda s, v, o, r: "answer: null",
    "Null with end of turn": lambda s, v, o, r: "Answer: NULL<|im_end|>",
}
CHOICES: dict[str, Form] = {
    "goes to": lambda s, v, o, r: f"The mask goes to candidate {v}.",
    "matches": lambda s, v, o, r: f"Comparing all four, candidate {v} matches the description best.",
    "rest": lambda s, v, o, r: f"Candidate {v} it is. The remaining candidates cover unrelated topics.",
    "scores": lambda s, v, o, r: (
        "\n".join(f"Candidate {i}: {9 if i == v else r.randint(1, 4)}/10" for i in (1, 2, 3, 4)) + f"\n\nAnswer: {v}"
    ),
    "table of candidates": lambda s, v, o, r: (
        "| Candidate | Match |\n|---|---|\n"
        + "\n".join(f"| {i} | {'yes' if i == v else 'no'} |" for i in (1, 2, 3, 4))
        + f"\n\nAnswer: {v}"
    ),
    "end of turn": lambda s, v, o, r: f"Answer: {v}<|eot_id|>",
    "quoted heading": lambda s, v, o, r: f'Answer: "===== Candidate {v}"',
    "not the obvious one": lambda s, v, o, r: (
        f"At first glance candidate {o} looks right, but the year does not fit. The answer is candidate {v}."
    ),
    "ordinal sentence": lambda s, v, o, r: (
        f"I'd say it's the {ORDINALS[v] if v < 8 else v} one." if v else "I'd say it's none."
    ),
    "JSON with reason": lambda s, v, o, r: json.dumps(
        {"candidate": v, "reason": f"Candidate {o} is about something else."}
    ),
    "emoji": lambda s, v, o, r: f"👉 **{v}**",
    "choice with colon": lambda s, v, o, r: f"Choice: {v}",
    "correction": lambda s, v, o, r: f"Answer: {o}\n\nHmm, on reflection that is not right.\n\nAnswer: {v}",
    "spelled sentence": lambda s, v, o, r: f"Answer: candidate number {spelled(v)}",
    "best candidate": lambda s, v, o, r: f"Best candidate: {v}\nSecond best: {o}",
}
CLOZES: dict[str, Form] = {
    "mask words": lambda s, v, o, r: "\n".join(f"Mask {i} → {x}" for i, x in enumerate(v, 1)),
    "with reasons": lambda s, v, o, r: (
        "Answer:\n" + "\n".join(f"[[CITATION {i}]]: Candidate {x} (describes the method)" for i, x in enumerate(v, 1))
    ),
    "numbered reasons": lambda s, v, o, r: (
        "Answer:\n" + "\n".join(f"{i}. Candidate {x} - fits the sentence" for i, x in enumerate(v, 1))
    ),
    "end of turn": lambda s, v, o, r: "Answer: " + ", ".join(map(str, v)) + "<|im_end|>",
    "sentence in order": lambda s, v, o, r: (
        "The citations refer, in order, to candidates " + ", ".join(map(str, v)) + "."
    ),
    "C1": lambda s, v, o, r: "Answer: " + ", ".join(f"C{i}={x}" for i, x in enumerate(v, 1)),
    "JSON masks": lambda s, v, o, r: json.dumps({f"[[CITATION {i}]]": x for i, x in enumerate(v, 1)}),
    "boxed": lambda s, v, o, r: rf"\boxed{{{', '.join(map(str, v))}}}",
    "table with reasons": lambda s, v, o, r: (
        "| Citation | Candidate | Reason |\n|---|---|---|\n"
        + "\n".join(f"| {i} | {x} | same topic |" for i, x in enumerate(v, 1))
    ),
    "then the list": lambda s, v, o, r: (
        "\n".join(f"Citation {i}: candidate {x}" for i, x in enumerate(v, 1)) + "\n\nAnswer: " + ", ".join(map(str, v))
    ),
}
SELECTIONS: dict[str, Form] = {
    "commas": lambda s, v, o, r: "Answer: " + ", ".join(map(str, v)),
    "and": lambda s, v, o, r: "Answer: Candidates " + " and ".join(map(str, v)),
    "bullets": lambda s, v, o, r: "Answer:\n" + "\n".join(f"- Candidate {x}" for x in v),
    "sentence": lambda s, v, o, r: "The group cites candidates " + ", ".join(map(str, v)) + ".",
    "JSON": lambda s, v, o, r: json.dumps({"answer": v}),
    "bold": lambda s, v, o, r: "**Answer:** **" + ", ".join(map(str, v)) + "**",
    "end of turn": lambda s, v, o, r: "Answer: " + ", ".join(map(str, v)) + "<|im_end|>",
    "remark": lambda s, v, o, r: (
        "Answer: " + ", ".join(map(str, v)) + "\n\nThe other candidates are about different topics."
    ),
}
FORMS = {"number": NUMBERS, "set": LISTS, "multiset": LISTS, "ranking": LISTS, "rows": ROWS, "none": NONE,
         "choice": CHOICES, "assignment": CLOZES, "selection": SELECTIONS}  # fmt: skip

DOUBTFUL = {"key and value"}
DOUBTFUL_ALONE = {"ordinals", "numbered with dashes"}
"""Of a single item: "1 - 3" may be a difference."""


def held_out(subject: Subject, value: Value, other: str, rng: Random) -> Iterator[tuple[str, str, bool]]:
    """Name, response, and whether the form is doubtful, for every form that suits the value."""
    if value is None and subject.kind != "none":
        return
    forms = FORMS[subject.kind] if value is not None or subject.kind == "none" else {}
    if subject.kind == "none" and value is not None:
        forms = NUMBERS if isinstance(value, str) else {} if isinstance(value[0], tuple) else LISTS
    for name, form in forms.items():
        if subject.kind == "choice" and not 1 <= int(value) <= 4:
            continue
        alone = isinstance(value, list) and len(value) == 1 and name in DOUBTFUL_ALONE
        yield f"held out, {subject.kind}: {name}", form(subject, value, other, rng), alone or name in DOUBTFUL
