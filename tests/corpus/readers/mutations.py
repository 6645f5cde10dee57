"""Hostile documents: random damage and deliberate attacks. Each is reproducible from its type and number."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import sysconfig
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import zstandard

from fathom.corpus.document_reading import Filters, ReadResult, read_source
from fathom.corpus.readers.sources import FolderCompanions, SourceFile, source_files
from tests.corpus.readers.attacks import KINDS, Files, good
from tests.corpus.readers.office_attacks import rezipped, unzipped

PATIENT = 10
"""Seconds after which a document is a hang."""

SECRET = "heronkeepstheseventhkey"
"""The content of the files outside, which no document may contain."""

# The test sandbox: a folder, a secret outside it, and a listening port.


class Sandbox:
    """A folder for documents, with a secret next to it and a port that readers must not touch."""

    def __init__(self, root: Path) -> None:
        self.inside = root / "inside"
        self.outside = root / "outside"
        self.inside.mkdir()
        self.outside.mkdir()
        for ending, content in _SECRETS.items():
            (self.outside / f"secret{ending}").write_text(content)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        port = self._listener.getsockname()[1]
        self.places = (
            str(self.outside / "secret"),
            "../outside/secret",
            f"file://{self.outside}/secret",
            f"http://127.0.0.1:{port}/secret",
            "link",
        )
        for ending in _SECRETS:
            (self.inside / f"link{ending}").symlink_to(self.outside / f"secret{ending}")
        self._known = set(root.rglob("*"))
        self._root = root

    def was_contacted(self) -> bool:
        """Whether something connected to the port since the last call."""
        try:
            caller, _ = self._listener.accept()
        except BlockingIOError:
            return False
        caller.close()
        return True

    def new_files(self) -> list[Path]:
        """Files created since the sandbox was set up."""
        return sorted(set(self._root.rglob("*")) - self._known)

    def close(self) -> None:
        self._listener.close()


_SECRETS = {
    ".txt": f"{SECRET}\n",
    ".tex": f"{SECRET}\n",
    ".md": f"{SECRET}\n",
    ".rst": f"{SECRET}\n",
    ".csv": f"a,b\n{SECRET},1\n",
    ".xml": f"<p>{SECRET}</p>",
    ".dtd": f'<!ENTITY told "{SECRET}">',
    ".bib": f"@article{{b1,\n title = {{{SECRET}}},\n author = {{Lind, A.}},\n year = {{2020}}\n}}\n",
    ".yml": f"title: {SECRET}\n",
}


@cache
def _passwords() -> str:
    """The first line of /etc/passwd, which attackers try first; a random word if there is no such file."""
    path = Path("/etc/passwd")
    return path.read_text().partition("\n")[0] if path.exists() else SECRET


class _Watch:
    """Python's audit events for files, connections and processes while a document is read."""

    def __init__(self) -> None:
        self.allowed: tuple[str, ...] | None = None
        self.seen: list[str] = []
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.allowed is None:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(mode, str) and bool(set("wax+") & set(mode))
            if isinstance(path, str) and path != os.devnull and (writes or not path.startswith(self.allowed)):
                self.seen.append(f"opened {path} with {mode or flags}")
        elif event in _NEVER and "pdf.child_process" not in str(arguments[1:2]):  # PDFs are read in a child process
            self.seen.append(f"{event} {arguments[:1]}")


_NEVER = frozenset(
    ("subprocess.Popen", "os.system", "os.exec", "os.remove", "os.rename", "os.mkdir", "os.symlink", "os.link",
     "socket.connect", "socket.getaddrinfo", "urllib.Request")
)  # fmt: skip


@cache
def _watch() -> _Watch:
    # One for the whole process, since such a hook can never be taken away.
    return _Watch()


@contextmanager
def watched(sandbox: Sandbox) -> Iterator[list[str]]:
    """The forbidden operations while a document is read; importing modules is allowed."""
    watch = _watch()
    places = (str(sandbox.inside), *sys.path, *sysconfig.get_paths().values(), str(Path(__file__).parents[3] / "src"))
    watch.seen = []
    watch.allowed = tuple(filter(None, places))
    try:
        yield watch.seen
    finally:
        watch.allowed = None


# Accidents: what transfers, converters and disks do to any file.

