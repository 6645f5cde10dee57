"""The embedded model: small weights served on a loopback port with the OpenAI protocol by a child process."""

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
"""The package that runs the model; pinned, since another build may give other responses."""

_TIMEOUT = 60.0
"""Seconds until a silent child counts as hung; loading takes half a second, on a busy machine longer."""

# KV states of earlier prompts stay in memory when another prompt takes the slot; the oldest is removed first. Measured:
# 22.6 KiB per token, so this is enough for 90,000 tokens: thirty contexts of 3K tokens, or eleven of 8K. A cached
# context of 1.7K tokens takes 0.2 s instead of 9 s.
_CACHE_MEBIBYTES = 2048


@dataclass(frozen=True)
class ChildSettings:
    """The settings of the child process."""

    model: str
    """The path of the weights."""
    name: str
    """The name of the model in responses."""
    window: int
    """Tokens of prompt and response together."""
    slots: int
    """The number of questions answered at the same time."""
    cache: bool
    """Whether KV states are cached for later prompts with the same prefix."""
    parent: int
    """The parent process; the child exits with it."""


class EmbeddedServer:
    """The running embedded model: `with EmbeddedServer() as server:` and send requests to `server.url`.

    A prompt that exceeds `window` is rejected with status 400 and never truncated. Only `cache=False` gives identical
    responses for the same seed: a cached prefix is processed in other batches than a new one, sums round differently,
    and a close choice between two tokens can change. The cache works on common prefixes, so the context comes first and
    the question last.

    One slot answers one question at a time, and that is the fastest: six concurrent questions on two contexts of 930
    tokens took 11 s with one slot, 22 s with two and 37 s with four, since two slots with the same context each process
    all of it, and one slot keeps two cores busy.
    """

    def __init__(self, window: int = 8192, slots: int = 1, cache: bool = True, model: Path | None = None) -> None:
        if window < 1 or slots < 1:
            raise FathomError(f"A window of {window} tokens with {slots} slots is too small. Give at least 1 of both.")
        self.window = window
        self._slots = slots
        self._cache = cache
        self._file = (model or weights()).absolute()
        self._advice = "Check that the file is complete" if model else f"Delete the file and fetch it with `{COMMAND}`"
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._address = ""

    @property
    def url(self) -> str:
        """The base URL for a client of the OpenAI protocol."""
        return f"{self._address}/v1"

    @property
    def name(self) -> str:
        """The name of the model in responses."""
        return self._file.stem

    def __enter__(self) -> Self:
        if find_spec("xllamacpp") is None:
            raise FathomError(f"The embedded model needs the package `xllamacpp`. Run `pip install {RUNTIME}`.")
        try:
            self._start(ChildSettings(str(self._file), self.name, self.window, self._slots, self._cache, os.getpid()))
            self._address = self._await_address()
            self._check_window()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self, settings: ChildSettings) -> None:
        # The output of the child goes into a file: a pipe that is not read would fill up and block it.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the child runs
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fathom.models.embedded", json.dumps(asdict(settings))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Waiting threads must sleep, not spin: the client needs a core too. The library reads this once, when it
            # is loaded, so it is set before the child starts.
            env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
            # Ctrl-C is for the parent, which may still want pending responses; the child exits with it.
            start_new_session=True,
        )

    def _await_address(self) -> str:
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _TIMEOUT)
        if not ready:
            raise self._failure(f"did not start within {_TIMEOUT:.0f} seconds")
        address = self._process.stdout.readline().decode().strip()
        if not address:
            raise self._failure("did not start")
        return address

    def _check_window(self) -> None:
        # The runtime silently limits the window to that of the model (8,192 tokens of 16,384 requested), and rounds
        # small windows up.
        served = int(self._call("/props")["default_generation_settings"]["n_ctx"])
        if served < self.window:
            raise FathomError(
                f"The embedded model '{self._file}' reads at most {served} tokens, not {self.window}. "
                f"Choose a window of {served} or less."
            )
        self.window = served

    def _failure(self, problem: str) -> FathomError:
        return FathomError(f"The embedded model '{self._file}' {problem}: {self._last_messages()}. {self._advice}.")

    def _last_messages(self) -> str:
        """The last messages of the child, without the times and levels of the runtime."""
        if self._log is None:
            return "it has exited"
        # Read at an offset: moving the position of the file would move that of the child too.
        content = os.pread(self._log.fileno(), 1 << 20, max(0, os.fstat(self._log.fileno()).st_size - (1 << 20)))
        lines = [re.sub(r"^[\d.]+ [A-Z] ", "", line) for line in content.decode(errors="replace").splitlines()]
        return "; ".join([" ".join(line.split()) for line in lines if line.strip()][-3:]) or "there is no message"

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            # It has nothing to save, and a hung process would not react to a request.
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._log is not None:
            self._log.close()
            self._log = None

    def count(self, text: str) -> int:
        """The tokens of `text`; a chat marker in it, such as `<|im_end|>`, counts as that marker."""
        return len(self._call("/tokenize", {"content": text})["tokens"])

    def _call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The parsed JSON of a server call such as a token count; clients send prompts to `url` themselves."""
        if self._process is None:
            raise RuntimeError("the embedded model must be opened with `with`")
        content = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, content, {"Content-Type": "application/json"})
        try:
            # Without a proxy: one from the environment would be used even for this machine.
            with build_opener(ProxyHandler({})).open(request, timeout=_TIMEOUT) as response:
                return json.load(response)
        except HTTPError as error:
            with error:
                message = error.read().decode(errors="replace")
            raise FathomError(f"The embedded model rejects '{path}': {message}. Correct the request.") from error
        except (OSError, HTTPException) as error:
            raise self._failure(f"does not answer ({error})") from error


def serve(settings: ChildSettings) -> None:
    """The child process: serve until the parent is gone, and print the address on standard output."""
    threading.Thread(target=_end_with_parent, args=(settings.parent,), daemon=True).start()
    server = _load(settings)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


def _end_with_parent(parent: int) -> None:
    """Exit when the parent closes the pipe or is gone, even if it was killed."""
    # The pipe is not enough: a process forked by the parent has the other end too, and may outlive it.
    while os.getppid() == parent and not select.select([sys.stdin], [], [], 1.0)[0]:
        pass
    os._exit(0)


def _load(settings: ChildSettings) -> Any:
    """The server of the runtime with the model loaded; it answers in its own thread."""
    import xllamacpp  # type: ignore[import-untyped,unused-ignore]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings.model
    parameters.model_alias = [settings.name]  # Otherwise responses would contain a path of this machine.
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0  # The system picks a free one.
    parameters.n_ctx = settings.window * settings.slots
    parameters.n_parallel = settings.slots
    # On two cores a second thread makes generation slower (43 tokens/s instead of 65) and prompt processing faster.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 2
    # Measured on a busy machine with 1K tokens: flash attention takes 20 s instead of 25 s for the first response, but
    # 1.3 s instead of 0.8 s for each further one on the same context.
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cache_prompt = settings.cache
    parameters.cache_ram_mib = _CACHE_MEBIBYTES if settings.cache else 0
    # Between batches the server notices that a client has gone. With batches of 2048 the next question waited 43 s for
    # an abandoned one of 2K tokens, and larger batches gained nothing.
    parameters.n_batch = 512
    # Every waiting request occupies a thread, and token counts must not wait minutes for a prompt.
    parameters.n_threads_http = 32
    parameters.ui = False
    parameters.verbosity = 1  # Only errors.
    return xllamacpp.Server(parameters)


def main() -> int:
    """The entry point of the child: one argument, the settings in JSON."""
    # The runtime has printed why a model does not load; a traceback would hide it.
    with suppress(RuntimeError):
        serve(ChildSettings(**json.loads(sys.argv[1])))
    return 1


if __name__ == "__main__":
    sys.exit(main())
