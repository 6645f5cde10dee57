"""Systems by name, with their settings: built-in ones, and those that users define in a file or a package."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getsource
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from pydantic import JsonValue, TypeAdapter, ValidationError

from fathom.models.simulated import FaultOperation
from fathom.records.errors import FathomError, file_errors
from fathom.records.lengths import parse_length
from fathom.records.record import digest, first_error
from fathom.systems.agent import Agent
from fathom.systems.claim_passes import OneByOne, ThreePass
from fathom.systems.direct import ClosedBook, Full, FullControl, Passages, Tables
from fathom.systems.extract_sql import ExtractSql
from fathom.systems.http import HttpSystem, is_address
from fathom.systems.map_reduce import MapReduce
from fathom.systems.memory import Memory
from fathom.systems.protocol import NOT_RECORDED, Prompting, System
from fathom.systems.rag import Rag
from fathom.systems.sql import Sql

SYSTEMS: dict[str, type[Any]] = {
    kind.name: kind
    for kind in (
        Full, Rag, Memory, MapReduce, ThreePass, OneByOne, Agent, Passages, FullControl, Tables, Sql, ExtractSql,
        ClosedBook,
    )
}  # fmt: skip

OTHER_NAMES = {"single-pass": Full.name}
"""Names that papers have for a system."""

SPARED: dict[str, tuple[FaultOperation, ...]] = {
    Passages.name: ("finding",),
    Tables.name: ("finding", "reading"),
    Sql.name: ("finding", "reading"),
}
"""Operations that a system spares the model: passages need not be found, nor the values of a table read from prose."""

WHOLE = (Full, FullControl, Passages, Tables, Sql, ExtractSql)
"""Systems through which a simulated model answers as if it had read everything; through all others it answers from what
they show it."""


CONTROLS = (Passages, FullControl)
"""Systems whose prompts depend on the keys. No other system is given a text form that does."""


def is_control(system: System) -> bool:
    """Whether the system may show forms that depend on the keys. A class derived from a control is none."""
    return type(system) in CONTROLS


def reads_everything(system: System) -> bool:
    """Whether a simulated model answers through the system without a session."""
    return isinstance(system, WHOLE)


@dataclass(frozen=True)
class LoadedSystem:
    """A system, and where it comes from."""

    system: System
    source: str = ""
    """The hash of the file that defines it; empty for a built-in system."""

    @property
    def settings(self) -> dict[str, JsonValue]:
        """The system's settings as `run.json` records them, without those that do not affect its answers."""
        kind: Any = type(self.system)
        left_out = {field.name for field in fields(kind) if field.metadata.get(NOT_RECORDED)}
        dumped: dict[str, JsonValue] = TypeAdapter(kind).dump_python(self.system, mode="json")
        return {name: value for name, value in dumped.items() if name not in left_out}

    @property
    def changed_settings(self) -> dict[str, JsonValue]:
        """The settings that differ from their defaults, except for the prompting."""
        kind: Any = type(self.system)
        changed = [field.name for field in fields(kind) if getattr(self.system, field.name) != _default(field)]
        own = [name for name in changed if name not in ("prompting", "name")]
        return {name: value for name, value in self.settings.items() if name in own}


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def wrap_system(system: System) -> LoadedSystem:
    """A system that is given as an object; the source of its class is hashed if it can be read."""
    if type(system) in SYSTEMS.values():
        return LoadedSystem(system)
    if isinstance(system, type):
        raise FathomError(f"The system is the class '{system.__name__}'. Give an object: {system.__name__}().")
    _check_kind(type(system), type(system).__name__)
    try:
        source = digest(getsource(type(system))).hex()[:16]
    except (OSError, TypeError):
        source = "unknown"
    return LoadedSystem(system, source)


def load_system(
    name: str, prompting: Prompting = "direct", settings: Mapping[str, object] | None = None
) -> LoadedSystem:
    """The system of that name, `path/to/file.py:Name`, `package.module:Name` or `http://HOST/PATH`, with settings."""
    if prompting not in get_args(Prompting):
        raise FathomError(f"There is no prompting '{prompting}'. Choose among {', '.join(get_args(Prompting))}.")
    if is_address(name):
        return LoadedSystem(_with_settings(HttpSystem, name, prompting, settings or {}, {"name": name}))
    if "://" in name:
        raise FathomError(f"'{name}' is not an address such as http://127.0.0.1:8000/answer. Correct --system.")
    if ":" in name:
        kind, source = _load_class(name)
    elif name in SYSTEMS:
        kind, source = SYSTEMS[name], ""
    else:
        known = f" It is called '{OTHER_NAMES[name]}' here." if name in OTHER_NAMES else ""
        raise FathomError(
            f"There is no system '{name}'.{known} Choose one of {', '.join(SYSTEMS)}, or give your own as "
            "path/to/file.py:Name or http://HOST:PORT/PATH."
        )
    return LoadedSystem(_with_settings(kind, name, prompting, settings or {}), source)


