"""Errors caused by misuse or broken input, printed without a traceback."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FathomError(Exception):
    """Misuse or broken input. The message names the thing, the problem and the next step."""


# Errors of the operating system: problem and next step.
_ADVICE = {
    errno.ENOSPC: ("the disk is full", "Free some space and run the same command again; finished work is kept"),
    errno.EDQUOT: (
        "the disk quota is exceeded",
        "Free some space and run the same command again; finished work is kept",
    ),
    errno.EFBIG: ("the file is larger than this system allows", "Raise the limit (ulimit -f) or write elsewhere"),
    errno.EACCES: ("permission denied", "Choose another path, or change the permissions"),
    errno.EPERM: ("permission denied", "Choose another path, or change the permissions"),
    errno.EROFS: ("it is on a read-only file system", "Choose another path"),
    errno.ENOENT: ("it does not exist", "Check the path"),
    errno.ENOTDIR: ("part of the path is a file, not a folder", "Check the path"),
    errno.EISDIR: ("it is a folder, not a file", "Give a file"),
    errno.EEXIST: ("a file of that name exists", "Choose another name"),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one"),
}


def refuse_undecodable(path: Path | str) -> None:
    """Raise an error for a name that no manifest can contain: one that is not UTF-8, or has a null character."""
    name = str(path)
    # Python represents bytes that are not UTF-8 as lone surrogates.
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise FathomError(f"Cannot use {name!a}: the name is not UTF-8. Rename it, then try again.")
    if "\0" in name:
        raise FathomError(f"Cannot use {name!a}: the name has a null character. Choose another one.")


def os_error(action: str, path: Path | str, error: OSError) -> FathomError:
    """The error to raise when the operating system fails to `action` `path`."""
    problem, advice = _ADVICE.get(error.errno or 0, (error.strerror or str(error), "Check the path and the disk"))
    if error.errno == errno.ENOENT and action.startswith("write"):
        problem, advice = "its folder does not exist", "Create the folder, or choose another path"
    return FathomError(f"Cannot {action} '{path}': {problem}. {advice}.")


@contextmanager
def file_errors(action: str, path: Path) -> Iterator[None]:
    """Turns errors of the operating system and SQLite about `path` into a FathomError."""
    try:
        yield
    except OSError as error:
        raise os_error(action, path, error) from error
    except sqlite3.DatabaseError as error:
        raise _sqlite_error(action, path, error) from error
    except UnicodeDecodeError as error:
        raise FathomError(f"Cannot {action} '{path}': it is damaged ({error.reason}). Restore a copy.") from error


def _sqlite_error(action: str, path: Path, error: sqlite3.DatabaseError) -> FathomError:
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return os_error(action, path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return os_error(action, path, OSError(errno.EACCES, os.strerror(errno.EACCES)))
    problem, advice = {
        sqlite3.SQLITE_BUSY: ("another process is using it", "Wait until it ends, then try again"),
        sqlite3.SQLITE_IOERR: (
            f"the disk returned an error ({error})",
            "Check the disk and its limits, then run it again",
        ),
        sqlite3.SQLITE_CORRUPT: ("it is damaged or truncated", "Create it again, or restore a copy"),
        sqlite3.SQLITE_NOTADB: ("it is damaged or truncated", "Create it again, or restore a copy"),
    }.get(primary, (str(error), "Create it again, or restore a copy"))
    return FathomError(f"Cannot {action} '{path}': {problem}. {advice}.")
