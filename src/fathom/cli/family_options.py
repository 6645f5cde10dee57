"""The options of `fathom build FAMILY`, derived from the family's settings."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from fathom.api.benches import FamilySettings, is_path, model_marker
from fathom.cli import options
from fathom.records.errors import FathomError
from fathom.records.lengths import parse_length


class _WholeNumber(click.ParamType[int]):
    """A whole number within bounds: 3000, 64K, 1M."""

    name = "integer"

    def __init__(self, least: int | None, most: int | None) -> None:
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int:
        number = int(value) if str(value).isdecimal() else parse_length(value)
        if (self._least is not None and number < self._least) or (self._most is not None and number > self._most):
            upper = f" to {self._most:,}" if self._most is not None else " or more"
            option = param.opts[0] if param is not None else "the option"
            raise FathomError(f"{option} is {number:,}. Use {self._least or 0:,}{upper}.")
        return number


class _NumberOrWord(click.ParamType[int | str]):
    """A whole number, or one of some words."""

    name = "number"

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int | str:
        if value in self._words or isinstance(value, int):
            return str(value) if value in self._words else int(value)
        if str(value).isdecimal():
            return int(value)
        option = param.opts[0] if param is not None else "the option"
        raise FathomError(f"{option} does not take '{value}'. Give a whole number, or {' or '.join(self._words)}.")


class _ModelName(click.ParamType[str]):
    """The name of a model that computes the setting."""

    name = "model"


def model_options(settings: type[FamilySettings]) -> list[str]:
    """The options that name a model, which then computes the setting."""
    fields = settings.model_fields.items()
    return [f"--{name.replace('_', '-')}" for name, field in fields if model_marker(field) is not None]


def settings_options(settings: type[FamilySettings]) -> list[click.Option]:
    """One option for each field; a field whose option is not given keeps its default."""
    return [_option(name, field) for name, field in settings.model_fields.items()]


def _option(name: str, field: FieldInfo) -> click.Option:
    kind = _plain(field.annotation)
    flag = f"--{name.replace('_', '-')}"
    help_text = " ".join((field.description or "").split())
    if kind is bool:
        return click.Option([flag, name], is_flag=True, default=None, help=help_text)
    parameter = _parameter(kind, field)
    help_text += _default(field)
    if isinstance(parameter, options.Variations):
        return click.Option([flag, name], type=parameter, multiple=True, callback=options.merged, help=help_text)
    return click.Option([flag, name], type=parameter, help=help_text)


def _plain(annotation: Any) -> Any:
    """The type without `None`."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        return kinds[0] if len(kinds) == 1 else annotation
    return annotation


def _parameter(kind: Any, field: FieldInfo) -> click.ParamType[Any]:
    """The click type of a field's type."""
    if is_path(field):
        return options.PATH
    if model_marker(field) is not None:
        return _ModelName()
    least, most = _bound(field, "ge"), _bound(field, "le")
    match get_origin(kind), get_args(kind):
        case (origin, values) if origin is Literal:
            return click.Choice(values)
        case (origin, (item, *_)) if origin is tuple:
            return options.CommaList(get_args(item), required=True)
        case (origin, (key, values)) if origin is dict and get_origin(values) is tuple:
            return options.Variations(get_args(key))
        case (origin, (key, _)) if origin is dict:
            return options.Shares(get_args(key))
        case (origin, (_, words)) if origin in (Union, UnionType):
            return _NumberOrWord(get_args(words))
    if kind is int:
        return _WholeNumber(least, most)
    if kind is float:
        above = _bound(field, "gt")
        return click.FloatRange(above, most, min_open=True) if least is None else click.FloatRange(least, most)
    return click.STRING


def _bound(field: FieldInfo, name: str) -> Any:
    """The bound `ge`, `gt` or `le` of a number; None if there is none."""
    bounds = (getattr(constraint, name, None) for constraint in field.metadata)
    return next((bound for bound in bounds if bound is not None), None)


def _default(field: FieldInfo) -> str:
    match field.default:
        case None | "" | {} | ():
            return ""
        case tuple() as values:
            return f"  [default: {','.join(map(str, values))}]"
        case int() as number:
            return f"  [default: {number:,}]"
        case value:
            return f"  [default: {value}]"
