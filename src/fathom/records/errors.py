"""What goes wrong by misuse, said in one sentence a person can act on."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FathomError(Exception):
    """Misuse or a broken input: the thing, the fault and the next step, in that order."""


# What the operating system says, in words that tell what to do next.
_ADVICE = {
    errno.ENOSPC: ("the disk is full", "Free some space and run the same command again; what was there is kept"),
    errno.EDQUOT: (
        "the disk quota is used up",
        "Free some space and run the same command again; what was there is kept",
    ),
    errno.EFBIG: ("the file grew past what this system allows", "Raise the limit (ulimit -f) or write elsewhere"),
    errno.EACCES: ("permission is missing", "Choose another place, or change the permissions"),
    errno.EPERM: ("permission is missing", "Choose another place, or change the permissions"),
    errno.EROFS: ("it is on a read-only file system", "Choose another place"),
    errno.ENOENT: ("it does not exist", "Check the path"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "Check the path"),
    errno.EISDIR: ("it is a folder, not a file", "Name a file"),
    errno.EEXIST: ("a file of that name is in the way", "Choose another name"),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one"),
}


def os_error(doing: str, path: Path | str, error: OSError) -> FathomError:
    """The error to raise when the operating system refuses `doing` something to `path`."""
    fault, advice = _ADVICE.get(error.errno or 0, (error.strerror or str(error), "Check the path and the disk"))
    return FathomError(f"Cannot {doing} '{path}': {fault}. {advice}.")


@contextmanager
def file_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn what the system and SQLite say about `path` into one clear sentence."""
    try:
        yield
    except OSError as error:
        raise os_error(doing, path, error) from error
    except sqlite3.DatabaseError as error:
        raise _sqlite_error(doing, path, error) from error
    except UnicodeDecodeError as error:
        raise FathomError(f"Cannot {doing} '{path}': it is damaged ({error.reason}). Restore a copy.") from error


def _sqlite_error(doing: str, path: Path, error: sqlite3.DatabaseError) -> FathomError:
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return os_error(doing, path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return os_error(doing, path, OSError(errno.EACCES, os.strerror(errno.EACCES)))
    fault, advice = {
        sqlite3.SQLITE_BUSY: ("another process is using it", "Wait for it to end, then try again"),
        sqlite3.SQLITE_IOERR: (f"the disk refused it ({error})", "Check the disk and its limits, then run it again"),
        sqlite3.SQLITE_CORRUPT: ("it is damaged or cut off", "Make it again, or restore a copy"),
        sqlite3.SQLITE_NOTADB: ("it is damaged or cut off", "Make it again, or restore a copy"),
    }.get(primary, (str(error), "Make it again, or restore a copy"))
    return FathomError(f"Cannot {doing} '{path}': {fault}. {advice}.")
