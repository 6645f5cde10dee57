"""The wording of questions. It depends on where the keys come from: planted claims have a narrower definition."""

from __future__ import annotations

from fathom.tasks.claims.levels import SCALES

PLANTED = "planted"
"""The annotator of the claims that the generator of documents plants."""


def claims_question(annotator: str, documents: int, no_abstract: bool, early_evidence: bool) -> str:
    """The question for all claims of some documents."""
    where = "article" if documents == 1 else f"{documents} articles"
    parts = [f"List all claims of the {where}, and for each claim all of its evidence."]
    parts.append(_PLANTED_CLAIMS if annotator == PLANTED else _CLAIMS)
    if no_abstract:
        parts.append("Leave out what is stated in the abstract; a claim that is repeated elsewhere counts there.")
    else:
        parts.append(
            "A claim that is stated in several places, such as the abstract and the results, is listed once for each."
        )
    parts.append(_PLANTED_EVIDENCE if annotator == PLANTED else _EVIDENCE)
    if not early_evidence:
        parts.append("Passages of the abstract and the introduction are never evidence.")
    parts.append(_PLANTED_ATTRIBUTES if annotator == PLANTED else _ATTRIBUTES)
    return "\n\n".join(parts)


_CLAIMS = (
    "A claim is a passage in which the authors commit themselves to something about their own results, methods or "
    "contributions that is specific enough to be tested, new with this work, and plainly stated. Count main claims and "
    "side claims alike, each as an entry of its own."
)
_EVIDENCE = (
    "Evidence is a passage with results, data, an example or a procedure that speaks directly for or against what the "
    "claim asserts. A claim may have several pieces of evidence, or none."
)
_ATTRIBUTES = (
    "A claim is of the type methodology, result, contribution or performance. Evidence supports or contradicts its "
    "claim, is primary (the authors' own data) or secondary (derived or taken from others), and is strong, moderate or "
    "weak. Say of each claim whether the evidence justifies it, and how robust the evidence is. Where the authors "
    "state what they conclude about a claim, or a limitation of a piece of evidence, quote that passage; where they do "
    "not, say it in a few words of your own."
)
_PLANTED_CLAIMS = (
    "Five kinds of sentences count as claims, and no others. Performance: the authors' own method has a higher or "
    "lower value of a named quantity than a named other method. Result: it has a higher or lower value of a quantity "
    "on one data set than on another. Methodology: it needs no adjustment to the data. Contribution: nobody has done "
    "this before. The fifth kind has no type: a belief about what the authors' method will do, or would be good for, "
    "that the article has not tested. Sentences that print measured values, or that report a check or a repetition "
    "of a measurement, are evidence and no claims. Aims, explanations of a result, general comparisons that name no "
    "quantity, conclusions on how far a comparison is decided, limitations and plans are no claims either."
)
_PLANTED_EVIDENCE = (
    "The evidence for a claim on performance is every sentence and every table with the values of both methods in "
    "the quantity of the claim, and every sentence that reports a check or a repetition of that very comparison. The "
    "evidence for a result is every table with both values, and that for a claim on methodology the sentence that "
    "says how the method was configured. For a table, quote its caption. Contributions and beliefs have no evidence."
)
_PLANTED_ATTRIBUTES = (
    "Evidence contradicts a claim if it reports a repetition with the opposite outcome, and supports it otherwise. "
    "It is primary and strong if it prints the values or says what was done, secondary and moderate if it reports a "
    "check, and secondary and weak if it reports such a repetition. A claim is justified if it has evidence and none "
    "of it contradicts the claim. Its robustness is low if it has no evidence or some that contradicts it, high if "
    "all of its evidence supports it and some of it is secondary, and medium otherwise.\n\n"
    "Two attributes are quotes. The conclusion on a claim on performance is the sentence that says whether the authors "
    "regard this very comparison as decided; all claims on the comparison share it, and the confidence is high if they "
    "are certain, medium if they think it likely, and low if they leave it open. The limitations of a table are the "
    "sentence that names a weakness of that very table. Where the article has no such sentence, leave the attribute "
    'out. The "no_evidence_reason" of a claim without evidence is one word: asserted for a contribution, untested for '
    "a belief."
)


_COMPARISON = "What does the article report about this comparison? "


def comparison_asked_about(text: str) -> str:
    """The comparison that a question asks for evidence on."""
    return text.split("\n\n", maxsplit=1)[0].removeprefix(_COMPARISON)


def finding_question(question: str, options: tuple[str, ...]) -> str:
    """The question for the label of a comparison and the evidence for it."""
    choices = "; ".join(options)
    return (
        f"{_COMPARISON}{question}\n\n"
        f"Choose one label among: {choices}. Quote the sentences of the article that show it, word for word and as few "
        'as suffice. Answer with one JSON object: {"label": "...", "evidence": [{"quote": "..."}]}'
    )


def level_question(task: str) -> str:
    """The question for the level of a whole article on an ordered scale."""
    scale = SCALES[task]
    return (
        f"{scale.question} Choose one of these levels, which are ordered from the lowest to the highest: "
        f'{", ".join(scale.levels)}. Give the word alone after "Answer:".'
    )