Mutation = Callable[[Random, bytes], bytes]


def _place(random: Random, content: bytes) -> int:
    return random.randrange(len(content) + 1)


def _cut(random: Random, content: bytes) -> bytes:
    return content[: _place(random, content)]


def _beheaded(random: Random, content: bytes) -> bytes:
    return content[random.randrange(min(len(content), 2_000) + 1) :]


def _flipped(random: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 3, 10, 100)) if changed else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _inserted(random: Random, content: bytes) -> bytes:
    at = _place(random, content)
    return content[:at] + random.randbytes(random.choice((1, 2, 8, 64))) + content[at:]


def _removed(random: Random, content: bytes) -> bytes:
    at = _place(random, content)
    return content[:at] + content[at + random.choice((1, 10, 100, 1_000)) :]


def _repeated(random: Random, content: bytes) -> bytes:
    at = _place(random, content)
    block = content[at : at + random.choice((1, 5, 50, 500))]
    times = random.choice((2, 3, 50, 500))
    return content[:at] + block * min(times, 200_000 // (len(block) + 1)) + content[at:]


_TOKEN = re.compile(rb"(<[^<>]{0,500}>|\n+|\\[a-zA-Z]+|[{}\[\](),|&$`*_#:;\"])")


def _shuffled(random: Random, content: bytes) -> bytes:
    """Markup characters doubled, lost and swapped."""
    tokens = _TOKEN.split(content)
    for _ in range(random.choice((1, 2, 5, 20))):
        one, two = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(4):
            case 0:
                tokens[one] = b""
            case 1:
                tokens[one] += tokens[two]
            case 2:
                tokens[one], tokens[two] = tokens[two], tokens[one]
            case _:
                tokens[one] *= random.choice((2, 10, 1_000)) if len(tokens[one]) < 50 else 2
    return b"".join(tokens)


_NUMBERS = (
    "0",
    "-1",
    "99999999999999999999",
    "1e999",
    "NaN",
    "²",
    "٣",
    "①",
    "१२",
    "0x10",
    "1" * 5_000,
    "",
    "-0.0",
    "９",
)


def _numbered(random: Random, content: bytes) -> bytes:
    """Invalid numbers, and digits of other scripts."""
    found = list(re.finditer(rb"\d+", content))
    for match in random.sample(found, min(len(found), 3)):
        number = random.choice(_NUMBERS).encode()
        content = (
            content.replace(match[0], number, 1) if random.random() < 0.5 else content.replace(match[0], number, 9)
        )
    return content


_ODD = (
    "\0", "\ufeff", "\u202e", "\u2028", "\u0085", "\ufffe", "\ue000", "\U0010ffff", "\u0301" * 50, "İ", "ß", "ﬃ",
    "\u200d", "\x1c", "\x1f", "\x0b", "\x0c", "\r", "\u3000", "\u00ad", "\x7f", "&#0;", "&#xd800;", "&#x110000;",
    "&nbsp;", "&bogus;", "\\ud800", "\\u0000", "]]>", "-->", "<!--", "<![CDATA[", "\x1b[31m", "“", "𝔘", "\u2061",
)  # fmt: skip


def _odd(random: Random, content: bytes) -> bytes:
    for _ in range(random.choice((1, 3, 30))):
        at = _place(random, content)
        content = content[:at] + random.choice(_ODD).encode() + content[at:]
    return content


def _encoded(random: Random, content: bytes) -> bytes:
    """An encoding other than the declared one, or another declaration."""
    text = content.decode("utf-8", "replace")
    match random.randrange(9):
        case 0:
            return text.encode("utf-16")
        case 1:
            return text.encode("utf-16-be")
        case 2:
            return text.encode("latin-1", "replace") + b" caf\xe9 \xe4\xf6"
        case 3:
            return b"\xef\xbb\xbf" * random.choice((1, 2)) + content
        case 4:
            return random.choice((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"+/v8-")) + content
        case 5:
            return re.sub(
                rb"(?i)utf-?8", random.choice((b"UTF-16", b"latin-1", b"bogus", b"UTF-7", b"IBM037")), content
            )
        case 6:
            at = _place(random, content)
            return content[:at] + b"\xed\xa0\x80" + content[at:]
        case 7:
            return text.encode("utf-32")
        case _:
            return text.encode("cp037", "replace")


def _spliced(random: Random, content: bytes) -> bytes:
    """Join the beginning of one document and the end of another of any type."""
    other = next(iter(random.choice(good(random.choice(tuple(KINDS)))).values()))
    return content[: _place(random, content)] + other[_place(random, other) :]


ACCIDENTS: tuple[Mutation, ...] = (
    _cut, _beheaded, _flipped, _flipped, _inserted, _removed, _repeated, _shuffled, _shuffled, _shuffled, _numbered,
    _odd, _encoded, _spliced,
)  # fmt: skip


_VALUES: tuple[object, ...] = (
    None, True, -1, 0, 10**30, 1e308, float("inf"), float("nan"), "", "\ud800", "\0", "a" * 10_000, [], {}, [[]],
    {"": None}, ["\ud800"], {"start": 5, "end": 1}, 0.5, "2020", "²", [None] * 100, {"text": {"text": []}}, -(10**9),
)  # fmt: skip


def _scrambled(random: Random, content: bytes) -> bytes:
    """Replace values in JSON by others. Anything that is not JSON is unchanged."""
    lines = content.split(b"\n") if content.count(b"\n") > 1 else [content]
    number = random.randrange(len(lines))
    try:
        whole = json.loads(lines[number])
    except (ValueError, RecursionError):
        return content
    for _ in range(random.choice((1, 1, 3, 10))):
        whole = _changed(random, whole)
    lines[number] = json.dumps(whole, ensure_ascii=random.random() < 0.7).encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _changed(random: Random, value: object) -> object:
    """A copy with one value, at any depth, exchanged."""
    if isinstance(value, dict) and value and random.random() < 0.93:
        key = random.choice(list(value))
        return {**value, key: _changed(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.93:
        at = random.randrange(len(value))
        return [*value[:at], _changed(random, value[at]), *value[at + 1 :]]
    return random.choice(_VALUES)


def _regrown(random: Random, content: bytes) -> bytes:
    """XML with elements moved, repeated or removed; anything else is unchanged."""
    from lxml import etree

    try:
        root = etree.fromstring(content, etree.XMLParser(no_network=True, resolve_entities=False))
    except (etree.XMLSyntaxError, ValueError):
        return content
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    for _ in range(random.choice((1, 2, 5, 20))):
        one, two = random.choice(elements), random.choice(elements)
        match random.randrange(6):
            case 0 if one.getparent() is not None:
                one.getparent().remove(one)
            case 1:
                two.append(deepcopy(one))
            case 2:
                one.tag = two.tag
            case 3:
                one.text, two.text = two.text, one.text
            case 4 if one.attrib:
                name = random.choice(list(one.attrib))
                one.set(name, random.choice(("", "²", "-1", "99999999", "b1 b2", "#", "NaN", "x" * 1_000, "9" * 50)))
            case _:
                one.text = random.choice(
                    ("", "²", "-1", "1e999", "9" * 5_000, " ", "\u2028", "\ufffd", "٣", "x" * 10_000)
                )
    found: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return found


def _repacked(random: Random, content: bytes) -> bytes:
    """An archive with damage in one of its parts; anything else is unchanged."""
    try:
        parts = unzipped(content)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError):
        return content
    name = random.choice(list(parts))
    accident = random.choice((*ACCIDENTS, *[_regrown] * 12))
    return rezipped({**parts, name: accident(random, parts[name])})


_ZIPPED = ("docx", "epub", "xlsx")
_JSON = ("s2orc", "papers-jsonl", "json")
_XML = ("jats", "tei", "ixbrl")


# Cases, each made again from its number.


@dataclass(frozen=True)
class Case:
    """One hostile file."""

    kind: str
    number: int
    label: str
    files: Files = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.number} ({self.label})"


class Cases:
    """The attacks of one type, then an endless sequence of random damage."""

    def __init__(self, kind: str, sandbox: Sandbox, seed: int = 0, real: Sequence[Files] = ()) -> None:
        self._kind = kind
        self._seed = seed
        self.attacks = list(KINDS[kind](sandbox.places))
        self._good = [*good(kind) * (1 + len(real)), *real]

    def made(self, number: int) -> Case:
        """The case of that number."""
        if number < len(self.attacks):
            label, make = self.attacks[number]
            return Case(self._kind, number, label, make())
        random = Random(f"{self._seed} {self._kind} {number}")
        files = dict(random.choice(self._good))
        document = next(iter(files))
        # What lies beside a document is read with it, and is as often broken.
        name = random.choice(list(files)) if random.random() < 0.3 else document
        accidents = [random.choice(self._accidents) for _ in range(random.choice((1, 1, 1, 2, 4)))]
        for accident in accidents:
            files[name] = accident(random, files[name])
        label = f"{name}: {', '.join(one.__name__.strip('_') for one in accidents)}"
        return Case(self._kind, number, label, files)

    @property
    def _accidents(self) -> Sequence[Mutation]:
        if self._kind in _ZIPPED:
            return (*ACCIDENTS, *[_repacked] * 40)
        if self._kind in _JSON:
            return (*ACCIDENTS, *[_scrambled] * 12)
        return (*ACCIDENTS, *[_regrown] * 12) if self._kind in _XML else ACCIDENTS


# Results.


@dataclass
class Tally:
    """Counts of results for the files of one type."""

    files: int = 0
    read: int = 0
    refused: int = 0
    passed_over: int = 0
    crashed: list[str] = field(default_factory=list)
    hung: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    contradicted: list[str] = field(default_factory=list)
    """Documents whose parts the record rejects: no crash, but a defect of the reader."""
    slowest: tuple[float, str] = (0.0, "")
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, max(mine, value) if name == "slowest" else mine + value)

    @property
    def faults(self) -> list[str]:
        return [*self.crashed, *self.hung, *self.leaked]


