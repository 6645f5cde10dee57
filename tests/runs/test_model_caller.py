from __future__ import annotations

import contextlib
from collections.abc import Callable

import anyio
import pytest

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Message, Prompt
from fathom.records.questions import Usage
from fathom.runs.model_caller import Attempts, ModelCaller
from fathom.runs.request_limits import Budget, BudgetReached, Gate
from fathom.systems.protocol import CallEstimate


class Cache:
    """Records what passes the gate, in order."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.began: list[str] = []
        self.cold = 0
        self._warm: set[str] = set()

    async def ask(self, prefix: str, name: str, seconds: float = 0.01, fail: bool = False) -> None:
        async with self._gate.through(prefix) as opened:
            self.began.append(name)
            self.cold += prefix not in self._warm
            await anyio.sleep(seconds)
            if fail:
                raise RuntimeError(name)
            self._warm.add(prefix)
            opened()
            await anyio.sleep(seconds)


def together(*calls: Callable[[], object]) -> None:
    async def run() -> None:
        async with anyio.create_task_group() as group:
            for call in calls:
                group.start_soon(call)  # type: ignore[arg-type]

    anyio.run(run)


def test_the_first_request_goes_alone_and_the_others_follow() -> None:
    cache = Cache(Gate())
    together(*(lambda n=n: cache.ask("p", f"q{n}") for n in range(8)))
    assert cache.cold == 1
    assert len(cache.began) == 8


def test_prefixes_do_not_wait_for_one_another() -> None:
    cache = Cache(Gate())
    together(*(lambda n=n: cache.ask(f"p{n % 3}", f"q{n}") for n in range(12)))
    assert cache.cold == 3
    assert set(cache.began[:3]) == {"q0", "q1", "q2"}


def test_after_a_leader_that_failed_the_next_one_leads() -> None:
    cache = Cache(Gate())

    async def failing() -> None:
        with pytest.raises(RuntimeError):
            await cache.ask("p", "bad", fail=True)

    together(failing, *(lambda n=n: cache.ask("p", f"q{n}") for n in range(4)))
    assert cache.cold == 2
    assert sorted(cache.began) == ["bad", "q0", "q1", "q2", "q3"]


def test_leaders_that_fail_do_not_hold_up_the_rest() -> None:
    """Each may take minutes to fail, so that after two of them the others go at once."""
    cache = Cache(Gate())
    most = flying = 0

    async def failing(name: str) -> None:
        nonlocal most, flying
        with pytest.raises(RuntimeError):
            async with cache._gate.through("p"):
                flying += 1
                most = max(most, flying)
                await anyio.sleep(0.01)
                flying -= 1
                raise RuntimeError(name)

    together(*(lambda n=n: failing(f"q{n}") for n in range(10)))
    assert most == 8


def test_the_number_of_prefixes_in_flight_is_limited() -> None:
    gate, most, flying = Gate(prefixes_in_flight=2), 0, set[str]()

    async def ask(prefix: str) -> None:
        nonlocal most
        async with gate.through(prefix) as opened:
            flying.add(prefix)
            most = max(most, len(flying))
            await anyio.sleep(0.005)
            opened()
            flying.discard(prefix)

    together(*(lambda n=n: ask(f"p{n}") for n in range(9)))
    assert most == 2


def test_only_recent_prefixes_are_assumed_warm() -> None:
    gate = Gate(warm_prefixes=1)
    led: list[str] = []

    async def ask(prefix: str) -> None:
        async with gate.through(prefix) as opened:
            # Only a leader's function does anything; a follower's is the same for all.
            led.extend([prefix] if "opened" in opened.__qualname__ else [])
            opened()

    async def run() -> None:
        for prefix in ("a", "a", "b", "a"):
            await ask(prefix)

    anyio.run(run)
    assert led == ["a", "b", "a"]


class _Miscounting:
    """A model whose server reports a fixed usage."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        return Completion("word " * 400, "stop", usage=self._usage)

    def halt(self) -> None:
        raise AssertionError

    def stop_waiting(self, reason: str) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        (Usage(input_tokens=9_000, output_tokens=500), None),
        (Usage(input_tokens=20_000, output_tokens=9_000), None),  # another tokenizer; thinking that is not shown
        (Usage(input_tokens=12, output_tokens=500), "input tokens is 12, where about 12,000 are"),
        (Usage(input_tokens=900_000, output_tokens=500), "input tokens is 900,000, where"),
        (Usage(input_tokens=9_000, output_tokens=1), "output tokens is 1, where"),
        (Usage(), None),  # it reports nothing: the usage is estimated
    ],
)
def test_a_usage_that_does_not_fit_the_text_is_noticed_once(reported: Usage, said: str | None) -> None:
    notices: list[str] = []
    caller = ModelCaller(
        _Miscounting(reported), ModelInfo(), 1_000, Budget(None), Gate(), lambda used: None, notify=notices.append
    )
    estimate = CallEstimate(
        calls=1, input_tokens=10_000, largest_call=10_000, prefix="", prefix_tokens=0, prefix_calls=1
    )

    async def ask() -> None:
        for _ in range(3):
            await caller.ask(Prompt((Message("user", ("Why?",)),)), lambda: estimate)

    anyio.run(ask)
    assert len(notices) == (said is not None)
    if said is None:
        assert caller.implausible is None
    else:
        assert said in notices[0]
        assert caller.implausible == notices[0]


