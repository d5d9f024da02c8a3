"""How does a record become JSON, and JSON a record again?"""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
"""Version of every JSON object that gitnotes prints; documented in docs/json.md."""

_LARGEST = 16 << 20
"""Bytes of a file that is read whole for a record."""

Record = TypeVar("Record")


def to_json(record: Any) -> Any:
    """The record as dicts, lists and plain values; `from_json` reads it back exactly."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {item.name: to_json(getattr(record, item.name)) for item in dataclasses.fields(record)}
    if isinstance(record, dict):
        return {key: to_json(value) for key, value in record.items()}
    if isinstance(record, tuple | list):
        return [to_json(value) for value in record]
    return record


def from_json(kind: type[Record], data: Any) -> Record:
    """The record of class `kind` that `to_json` turned into `data`.

    Raises ValueError when `data` has another shape.
    """
    return typing.cast(Record, _decode(kind, data))


def _decode(kind: Any, data: Any) -> Any:
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(data, dict):
            raise ValueError(f"{kind.__name__} wants an object, not {type(data).__name__}")
        hints = typing.get_type_hints(kind)
        unknown = set(data) - set(hints)
        if unknown:
            raise ValueError(f"{kind.__name__} has no field {sorted(unknown)[0]!r}")
        try:
            return kind(**{name: _decode_field(name, hints[name], value) for name, value in data.items()})
        except TypeError as problem:
            raise ValueError(f"{kind.__name__}: {problem}") from problem
    if origin in (typing.Union, types.UnionType):
        if data is None:
            return None
        return _decode(next(item for item in arguments if item is not type(None)), data)
    if origin is tuple:
        if not isinstance(data, list):
            raise ValueError(f"a list is wanted, not {type(data).__name__}")
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_decode(arguments[0], value) for value in data)
        if len(arguments) != len(data):
            raise ValueError(f"a list of {len(arguments)} is wanted")
        return tuple(_decode(item, value) for item, value in zip(arguments, data, strict=True))
    if origin is dict:
        if not isinstance(data, dict):
            raise ValueError(f"an object is wanted, not {type(data).__name__}")
        return {key: _decode(arguments[1], value) for key, value in data.items()}
    if origin is Literal:
        if data not in arguments:
            raise ValueError(f"{data!r} is not one of {', '.join(map(str, arguments))}")
        return data
    if kind is typing.Any:
        return data
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if isinstance(kind, type) and not isinstance(data, kind):
        raise ValueError(f"{kind.__name__} is wanted, not {type(data).__name__}")
    return data


def _decode_field(name: str, kind: Any, data: Any) -> Any:
    try:
        return _decode(kind, data)
    except ValueError as problem:
        raise ValueError(f"{name}: {problem}") from problem


def load_record(kind: type[Record], path: Path, *, part: str = "") -> Record | None:
    """The record in a JSON file beside `schema` and `kind`, or under the key `part` of what is there.

    None where the file holds none that can be read: it is missing, damaged, nested too deeply, no
    regular file, or larger than 16 MiB.
    """
    import json

    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        told = json.loads(path.read_text("utf-8"))
        told = told[part] if part else {key: told[key] for key in told if key not in ("schema", "kind")}
        return from_json(kind, told)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
