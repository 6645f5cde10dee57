"""The embedded model: small weights served on a loopback port, in OpenAI's protocol, by a child process."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from fathom.models.weights import COMMAND, weights
from fathom.records.errors import FathomError

RUNTIME = "xllamacpp==2026.10.11549"
"""The package that runs the model; pinned, since another build may write other responses."""

_PATIENCE = 60.0
"""Seconds until a silent child counts as hung; loading takes half a second, on a busy machine some more."""

# States of earlier prompts are kept in memory when another prompt takes the slot. Measured: 22.6 KiB a token, the
# oldest goes first. So this holds 90,000 tokens: thirty contexts of 3K tokens, or eleven of 8K. A context that comes
# back from there costs 0.2 s instead of 9 s (1.7K tokens).
_CACHE_MEBIBYTES = 2048


@dataclass(frozen=True)
class Settings:
    """What the child is told."""

    model: str
    """The path of the weights."""
    name: str
    """What the model is called in responses."""
    window: int
    """Tokens of prompt and response together."""
    slots: int
    """How many questions are answered at the same time."""
    cache: bool
    """Whether states of prompts are kept for others that begin alike."""
    parent: int
    """The process without which there is nobody to serve."""


class EmbeddedServer:
    """The embedded model while it runs: `with EmbeddedServer() as server:` and then ask at `server.url`.

    A prompt that exceeds `window` is refused with status 400 and never cut. Responses of one seed repeat bit for bit
    only with `cache=False`: a prefix that comes from the cache is worked through in other portions than a cold one,
    sums round differently, and a close choice between two words can fall the other way. What two prompts must share to
    use the cache is their beginning, so the context comes first and the question last.

    One slot answers one question at a time, and that is the fastest: six questions at once about two contexts of 930
    tokens took 11 s with one slot, 22 s with two and 37 s with four, since two slots that begin the same context each
    work through all of it, and two cores are busy with one.
    """

    def __init__(self, window: int = 8192, slots: int = 1, cache: bool = True, model: Path | None = None) -> None:
        if window < 1 or slots < 1:
            raise FathomError(f"A window of {window} tokens in {slots} slots holds nothing. Give both at least 1.")
        self.window = window
        self._slots = slots
        self._cache = cache
        self._file = (model or weights()).absolute()
        self._advice = "See that the file is whole" if model else f"Delete the file and fetch it with `{COMMAND}`"
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._address = ""

    @property
    def url(self) -> str:
        """Where a client of OpenAI's protocol finds it."""
        return f"{self._address}/v1"

    @property
    def name(self) -> str:
        """What the model is called in responses."""
        return self._file.stem

    def __enter__(self) -> Self:
        if find_spec("xllamacpp") is None:
            raise FathomError(f"The embedded model needs the package `xllamacpp`. Run `pip install {RUNTIME}`.")
        try:
            self._start(Settings(str(self._file), self.name, self.window, self._slots, self._cache, os.getpid()))
            self._address = self._await_address()
            self._see_window()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self, settings: Settings) -> None:
        # What the child says goes into a file: a pipe that nobody reads would fill up and stop it.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the child runs
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fathom.models.embedded", json.dumps(asdict(settings))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Threads that wait must sleep and not spin: the program that asks needs a core too. The library reads
            # this once, when it is loaded, so it is set before the child begins.
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
            # Ctrl-C is for the parent, which may still want the answers under way; the child follows when it ends.
            start_new_session=True,
        )

    def _await_address(self) -> str:
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _PATIENCE)
        if not ready:
            raise self._failed(f"did not start within {_PATIENCE:.0f} seconds")
        address = self._process.stdout.readline().decode().strip()
        if not address:
            raise self._failed("did not start")
        return address

    def _see_window(self) -> None:
        # The runtime quietly serves no more than the model was trained on (8,192 tokens of 16,384 asked for), and
        # rounds small windows up.
        served = int(self._call("/props")["default_generation_settings"]["n_ctx"])
        if served < self.window:
            raise FathomError(
                f"The embedded model '{self._file}' reads at most {served} tokens, not {self.window}. "
                f"Ask for a window of {served} or less."
            )
        self.window = served

    def _failed(self, fault: str) -> FathomError:
        return FathomError(f"The embedded model '{self._file}' {fault}: {self._last_words()}. {self._advice}.")

    def _last_words(self) -> str:
        """What the child said last, without the times and levels at the beginning of the runtime's lines."""
        if self._log is None:
            return "it has ended"
        # Another view of the file: moving the position of this one would move the child's too.
        said = os.pread(self._log.fileno(), 1 << 20, max(0, os.fstat(self._log.fileno()).st_size - (1 << 20)))
        lines = [re.sub(r"^[\d.]+ [A-Z] ", "", line) for line in said.decode(errors="replace").splitlines()]
        return "; ".join([" ".join(line.split()) for line in lines if line.strip()][-3:]) or "it said nothing"

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            # It has nothing to save, and a hung one would not listen to a request.
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._log is not None:
            self._log.close()
            self._log = None

    def count(self, text: str) -> int:
        """Tokens of `text` alone; what looks like a mark of the chat, such as `<|im_end|>`, counts as that mark."""
        return len(self._call("/tokenize", {"content": text})["tokens"])

    def count_messages(self, messages: Sequence[dict[str, str]]) -> int:
        """Tokens of a chat as the model reads it, with the marks around messages and its own system message."""
        return int(self._call("/v1/chat/completions/input_tokens", {"messages": list(messages)})["input_tokens"])

    def _call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the server answers to a question of its own, such as a count; a prompt goes to `url` instead."""
        if self._process is None:
            raise RuntimeError("the embedded model runs inside `with`")
        content = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, content, {"Content-Type": "application/json"})
        try:
            # A proxy that the environment names would be asked for this machine's own port.
            with build_opener(ProxyHandler({})).open(request, timeout=_PATIENCE) as answer:
                return json.load(answer)
        except HTTPError as error:
            with error:
                words = error.read().decode(errors="replace")
            raise FathomError(f"The embedded model refuses '{path}': {words}. Correct what was sent.") from error
        except (OSError, HTTPException) as error:
            raise self._failed(f"does not answer ({error})") from error


def serve(settings: Settings) -> None:
    """What the child does: serve until the parent is gone, and tell the address on standard output."""
    threading.Thread(target=_end_with_parent, args=(settings.parent,), daemon=True).start()
    server = _load(settings)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


def _end_with_parent(parent: int) -> None:
    """End this process when the parent closes the pipe or is gone, be it by a kill that lets it do nothing."""
    # The pipe alone is not enough: a process forked off by the parent holds the other end too, and may outlive it.
    while os.getppid() == parent and not select.select([sys.stdin], [], [], 1.0)[0]:
        pass
    os._exit(0)


def _load(settings: Settings) -> Any:
    """The runtime's server with the model loaded; a thread of its own answers from here on."""
    import xllamacpp  # type: ignore[import-untyped,unused-ignore]

    chosen = xllamacpp.CommonParams()
    chosen.model.path = settings.model
    chosen.model_alias = [settings.name]  # Otherwise responses would carry a path of this machine.
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0  # The system picks a free one.
    chosen.n_ctx = settings.window * settings.slots
    chosen.n_parallel = settings.slots
    # On two cores a second thread makes writing slower (43 tokens a second instead of 65), reading a prompt quicker.
    chosen.cpuparams.n_threads = 1
    chosen.cpuparams_batch.n_threads = 2
    # Measured on a busy machine over 1K tokens: with it the first answer takes 20 s instead of 25 s, but each further
    # one about the same context 1.3 s instead of 0.8 s.
    chosen.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    chosen.cache_prompt = settings.cache
    chosen.cache_ram_mib = _CACHE_MEBIBYTES if settings.cache else 0
    # Between portions the server sees that a client has given up. With portions of 2048 the next question waited 43 s
    # for an abandoned one of 2K tokens, and larger portions gained nothing.
    chosen.n_batch = 512
    # Every waiting request holds a thread, and counting tokens must not wait for a prompt of minutes.
    chosen.n_threads_http = 32
    chosen.ui = False
    chosen.verbosity = 1  # Only what went wrong.
    return xllamacpp.Server(chosen)


def main() -> int:
    """The child's entry: one argument, the settings in JSON."""
    # A model that does not load was told above this by the runtime; a trace would bury it.
    with suppress(RuntimeError):
        serve(Settings(**json.loads(sys.argv[1])))
    return 1


if __name__ == "__main__":
    sys.exit(main())
