"""The ordered map: the same results from any number of processes, even when workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

from fathom.records.errors import FathomError
from fathom.work import run_ordered


def square(number: int) -> int:
    return number * number


def die_once(marker: Path, number: int) -> int:
    """Kills its own process the first time it is given 7, the hard way."""
    if number == 7 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def always_die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    raise FathomError(f"Number {number} is not wanted.")


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_order_from_any_number_of_processes(processes: int) -> None:
    assert list(run_ordered(square, range(40), processes)) == [n * n for n in range(40)]


def test_what_a_killed_worker_lost_is_done_again(tmp_path: Path) -> None:
    marker = tmp_path / "died"
    assert list(run_ordered(partial(die_once, marker), range(30), 2)) == [n * n for n in range(30)]
    assert marker.exists()


def test_work_that_kills_every_worker_is_given_up_with_a_sentence() -> None:
    with pytest.raises(FathomError, match="died 3 times in a row"):
        list(run_ordered(always_die, range(5), 2))


def test_an_error_in_a_task_reaches_the_caller() -> None:
    with pytest.raises(FathomError, match="not wanted"):
        list(run_ordered(refuse, range(5), 2))


def test_an_endless_stream_is_taken_only_as_far_as_needed() -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    assert list(islice(run_ordered(square, endless(), 2), 5)) == [0, 1, 4, 9, 16]
    assert len(taken) < 20