def _with_settings(
    kind: type[Any],
    name: str,
    prompting: Prompting,
    settings: Mapping[str, object],
    fixed: Mapping[str, object] | None = None,
) -> System:
    """The system with these settings, and with fields that are not settings."""
    fixed = fixed or {}
    names = [one.name for one in fields(kind) if one.init and one.name not in fixed]
    own = ", ".join(name for name in names if name != "prompting") or "none"
    if "prompting" in settings:
        raise FathomError("The prompting is not a setting of -S. Use --prompting.")
    for unknown in settings.keys() - set(names):
        raise FathomError(f"The system '{name}' has no setting '{unknown}'. It has: {own}.")
    if prompting != "direct" and "prompting" not in names:
        raise FathomError(f"The system '{name}' does not support --prompting. Leave it out.")
    given: dict[str, Any] = {**fixed, **{one: _parse(kind, one, value, name) for one, value in settings.items()}}
    if "prompting" in names:
        given["prompting"] = prompting
    try:
        system: System = kind(**given)
    except (TypeError, ValueError) as error:
        raise FathomError(f"The system '{name}' could not be created: {error}. Check its settings (-S).") from error
    return system


def _parse(kind: type[Any], setting: str, given: object, name: str) -> object:
    """The value of one setting, of the type that its field has; a text may also be JSON, or a length such as 16K."""
    try:
        # The field alone: whether settings agree with one another is decided when all of them are known.
        adapter = TypeAdapter(get_type_hints(kind, include_extras=True)[setting])
    except (NameError, TypeError):  # its type is imported for type checkers only
        return given
    values = [given]
    if isinstance(given, str):
        with suppress(ValueError):
            values.append(json.loads(given))
        with suppress(FathomError):
            values.append(parse_length(given))
    problem = ""
    for value in values:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            problem = problem or first_error(error)
    raise FathomError(f"The setting '{setting}' of the system '{name}' cannot be '{given}' ({problem}). Correct -S.")


# Systems defined by users.


def _load_class(name: str) -> tuple[type[Any], str]:
    """The class that `file.py:Name` or `package.module:Name` names, and the hash of its file."""
    place, _, attribute = name.rpartition(":")
    module = _load_file(Path(place)) if place.endswith(".py") or "/" in place else _load_module(place)
    kind: Any = getattr(module, attribute, None)
    if not isinstance(kind, type):
        raise FathomError(f"'{place}' has no class '{attribute}'. Name the class of your system after the colon.")
    _check_kind(kind, name)
    own_name: str = vars(kind).get("name", "")
    if own_name in SYSTEMS:
        raise FathomError(f"The name '{own_name}' of '{name}' belongs to a built-in system. Choose another name.")
    file = Path(module.__file__ or place)
    with file_errors("read", file):
        return kind, digest(file.read_bytes()).hex()[:16]


def _check_kind(kind: type[Any], name: str) -> None:
    missing = [member for member in ("name", "answer", "estimate") if not hasattr(kind, member)]
    if missing or "__dataclass_fields__" not in vars(kind):
        lacks = f"no '{missing[0]}'" if missing else "no @dataclass(frozen=True) decorator"
        raise FathomError(f"'{name}' is not a system: it has {lacks}. See docs/own-system.md.")


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FathomError(f"There is no file '{path}' with a system. Check the path.")
    # Pydantic resolves the types of the fields in the module of the class, which must be registered for that.
    name = f"fathom_system_{digest(str(path.resolve())).hex()[:12]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FathomError(f"'{path}' cannot be loaded as Python. Give a file that ends in .py.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _failed(str(path), error) from error
    return module


def _load_module(name: str) -> ModuleType:
    """The module, which may also be in the working folder."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except Exception as error:
        raise _failed(name, error) from error


def _failed(place: str, error: Exception) -> FathomError:
    return FathomError(f"'{place}' cannot be imported ({type(error).__name__}: {error}). Correct it, then try again.")
