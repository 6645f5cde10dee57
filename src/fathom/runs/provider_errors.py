"""What a provider's errors mean for a request and for the run, and answers that the engine cannot read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from http import HTTPStatus
from json import JSONDecodeError
from typing import Any

from inspect_ai.model import Model
from inspect_ai.model._model import AttemptTimeoutError, StreamIdleTimeoutError
from tenacity import RetryError

GATEWAY = (502, 503, 504)
"""Status codes with which a gateway says that the server behind it does not answer."""
_ANSWER_LOST = (502, 504)
"""Status codes with which a gateway says that it had no complete answer in time from the server behind it. Providers
do not bill requests that end with any other error status."""
_CONNECTION = {"APIConnectionError", "TransportError"}
"""Errors of connections in the clients of providers, by name: they use several versions of one HTTP library."""
_UNSENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol", "LocalProtocolError"}
"""Errors of connections that were never opened."""
_FATAL = {
    401: "rejects the API key",
    402: "wants to be paid first",
    403: "denies access",
    404: "does not know the model or the address",
    429: "says that your quota is used up",
}
SHOWN = 200
"""Characters of an unusable answer that are shown."""
_LARGEST_COUNT = 2**53


class UnusableAnswerError(Exception):
    """The server answered with something that is not a completion."""


_TLS = {
    "CERTIFICATE_VERIFY_FAILED": "has a certificate that cannot be verified. If you trust it, name a file with the "
    "certificate in SSL_CERT_FILE",
    "WRONG_VERSION_NUMBER": "does not speak TLS. Check its address: it may begin with http://",
}
"""Errors of TLS that do not pass, with what to do."""


def fatal_problem(error: BaseException) -> str:
    """An error that every further request would repeat, with what to check; empty for other errors."""
    for cause in _causes(error):
        for name, advice in _TLS.items():
            if name in str(cause):
                return advice
    status = getattr(error, "status_code", None)
    if status == 429 and getattr(error, "code", None) != "insufficient_quota":
        return ""  # a rate limit
    if status in (402, 429):
        return f"{_FATAL[status]} ({status}). Check your account"
    is_redirect = status is not None and 300 <= status < 400
    problem = "refers to another address, which may be any" if is_redirect else _FATAL.get(status or 0)
    return f"{problem} ({status}). Check the model's name, its API key and its address" if problem else ""


REFUSALS = 5
"""Requests that are rejected with one message, before any is answered, after which a run is hopeless."""
_VARIABLE = re.compile(r"[0-9a-f]*\d[0-9a-f-]*", re.IGNORECASE)
"""What differs between two messages that say the same, such as the id of a request."""


class Refusals:
    """Notices that a server rejects every request, for example since it calls an unknown model an invalid request."""

    def __init__(self) -> None:
        self._count = 0
        self._messages: set[str] = set()
        self._any_answered = False

    def answered(self) -> None:
        """A request was answered."""
        self._any_answered = True

    def is_hopeless(self, status: int | None, message: str) -> bool:
        """Count a rejected request; whether all requests so far were rejected with this message."""
        if self._any_answered or status is None or status == 429:
            return False
        self._count += 1
        self._messages.add(_VARIABLE.sub("", message))
        return self._count >= REFUSALS and len(self._messages) == 1


def error_message(error: BaseException) -> str:
    """The provider's message; with the name of the status if there is nothing else."""
    message = str(getattr(error, "provider_message", None) or error)
    bare = re.fullmatch(r"Error code: (\d{3})", message)
    if bare is not None and int(bare[1]) in {status.value for status in HTTPStatus}:
        return f"{message} - {HTTPStatus(int(bare[1])).phrase}"
    return message


def last_error(error: BaseException) -> BaseException:
    """The error of the last attempt, without the engine's wrapper."""
    if isinstance(error, RetryError) and error.last_attempt.exception() is not None:
        return last_error(error.last_attempt.exception() or error)
    return error


def is_unstreamed(error: BaseException) -> bool:
    """Whether the server did not stream although it was asked to."""
    return type(error).__name__ == "NoStreamDataError"


def is_timeout(error: BaseException) -> bool:
    return isinstance(error, AttemptTimeoutError | StreamIdleTimeoutError)


