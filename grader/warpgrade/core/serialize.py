"""Records to JSON and back: dataclasses of plain values, enumerations, tuples, dictionaries, options."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Converter = Callable[[Any], Any]


def to_data(value: Any) -> Any:
    """A record as plain lists, dictionaries, strings and numbers."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    if isinstance(value, dict):
        return {key: to_data(item) for key, item in value.items()}
    if isinstance(value, enum.StrEnum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {name: to_data(each) for name, each in _fields(value).items()}
    return value


def from_data(kind: type[T], data: Any) -> T:
    """The record of that type; TypeError, KeyError or ValueError where data has another shape."""
    any_kind: Any = kind
    return typing.cast(T, _converter(any_kind)(data))


def dumps(value: Any) -> str:
    """One line of JSON. Equal records give equal bytes."""
    return json.dumps(value, default=_fields, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def loads(kind: type[T], text: str) -> T:
    return from_data(kind, json.loads(text))


def _fields(record: Any) -> dict[str, Any]:
    """json.dumps calls this for a value that is no JSON type: a record."""
    kind = typing.cast(Any, type(record))
    found = {name: getattr(record, name) for name in _names(kind)}
    for name in _optional(kind):
        if found[name] is None:
            del found[name]
    return found


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    """The fields that are saved: all but those with the metadata {"saved": False}."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.metadata.get("saved", True))


@functools.cache
def _optional(kind: type) -> tuple[str, ...]:
    """The fields that are saved only where they are not None: {"saved": "if set"}."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.metadata.get("saved") == "if set")


@functools.cache
def _converter(kind: Any) -> Converter:
    """The converter of a type, made once: a class has thousands of records."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_converter(typing.get_args(kind))
    if origin is Sequence:
        return _tuple_converter((*typing.get_args(kind), Ellipsis))
    if origin is tuple:
        return _tuple_converter(typing.get_args(kind))
    if origin is dict:
        return _dict_converter(typing.get_args(kind))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record_converter(kind)
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return kind
    return _plain_converter(kind)


def _plain_converter(kind: Any) -> Converter:
    def convert(data: Any) -> Any:
        if type(data) is kind or kind is Any:
            return data
        if kind is float and type(data) is int:
            return float(data)
        raise TypeError(f"expected {kind.__name__}, found {type(data).__name__}")

    return convert


def _union_converter(kinds: tuple[Any, ...]) -> Converter:
    converters = [_converter(kind) for kind in kinds if kind is not type(None)]
    optional = type(None) in kinds

    def convert(data: Any) -> Any:
        if data is None and optional:
            return None
        if len(converters) == 1:
            return converters[0](data)
        for converter in converters:
            try:
                return converter(data)
            except (TypeError, ValueError, KeyError):
                continue
        raise TypeError(f"{data!r} is not one of {kinds}")

    return convert


def _tuple_converter(kinds: tuple[Any, ...]) -> Converter:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return _sequence_converter(kinds[0])
    converters = [_converter(kind) for kind in kinds]
    others = [at for at, kind in enumerate(kinds) if not _plain(kind)]
    plain = [kind if _plain(kind) else None for kind in kinds]

    def convert(data: Any) -> Any:
        _need_list(data)
        if len(converters) != len(data):
            raise TypeError(f"expected {len(converters)} items, found {len(data)}")
        converted: list[Any] = list(data)
        found: list[Any] = list(map(type, data))
        for at in others:
            converted[at], found[at] = converters[at](data[at]), None
        if found == plain:
            return tuple(converted)
        return tuple([converter(item) for converter, item in zip(converters, data, strict=True)])

    return convert


def _sequence_converter(kind: Any) -> Converter:
    converter, plain = _converter(kind), _plain(kind)

    def convert(data: Any) -> Any:
        _need_list(data)
        return tuple(data) if plain >= set(map(type, data)) else tuple(map(converter, data))

    return convert


def _need_list(data: Any) -> None:
    if not isinstance(data, list):
        raise TypeError(f"expected a list, found {type(data).__name__}")


def _plain(kind: Any) -> frozenset[type]:
    """The types of JSON values that stay as they are, where a value of `kind` is wanted."""
    return frozenset((kind,)) if kind in (str, int, float, bool) else frozenset()


def _dict_converter(kinds: tuple[Any, ...]) -> Converter:
    of_key, of_value = (_converter(kind) for kind in kinds)
    plain_key, plain_value = map(_plain, kinds)

    def convert(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"expected an object, found {type(data).__name__}")
        if plain_value >= set(map(type, data.values())) and plain_key >= set(map(type, data)):
            return dict(data)
        return {of_key(key): of_value(item) for key, item in data.items()}

    return convert


def _record_converter(kind: Any) -> Converter:
    hints = typing.get_type_hints(kind)
    fields = [(name, hints[name], _converter(hints[name])) for name in _names(kind)]

    def convert(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"expected an object for {kind.__name__}, found {type(data).__name__}")
        found = {}
        for name, hint, converter in fields:
            if name in data:
                item = data[name]
                found[name] = item if type(item) is hint else converter(item)
        return kind(**found)

    return convert
