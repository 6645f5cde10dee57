"""A memory of fixed size: reads the documents part by part, and answers from what it noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from fathom.models.prompts import Message, Prompt
from fathom.records.documents import PositiveInt
from fathom.records.questions import Question, Response, Step
from fathom.systems.chunking import ContextRange, stretches
from fathom.systems.protocol import DOCUMENTS, CallEstimate, ContextView, Prompting, Session, response_to
from fathom.systems.steps import WORDS_PER_TOKEN, StepOverflowError, ask_for_text, cut_to, overflow_of

READ = (
    "You read a collection of documents part by part, in order, and keep a memory. In the end you answer from the "
    "memory alone: no part is shown again, and what the memory does not contain is not known. You are now shown one "
    "part, and then the memory so far."
)
AT_THE_END = "In the end your task will be the following. Do not do it yet.\n\n"
EMPTY = "(empty)"
ANSWER = (
    "You do not see the documents. You have read all of them part by part, and you answer from the memory that you "
    "kept while reading, which is shown below instead of the documents."
)


@dataclass(frozen=True)
class Memory:
    """Reads the documents part by part, keeps a memory of fixed size, and answers from the memory alone.

    The defaults are those of MemAgent, whose model has a window of 8K tokens: 5,000 for a part and 1,024 for the
    memory leave 1,024 each for the question and for the output.
    """

    prompting: Prompting = "direct"
    chunk: PositiveInt = 5_000
    """The maximum number of tokens in a part."""
    memory: PositiveInt = 1_024
    """The maximum number of tokens in the memory; what exceeds it is cut off."""
    steered: bool = True
    """Whether the model knows the question while it reads; otherwise the questions over a context share one reading."""
    name: ClassVar[str] = "memory"

    async def answer(self, question: Question, session: Session) -> Response:
        memory = ""
        try:
            for part in range(len(self._parts(session.view))):
                memory = await self._read(part, memory, question, session)
        except StepOverflowError:
            return overflow_of(question)
        return response_to(question, await session.ask(self._answer_prompt(memory, question, session.view), "answer"))

    async def _read(self, part: int, memory: str, question: Question, session: Session) -> str:
        """The memory after a part. A part that the model refuses to read leaves it as it is."""

        async def read() -> str:
            prompt = self._read_prompt(part, memory, question, session.view)
            written = (await ask_for_text(session, prompt, "read")).strip()
            kept = cut_to(written, self.memory)
            if kept != written:
                lost = f"{session.view.count(written):,} tokens were written, and {self.memory:,} are kept"
                session.record(Step(kind="tool", name="cut", output=lost))
            return kept or memory

        if self.steered:
            return await read()
        # The usage counts for the first question.
        return await session.once(f"memory of {session.view.family} {self.chunk} {self.memory} {part}", read)

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        parts = self._parts(view)
        prompts = [self._read_prompt(part, "", question, view) for part in range(len(parts))]
        reading = _with_memory(view.estimate(*prompts), self.memory, len(prompts))
        answer = _with_memory(view.estimate(self._answer_prompt("", question, view)), self.memory, 1)
        largest = max(reading.largest_call, answer.largest_call)
        if not self.steered:
            return replace(answer, largest_call=largest, per_context=reading)
        return CallEstimate(
            calls=len(parts) + 1, input_tokens=reading.input_tokens + answer.input_tokens, largest_call=largest
        )

    def _parts(self, view: ContextView) -> Sequence[ContextRange]:
        return stretches(view, self.chunk)

    def _read_prompt(self, part: int, memory: str, question: Question, view: ContextView) -> Prompt:
        parts = self._parts(view)
        shown = parts[part]
        words = int(self.memory * WORDS_PER_TOKEN)
        about = "what the question needs" if self.steered else "the facts that such a task may need"
        task = (
            f"This was part {part + 1} of {len(parts)}; it began in {shown.first.label}. Write the new memory: all of "
            f"the old one that is still needed, and {about} from this part, with the numbers, names and documents "
            f"exactly as they are printed. Use at most {self.memory} tokens (about {words} words): what exceeds them "
            "is lost. Write nothing but the memory."
        )
        return Prompt(
            (
                Message.user(
                    f"{READ}\n\n{AT_THE_END}{view.instruction('full, direct')}\n\n",
                    view.reference(DOCUMENTS, shown.start, shown.end),
                    "\nThe memory so far:\n",
                    memory or EMPTY,
                    f"\n\nThe question: {question.text}\n\n" if self.steered else "\n\n",
                    task,
                ),
            ),
            # The same part is shown to every question, so a cache can serve it.
            shared=2,
        )

    def _answer_prompt(self, memory: str, question: Question, view: ContextView) -> Prompt:
        instruction = f"{ANSWER}\n\n{view.instruction(f'full, {self.prompting}')}\n\nThe memory:\n"
        return Prompt((Message.user(instruction, memory or EMPTY, f"\n\n{question.text}"),), shared=1)


def _with_memory(estimate: CallEstimate, memory: int, calls: int) -> CallEstimate:
    """The estimate for prompts whose memory is full. Each part is sent once for a question, so no prefix is assumed."""
    return CallEstimate(
        calls=estimate.calls,
        input_tokens=estimate.input_tokens + calls * memory,
        largest_call=estimate.largest_call + memory,
    )