def fault_of_body(error: BaseException) -> str:
    """The problem with an answer that the engine could not read; empty for other errors."""
    if isinstance(error, UnusableAnswerError):
        return str(error)
    if isinstance(error, JSONDecodeError):
        return "the server's answer is not JSON"
    # The engine reads the first choice without checking that there is one.
    return "the server's answer has no choices" if isinstance(error, IndexError) else ""


def is_unanswered(error: BaseException) -> bool:
    """Whether a request got no answer from the model's server: no connection, one that broke, a timeout, garbage."""
    if fault_of_body(error):
        return True
    status = getattr(error, "status_code", None)
    return status in GATEWAY if status is not None else is_timeout(error) or _broken_connection(error) is not None


def may_be_paid(error: BaseException) -> bool:
    """Whether a failed attempt was sent and may have been answered: it broke off, came late or is unreadable."""
    status = getattr(error, "status_code", None)
    if status is not None:
        return status in _ANSWER_LOST
    if not isinstance(error, Exception) or is_timeout(error) or is_unstreamed(error) or fault_of_body(error):
        return True  # a cancelled attempt was too slow for the engine
    names = {kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__}
    return _broken_connection(error) is not None and not names & (_UNSENT | {"ConnectionRefusedError", "gaierror"})


def problem_of_attempt(error: BaseException) -> str:
    """In a few words why an attempt got no answer."""
    status = getattr(error, "status_code", None)
    if status is not None:
        return f"status {status}"
    if is_timeout(error):
        return "no response within the time limit"
    broken = _broken_connection(error)
    if broken is not None and "Timeout" in type(broken).__name__:
        return "no connection within the time limit"
    return fault_of_body(error) or " ".join(str(broken or "").split())[:SHOWN] or type(error).__name__


def _broken_connection(error: BaseException) -> BaseException | None:
    """The innermost known error of the connection; None if the error is another one."""
    found = None
    for cause in _causes(error):
        if isinstance(cause, ConnectionError | TimeoutError) or _CONNECTION & {
            kind.__name__ for kind in type(cause).__mro__
        }:
            found = cause
    return found


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, its cause, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def is_overflow(message: str) -> bool:
    """Whether a server without an error code for it says that the prompt is too long."""
    lowered = message.lower()
    return any(words in lowered for words in ("context length", "context window", "context size", "maximum context"))


def check_answers(model: Model) -> None:
    """Check what servers with OpenAI's protocol answer before the engine reads it.

    The engine would fail with an error of its own code, or lose a completion because of its usage.
    """
    complete: Any = getattr(model.api, "_generate_completion", None)
    if complete is None:
        return

    async def checked(*arguments: Any, **named: Any) -> Any:
        try:
            completion = await complete(*arguments, **named)
        except JSONDecodeError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # An error in the client's code that reads the answer.
            raise UnusableAnswerError(f"the server's answer cannot be read ({error})"[:SHOWN]) from error
        return _checked_completion(completion)

    # The client warns of them, too.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    model.api._generate_completion = checked  # type: ignore[attr-defined]


def _checked_completion(completion: Any) -> Any:
    """The completion without usage that is not made of numbers; an error if it is none."""
    if not hasattr(completion, "choices"):
        raise UnusableAnswerError(f"the server's answer is not a completion: {_shown(completion)}")
    choices = completion.choices
    if not isinstance(choices, list) or any(getattr(choice, "message", None) is None for choice in choices or [None]):
        raise UnusableAnswerError(": ".join(filter(None, ("the server's answer has no choices", _stated(completion)))))
    if completion.usage is not None and not _is_readable(completion.usage):
        completion.usage = None
    return completion


def _stated(completion: Any) -> str:
    """The error that a server with status 200 states."""
    stated = completion.model_dump(warnings=False)
    error = next((stated[name] for name in ("error", "detail", "message") if stated.get(name)), "")
    return _shown(error.get("message") or error if isinstance(error, dict) else error)


def _is_readable(usage: Any) -> bool:
    """Whether all counts are whole numbers; without usage, tokens are estimated."""
    read, written = (getattr(usage, f"{kind}_tokens_details", None) for kind in ("prompt", "completion"))
    details = (getattr(read, "cached_tokens", None) or 0, getattr(written, "reasoning_tokens", None) or 0)
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, *details)
    return all(isinstance(count, int) and abs(count) < _LARGEST_COUNT for count in counts)


def _shown(answer: Any) -> str:
    text = " ".join((answer if isinstance(answer, str) else repr(answer)).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."
