"""The base class of records: frozen, validated, no unknown fields, one line of JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

_set = object.__setattr__  # records are frozen


class Record(BaseModel):
    """A value that is stored in a file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def to_line(self) -> bytes:
        """This record as one line of JSON, newline included; the same record always gives the same bytes."""
        return self.model_dump_json().encode() + b"\n"

    @classmethod
    def trusted(cls, **fields: Any) -> Self:
        """A record of values that were validated before; every field must be given.

        `model_construct` looks for defaults and aliases of each field, which takes several times as long.
        """
        record = cls.__new__(cls)
        _set(record, "__dict__", fields)
        _set(record, "__pydantic_fields_set__", set(fields))
        _set(record, "__pydantic_extra__", None)
        _set(record, "__pydantic_private__", None)
        return record

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The record in a line; raises pydantic's ValidationError for an invalid line."""
        return cls.model_validate_json(line)


def digest(*parts: str | bytes | int) -> bytes:
    """A 32-byte hash of `parts` in order; ("ab", "c") and ("a", "bc") differ."""
    return digest_stream(part if isinstance(part, bytes) else str(part).encode() for part in parts)


def digest_stream(pieces: Iterable[bytes]) -> bytes:
    """The hash that `digest` gives for the same pieces; they need not fit in memory together."""
    hasher = hashlib.blake2b(digest_size=32)
    for piece in pieces:
        hasher.update(len(piece).to_bytes(8, "big") + piece)
    return hasher.digest()


def short_id(prefix: str, *parts: str | bytes | int) -> str:
    """An id such as 'c-4f2a91c0d4e8': 48 bits of the hash of the parts."""
    return f"{prefix}-{digest(*parts).hex()[:12]}"


_PLAIN = {"extra_forbidden": "there is no such field", "missing": "it is missing"}
"""Messages in place of pydantic's, by their type."""


def first_error(error: ValidationError) -> str:
    """The first validation error: "field 'seed': Input should be a valid integer"."""
    details = error.errors(include_url=False, include_input=False)[0]
    location = ".".join(str(step) for step in details["loc"])
    message = _PLAIN.get(details["type"]) or str(details["msg"])
    message = message.removeprefix("Value error, ").partition(", unable to parse")[0]
    return f"field '{location}': {message}" if location else message
