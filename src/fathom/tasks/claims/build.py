"""Builds questions on claims and evidence from planted claims or from annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pydantic import JsonValue

from fathom.contexts.assembly import whole_documents
from fathom.contexts.layout import forges_boundary
from fathom.corpus.store import Corpus
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.annotations import Annotation, Finding
from fathom.records.contexts import Context
from fathom.records.documents import Claim, Document
from fathom.records.questions import Question
from fathom.records.record import short_id
from fathom.records.rng import rng_for
from fathom.scoring.answers import LinkedSpans
from fathom.scoring.keys import Key
from fathom.tasks.claims.annotations import AnnotatedCorpus
from fathom.tasks.claims.baselines import Baselines
from fathom.tasks.claims.keys import ClaimsProgram, all_free_texts, claims_key, finding_key, level_key
from fathom.tasks.claims.levels import SCALES, level_of
from fathom.tasks.claims.settings import ClaimsSettings
from fathom.tasks.claims.wording import claims_question, finding_question, level_question
from fathom.tasks.family import ContextItems, Item

NAME = "claims"
SIZES = ("under 15K", "15K to 20K", "20K and more")
"""Lengths of contexts in tokens, as in the paper."""


class ClaimsBuilder:
    """Builds the questions of one corpus."""

    def __init__(self, corpus: Corpus, settings: ClaimsSettings, seed: int) -> None:
        self._settings = settings
        self._corpus = corpus
        self._seed = seed
        self._left_out: Counter[str] = Counter()
        self._built: Counter[str] = Counter()
        self._free_texts: Counter[str] = Counter()
        self._baselines = Baselines()

    @cached_property
    def _annotated(self) -> AnnotatedCorpus:
        return AnnotatedCorpus(self._corpus, self._settings)

    def build(self) -> Iterator[ContextItems]:
        """Each context with its questions."""
        built = 0
        group: list[Document] = []
        for document in self._documents():
            group.append(document)
            if len(group) < self._settings.documents:
                continue
            context = whole_documents(group, tokenizer(DEFAULT))
            items = list(self._items(context, group))
            group = []
            if items:
                built += 1
                yield ContextItems(context, items)
            if built == self._settings.items:
                return
        self._left_out["too few for another context"] += len(group)

    def _documents(self) -> Iterator[Document]:
        """The documents that can be asked about, in random order."""
        ids = list(self._annotated.documents())
        rng_for(self._seed, NAME).shuffle(ids)
        for id in ids:
            document = self._corpus.document(id)
            if forges_boundary(document.text.encode()):
                self._left_out["with a boundary line"] += 1
            elif self._settings.documents == 1 or self._claims(document) is not None:
                yield document

    def _items(self, context: Context, documents: Sequence[Document]) -> Iterator[Item]:
        if "claims" in self._settings.tasks:
            yield from self._claims_item(context, documents)
        if len(documents) > 1:
            return
        [document] = documents
        if "evidence" in self._settings.tasks:
            for finding in self._findings(document):
                yield self._finding_item(context, document, finding)
        for task in SCALES:
            if task in self._settings.tasks:
                yield from self._level_item(context, document, task)

    # All claims with their evidence.

    def _claims_item(self, context: Context, documents: Sequence[Document]) -> Iterator[Item]:
        claims: list[tuple[Document, Claim]] = []
        for document in documents:
            claims_of_document = self._claims(document)
            if claims_of_document is None:
                return
            claims += [(document, claim) for claim in claims_of_document]
        id = short_id("q", context.id, "claims")
        settings = self._settings
        program = ClaimsProgram.of("claims", self._annotated.annotator, settings)
        text = claims_question(program.annotator, len(documents), settings.no_abstract, settings.early_evidence)
        key = claims_key(id, program, claims)
        assert isinstance(key.answer, LinkedSpans)
        self._free_texts.update(all_free_texts(key.answer))
        self._baselines.add_claims(documents, key, program)
        yield self._item(context, id, "claims", text, documents, key)

    def _claims(self, document: Document) -> list[Claim] | None:
        """The claims that count; None if the document cannot be asked about."""
        annotation = self._annotated.annotation(document)
        if annotation is None or not (annotation.claims or self._annotated.has_claims):
            return None
        if not annotation.complete:
            self._left_out["whose claims were not all annotated"] += 1
            return None
        claims = list(annotation.claims)
        if self._settings.no_abstract:
            if document.state("abstract") == "unknown":
                self._left_out["with an unknown abstract"] += 1
                return None
            claims = [
                claim for claim in claims if document.abstract is None or not document.abstract.contains(claim.span)
            ]
        if not claims:
            self._left_out["without claims"] += 1
            return None
        if not self._settings.early_evidence:
            later = [_with_later_evidence(document, claim) for claim in claims]
            if any(before.evidence and not after.evidence for before, after in zip(claims, later, strict=True)):
                self._left_out["with a claim whose evidence is all in the abstract or the introduction"] += 1
                return None
            claims = later
        return claims

    # The evidence on a given question.

    def _findings(self, document: Document) -> Iterator[Finding]:
        by_id: dict[str, list[Finding]] = {}
        for annotation in self._annotated.all_of(document.id):
            for finding in annotation.findings:
                by_id.setdefault(finding.id, []).append(finding)
        for findings in by_id.values():
            if len({finding.label for finding in findings}) > 1:
                self._built["questions left out, since annotators disagree on the label"] += 1
            elif evidence := tuple(dict.fromkeys(passage for finding in findings for passage in finding.evidence)):
                yield findings[0].model_copy(update={"evidence": evidence})
            else:
                self._built["questions left out, since they have no evidence"] += 1

    def _finding_item(self, context: Context, document: Document, finding: Finding) -> Item:
        id = short_id("q", context.id, "evidence", finding.id)
        program = ClaimsProgram.of("evidence", _names(self._annotated.all_of(document.id)), self._settings)
        text = finding_question(finding.question, finding.options)
        key = finding_key(id, program, document, finding)
        self._baselines.add_finding(document, finding, key, program)
        return self._item(context, id, "evidence", text, [document], key)

    # The level of a whole article.

    def _level_item(self, context: Context, document: Document, task: str) -> Iterator[Item]:
        annotation = self._annotated.annotation(document)
        level = annotation.labels.get(SCALES[task].label) if annotation is not None else None
        if annotation is None or level is None:
            return
        if level_of(task, level) is None:
            self._built[f"articles left out, since their {SCALES[task].label} is not one level"] += 1
            return
        id = short_id("q", context.id, task)
        program = ClaimsProgram.of(task, annotation.annotator, self._settings)
        key = level_key(id, program, document, level, annotation.hidden)
        self._baselines.add_level(task, level)
        yield self._item(context, id, task, level_question(task), [document], key)

    def _item(self, context: Context, id: str, task: str, text: str, documents: Sequence[Document], key: Key) -> Item:
        self._built[task] += 1
        tags = {"task": task, "size": size_of(context.tokens)}
        subjects = {document.subject for document in documents}
        if len(subjects) == 1 and (subject := documents[0].subject):
            tags["subject"] = subject
        return Item(Question(id=id, family=NAME, context_id=context.id, text=text, tags=tags), key)

    def report(self) -> dict[str, JsonValue]:
        """The number of questions, of documents that were left out, and the baselines."""
        return {
            "annotator": self._annotated.annotator,
            "built": dict(self._built),
            "documents left out": dict(sorted(self._left_out.items())),
            "texts in own words": dict(sorted(self._free_texts.items())),
            "baselines": self._baselines.report(),
        }

    def explain_empty(self) -> str:
        for _ in self.build():  # it yields nothing, and counts the reasons
            pass
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in self._left_out.items() if count)
        if self._settings.annotations is None:
            if "claims" not in self._settings.tasks:
                return (
                    f"Planted claims have keys for the task 'claims' only, not for {', '.join(self._settings.tasks)}. "
                    "Give --annotations; see `fathom annotations import --help`."
                )
            return (
                f"No context can be built from the planted claims of '{self._corpus.folder}'"
                f"{f' (documents {reasons})' if reasons else ''}. Use generated articles, or give --annotations; see "
                "`fathom annotations import --help`."
            )
        return (
            f"'{self._settings.annotations}' has no annotations of documents of '{self._corpus.folder}' for "
            f"{', '.join(self._settings.tasks)}{f' (documents {reasons})' if reasons else ''}. Check --annotations, "
            "--annotator and --tasks."
        )


def size_of(tokens: int) -> str:
    """The range of lengths that a number of tokens is in."""
    return SIZES[(tokens >= 15_000) + (tokens >= 20_000)]


def _with_later_evidence(document: Document, claim: Claim) -> Claim:
    """The claim without the evidence in the abstract and the introduction."""
    early = [section.span for section in document.sections if section.role in ("abstract", "introduction")]
    early += [document.abstract] if document.abstract is not None else []
    later_evidence = tuple(
        evidence for evidence in claim.evidence if not any(span.contains(evidence.span) for span in early)
    )
    return (
        claim if len(later_evidence) == len(claim.evidence) else claim.model_copy(update={"evidence": later_evidence})
    )


def _names(annotations: Iterable[Annotation]) -> str:
    return " and ".join(sorted({annotation.annotator for annotation in annotations}))
