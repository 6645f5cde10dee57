"""The rule for citation types: does the sentence name a method, model or data set, or describe a finding?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from fathom.records.documents import CitationType, NonNegativeInt
from fathom.records.judgments import Judgment
from fathom.records.names import CHINESE
from fathom.records.questions import Response
from fathom.records.record import Record
from fathom.records.spans import Span
from fathom.scoring.answers import Text
from fathom.scoring.check import check_label
from fathom.scoring.keys import Key
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict

BEFORE = 120
"""Characters before a citation that can name what is cited, and after it."""

_WORD = re.compile(r"[^\W_][\w.+*/@’'&-]*[\w+*]|[^\W_]")
_TAIL = re.compile(r"[\s\\(\[{*_`\"“”（［【]+$")
_CHINESE = re.compile(rf"[{CHINESE}]+")
_CHINESE_ARTIFACTS_WORDS = """
模型 算法 方法 框架 网络 数据集 数据库 语料库 软件 工具 平台 系统 程序 优化器 基准
"""
_CHINESE_ARTIFACTS = tuple(_CHINESE_ARTIFACTS_WORDS.split())
"""Words after a name in a Chinese sentence: "TideMap潮位模型"."""
_MAX_ARTIFACT_LENGTH = 6
"""The maximum length of such a word with its qualifier; longer runs of characters are a separate clause."""

_ARTIFACTS_WORDS = """
dataset datasets data-set corpus corpora benchmark benchmarks model models method methods algorithm algorithms
framework frameworks optimizer optimiser architecture architectures network networks toolkit library package
simulator environment environments software loss transformer transformers encoder decoder autoencoder suite
challenge collection leaderboard tokenizer parser platform toolbox
"""
_ARTIFACTS = frozenset(_ARTIFACTS_WORDS.split())
"""Words after a name: "the ImageNet dataset"."""

_NO_NAMES_WORDS = """
what who why how which where whether the a an we our in on for as by from with this these those that their its it he
she they recently however moreover also following while since when although thus hence then here there both other
others another some many most more recent previous prior early earlier later such each all several various existing
similar similarly inspired based see e.g i.e cf and or of to at is are was were be been being has have had can may
might should will would first second third finally additionally furthermore specifically generally notably meanwhile
theorem lemma proposition corollary section figure table equation appendix algorithm fig eq sec motivated unlike
like given if though further work works study studies one two three english chinese european american bayesian
gaussian markov euclidean hilbert fourier lipschitz ai ml nlp llm llms cnn cnns rnn rnns gnn gnns mlp mlps dnn dnns
sgd rl dl cv gpu gpus cpu cpus api apis iid i.i.d pde pdes ode odes sde sdes 1d 2d 3d 4d kv gp gps
"""
NO_NAMES = frozenset(_NO_NAMES_WORDS.split())
"""Words that are not names even if they are capitalized or in upper case."""


def citation_type_in(text: str, sentence: Span, place: Span) -> CitationType | None:
    """The type of the citation at a place of a sentence; None if it is not certain."""
    before = text[max(sentence.start, place.start - BEFORE) : place.start]
    return citation_type_of(before, text[place.end : min(sentence.end, place.end + BEFORE)])


def citation_type_of(before: str, after: str = "") -> CitationType | None:
    """The type of a citation from the text around it, without the names of its authors; None if it is not certain.

    A name at the end of the text before it is what is cited, also with a version or a modifier after it: "Llama 2",
    "TRPO (single-path)", "the DAVIS interactive benchmark". With other words after it ("BERT embeddings", "the model of
    the BERT authors"), with a clause that describes it ("BERT, which is pretrained on text"), or with a name that the
    cited work introduces right after the citation, the type is not certain.
    """
    tail = _TAIL.sub("", before[-BEFORE:])
    tail = re.sub(r"[,;:，；：]$", "", tail)
    if tail.endswith("》"):
        # A Chinese sentence sets the title of a work between these: 《中国统计年鉴》.
        return "attributional"
    words = _words_of_the_phrase(tail)
    if words and (_ends_with_name(words, tail) or _is_name_with_modifier(tail)):
        return "attributional"
    if _has_late_name(_ORIGIN.sub("", tail)) or _has_late_name(tail) or _INTRODUCES.match(after):
        return None
    described = _DESCRIBED.search(tail)
    if described is not None and is_coined(described["name"]):
        return None
    return "descriptive"


LATE = 3
"""The last words before a citation (or Chinese characters), among which a name makes the type uncertain."""
_ORIGIN = re.compile(
    r"(?:\b(?:of|from|in|by|following|see|described|presented|introduced|proposed|developed|released|designed|suggested|"
    r"used|provided|first|originally|and|its|the|their|authors?|work|paper)\b[\s,(]*)+$",
    re.IGNORECASE,
)
"""Words between a name and the citation that says where it is from: "the BERT model introduced in"."""
_INTRODUCES = re.compile(
    r"[\s)\],]*(?:\w+\s+){0,2}?(?:introduc|propos|present|develop|releas|train|design|buil|creat|call|nam|dub|term|"
    r"publish|suggest)\w*\s+(?:[a-z][\w-]*\s+|\()*(?P<name>[A-Z][\w+-]*[A-Z\d][\w+-]*)"
)
"""A name that the cited work introduces: "[3] proposes a hybrid model called MambaFormer"."""

_DESCRIBED = re.compile(r"(?P<name>[\w+*-]+),?\s+(?:that|which|where|whose|who)\b[^()\[\];:.]*$")
"""A name with a clause that describes it, before the citation: "InfoNCE that maximizes mutual information [3]"."""


def _ends_with_name(words: list[str], tail: str) -> bool:
    """Whether the last words are a name, with a version or with the kind of thing that it is."""
    kept = words
    if _is_versioned(kept):
        return True
    if len(kept) > 1 and (kept[-1].lower() in _ARTIFACTS or _is_chinese_artifact(kept[-1])):
        kept = kept[:-1]
        # "the DAVIS interactive benchmark", "the Llama 2 base model".
        named = kept if _is_versioned(kept) or kept[-1].lower() in NO_NAMES else kept[:-1]
        if _is_versioned(named) or (named and is_coined(named[-1])):
            return True
    return _names(kept, tail)


def _is_versioned(words: list[str]) -> bool:
    """Whether the last words are a name and its version: "Llama 3.2"."""
    return (
        len(words) > 1
        and _VERSION.fullmatch(words[-1]) is not None
        and (_is_capital(words[-2]) or is_coined(words[-2]))
    )


_VERSION = re.compile(r"(?!(?:19|20)\d\d$)v?\d+(?:\.\d+)*[a-zA-Z]?")


def _is_name_with_modifier(tail: str) -> bool:
    """Whether the text ends with a name and a modifier in brackets: "TRPO (single-path)"."""
    modifier = re.search(r"\s*[(（][^()（）]{1,30}[)）]?$", tail)
    if modifier is None or not modifier.start():
        return False
    words = _words_of_the_phrase(tail[: modifier.start()])
    return bool(words) and _ends_with_name(words, tail[: modifier.start()])


def _has_late_name(tail: str) -> bool:
    """Whether one of the last words is a name, in brackets or not: "the (WSD) rate scheduler"."""
    sentence = re.split(r"[;:.!?|](?:\s+|$)|[，。；：、！？]|\n\n", tail.rstrip(" ,("))[-1]
    words = _WORD.findall(_CHINESE.sub(lambda run: f" {' '.join(run[0])} ", sentence))
    return any(map(is_coined, words[-LATE:]))


def _words_of_the_phrase(tail: str) -> list[str]:
    """The last words of the clause before the citation."""
    clause = re.split(r"[;:,.!?|](?:\s+|$)|[()\[\]，。；：、！？（）［］【】]|\n(?=[\n|#-])|(?<=\n)\n", tail)[-1]
    if not clause.strip():
        # In "Query by Committee (QBC)" the name itself ends in brackets.
        inside = re.search(r"[(（]([^()（）]{1,30})[)）]?$", tail)
        clause = inside[1] if inside else ""
    # Only the script separates the words of "采用TideMap模型".
    return _WORD.findall(_CHINESE.sub(lambda run: f" {run[0]} ", clause))[-4:]


def _is_chinese_artifact(word: str) -> bool:
    return len(word) <= _MAX_ARTIFACT_LENGTH and word.endswith(_CHINESE_ARTIFACTS)


def _names(words: list[str], tail: str) -> bool:
    """Whether the last words are a name."""
    last = words[-1]
    if is_coined(last):
        return True
    if not _is_capital(last):
        return False
    # "Stable Diffusion", "the Adam", but not the first word of a sentence alone.
    if len(words) > 1 and (_is_capital(words[-2]) or is_coined(words[-2])):
        return True
    starts_sentence = len(words) == 1 and not re.search(r"[,|]\s*\S*$", tail)
    return not starts_sentence or len(last) > 3


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word.lower().rstrip("s") not in NO_NAMES and word.lower() not in NO_NAMES


def is_coined(word: str) -> bool:
    """Whether a word looks coined: "BERT", "LoRA", "GPT-4", "ResNet50", "Zimlet-EM"."""
    plain = word.strip("*+_.'’")
    if plain.lower() in NO_NAMES or len(plain) < 2:
        return False
    capitals = sum(map(str.isupper, plain))
    inner = capitals > plain[0].isupper()
    numbered = any(map(str.isdigit, plain)) and any(map(str.isalpha, plain))
    return (capitals >= 2 and inner) or (inner and plain[0].islower()) or (numbered and capitals >= 1)


class TypeChecks(Record):
    """How a model's classification of a corpus's citations compares with the rule; each citation counts once."""

    model: str
    disputed: dict[str, CitationType | None] = {}
    """Citations whose type the model disputes, by document and span, with its answer; they are not asked about."""
    agree: NonNegativeInt = 0
    disagree: NonNegativeInt = 0
    unclear: NonNegativeInt = 0
    """Citations for which the response named neither type."""
    without: NonNegativeInt = 0
    """Citations without a response, for which only the rule counts."""

    @property
    def citations(self) -> int:
        return self.agree + self.disagree + self.unclear + self.without


def check_type(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The verdict on a response that names a citation type."""
    del shown, judgments
    return check_label(key, response, get_args(CitationType))


def read_type_checks(model: str, answered: Iterable[tuple[Key, Response | None]]) -> TypeChecks:
    """The checks of a model from its answers to the questions of `citation_types`."""
    disputed: dict[str, CitationType | None] = {}
    outcomes: Counter[str] = Counter()
    for key, response in answered:
        if response is None or response.outcome in ("error", "overflow"):
            outcomes["without"] += 1
            continue
        verdict = check_type(key, response)
        if verdict.outcome == "correct":
            outcomes["agree"] += 1
            continue
        [[document, place, _]] = key.proof.rows
        answer = disputed[f"{document} {place}"] = _citation_type(verdict)
        outcomes["unclear" if answer is None else "disagree"] += 1
    return TypeChecks.model_validate({"model": model, "disputed": disputed, **outcomes})


def _citation_type(verdict: Verdict) -> CitationType | None:
    """The type that the model named; None if it named neither."""
    answer = verdict.parsed.value if isinstance(verdict.parsed, Text) else ""
    known: tuple[CitationType, ...] = get_args(CitationType)
    return next((name for name in known if name == answer), None)
