"""How models present an answer: markers, reasoning before it, remarks after it; and responses without an answer.

A response is a rendering (`_forms_renderings.py`) in a frame in a wrapper. Frames without a marker, such as a bare
value, are combined only with wrappers that leave no doubt about which part is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from _forms_renderings import ORDINALS, Rendering
from _forms_values import Subject, Value

MARKED: dict[str, str] = {
    "Answer:": "Answer: {a}",
    "no space": "Answer:{a}",
    "lower case": "answer: {a}",
    "upper case": "ANSWER: {a}",
    "bold marker": "**Answer:** {a}",
    "bold word": "**Answer**: {a}",
    "all bold": "**Answer: {a}**",
    "bold value": "Answer: **{a}**",
    "next line": "Answer:\n{a}",
    "after a blank line": "Answer:\n\n{a}",
    "heading": "### Answer\n\n{a}",
    "final heading": "## Final Answer\n{a}",
    "heading with colon": "### Answer:\n{a}",
    "Final answer:": "Final answer: {a}",
    "bold Final Answer": "**Final Answer:** {a}",
    "bold Final Answer, next line": "**Final Answer**\n\n{a}",
    "full-width colon": "Answer：{a}",
    "Chinese": "答案：{a}",
    "Chinese final": "最终答案：{a}",
    "Spanish": "Respuesta: {a}",
    "French": "Réponse : {a}",
    "German": "Antwort: {a}",
    "Russian": "Ответ: {a}",
    "Portuguese": "Resposta: {a}",
    "Japanese": "答え：{a}",
    "em dash": "Answer — {a}",
    "hyphen": "Answer - {a}",
    "short": "Ans: {a}",
    "The answer:": "The answer: {a}",
    "My answer:": "My answer: {a}",
    "Final answer is": "The final answer is: {a}",
    "quote": "> Answer: {a}",
    "tag": "<answer>{a}</answer>",
    "tag with lines": "<answer>\n{a}\n</answer>",
    "Answer: in tags": "<answer>Answer: {a}</answer>",
    "italic marker": "*Answer:* {a}",
    "code": "`Answer: {a}`",
    "twice": "Answer: {a}\n\n**Final answer:** {a}",
    "hash marks": "#### {a}",
}
"""Frames that say where the answer is."""

BLOCKS = (
    "Answer:", "next line", "after a blank line", "heading", "final heading", "heading with colon", "bold marker",
    "bold Final Answer, next line", "tag with lines", "Chinese", "Spanish", "German", "upper case", "twice",
)  # fmt: skip
"""Marked frames that also take several lines; those with the marker in the same line get a line break."""

SENTENCES: dict[str, str] = {
    "The answer is": "The answer is {a}.",
    "final answer is": "The final answer is {a}.",
    "correct answer is": "The correct answer is **{a}**.",
    "So": "So the answer is {a}.",
    "Therefore": "Therefore, the answer is: {a}",
    "Thus bold": "Thus, the answer is **{a}**.",
    "Chinese sentence": "所以答案是 {a}。",
    "based on": "Based on the text above, the answer is {a}.",
    "after marker": "Answer: The answer is {a}.",
}
BOXES: dict[str, str] = {
    "boxed": r"\boxed{{{a}}}",
    "boxed in dollars": r"$\boxed{{{a}}}$",
    "display box": "$$\n\\boxed{{{a}}}\n$$",
    "Answer: box": r"Answer: $\boxed{{{a}}}$",
    "final answer box": r"Final Answer: The final answer is $\boxed{{{a}}}$. I hope it is correct.",
    "boxed text": r"\boxed{{\text{{{a}}}}}",
    "box in brackets": "\\[\n\\boxed{{{a}}}\n\\]",
    "answer is box": r"Therefore, the answer is \(\boxed{{{a}}}\).",
}
UNMARKED: dict[str, str] = {
    "bare": "{a}",
    "bold": "**{a}**",
    "line break after": "{a}\n",
    "spaces around": "\n\n  {a}  \n",
    "preamble": "Sure! Here is the answer:\n\n{a}",
    "code span": "`{a}`",
}


def frames(rendering: Rendering) -> list[tuple[str, str, bool]]:
    """Name, text, and whether the answer is marked, of every frame that suits the rendering."""
    text = rendering.text
    if rendering.shape == "atom":
        bold = "*" in text or "`" in text or "$" in text or "\\" in text or "<" in text
        found = [(name, form, True) for name, form in (MARKED | SENTENCES).items()]
        if not bold and len(text) < 60 and not text.endswith("."):
            found += [(name, form, True) for name, form in BOXES.items() if _boxable(name, text)]
        found += [(name, form, False) for name, form in UNMARKED.items()]
        found = [one for one in found if not (bold and any(mark in one[1] for mark in "*`"))]
        if text.endswith("."):
            found = [one for one in found if not one[1].endswith((".", "。", "**"))]
        return [(name, form.format(a=text), marked) for name, form, marked in found]
    if rendering.shape == "sentence":
        forms = {name: MARKED[name] for name in ("Answer:", "next line", "heading", "bold marker", "Final answer:")}
        found = [(name, form.format(a=text), True) for name, form in forms.items()]
        return [*found, ("bare", text, False), ("bold sentence", f"**{text}**".replace("****", "**"), False)]
    if rendering.shape == "document":
        return [
            ("bare", text, False),
            ("next line", f"Answer:\n{text}", True),
            ("after a blank line", f"**Answer:**\n\n{text}", True),
            ("preamble", f"Here is the answer in the requested form:\n\n{text}", False),
        ]
    lines = [(name, _block(MARKED[name], text), True) for name in BLOCKS]
    return [
        *lines,
        ("bare", text, False),
        ("preamble", f"Here is the list:\n\n{text}", False),
        ("The answer is:", f"The answer is:\n\n{text}", True),
        ("as follows", f"Answer: The results are as follows:\n\n{text}", True),
    ]


def _boxable(name: str, text: str) -> bool:
    """Words need \\text in LaTeX, and models know it."""
    return name == "boxed text" or not any(letter.isalpha() for letter in text) or " " not in text


def _block(form: str, text: str) -> str:
    same_line = "\n{a}" not in form
    return form.format(a=f"\n{text}\n" if same_line else text).rstrip("\n")


def reasoning(subject: Subject, rng: Random, mention: str = "") -> str:
    """Notes on articles or candidates with many numbers and titles, as a model writes before it answers."""
    if subject.kind in ("choice", "assignment"):
        order = rng.sample((1, 2, 3, 4), 4)
        topics = ("a data set", "an optimization method", "a survey of the field", "a theoretical bound")
        lines = [f"Candidate {o} is about {topic}." for o, topic in zip(order, topics, strict=True)]
        lines.insert(0, "The paper describes the hidden work as an early method of this kind.")
    else:
        lines = ["Let me go through the articles one by one."]
        for one in subject.articles[:6]:
            facts = (
                f"{len(one.authors)} authors, {one.references} references, {len(one.title.split())} words in the title"
            )
            form = rng.choice(('Article {n}: "{t}" has {f}.', "- **{t}** (Article {n}): {f}", "{n}. {t}: {f}"))
            lines.append(form.format(n=one.number, t=one.title, f=facts))
        lines.append(
            rng.choice(("Now I compare them.", "That is all the question needs.", "Next, compute the result."))
        )
    if mention:
        lines.append(mention)
    return "\n".join(lines)


def remark(subject: Subject, rng: Random) -> str:
    """Prose after an answer, with numbers in it."""
    if subject.kind in ("choice", "assignment"):
        return rng.choice(
            (
                "Explanation: the sentence before the mask describes the same method and data.",
                "Reasoning: the other candidates treat different problems, and none of them was published before 2015.",
                "Confidence: 85%",
            )
        )
    one = rng.choice(subject.articles)
    return rng.choice(
        (
            f"Explanation: Article {one.number} lists {len(one.authors)} authors and {one.references} references.",
            f"Note: I counted only the entries that are shown; Article {one.number} has {one.references} of them.",
            "I hope this helps! Let me know if you need anything else.",
            "Confidence: 90%",
            f"(This is based on {len(subject.articles)} articles.)",
            "**Note:** Hyphenated words were counted as one word.",
            "Explanation: I checked every article against the conditions of the question.",
        )
    )


def wrap(core: str, marked: bool, shape: str, subject: Subject, rng: Random, wrong: str) -> tuple[str, str]:
    """A wrapper's name, and the response."""
    thoughts = reasoning(subject, rng)
    options: dict[str, Callable[[], str]] = {
        "alone": lambda: core,
        "think tags": lambda: f"<think>\n{thoughts}\nSo maybe {wrong}? No, that is not it.\n</think>\n\n{core}",
        "courtesy after": lambda: f"{core}\n\nLet me know if you would like me to explain the steps.",
        "remark after": lambda: f"{core}\n\n{remark(subject, rng)}",
    }
    if marked:
        options |= {
            "reasoning before": lambda: f"{thoughts}\n\n{core}",
            "steps before": lambda: f"## Step 1: Collect\n\n{thoughts}\n\n## Step 2: Compute\n\nDone.\n\n{core}",
            "reasoning and remark": lambda: f"{thoughts}\n\n{core}\n\n{remark(subject, rng)}",
            "question before": lambda: f"Question: {subject.question}\n\n{core}",
            "rule before": lambda: f"{thoughts}\n\n---\n\n{core}",
            "corrected": lambda: f"{thoughts}\n\nAnswer: {wrong}\n\nWait, I made a mistake there. Corrected:\n\n{core}",
            "first thought": lambda: (
                f"{reasoning(subject, rng, f'At first sight this gives {wrong}, but that is wrong.')}\n\n{core}"
            ),
        }
    elif shape == "sentence":
        options["reasoning before"] = lambda: f"{thoughts}\n\nTherefore: {core}"
    name = rng.choice(list(options))
    return name, options[name]()