def read_case(case: Case, sandbox: Sandbox, tally: Tally) -> None:
    """Read one case and count how it ends."""
    (name, content), *beside = case.files.items()
    path = sandbox.inside / name
    written = dict(beside) if case.kind != "archives" else {name: content}
    for sibling, text in written.items():
        (sandbox.inside / sibling).write_bytes(text)
    found: list[ReadResult] = []
    start, busy = time.perf_counter(), time.process_time()
    with watched(sandbox) as seen:
        try:
            for opened in (
                source_files([path])
                if path.name in written
                else [SourceFile(str(path), content, FolderCompanions(path.parent))]
            ):
                found += read_source(opened, Filters())[1]
        except Exception as error:
            tally.crashed.append(f"{case}: {type(error).__name__}: {error}"[:400])
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    for sibling in written:
        (sandbox.inside / sibling).unlink()
    tally.files += 1
    tally.seconds += seconds
    tally.slowest = max(tally.slowest, (seconds, str(case)))
    _count(case, found, tally)
    # Where others share the machine, time goes by in which nothing is read.
    if seconds > PATIENT and (busy > PATIENT or seconds > 3 * PATIENT):
        tally.hung.append(f"{case}: {seconds:.1f} s")
    if seen:
        tally.leaked.append(f"{case}: {seen[0]}")
    if sandbox.was_contacted():
        tally.leaked.append(f"{case}: called a server")


