"""Responses and verdicts of a run that stay in their files: only their positions are in memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from fathom.records.errors import FathomError
from fathom.records.files import Journal, RecordFile
from fathom.records.questions import QuestionId, Response
from fathom.records.record import Record
from fathom.runs.folder import RESPONSES, VERDICTS, WAITING, foreign_response, read_response_positions
from fathom.scoring.verdicts import Verdict

R = TypeVar("R", bound=Record)


class StoredRecords(Generic[R]):
    """The records of a file by question and sample, each read when it is needed."""

    def __init__(self, path: Path, kind: type[R], numbers: Mapping[QuestionId, int], samples: int) -> None:
        self._file = RecordFile(path, kind)
        self._numbers = numbers
        """The questions, numbered from zero; all runs on a bench share them."""
        self._samples = samples
        self._positions = array("q", [-1]) * (len(numbers) * samples)

    def __len__(self) -> int:
        return sum(position >= 0 for position in self._positions)

    def get(self, question: QuestionId, sample: int) -> R | None:
        """The record; None if there is none."""
        index = self.index(question, sample)
        position = -1 if index is None else self._positions[index]
        return None if position < 0 else self._file.at(position)

    def records(self, step: int = 1) -> Iterator[R]:
        """The records in the order of the questions; with a step, every n-th of them."""
        positions = [position for position in self._positions if position >= 0]
        return (self._file.at(position) for position in positions[::step])

    def index(self, question: QuestionId, sample: int) -> int | None:
        """The number of the question and sample; None if it is not one of the run."""
        number = self._numbers.get(question)
        return None if number is None or sample >= self._samples else number * self._samples + sample

    def keep(self, index: int, position: int) -> None:
        """Keep the position of a record."""
        self._positions[index] = position


def stored_responses(
    folder: Path,
    numbers: Mapping[QuestionId, int],
    samples: int,
    look: Callable[[Response], None] = lambda response: None,
) -> StoredRecords[Response]:
    """The responses of a run to these questions, by the rule of `ResponseIndex`; `look` is called with each."""
    stored = StoredRecords(folder / RESPONSES, Response, numbers, samples)
    final = bytearray(len(numbers) * samples)
    for position, response in read_response_positions(folder):
        if response.question_id not in numbers:
            raise foreign_response(folder, response.question_id)
        look(response)
        index = stored.index(response.question_id, response.sample)
        if index is not None and not final[index]:
            stored.keep(index, position)
            final[index] = response.outcome not in WAITING
    return stored


def stored_verdicts(folder: Path, numbers: Mapping[QuestionId, int], samples: int) -> StoredRecords[Verdict]:
    """The verdicts of the last scoring; none if the file is missing or damaged, since they can be recomputed."""
    stored = StoredRecords(folder / VERDICTS, Verdict, numbers, samples)
    try:
        for position, verdict in Journal(folder / VERDICTS, Verdict).read_positions():
            index = stored.index(verdict.question_id, verdict.sample)
            if index is not None:
                stored.keep(index, position)
    except FathomError:
        return StoredRecords(folder / VERDICTS, Verdict, {}, samples)
    return stored