def without_answer(subject: Subject, right: str, rng: Random) -> Iterator[tuple[str, str]]:
    """Responses that give no correct answer, whatever they mention; `right` is the correct answer in one line."""
    thoughts = reasoning(subject, rng)
    yield "empty", ""
    yield "blank", "\n \n"
    yield "marker only", "Answer:"
    yield "echo of the question", subject.question
    yield "echo with marker", f'{subject.question}\n\nGive only the answer, after "Answer:".'
    yield "refusal", "I'm sorry, but I can't help with that."
    yield "refusal for length", "I was not able to read all of the documents, so I cannot give an answer."
    yield "placeholder", "Answer: [your answer here]"
    yield "question mark", "Answer: ?"
    yield "cut before the answer", thoughts[: len(thoughts) * 2 // 3]
    yield "cut after a heading", f"{thoughts}\n\nNow I count them once more, starting with the"
    yield "negated", f"The answer is not {right}."
    yield "negated after marker", f"Answer: not {right}"
    yield "excluded", f"{thoughts}\n\nIt is certainly not {right}."
    yield "rejected", f"{thoughts}\n\n{right} would be wrong here. I cannot decide on an answer."


def hedges(subject: Subject, right: Value, wrong: Value, rng: Random) -> Iterator[tuple[str, str]]:
    """Responses that name a correct and an incorrect answer as equals, for short answers."""
    one, two = rng.sample((str(right), str(wrong)), 2)
    noun = "candidate " if subject.kind == "choice" else ""
    for text in (
        "Answer: {n}{a} or {b}",
        "Answer: either {a} or {b}",
        "Answer: {n}{a} or {n}{b}, I am not sure which.",
        "The answer is {a} or {b}.",
        "Answer: {a} and {b}",
        "It could be {n}{a}, but it could just as well be {n}{b}.",
        "Answer: {a}, {b}",
        "Answer:\n- {a}\n- {b}",
        "Both {n}{a} and {n}{b} are possible answers.",
        "Answer: between {a} and {b}",
    ):
        yield f"hedge {text!r}", text.format(a=one, b=two, n=noun)
    if subject.kind == "choice":
        yield "two with a slash", f"Answer: {one}/{two}"
        yield "all candidates", "Answer: 1, 2, 3, 4"
        yield "none of the candidates", "Answer: none of the candidates"
        yield "all candidates named", "Candidate 1, Candidate 2, Candidate 3 and Candidate 4 all deal with this topic."


def changed_minds(subject: Subject, right: str, wrong: str, rng: Random) -> Iterator[tuple[str, str, bool]]:
    """Responses with a correct and an incorrect value, one of them as the final answer; and whether it is correct."""
    for good, final, other in ((True, right, wrong), (False, wrong, right)):
        yield "corrected with wait", f"Answer: {other}\n\nWait, let me recheck. I miscounted.\n\nAnswer: {final}", good
        yield "not one but the other", f"Answer: {final}, not {other}", good
        yield "final after draft", f"Draft answer: {other}. After checking again, the final answer is {final}.", good
        yield (
            "mention in the reasoning",
            f"{reasoning(subject, rng, f'One might think of {other}.')}\n\nAnswer: {final}",
            good,
        )
        yield (
            "sentence then marker",
            f"I first thought that the answer is {other}. But it is not.\n\nAnswer: {final}",
            good,
        )
        yield "instead of", f"Answer: {final} instead of {other}", good
        yield "actually", f"The answer is {other}. Actually, no: the answer is {final}.", good


def matching_arguments(right: int, wrong: int, rng: Random) -> Iterator[tuple[str, str, bool]]:
    """Arguments about candidates, in which several are named and one is chosen."""
    for good, final, other in ((True, right, wrong), (False, wrong, right)):
        rest = [one for one in (1, 2, 3, 4) if one not in (final, other)]
        for text in (
            "Candidate {o} is about images; candidate {p} is about graphs. So it must be candidate {f}.",
            "Candidate {f} is the cited work. Candidate {o} is similar, but it was written later.",
            "Between {o} and {f}, I choose {f}.",
            "It is not {o}, {p} or {q}, so it must be {f}.",
            "Candidate {o} comes close, but the answer is candidate {f}.",
            "Candidates {o}, {p} and {q} can be excluded. That leaves candidate {f}.",
            "Answer: {f}. Candidate {o} would also be plausible but does not mention the method.",
            "Answer: Candidate {f}, because candidates {o}, {p} and {q} treat other topics.",
            "I am torn between {o} and {f}, but I will go with {f}.",
            "Answer: {f} (candidate {o} is about something else)",
            "The {w} candidate fits best; the others do not.",
            "Candidate {o}: about images. Not a match.\nCandidate {p}: about graphs. Not a match.\n"
            "Candidate {f}: describes the method. Match!\n\nAnswer: {f}",
        ):
            filled = text.format(f=final, o=other, p=rest[0], q=rest[1], w=ORDINALS[final])
            yield f"argument {text[:48]!r}", filled, good
    yield "not the right one", f"It is not candidate {right}.", False
    yield (
        "excluding the right one",
        f"Candidate {right} can be excluded, but I cannot tell which of the others it is.",
        False,
    )