def unpacked(part: bytes) -> str:
    """The text of a compressed part."""
    return zstandard.decompress(part).decode()


def _count(case: Case, found: Sequence[ReadResult], tally: Tally) -> None:
    if any(one.document for one in found):
        tally.read += 1
    elif any(one.error for one in found):
        tally.refused += 1
    else:
        tally.passed_over += 1
    for one in found:
        if one.error.startswith("its reader failed"):
            tally.crashed.append(f"{case}: {one.format}: {one.error}")
        elif one.error.startswith("reading took longer"):
            tally.hung.append(f"{case}: {one.format}: {one.error}")
        elif one.error.startswith("its parts contradict"):
            tally.contradicted.append(f"{case}: {one.format}: {one.error}")
        text = one.error if one.document is None else (unpacked(one.document.text) + unpacked(one.document.parts))
        if SECRET in text or _passwords() in text:
            tally.leaked.append(f"{case}: {one.format}: it tells what stands outside")


def run(cases: Cases, numbers: Iterable[int], sandbox: Sandbox) -> Tally:
    """Read the cases of those numbers."""
    tally = Tally()
    for number in numbers:
        read_case(cases.made(number), sandbox, tally)
    tally.leaked += [f"made outside: {path}" for path in sandbox.new_files()]
    return tally
