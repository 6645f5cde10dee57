"""The ordered map: the same results from any number of processes, even when workers are killed."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path

import pytest

from fathom.parallel import WorkerPool, infrequent_gc, map_ordered
from fathom.records.errors import FathomError


def square(number: int) -> int:
    return number * number


def die_once(marker: Path, number: int) -> int:
    """Kill this process with SIGKILL on the first call with 7."""
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
    assert list(map_ordered(square, range(40), processes)) == [n * n for n in range(40)]


def test_retries_what_a_killed_worker_lost(tmp_path: Path) -> None:
    marker = tmp_path / "died"
    assert list(map_ordered(partial(die_once, marker), range(30), 2)) == [n * n for n in range(30)]
    assert marker.exists()


def test_gives_up_on_an_item_that_kills_every_worker() -> None:
    with pytest.raises(FathomError, match="died 3 times in a row"):
        list(map_ordered(always_die, range(5), 2))


def test_an_error_in_a_task_reaches_the_caller() -> None:
    with pytest.raises(FathomError, match="not wanted"):
        list(map_ordered(refuse, range(5), 2))


def test_consumes_an_endless_stream_only_as_far_as_needed() -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    assert list(islice(map_ordered(square, endless(), 2), 5)) == [0, 1, 4, 9, 16]
    assert len(taken) < 20


def slow_square(number: int) -> int:
    time.sleep(0.01)
    return number * number + len(bytes(number * 1000))


def test_killing_workers_from_outside_never_hangs() -> None:
    """Whatever a worker is doing when it is killed, writing a large result included."""
    results = map_ordered(slow_square, range(200), 2)
    found = []
    for number, result in enumerate(results):
        found.append(result)
        if number % 20 == 5:
            for child in multiprocessing.active_children()[:1]:
                os.kill(child.pid or 0, signal.SIGKILL)
    assert found == [n * n + n * 1000 for n in range(200)]


ORPHANING = """
import sys
from fathom.parallel import map_ordered
from tests.test_parallel import slow_square
import multiprocessing
for number, _ in enumerate(map_ordered(slow_square, range(10_000), 2)):
    if number == 4:
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
"""


def test_workers_end_with_their_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHANING], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = [int(number) for number in parent.stdout.readline().split()]
    assert len(workers) == 2
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


def test_a_pool_is_reused_even_after_an_early_exit() -> None:
    with WorkerPool(2) as pool:
        staff = {child.pid for child in multiprocessing.active_children()}
        assert list(pool.map_ordered(square, range(10))) == [n * n for n in range(10)]
        assert list(pool.map_ordered(str, range(10))) == [str(n) for n in range(10)]
        assert {child.pid for child in multiprocessing.active_children()} == staff
        broken_off = pool.map_ordered(slow_square, count())
        assert next(broken_off) == 0
        broken_off.close()
        assert list(pool.map_ordered(square, range(10))) == [n * n for n in range(10)]


def _doubled(content: bytes) -> bytes:
    return content * 2


def test_large_items_and_results_do_not_deadlock() -> None:
    """Neither fits a pipe: a parent that sends and a worker that answers would deadlock."""
    items = [bytes([number]) * 3_000_000 for number in range(24)]
    assert list(map_ordered(_doubled, items, 2)) == [item * 2 for item in items]


def test_restores_garbage_collection_afterwards() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), infrequent_gc():
        assert gc.get_threshold()[0] > before[0]
        _ = 1 / 0
    assert gc.get_threshold() == before


def test_a_script_without_a_main_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from math import sqrt\nfrom fathom.parallel import map_ordered\nprint(list(map_ordered(sqrt, [4, 9], 2)))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "[2.0, 3.0]\n"), ran.stderr


def process_of(number: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def test_items_of_one_group_go_to_one_worker_and_results_stay_in_order() -> None:
    numbers = [group for group in range(4) for _ in range(5)] * 2
    used = list(map_ordered(process_of, numbers, 2, lambda number: number))
    assert len(used) == len(numbers) and len(set(used)) == 2
    workers = {group: [one for number, one in zip(numbers, used, strict=True) if number == group] for group in range(4)}
    # Towards the end, a worker without a job may take those of another's group.
    assert sum(Counter(one).most_common(1)[0][1] for one in workers.values()) >= len(numbers) - 10
    assert list(map_ordered(square, numbers, 2, lambda number: number)) == [n * n for n in numbers]


def test_one_group_keeps_all_workers_busy() -> None:
    assert len(set(map_ordered(process_of, range(20), 2, lambda number: "same"))) == 2


def test_retries_what_a_killed_worker_lost_of_a_group(tmp_path: Path) -> None:
    task = partial(die_once, tmp_path / "died")
    assert list(map_ordered(task, range(30), 2, lambda number: number % 3)) == [n * n for n in range(30)]