class _Breaking:
    """A model whose attempts break off after they were sent."""

    sent = 0

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        while True:
            attempts.begin()
            self.sent += 1
            await anyio.sleep(0)
            attempts.lose()

    def halt(self) -> None:
        raise AssertionError

    def stop_waiting(self, reason: str) -> None:
        raise AssertionError


def test_attempts_that_break_off_count_in_the_budget() -> None:
    model, budget = _Breaking(), Budget(1.0)
    info = ModelInfo(input_price=10.0, output_price=0.0, token_ratio=1.0)
    caller = ModelCaller(model, info, 1_000, budget, Gate(), lambda used: None)
    estimate = CallEstimate(
        calls=1, input_tokens=10_000, largest_call=10_000, prefix="", prefix_tokens=0, prefix_calls=1
    )

    async def ask() -> None:
        with pytest.raises(BudgetReached):
            await caller.ask(Prompt((Message("user", ("Why?",)),)), lambda: estimate)

    together(*[ask] * 3)
    assert model.sent == 9  # ten cost $1.0064
    assert 0.9 < budget.spent <= 1.0


@pytest.mark.parametrize("connections", [1, 8, 64])
def test_a_server_that_counts_more_tokens_than_estimated_does_not_exceed_the_budget(connections: int) -> None:
    info = ModelInfo(input_price=10.0, output_price=0.0, token_ratio=1.0)
    estimate = CallEstimate(
        calls=1, input_tokens=10_000, largest_call=10_000, prefix="", prefix_tokens=0, prefix_calls=1
    )
    budget = Budget(5.0)  # 40 calls at $0.12
    caller = ModelCaller(_Counting(12_000), info, 1_000, budget, Gate(), lambda used: None)

    async def ask() -> None:
        with contextlib.suppress(BudgetReached):
            while True:
                await caller.ask(Prompt((Message("user", ("Why?",)),)), lambda: estimate, lambda: estimate)

    together(*[ask] * connections)
    assert 4.85 < budget.spent <= 5.0


class _Counting:
    """A model whose server counts this many input tokens."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        opened()
        await anyio.sleep(0.01)
        return Completion("Answer: 1", "stop", usage=Usage(input_tokens=self._tokens, output_tokens=5))

    def halt(self) -> None:
        raise AssertionError

    def stop_waiting(self, reason: str) -> None:
        raise AssertionError
